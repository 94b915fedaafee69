//! What a model costs on each core, without running it.
//!
//! The figures were measured once in QEMU (`pual bench device`); `tests/tests/costs.rs` checks them. With d features and
//! N support instances in B blocks (of 8 for f32, of 4 for integers; F places of padding in the last), a score takes
//!
//! ```text
//! integers            start + reading d + B (block + row d)
//! linear              start + reading d + N (block + row d)
//! RBF without an FPU  start + reading d + N (block + row d) + F (padding + padding row d)
//! RBF with an FPU     start + reading d + B (block + row p + 29 [d even] + 2 [p > 0]),   p = floor((d - 1) / 2)
//! ```
//!
//! instructions. That is exact where the instructions do not depend on the numbers. Those of software floating point do:
//! there the figures are means over ordinary numbers.

use pual_infer::{Encoding, FIXED_LANES, Kernel, LANES, Model};
use serde::Serialize;

/// A model's cost on one core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CoreCost {
    /// The core.
    pub core: &'static str,
    /// Flash for code and model.
    pub flash_bytes: usize,
    /// Flash that decoding and scoring add to a firmware, without the model; for integer models, scoring counts.
    pub code_bytes: u32,
    /// Static RAM.
    pub ram_bytes: u32,
    /// Stack, the larger of decoding and scoring.
    pub stack_bytes: u32,
    /// Instructions (not cycles) per score of an f32 reading.
    #[serde(rename = "instructions_per_score")]
    pub instructions: u64,
    /// Instructions per score of counts: integer models only.
    #[serde(rename = "instructions_per_score_of_counts")]
    pub counts_instructions: Option<u64>,
}

/// Coefficients of the formulas above: start, reading, block, row.
type Steps = [u64; 4];

/// What was measured on a core.
struct MeasuredCore {
    name: &'static str,
    /// Code and stack, in bytes, of an f32 model.
    float_bytes: (u32, u32),
    /// The same of an integer model.
    fixed_bytes: (u32, u32),
    rbf: Steps,
    /// Without an FPU: what an instance of padding takes, and each of its features. Its zeros are a little faster.
    padding: Option<(u64, u64)>,
    linear: Steps,
    /// For an f32 reading, and for counts.
    i16: (Steps, Steps),
    i8: (Steps, Steps),
}

const M0: MeasuredCore = MeasuredCore {
    name: "Cortex-M0",
    float_bytes: (5084, 484),
    fixed_bytes: (3116, 308),
    rbf: [118, 343, 1822, 341],
    padding: Some((1696, 263)),
    linear: [101, 327, 174, 234],
    i16: ([482, 382, 157, 31], [227, 132, 158, 31]),
    i8: ([482, 381, 153, 46], [225, 132, 154, 46]),
};

const M3: MeasuredCore = MeasuredCore {
    name: "Cortex-M3",
    float_bytes: (4996, 416),
    fixed_bytes: (3176, 272),
    rbf: [96, 188, 1047, 213],
    padding: Some((997, 164)),
    linear: [96, 192, 103, 135],
    i16: ([236, 226, 90, 15], [177, 73, 89, 15]),
    i8: ([238, 225, 86, 22], [177, 73, 86, 22]),
};

const M4F: MeasuredCore = MeasuredCore {
    name: "Cortex-M4F",
    float_bytes: (2640, 388),
    fixed_bytes: (3196, 276),
    rbf: [84, 24, 201, 54],
    padding: None,
    linear: [59, 24, 13, 7],
    i16: ([172, 29, 88, 13], [180, 75, 88, 13]),
    i8: ([172, 29, 87, 22], [180, 75, 87, 22]),
};

/// Runs the Cortex-M4F's code.
const M7: MeasuredCore = MeasuredCore { name: "Cortex-M7", ..M4F };

const M33: MeasuredCore = MeasuredCore {
    name: "Cortex-M33",
    float_bytes: (2636, 388),
    fixed_bytes: (3220, 276),
    rbf: [84, 22, 201, 54],
    padding: None,
    linear: [59, 22, 13, 7],
    i16: ([173, 29, 92, 15], [181, 75, 92, 15]),
    i8: ([174, 29, 88, 22], [182, 75, 88, 22]),
};

/// The cost of a model on every core that has been measured.
#[must_use]
pub fn estimate(model: &Model<'_>) -> Vec<CoreCost> {
    [M0, M3, M4F, M7, M33].iter().map(|core| core.estimate(model)).collect()
}

impl MeasuredCore {
    fn estimate(&self, model: &Model<'_>) -> CoreCost {
        let features = model.features() as u64;
        let supports = model.supports() as u64;
        let (steps, counts, lanes) = match (model.encoding(), model.kernel()) {
            (Encoding::I16, _) => (self.i16.0, Some(self.i16.1), FIXED_LANES),
            (Encoding::I8, _) => (self.i8.0, Some(self.i8.1), FIXED_LANES),
            (_, Kernel::Linear) => (self.linear, None, 1),
            _ => (self.rbf, None, LANES),
        };
        let blocks = supports.div_ceil(lanes as u64);
        let total = |[start, reading, block, row]: Steps| {
            let whole_block = block + row * features;
            let sum = match self.padding {
                _ if lanes != LANES => blocks * whole_block,
                None => {
                    // Two features per turn, the first and perhaps the last apart.
                    let pairs = (features - 1) / 2;
                    let even = 29 * ((features + 1) % 2);
                    blocks * (block + even + row * pairs + 2 * pairs.min(1))
                }
                Some((padding, padding_row)) => {
                    let places = blocks * LANES as u64 - supports;
                    supports * whole_block + places * (padding + padding_row * features)
                }
            };
            start + reading * features + sum
        };
        let (code_bytes, stack_bytes) = if counts.is_some() { self.fixed_bytes } else { self.float_bytes };
        CoreCost {
            core: self.name,
            flash_bytes: code_bytes as usize + model.length(),
            code_bytes,
            ram_bytes: 0,
            stack_bytes,
            instructions: total(steps),
            counts_instructions: counts.map(total),
        }
    }
}

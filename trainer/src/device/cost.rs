//! What a model costs on each core, without running it.
//!
//! The figures were measured once in QEMU and are held to it by `tests/tests/costs.rs`. With d features and N
//! support instances (for the RBF kernel rounded up to N' = 8 B, in B blocks), a score takes
//!
//! ```text
//! Cortex-M4F   RBF      86 + 30 d + B (199 + 30 [d even] + 55 p + 2 [p > 0]),   p = floor((d - 1) / 2)
//!              linear   61 + 30 d + N (13 + 7 d)
//! others       RBF      start + reading d + N' (instance + feature d)
//!              linear   start + reading d + N (row + product d)
//! ```
//!
//! instructions. On the M4F that is exact, since its instructions do not depend on the numbers. The others compute
//! in software floating point, where they do: those are means over ordinary numbers.

use pual_infer::{AnyModel, Encoding, Kernel, LANES};

/// A model's cost on one core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoreCost {
    /// The core.
    pub core: &'static str,
    /// Flash that decoding and scoring add to a firmware, without the model.
    pub code_bytes: u32,
    /// Static RAM.
    pub ram_bytes: u32,
    /// Most stack, of decoding or scoring.
    pub stack_bytes: u32,
    /// Instructions of one score (not cycles).
    pub instructions: u64,
}

/// The measured figures of a core that computes in software floating point.
struct SoftFloat {
    start: u64,
    reading: u64,
    instance: u64,
    feature: u64,
    row: u64,
    product: u64,
}

const M3: SoftFloat = SoftFloat {
    start: 155,
    reading: 199,
    instance: 1035,
    feature: 211,
    row: 40,
    product: 139,
};
const M0: SoftFloat = SoftFloat {
    start: 155,
    reading: 310,
    instance: 1780,
    feature: 326,
    row: 40,
    product: 234,
};

/// The cost of a model on every core that has been measured; nothing yet for the integer encodings.
#[must_use]
pub fn estimate(model: &AnyModel<'_>) -> Vec<CoreCost> {
    if model.encoding() != Encoding::F32 {
        return Vec::new();
    }
    let features = model.features() as u64;
    let supports = model.supports() as u64;
    let blocks = supports.div_ceil(LANES as u64);
    let hard = match model.kernel() {
        Kernel::Linear => 61 + 30 * features + supports * (13 + 7 * features),
        _ => {
            let pairs = (features - 1) / 2;
            let even = 30 * ((features + 1) % 2);
            86 + 30 * features + blocks * (199 + even + 55 * pairs + 2 * pairs.min(1))
        }
    };
    let soft = |core: SoftFloat| {
        let sum = match model.kernel() {
            Kernel::Linear => supports * (core.row + core.product * features),
            _ => blocks * LANES as u64 * (core.instance + core.feature * features),
        };
        core.start + core.reading * features + sum
    };
    let cost = |core, code_bytes, stack_bytes, instructions| CoreCost {
        core,
        code_bytes,
        ram_bytes: 0,
        stack_bytes,
        instructions,
    };
    vec![
        cost("Cortex-M4F", 2976, 412, hard),
        cost("Cortex-M3", 5524, 432, soft(M3)),
        cost("Cortex-M0", 5680, 508, soft(M0)),
    ]
}

//! What inference costs on emulated chips, measured: instructions by QEMU's clock, stack by painting it, code as the
//! difference of two programs. Counts are exact and repeatable; they are instructions, not cycles.

mod baseline;
mod models;
mod peers;

pub use baseline::Baseline;
pub use models::{SIZES, in_every_encoding, random_models};
pub use peers::{PEERS, Peer};

use crate::emulator::{Clock, run};
use crate::error::DeviceError;
use crate::firmware::{Board, build_all};
use crate::image::{Image, Sizes, sizes};
use pual_infer::{Encoding, Model};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// How long a bench may take: far longer than any does, even on a busy machine.
const LIMIT: Duration = Duration::from_secs(300);

/// The boards that are measured. Cortex-M0 code runs on the Cortex-M3's board: the instructions are the same, and its
/// clock counts them exactly.
pub const BOARDS: [Board; 5] =
    [Board::CortexM0OnMps2, Board::CortexM3, Board::CortexM4F, Board::CortexM7, Board::CortexM33];

/// What one function costs, over several readings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionCost {
    /// Fewest instructions.
    pub least: u32,
    /// Mean of the instructions. Without software floating point, all readings cost the same.
    pub mean: u32,
    /// Most instructions.
    pub most: u32,
    /// Bytes of stack.
    pub stack: u32,
}

/// What a model costs on a core.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BenchRow {
    /// The core.
    pub core: &'static str,
    /// The model: `256x7`, or the user's name for it.
    pub model: String,
    /// f32, i16 or i8.
    pub encoding: &'static str,
    /// Instructions of `score`, mean over the readings.
    pub score: u32,
    /// Instructions of `score_counts`: integer models only.
    pub score_counts: Option<u32>,
    /// Instructions of decoding, once.
    pub decode: u32,
    /// Flash that decoding and scoring add to a firmware; for integer models, scoring counts.
    pub code_bytes: u32,
    /// Static RAM.
    pub ram_bytes: u32,
    /// Stack, the larger of decoding and scoring.
    pub stack_bytes: u32,
    /// Flash for the model itself.
    pub model_bytes: u32,
}

/// A board with its bench firmware, and what inference adds to a firmware there.
#[derive(Clone, Debug)]
pub struct Bench {
    board: Board,
    image: Image,
    /// For scoring f32 models.
    float_code: Sizes,
    /// For scoring counts with integer models.
    fixed_code: Sizes,
}

impl Bench {
    /// Builds the programs.
    pub fn new(board: Board) -> Result<Self, DeviceError> {
        let programs = ["empty", "footprint", "footprint_fixed", "bench"];
        let [empty, float, fixed, bench] = build_all(board, programs)?;
        let empty = sizes(&empty)?;
        let added = |program: &Path| -> Result<Sizes, DeviceError> {
            let program = sizes(program)?;
            Ok(Sizes { flash: program.flash - empty.flash, ram: program.ram - empty.ram })
        };
        Ok(Self { board, float_code: added(&float)?, fixed_code: added(&fixed)?, image: Image::read(&bench)? })
    }

    /// What each function costs with a model, by the function's name. `name` is the model's name.
    pub fn costs(&self, model: &[u8], name: &str) -> Result<BTreeMap<String, FunctionCost>, DeviceError> {
        let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
        let file = format!("bench-{}-{plain}", self.board.machine());
        let elf = self.image.with_model(model, &file)?;
        let result = run(self.board, &elf, Clock::Instructions, LIMIT);
        let _ = std::fs::remove_file(elf);
        let (code, printed) = result?;
        let costs: Option<BTreeMap<_, _>> = printed.lines().map(cost_line).collect();
        costs.filter(|_| code == Some(0)).ok_or(DeviceError::Answer(printed))
    }

    /// Everything about a model.
    pub fn measure(&self, bytes: &[u8], model: &Model<'_>, name: &str) -> Result<BenchRow, DeviceError> {
        let encoding = model.encoding().name();
        let costs = self.costs(bytes, &format!("{name}{encoding}"))?;
        let of = |path: &str| costs.get(path).copied();
        let missing = || DeviceError::Answer(format!("{costs:?}"));
        let score = of("score").ok_or_else(missing)?;
        let decode = of("decode").ok_or_else(missing)?;
        let counts = of("score_counts");
        let code = match model.encoding() {
            Encoding::F32 => self.float_code,
            _ => self.fixed_code,
        };
        // An integer model is meant to score counts.
        let usual = counts.unwrap_or(score);
        Ok(BenchRow {
            core: self.board.core(),
            model: name.to_owned(),
            encoding,
            score: score.mean,
            score_counts: counts.map(|cost| cost.mean),
            decode: decode.mean,
            code_bytes: code.flash as u32,
            ram_bytes: code.ram as u32,
            stack_bytes: usual.stack.max(decode.stack),
            model_bytes: model.length() as u32,
        })
    }
}

/// `PATH LEAST MEAN MOST STACK`.
fn cost_line(line: &str) -> Option<(String, FunctionCost)> {
    let mut words = line.split_whitespace();
    let path = words.next()?.to_owned();
    let mut number = || words.next()?.parse().ok();
    let cost = FunctionCost { least: number()?, mean: number()?, most: number()?, stack: number()? };
    words.next().is_none().then_some((path, cost))
}

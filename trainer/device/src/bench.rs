//! What inference costs on emulated chips, measured: instructions by QEMU's clock, stack by painting it, code by the
//! difference of two programs. Counts are exact and repeat to the instruction; they are instructions, not cycles.

mod baseline;
mod models;
mod peers;

pub use baseline::{Baseline, Figure, MOST_GROWTH, baseline_path};
pub use models::{SIZES, in_every_encoding};
pub use peers::{PEERS, Peer};
pub use pual_trainer::experiments::random_model;

use crate::DeviceError;
use crate::firmware::{Board, build};
use crate::image::Image;
use crate::qemu::{Clock, run};
use crate::sizes::{Sizes, sizes};
use pual_infer::{EncodeError, Encoding, Model, ModelBytes};
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// How long a bench may take: far more than any does, even on a busy machine.
const LIMIT: Duration = Duration::from_secs(300);

/// The boards that are measured. M0 code runs on the Cortex-M3's board: the instructions are the same, and its clock
/// counts them exactly.
pub const BOARDS: [Board; 5] = [
    Board::CortexM0OnMps2,
    Board::CortexM3,
    Board::CortexM4F,
    Board::CortexM7,
    Board::CortexM33,
];

/// What one function costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Fewest instructions over the readings.
    pub least: u32,
    /// Their mean. Without software floating point, all readings cost the same.
    pub mean: u32,
    /// Most instructions.
    pub most: u32,
    /// Bytes of stack.
    pub stack: u32,
}

/// A model on a core.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The core.
    pub core: &'static str,
    /// The model: `256x7`, or what the user calls it.
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
    /// Most stack, of decoding or scoring.
    pub stack_bytes: u32,
    /// The model.
    pub model_bytes: u32,
}

/// A board with its bench firmware, and what inference adds to a firmware there.
#[derive(Clone, Debug)]
pub struct Bench {
    board: Board,
    image: Image,
    /// Of scoring f32 models.
    pub float_code: Sizes,
    /// Of scoring counts with integer models.
    pub fixed_code: Sizes,
}

impl Bench {
    /// Builds the programs.
    ///
    /// # Errors
    /// If one of them cannot be built.
    pub fn new(board: Board) -> Result<Self, DeviceError> {
        let empty = sizes(&build(board, "empty")?)?;
        let added = |program| -> Result<Sizes, DeviceError> {
            let program = sizes(&build(board, program)?)?;
            Ok(Sizes {
                flash: program.flash - empty.flash,
                ram: program.ram - empty.ram,
            })
        };
        Ok(Self {
            board,
            float_code: added("footprint")?,
            fixed_code: added("footprint_fixed")?,
            image: Image::read(&build(board, "bench")?)?,
        })
    }

    /// What each function costs with a model, by the function's name. `name` is what to call the model.
    ///
    /// # Errors
    /// If the firmware cannot be run, or refuses the model.
    pub fn costs(&self, model: &[u8], name: &str) -> Result<BTreeMap<String, Cost>, DeviceError> {
        let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
        let file = format!("bench-{}-{plain}", self.board.machine());
        let elf = self.image.with_model(model, &file)?;
        let result = run(self.board, &elf, Clock::Instructions, LIMIT);
        let _ = std::fs::remove_file(elf);
        let (code, said) = result?;
        if code != Some(0) {
            return Err(DeviceError::Answer(said));
        }
        let costs: Option<BTreeMap<_, _>> = said.lines().map(cost_line).collect();
        costs.ok_or(DeviceError::Answer(said))
    }

    /// Everything about a model.
    ///
    /// # Errors
    /// As [`costs`](Self::costs).
    pub fn measure(&self, bytes: &[u8], model: &Model<'_>, name: &str) -> Result<Row, DeviceError> {
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
        // An integer model's own way is by counts.
        let way = counts.unwrap_or(score);
        Ok(Row {
            core: self.board.core(),
            model: name.to_owned(),
            encoding,
            score: score.mean,
            score_counts: counts.map(|cost| cost.mean),
            decode: decode.mean,
            code_bytes: code.flash as u32,
            ram_bytes: code.ram as u32,
            stack_bytes: way.stack.max(decode.stack),
            model_bytes: model.length() as u32,
        })
    }
}

/// Random models of these sizes in every encoding, and what to call them.
///
/// # Errors
/// If an encoding cannot hold one.
pub fn random_models(sizes: &[(usize, usize)]) -> Result<Vec<(String, ModelBytes)>, EncodeError> {
    let mut models = Vec::new();
    for &(supports, features) in sizes {
        for encoding in [Encoding::F32, Encoding::I16, Encoding::I8] {
            let name = format!("{supports}x{features}");
            models.push((name, random_model(supports, features, encoding)?));
        }
    }
    Ok(models)
}

/// `PATH LEAST MEAN MOST STACK`.
fn cost_line(line: &str) -> Option<(String, Cost)> {
    let mut words = line.split_whitespace();
    let path = words.next()?.to_owned();
    let mut number = || words.next()?.parse().ok();
    let cost = Cost {
        least: number()?,
        mean: number()?,
        most: number()?,
        stack: number()?,
    };
    words.next().is_none().then_some((path, cost))
}

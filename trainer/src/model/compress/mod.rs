//! A small model in place of the full one: hundreds of bytes instead of thousands, with the price shown.
//!
//! ```text
//! full score f  ->  clipped targets on rows and interpolated points  ->  landmarks by orthogonal least squares
//!                ->  their positions, scales and coefficients polished together  ->  rounded  ->  refitted  ->  bytes
//!                ->  decoded, and compared with f by the device's own code
//! ```
//!
//! Kernel scores are smooth, so a few well-placed terms suffice. Terms are not taken from the full model by the size of their
//! coefficients: these are large and cancel. The ladder of sizes grows from rung to rung, each polished from where the last ended.
//! The choice uses neither truth nor labels; labels only serve to show PUF.
//!
//! Each file opens with its formulas and imports only those before it: `points`, `network`, `landmarks`, `small_model`, `measure`,
//! `ladder`, `pick`; `full_model` prepares a classifier or a model file for it.

mod full_model;
mod ladder;
mod landmarks;
mod measure;
mod network;
mod pick;
mod points;
mod small_model;

pub use full_model::compress_classifier;
pub(crate) use full_model::{compress_model, stand_ins};
pub(crate) use measure::Measured;
pub(crate) use small_model::Extras;

use ladder::{Climb, whole_with};
use measure::Yardstick;
use pick::pick;
use points::{Points, unit};
use pual_infer::{DecodeError, EncodeError, Encoding, ModelBytes, ModelSpec, ReadingError};
use serde::{Serialize, Serializer};
use small_model::SmallModel;

use crate::base::random::Random;
use crate::base::scenario::Scenario;
use crate::base::warnings::Warning;
use crate::geometry::interpolate::towards_nearest;
use crate::model::export::ExportError;

/// Rows a network is fitted to, at most, and interpolated points per row.
const MOST_ROWS: usize = 1000;
const POINTS_PER_ROW: usize = 2;
/// Rows among which landmarks are chosen.
const MOST_CANDIDATES: usize = 500;
/// A loss of F1 of half a point at most, with the full model's classes as the truth.
pub const TOLERANCE: f64 = 0.005;
/// Keeps the draws here apart from others of the same seed.
const STREAM: u64 = 2 << 40;

#[derive(Clone, Copy)]
pub(crate) struct FullModel<'a> {
    /// Its terms, scaling, threshold, names and envelope.
    pub spec: ModelSpec<'a>,
    /// It as it is deployed without compression.
    pub bytes: &'a ModelBytes,
    /// Its scores of raw row-major readings.
    pub scores: Scores<'a>,
}

pub(crate) type Scores<'a> = &'a (dyn Fn(&[f64]) -> Result<Vec<f64>, ReadingError> + Sync);

/// Called when a rung is done, with the number done and the most there can be.
pub(crate) type Step<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// Rows used to compare the small with the full model: training rows, or stand-ins for them.
#[derive(Debug, Clone, Copy)]
pub struct Readings<'a> {
    /// Row-major, raw.
    pub rows: &'a [f64],
    /// Which of them are labeled positive, for PUF.
    pub labeled: Option<&'a [bool]>,
    /// The event of each labeled row, where rows are not independent: recall is then the mean over events.
    pub events: Option<&'a [Option<u32>]>,
    /// How they came about, for PUF.
    pub scenario: Scenario,
}

/// What the small model has to meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Goal {
    /// The fewest bytes within the tolerance.
    #[default]
    Tolerance,
    /// The least loss within this many bytes.
    Budget(usize),
    /// This many support instances.
    Supports(usize),
}

/// How to compress.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CompressOptions {
    /// What the small model has to meet.
    pub goal: Goal,
    /// The largest loss that counts as none: see `Measured::loss`.
    pub tolerance: f64,
    /// The encoding; any of them if none is given.
    pub encoding: Option<Encoding>,
    /// Seed of the draws.
    pub seed: u64,
}

impl Default for CompressOptions {
    fn default() -> Self {
        Self { goal: Goal::default(), tolerance: TOLERANCE, encoding: None, seed: 0 }
    }
}

/// A size on the ladder.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rung {
    /// Support instances.
    pub supports: usize,
    /// How numbers are stored.
    #[serde(serialize_with = "by_name")]
    pub encoding: Encoding,
    /// Bytes of the whole file, names and envelope included.
    pub bytes: usize,
    /// How far it is from the full model.
    #[serde(flatten)]
    pub measured: Measured,
    /// Whether it is the full model itself.
    pub as_trained: bool,
    /// Whether it is the one that is written.
    pub taken: bool,
    /// Bytes with the extras of each level.
    #[serde(skip)]
    bytes_of: [Option<usize>; Extras::LEVELS.len()],
    #[serde(skip)]
    small: Option<SmallModel>,
}

fn by_name<S: Serializer>(encoding: &Encoding, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(encoding.name())
}

/// What compression did: the ladder of sizes, and the model that was taken from it.
#[derive(Debug, Clone, Serialize)]
pub struct Ladder {
    /// Rows used to compare.
    pub rows: usize,
    /// Interpolated points used to compare.
    pub points: usize,
    /// The largest loss that counts as none.
    pub tolerance: f64,
    /// Whether the model taken is within it.
    pub within_tolerance: bool,
    /// The model taken.
    #[serde(serialize_with = "length")]
    pub bytes: ModelBytes,
    /// What had to be left out to meet the budget: "names", "envelope".
    pub left_out: Vec<&'static str>,
    /// PUF of the full model, if labels are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub puf: Option<f64>,
    /// The sizes, by their bytes.
    #[serde(rename = "ladder")]
    pub rungs: Vec<Rung>,
    /// Index of the rung taken.
    #[serde(skip)]
    pub taken: usize,
}

fn length<S: Serializer>(bytes: &ModelBytes, serializer: S) -> Result<S::Ok, S::Error> {
    bytes.len().serialize(serializer)
}

impl Ladder {
    /// The rung taken.
    pub fn taken(&self) -> &Rung {
        &self.rungs[self.taken]
    }

    /// What the user must know before relying on the model.
    pub fn warnings(&self) -> Vec<Warning> {
        let left_out = (!self.left_out.is_empty()).then(|| Warning::left_out(&self.left_out));
        let loss = self.taken().measured.loss;
        let over = (!self.within_tolerance).then(|| Warning::over_tolerance(loss, self.tolerance));
        left_out.into_iter().chain(over).collect()
    }
}

/// Why there is no small model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompressError {
    /// Even the smallest rung, without names and envelope, is larger.
    #[error("{budget} bytes are too few: the smallest model that can be made has {smallest}")]
    Budget {
        /// Bytes allowed.
        budget: usize,
        /// Bytes needed.
        smallest: usize,
    },
    /// No rung could be encoded as requested.
    #[error("no model of this encoding and size can be made")]
    NothingFits,
    /// There are no rows to compare on.
    #[error("there are no rows to compare on")]
    NoRows,
    /// The encoding has no linear kernel.
    #[error("a linear model is f32 only; integers are for RBF models")]
    Linear,
    /// The format has no place for the model.
    #[error("the model cannot be written: {0}")]
    Encode(EncodeError),
    /// The full model is no model.
    #[error("the model cannot be read: {0}")]
    Decode(DecodeError),
    /// A row got no score.
    #[error("the model refuses a row: {0}")]
    Reading(ReadingError),
    /// The full model is none that a device could run.
    #[error(transparent)]
    Export(#[from] ExportError),
}

/// Makes `full_model` small. It runs on the current rayon pool; the result does not depend on the number of threads.
pub(crate) fn compress(
    large: &FullModel<'_>,
    readings: &Readings<'_>,
    options: &CompressOptions,
    step: Step<'_>,
) -> Result<Ladder, CompressError> {
    let features = large.spec.offsets.len();
    if readings.rows.len() < features {
        return Err(CompressError::NoRows);
    }
    let random = &mut Random::new(options.seed, STREAM);
    let near = draw(readings.rows, features, random);
    let near_scaled = scaled(&near, &large.spec);
    let mut inputs = near.clone();
    inputs.extend(towards_nearest(&near, &near_scaled, features, POINTS_PER_ROW, random));
    let mut targets = (large.scores)(&inputs).map_err(CompressError::Reading)?;
    targets.iter_mut().for_each(|target| *target -= large.spec.threshold);
    let near_count = near.len() / features;
    let unit = unit(&targets[..near_count]);
    let near_rows = (&near[..], &near_scaled[..]);
    let yardstick = Yardstick::new(large, readings, near_rows, unit, random).map_err(CompressError::Reading)?;
    targets.iter_mut().for_each(|target| *target = (*target / unit).clamp(-1.0, 1.0));
    let points = Points::new(&scaled(&inputs, &large.spec), features, targets);

    let climb = Climb {
        large,
        points: &points,
        yardstick: &yardstick,
        unit,
        candidates: (0..near_count).step_by(near_count.div_ceil(MOST_CANDIDATES)).collect(),
        options,
    };
    let mut rungs = climb.rungs(step)?;
    let pick = pick(&rungs, options.goal, options.tolerance)?;
    let bytes = match &rungs[pick.rung].small {
        Some(small) => small.encode(&large.spec, pick.extras).map_err(CompressError::Encode)?,
        None => whole_with(large, pick.extras).ok_or(CompressError::NothingFits)?,
    };
    rungs[pick.rung].taken = true;
    let extras = [
        ("names", large.spec.names.is_some() && !pick.extras.names),
        ("envelope", large.spec.envelope.is_some() && !pick.extras.envelope),
    ];
    Ok(Ladder {
        rows: yardstick.rows,
        points: yardstick.points(),
        tolerance: options.tolerance,
        within_tolerance: rungs[pick.rung].measured.loss <= options.tolerance,
        bytes,
        left_out: (extras.iter()).filter_map(|&(name, left_out)| left_out.then_some(name)).collect(),
        puf: yardstick.puf(),
        rungs,
        taken: pick.rung,
    })
}

/// (x - offset) * scale.
fn scaled(rows: &[f64], spec: &ModelSpec<'_>) -> Vec<f64> {
    let per_feature = spec.offsets.iter().zip(spec.scales).cycle();
    rows.iter().zip(per_feature).map(|(x, (offset, scale))| (x - offset) * scale).collect()
}

/// All rows, or a random sample of them in their order.
fn draw(rows: &[f64], features: usize, random: &mut Random) -> Vec<f64> {
    let count = rows.len() / features;
    if count <= MOST_ROWS {
        return rows.to_vec();
    }
    let mut drawn: Vec<usize> = (0..count).collect();
    random.shuffle(&mut drawn);
    drawn.truncate(MOST_ROWS);
    drawn.sort_unstable();
    drawn.into_iter().flat_map(|row| &rows[row * features..(row + 1) * features]).copied().collect()
}

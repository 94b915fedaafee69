//! A small model in place of a large one: hundreds of bytes for thousands, with the price shown.
//!
//! ```text
//! large score f  ->  clipped targets on rows and between rows  ->  landmarks by orthogonal least squares
//!                ->  their positions, scales and coefficients polished together  ->  rounded  ->  refitted  ->  bytes
//!                ->  decoded, and compared with f by the device's own code
//! ```
//!
//! Kernel scores are smooth, so few terms suffice if they lie well. Terms are not taken from the large model by the size of their
//! coefficients: these are large and cancel. The ladder of sizes grows from rung to rung, each polished from where the last ended.
//! No truth and no label is looked at to choose; labels only show PUF.
//!
//! Each file opens with its formulas and imports only those before it: `points`, `network`, `landmarks`, `small`, `measure`,
//! `choose`; `large` knows where large models come from.

mod choose;
mod landmarks;
mod large;
mod measure;
mod network;
mod points;
mod small;

pub use large::{compress_classifier, compress_model, stand_ins};
pub use measure::Measured;
pub use small::Extras;

use choose::choose;
use measure::{Sample, Yardstick};
use network::Network;
use points::{Points, between, unit};
use pual_infer::{
    DecodeError, EncodeError, Encoding, ModelBytes, ModelSpec, ReadingError, SpecKernel, encode,
};
use small::Small;

use crate::export::ExportError;
use crate::metrics::Scenario;
use crate::random::Random;

/// Support instances of the ladder's rungs: multiples of 4, which the encodings fill up to anyway.
const SIZES: [usize; 11] = [4, 8, 12, 16, 20, 24, 32, 40, 48, 64, 96];
/// Rungs shown beyond the one taken.
const FURTHER: usize = 2;
/// Rows a network is fitted to, at most, and points a row between it and others.
const MOST_ROWS: usize = 1000;
const POINTS_PER_ROW: usize = 2;
/// Landmarks are chosen among so many rows.
const MOST_CANDIDATES: usize = 500;
/// Steps of polishing a rung.
const STEPS: usize = 15;
/// A loss of F1 of half a point at most, with the large model's classes as the truth.
pub const TOLERANCE: f64 = 0.005;
/// Keeps the draws here apart from others of the same seed.
const STREAM: u64 = 2 << 40;

/// The model to be made small.
#[derive(Clone, Copy)]
pub struct Large<'a> {
    /// Its terms, scaling, threshold, names and envelope.
    pub spec: ModelSpec<'a>,
    /// It as it is deployed without compression.
    pub bytes: &'a ModelBytes,
    /// Its scores of raw row-major readings.
    pub scores: Scores<'a>,
}

/// Scores of raw row-major readings.
pub type Scores<'a> = &'a (dyn Fn(&[f64]) -> Result<Vec<f64>, ReadingError> + Sync);

/// Called when a rung is done, with the number done and the most there can be.
pub type Step<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// Readings to agree on: training rows, or what stands in for them.
#[derive(Debug, Clone, Copy)]
pub struct Readings<'a> {
    /// Row-major, raw.
    pub rows: &'a [f64],
    /// Which of them are labeled positive, for PUF.
    pub labeled: Option<&'a [bool]>,
    /// How they came about, for PUF.
    pub scenario: Scenario,
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Goal {
    /// The fewest bytes within the tolerance.
    #[default]
    Tolerance,
    /// The least loss within so many bytes.
    Budget(usize),
    /// So many support instances.
    Supports(usize),
}

/// How to compress.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CompressOptions {
    /// What is asked for.
    pub goal: Goal,
    /// The largest loss that counts as none: see [`Measured::loss`].
    pub tolerance: f64,
    /// The encoding; any of them if none is given.
    pub encoding: Option<Encoding>,
    /// Seed of the draws.
    pub seed: u64,
}

impl Default for CompressOptions {
    fn default() -> Self {
        Self {
            goal: Goal::default(),
            tolerance: TOLERANCE,
            encoding: None,
            seed: 0,
        }
    }
}

/// A size on the ladder.
#[derive(Debug, Clone, PartialEq)]
pub struct Rung {
    /// Support instances.
    pub supports: usize,
    /// How numbers are stored.
    pub encoding: Encoding,
    /// Bytes of the whole file, names and envelope included.
    pub bytes: usize,
    /// How far it is from the large model.
    pub measured: Measured,
    /// Whether it is the large model itself.
    pub is_whole: bool,
    /// Bytes with the extras of each level.
    bytes_of: [Option<usize>; Extras::LEVELS.len()],
    small: Option<Small>,
}

/// The ladder, and the rung taken.
#[derive(Debug, Clone)]
pub struct Ladder {
    /// In the order of their bytes.
    pub rungs: Vec<Rung>,
    /// Index of the rung taken.
    pub taken: usize,
    /// What the large model carries beside its score, and what may be carried by the one taken.
    carried: Extras,
    extras: Extras,
    /// Its bytes.
    pub bytes: ModelBytes,
    /// PUF of the large model, if labels are known.
    pub puf: Option<f64>,
    /// Rows compared on.
    pub rows: usize,
    /// Points between rows compared on.
    pub points: usize,
}

impl Ladder {
    /// The rung taken.
    pub fn taken(&self) -> &Rung {
        &self.rungs[self.taken]
    }

    /// What the large model carries beside its score and the one taken does not.
    pub fn dropped(&self) -> Extras {
        Extras {
            names: self.carried.names && !self.extras.names,
            envelope: self.carried.envelope && !self.extras.envelope,
        }
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
    /// No rung could be encoded as asked.
    #[error("no model of this encoding and size can be made")]
    NothingFits,
    /// There are no rows to agree on.
    #[error("there are no rows to compare on")]
    NoRows,
    /// The encoding has no linear kernel.
    #[error("a linear model is f32 only: {0:?} is for RBF models")]
    Linear(Encoding),
    /// The format has no place for the model.
    #[error("the model cannot be written: {0}")]
    Encode(EncodeError),
    /// The large model is no model.
    #[error("the model cannot be read: {0}")]
    Decode(DecodeError),
    /// A row got no score.
    #[error("the model refuses a row: {0}")]
    Reading(ReadingError),
    /// The large model is none that a device could run.
    #[error(transparent)]
    Large(#[from] ExportError),
}

/// Makes `large` small. It runs on the current rayon pool; the result does not depend on the number of threads.
pub fn compress(
    large: &Large<'_>,
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
    inputs.extend(between(
        &near,
        &near_scaled,
        features,
        POINTS_PER_ROW,
        random,
    ));
    let threshold = large.spec.threshold;
    let mut targets = (large.scores)(&inputs).map_err(CompressError::Reading)?;
    targets.iter_mut().for_each(|target| *target -= threshold);
    let unit = unit(&targets[..near.len() / features]);
    let sample = Sample {
        rows: readings.rows,
        labeled: readings.labeled,
        scenario: readings.scenario,
        near: &near,
        near_scaled: &near_scaled,
        features,
    };
    let yardstick = Yardstick::new(&sample, large.scores, threshold, unit, random)
        .map_err(CompressError::Reading)?;
    targets
        .iter_mut()
        .for_each(|target| *target = (*target / unit).clamp(-1.0, 1.0));
    let points = Points::new(&scaled(&inputs, &large.spec), features, targets);

    let mut rungs = match large.spec.kernel {
        SpecKernel::Rbf { bandwidth } => {
            let climb = Climb {
                large,
                points: &points,
                yardstick: &yardstick,
                unit,
                candidates: candidates(near.len() / features),
                options,
            };
            climb.rungs(bandwidth, step)?
        }
        SpecKernel::Linear => Vec::new(),
    };
    rungs.extend(whole(large, &yardstick, options)?);
    if let (true, SpecKernel::Linear, Some(encoding)) =
        (rungs.is_empty(), large.spec.kernel, options.encoding)
    {
        return Err(CompressError::Linear(encoding));
    }
    // What is no smaller than the large model is no use, unless it was asked for.
    if options.goal == Goal::Tolerance && options.encoding.is_none() {
        rungs.retain(|rung| rung.is_whole || rung.bytes < large.bytes.len());
    }
    rungs.sort_by_key(|rung| (rung.bytes, rung.is_whole, rung.supports));
    let pick = choose(&rungs, options.goal, options.tolerance)?;
    let bytes = match &rungs[pick.rung].small {
        Some(small) => small
            .encode(&large.spec, pick.extras)
            .map_err(CompressError::Encode)?,
        None => whole_with(large, pick.extras).ok_or(CompressError::NothingFits)?,
    };
    Ok(Ladder {
        taken: pick.rung,
        carried: Extras {
            names: large.spec.names.is_some(),
            envelope: large.spec.envelope.is_some(),
        },
        extras: pick.extras,
        bytes,
        puf: yardstick.puf(),
        rows: yardstick.rows(),
        points: yardstick.points(),
        rungs,
    })
}

/// All that the rungs share.
struct Climb<'a> {
    large: &'a Large<'a>,
    points: &'a Points,
    yardstick: &'a Yardstick,
    unit: f64,
    candidates: Vec<usize>,
    options: &'a CompressOptions,
}

impl Climb<'_> {
    /// The rungs from the smallest up, until it is clear which one to take.
    fn rungs(&self, bandwidth: f64, step: Step<'_>) -> Result<Vec<Rung>, CompressError> {
        let features = self.large.spec.offsets.len();
        let mut network = Network::empty(features, bandwidth);
        let sizes = self.sizes();
        let mut rungs: Vec<Rung> = Vec::new();
        let mut tolerable = 0;
        for (at, &size) in sizes.iter().enumerate() {
            network.grow(self.points, &self.candidates, size);
            if network.coefficients.is_empty() {
                // A constant: the format wants a term, be it 0.
                network.centres = self.points.centre(0);
                network.coefficients = vec![0.0];
            }
            network.polish(self.points, STEPS);
            let grown = self.rungs_of(&network)?;
            step(at + 1, sizes.len());
            let is_tolerable = |rung: &Rung| rung.measured.loss <= self.options.tolerance;
            tolerable += usize::from(tolerable > 0 || grown.iter().any(is_tolerable));
            rungs.extend(grown);
            let full = network.coefficients.len() < size;
            if full || (self.options.goal == Goal::Tolerance && tolerable > FURTHER) {
                break;
            }
        }
        if tolerable == 0 && !matches!(self.options.goal, Goal::Supports(_)) {
            rungs.extend(self.own_terms(bandwidth)?);
        }
        Ok(rungs)
    }

    /// The large model's own terms as integers, for want of anything smaller.
    fn own_terms(&self, bandwidth: f64) -> Result<Vec<Rung>, CompressError> {
        let spec = &self.large.spec;
        let own = Network {
            bandwidth,
            shifts: vec![0.0; spec.offsets.len()],
            centres: spec.supports.to_vec(),
            coefficients: spec.coefficients.iter().map(|c| c / self.unit).collect(),
            bias: (spec.bias - spec.threshold) / self.unit,
        };
        let mut rungs = self.rungs_of(&own)?;
        rungs.retain(|rung| rung.encoding != Encoding::F32);
        Ok(rungs)
    }

    fn sizes(&self) -> Vec<usize> {
        match self.options.goal {
            Goal::Supports(count) => {
                let below = SIZES.into_iter().filter(|&size| size < count);
                below.chain([count.max(1)]).collect()
            }
            Goal::Tolerance => {
                let most = self.large.spec.coefficients.len().max(SIZES[0]);
                SIZES.into_iter().filter(|&size| size <= most).collect()
            }
            Goal::Budget(budget) => {
                // A term takes no less than its coefficient and one byte a feature.
                let most = budget / (self.large.spec.offsets.len() + 2);
                let mut sizes: Vec<usize> =
                    SIZES.into_iter().filter(|&size| size <= most).collect();
                if sizes.is_empty() {
                    sizes.push(SIZES[0]);
                }
                sizes
            }
        }
    }

    /// The network in every encoding asked for that can hold it.
    fn rungs_of(&self, network: &Network) -> Result<Vec<Rung>, CompressError> {
        let mut rungs = Vec::new();
        for encoding in [Encoding::I8, Encoding::I16, Encoding::F32] {
            if self.options.encoding.is_some_and(|asked| asked != encoding) {
                continue;
            }
            let spec = &self.large.spec;
            let small = match Small::new(network, self.points, encoding, spec, self.unit) {
                Ok(small) => small,
                Err(EncodeError::NotForIntegers) => continue,
                Err(error) => return Err(CompressError::Encode(error)),
            };
            let encode = |extras| small.encode(spec, extras);
            let bytes = match encode(Extras::LEVELS[0]) {
                Ok(bytes) => bytes,
                Err(EncodeError::NotForIntegers) => continue,
                Err(error) => return Err(CompressError::Encode(error)),
            };
            rungs.push(Rung {
                supports: small.supports(),
                encoding,
                bytes: bytes.len(),
                measured: measure(self.yardstick, &bytes)?,
                is_whole: false,
                bytes_of: Extras::LEVELS.map(|extras| encode(extras).ok().map(|bytes| bytes.len())),
                small: Some(small),
            });
        }
        Ok(rungs)
    }
}

/// The large model as a rung, if its encoding is allowed.
fn whole(
    large: &Large<'_>,
    yardstick: &Yardstick,
    options: &CompressOptions,
) -> Result<Option<Rung>, CompressError> {
    let refused = |error| CompressError::Encode(EncodeError::Refused(error));
    let model = large.bytes.decode_any().map_err(refused)?;
    let encoding = model.encoding();
    if options.encoding.is_some_and(|asked| asked != encoding) {
        return Ok(None);
    }
    Ok(Some(Rung {
        supports: model.supports(),
        encoding,
        bytes: large.bytes.len(),
        measured: yardstick.measure(&model).map_err(CompressError::Reading)?,
        is_whole: true,
        bytes_of: Extras::LEVELS.map(|extras| whole_with(large, extras).map(|bytes| bytes.len())),
        small: None,
    }))
}

/// The large model with less beside its score. Integer models are left as they are.
fn whole_with(large: &Large<'_>, extras: Extras) -> Option<ModelBytes> {
    if extras == Extras::LEVELS[0] {
        return Some(large.bytes.clone());
    }
    let is_f32 = large.bytes.decode().is_ok();
    encode(&extras.of(&large.spec)).ok().filter(|_| is_f32)
}

fn measure(yardstick: &Yardstick, bytes: &ModelBytes) -> Result<Measured, CompressError> {
    let refused = |error| CompressError::Encode(EncodeError::Refused(error));
    let model = bytes.decode_any().map_err(refused)?;
    yardstick.measure(&model).map_err(CompressError::Reading)
}

/// (x - offset) * scale.
fn scaled(rows: &[f64], spec: &ModelSpec<'_>) -> Vec<f64> {
    let per_feature = spec.offsets.iter().zip(spec.scales).cycle();
    rows.iter()
        .zip(per_feature)
        .map(|(x, (offset, scale))| (x - offset) * scale)
        .collect()
}

/// All rows, or so many of them in their order.
fn draw(rows: &[f64], features: usize, random: &mut Random) -> Vec<f64> {
    let count = rows.len() / features;
    if count <= MOST_ROWS {
        return rows.to_vec();
    }
    let mut drawn: Vec<usize> = (0..count).collect();
    random.shuffle(&mut drawn);
    drawn.truncate(MOST_ROWS);
    drawn.sort_unstable();
    drawn
        .into_iter()
        .flat_map(|row| &rows[row * features..(row + 1) * features])
        .copied()
        .collect()
}

fn candidates(rows: usize) -> Vec<usize> {
    (0..rows).step_by(rows.div_ceil(MOST_CANDIDATES)).collect()
}

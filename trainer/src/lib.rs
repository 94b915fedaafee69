//! Positive-unlabeled learning that fits a microcontroller: the workstation's half.
//!
//! Given labeled positives and unlabeled rows, the learners minimise, over scores f in the span of a kernel,
//!
//! ```text
//!   lambda/2 ||f||^2  +  sum over positives loss_p(f_i)  +  sum over unlabeled loss_u(f_i)  +  f'Rf
//!
//!   PUAL      C_p [1 - f]_+      C_u (1 + f)^2      with R
//!   GLLC      C_p (1 - f)^2      C_u (1 + f)^2      with R
//!   BLS-SVM   C_p (1 - f)^2      C_u (1 + f)^2      R = 0
//!   BSVM      C_p [1 - f]_+      C_u [1 + f]_+      R = 0
//! ```
//!
//! and a row is called positive where f > 0. What comes out is f(x) = sum_b Omega_b k(x, x_b) + beta_0 with as many terms as the
//! chip has room for.
//!
//! | symbol | in the code | meaning |
//! |---|---|---|
//! | n_p, n_u, n | `positives`, `unlabeled`, `len` | labeled rows (they come first), unlabeled rows, all rows |
//! | m | `features` | readings in a row |
//! | f | `scores` | the score; \[t\]_+ = max(t, 0) |
//! | k, l | `kernel`, `bandwidth` | RBF exp(-\|x - z\|^2 / (2 l^2)), or the inner product |
//! | lambda | `lambda` | ridge; the paper's lambda of the kernel case is our `bandwidth` |
//! | C_p, C_u | `c_p`, `c_u` | weights of the two losses |
//! | R | `Laplacian` | (W* - W)/n of the mutual K-nearest-neighbour graph, w = exp(-\|x - z\|^2 / sigma) |
//! | sigma, K | `sigma`, `neighbours` | the graph's |
//! | mu_1 | `mu_1` | step of the paper's Algorithms 1 and 2 |
//! | Psi = \[F 1\], z | `psi`, `z` | kernel features of all rows; (beta, beta_0) |
//! | B, Omega | `pivots`, `coefficients` | support instances, and their weights in f |
//! | beta_0 | `bias` | intercept |
//!
//! # Example
//!
//! The default pipeline: the same bytes as `pual train`, which is a thin layer over it.
//!
//! ```
//! use pual_trainer::{Dataset, Options, Silent, synth, train};
//!
//! let data = Dataset::new(synth::label(synth::cold_chain(300, 1), 0.5, 1))?; // or Dataset::open
//! let outcome = train(&data, &Options::default(), &Silent)?;
//! let model = outcome.model.decode()?; // outcome.model.write("fridge.pual") writes it
//! assert!(model.score(&[12.0, 0.0])? > model.threshold()); // 12 degrees and steady: too warm
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Results depend on data, options and seed alone, never on the number of threads.
//!
//! # Inside
//!
//! | folder | what |
//! |---|---|
//! | `base` | random streams, statistics, threads, warnings, atomic files |
//! | `data` | files to checked rows; scaling, splits, folds, synthetic rows |
//! | `streams` | logs to recordings, labels and windows |
//! | `geometry` | rows as points: kernels, neighbours, the graph, kernel features |
//! | `solver` | optimisers that know no machine learning |
//! | `learner` | the classifiers, each file opening with its objective |
//! | `choose` | metrics, settings, and the search for them |
//! | `ensemble` | many classifiers distilled into one |
//! | `model` | what is deployed: export, compression, signature |
//! | `bulk` | more rows than features could be kept of |
//! | `pipeline` | [`Options`] to [`Outcome`] |
//! | `experiments` | the paper's tables, and ours |

#![deny(unreachable_pub)]

// The lowest first: a module uses only those above it, and tests/tests/house checks it.
mod base;

mod data;

mod streams;

mod geometry;

mod solver;

mod learner;

mod choose;

mod ensemble;

mod model;

mod bulk;

mod pipeline;

#[doc(hidden)]
pub mod experiments;

pub use base::files::{discard_unfinished, write_file};
pub use base::scenario::Scenario;
pub use base::timing::{Phases, Timing};
pub use base::warnings::{Warning, WarningId};
pub use base::watch::{Cancelled, Silent, Watch, cancel};
pub use bulk::GraphRows;
pub use bulk::memory::Bytes;
pub use choose::metrics::{Confusion, PuCounts};
pub use choose::tune::{Grid, JournalFile, Rule};
pub use data::dataset::Dataset;
pub use data::groups::Groups;
pub use data::scale::Scaling;
pub use data::synth;
pub use data::table::{Block, BlockReader, Columns, RowReader, Table};
pub use model::compress::{CompressOptions, Goal, Ladder, Rung};
pub use model::export::device_scores;
pub use model::signing;
pub use pipeline::Error;
pub use pipeline::approach::{Approach, Learned};
pub use pipeline::calibrate::{Calibration, Cut, CutTarget, calibrate};
pub use pipeline::compare::{Comparison, Entry, compare};
pub use pipeline::compress::{Compressed, compress};
pub use pipeline::evaluate::{Evaluation, TruthQuality, evaluate};
pub use pipeline::options::Options;
pub use pipeline::options::named::{KernelName, MethodChoice, Named, SolverChoice};
pub use pipeline::outcome::{ModelFile, Outcome};
pub use pipeline::streams::{
    StreamEvaluation, StreamOptions, StreamOutcome, WindowVerdict, evaluate_recordings, score_recordings,
    train_recordings,
};
pub use pipeline::train::train;
pub use pual_infer::Encoding;
pub use streams::{LogOptions, Missing, Recording, Recordings, Span};

/// Training divided among files or machines: a plan, a part per file, one model.
pub mod distributed {
    pub use crate::bulk::{Part, Plan, RowSample, Sampler};
    pub use crate::pipeline::distributed::{Planned, check_plan, merge, plan};
}

/// What is known about a trained model.
pub mod report {
    pub use crate::choose::tune::{Trial, Tuned};
    pub use crate::ensemble::{EnsembleReport, EventEvidence};
    pub use crate::model::summary::{ModelSummary, SettingsSummary};
    pub use crate::model::trained::Trained;
    pub use crate::pipeline::many_rows::ManyRows;
    pub use crate::pipeline::outcome::{Origin, Summary};
}

/// What can go wrong, part by part. [`Error`] is all of it.
pub mod errors {
    pub use crate::base::files::WriteError;
    pub use crate::bulk::BulkError;
    pub use crate::bulk::memory::NotBytes;
    pub use crate::choose::tune::{JournalError, TuneError};
    pub use crate::data::dataset::DatasetError;
    pub use crate::data::table::{CsvError, CsvProblem, NpyError, ValueError};
    pub use crate::ensemble::EnsembleError;
    pub use crate::learner::FitError;
    pub use crate::model::compress::CompressError;
    pub use crate::model::export::ExportError;
    pub use crate::model::signing::SigningError;
    pub use crate::model::trained::TrainError;
    pub use crate::pipeline::calibrate::CalibrateError;
    pub use crate::pipeline::many_rows::MemoryError;
    pub use crate::pipeline::options::OptionsError;
    pub use crate::streams::{LogError, LogProblem, RecipeError};
}

/// Parts that the project's own programs, tests and measurements use. No promise is made about them.
#[doc(hidden)]
pub mod internals {
    pub use crate::base::files::name_beside;
    pub use crate::base::nearest::nearest;
    pub use crate::base::random::Random;
    pub use crate::base::statistics::quantile;
    pub use crate::bulk::memory::available;
    pub use crate::bulk::{SAMPLE, fit as fit_part, train_on_all};
    pub use crate::choose::options::{KernelChoice, TrainOptions};
    pub use crate::choose::tune::{TuneOptions, fits_in_log};
    pub use crate::data::split::{Split, case_control};
    pub use crate::ensemble::Members;
    pub use crate::geometry::features::{FeatureSettings, Features};
    pub use crate::geometry::graph::Graph;
    pub use crate::geometry::instances::Instances;
    pub use crate::geometry::kernel::Kernel;
    pub use crate::geometry::neighbours::nearest as nearest_neighbours;
    pub use crate::learner::{Design, Learner, Method, Pual, PualSolver};
    pub use crate::model::compress::{Readings, TOLERANCE, compress_classifier};
    pub use crate::model::export::export;
    pub use crate::model::outside::OutsideCount;
    pub use crate::pipeline::approach::learn;
    pub use crate::pipeline::fit::{fit_by_rules, fit_tuned};
    pub use crate::pipeline::streams::{StreamSummary, Timeline, WindowTrial, ram_bytes as stream_ram_bytes};
    pub use crate::solver::linear::Cholesky;
    pub use crate::solver::{Stopping, box_qp};
    pub use crate::streams::{AlarmChoice, Clock, DriftReport, EventQuality};
}

#[cfg(test)]
extern crate self as pual_trainer;
#[cfg(test)]
#[allow(unreachable_pub)]
mod tests;

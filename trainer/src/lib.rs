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
//! | `geometry` | rows as points: kernels, neighbours, the graph, kernel features |
//! | `solver` | optimisers that know no machine learning |
//! | `learner` | the classifiers, each file opening with its objective |
//! | `choose` | metrics, settings, and the search for them |
//! | `ensemble` | many classifiers distilled into one |
//! | `model` | what is deployed: export, compression, signature |
//! | `bulk` | more rows than features could be kept of |
//! | `pipeline` | [`Options`] to [`Outcome`] |
//! | `experiments` | the paper's tables, and ours |

// The lowest first: a module uses only those above it, and tests/tests/house.rs checks it.
pub mod base;

pub mod data;

pub mod geometry;

pub mod solver;

pub mod learner;

pub mod choose;

pub mod ensemble;

pub mod model;

pub mod bulk;

pub mod pipeline;

pub mod experiments;

pub use base::files::{WriteError, discard_unfinished, write_file};
pub use base::scenario::Scenario;
pub use base::timing::{Phases, Timing};
pub use base::warnings::{Warning, WarningId};
pub use base::watch::{Cancelled, Silent, Watch, cancel};
pub use bulk::GraphRows;
pub use bulk::memory::Bytes;
pub use choose::metrics::PuCounts;
pub use choose::tune::{Grid, JournalFile, Rule};
pub use data::dataset::{Dataset, DatasetError};
pub use data::scale::Scaling;
pub use data::synth;
pub use data::table::{Columns, Table};
pub use model::compress::{CompressOptions, Goal};
pub use model::export::device_scores;
pub use pipeline::Error;
pub use pipeline::approach::{Approach, Learned};
pub use pipeline::compare::{Comparison, compare};
pub use pipeline::compress::{Compressed, compress};
pub use pipeline::distributed::{Planned, check_plan, merge, plan};
pub use pipeline::evaluate::{Evaluation, evaluate};
pub use pipeline::named::{KernelName, MethodChoice, Named, SolverChoice};
pub use pipeline::options::{Options, OptionsError};
pub use pipeline::outcome::{ModelFile, Outcome};
pub use pipeline::summary::Summary;
pub use pipeline::train::train;
pub use pual_infer::Encoding;

#[cfg(test)]
extern crate self as pual_trainer;
#[cfg(test)]
mod tests;

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
//! # The modules, in the order of the data
//!
//! 1. rows: [`random`], [`csv`], [`dataset`], [`scale`], [`split`], [`synth`]
//! 2. geometry: [`instances`], [`kernel`], [`neighbours`], [`graph`], [`features`]
//! 3. optimisers that know no machine learning: [`solver`]
//! 4. classifiers: [`learner`], [`classifier`], and the class prior that some need: [`prior`]
//! 5. judging and choosing: [`metrics`], [`folds`], [`options`], [`settings`], [`tune`], [`train`], many classifiers distilled into
//!    one: [`ensemble`], whichever is asked for: [`learn`], and all of them: [`compare`]; more rows than fit in memory as features: [`bulk`]
//! 6. what the chip runs: [`export`], made small: [`compress`], and signed: [`signing`]
//! 7. the chip itself, emulated: [`device`]
//! 8. for those who read messages: the names of all warnings: [`warnings`], what to do about errors: [`hints`], and
//!    about mistyped names: [`mod@nearest`]; a training run on one page: [`report`]
//! 9. the paper's experiments: [`mod@bench`]
//!
//! The `pual` program is a thin layer over these, and so is the Python package in `trainer/python`. Results depend on data, settings and seed alone: not on the number of threads.
//!
//! # Example
//!
//! ```
//! use pual_trainer::{dataset::Dataset, export::export, synth, train};
//!
//! let rows = synth::label(synth::cold_chain(300, 1), 0.5, 1);
//! let data = Dataset::new(rows)?;
//! let trained = train::train(&data, &train::TrainOptions::default())?;
//! let model = export(&trained.classifier, data.rows())?.bytes;
//! assert!(model.decode()?.score(&[12.0, 0.0])? > 0.0); // 12 degrees and steady: too warm
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `examples/quickstart.rs` does it with a test set.

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

#[cfg(test)]
extern crate self as pual_trainer;
#[cfg(test)]
mod tests;

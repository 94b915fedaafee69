//! Training on more rows than fit in memory as features.
//!
//! ```text
//! rows -> sample -> settings, landmarks, local term: the plan
//! rows, a block at a time -> features -> exact sums: a part -> parts together -> one fit
//! ```
//!
//! With the landmarks fixed, a fit of PUAL, GLLC or BLS-SVM needs only H's part of the unlabeled rows
//!
//! ```text
//! Psi_u'Psi_u = sum over rows of psi psi',      g = -2 C_u Psi_u'1 its last column,
//! ```
//!
//! (PUAL is a box QP over the positives alone: see [`crate::learner`]), so only the features of labeled rows are kept, and rows may be divided
//! among threads, files and machines. Each file opens with its own part of this: `sums` why there is no order in them, `landmarks` the
//! features of a row, `local` the graph's term, `sample`, `plan`, `part`, `memory`; `file` is how plans and parts are stored.

mod file;
mod landmarks;
mod local;
pub(crate) mod memory;
mod part;
mod plan;
mod sample;
mod sums;

pub use part::Part;
pub use plan::Plan;
pub(crate) use plan::is_a_sum;
pub use sample::{RowSample, Sampler};

use faer::Mat;
use rayon::prelude::*;

use crate::base::watch::Watch;
use crate::choose::fitting::is_certified;
use crate::choose::settings::LocalTerm;
use crate::data::dataset::Dataset;
use crate::geometry::features::Features;
use crate::learner::{Design, Expansion};
use crate::model::classifier::Classifier;
use crate::model::trained::{TrainError, Trained};
use landmarks::{Landmarks, Rounding};
use local::LocalSum;

/// Rows that settings are searched on, by default: more are sampled.
pub const SAMPLE: usize = 10_000;
/// Rows up to which the graph is searched among all of them, by default; above, among those of the sample.
pub(crate) const GRAPH: usize = 1_000_000;
/// Labeled rows whose features a thread computes at a time.
const ROWS: usize = 1024;

/// What is wrong with plans and parts.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BulkError {
    /// Something else altogether.
    #[error("{file} is not {what}")]
    NotThat {
        /// The file.
        file: String,
        /// What was expected.
        what: &'static str,
    },
    /// Written by another version of the program.
    #[error("{file} is {what} of version {version}, which this program does not read")]
    Version {
        /// The file.
        file: String,
        /// What it is.
        what: &'static str,
        /// Its version.
        version: u8,
    },
    /// Cut short, or changed.
    #[error("{file} is {what}, but damaged")]
    Damaged {
        /// The file.
        file: String,
        /// What it is.
        what: &'static str,
    },
    /// Parts that do not belong together.
    #[error("it was made with a different plan than the parts before it")]
    OtherPlan,
    /// A shard that has already been added.
    #[error("its rows have already been added (shard {shard:016x})")]
    SameShard {
        /// The fingerprint of its rows.
        shard: u64,
    },
}

/// Fits what the plan says to all rows of the part.
pub fn fit(part: &Part, watch: &dyn Watch) -> Result<Trained, TrainError> {
    let plan = part.plan();
    let (positives, unlabeled) = (part.positives(), part.unlabeled());
    watch.phase("solve", 0);
    let settings = plan.settings(positives, unlabeled);
    let landmarks = &plan.landmarks;
    let psi_p = psi_of(landmarks, &plan.scaler.apply(&part.sorted_positives()));
    let features = Features::of_positives(landmarks.kernel, psi_p, landmarks.factor());
    let local = plan.local.as_ref().map(LocalSum::gram);
    let design = Design::of_sums(features, unlabeled, part.gram_u.to_matrix(), local);
    let fit = settings.learner(plan.method()).fit(&design)?;
    if !is_certified(&fit.report) {
        return Err(TrainError::NotCertified(fit.report));
    }
    let expansion = Expansion {
        kernel: landmarks.kernel,
        features: landmarks.features,
        rows: (0..landmarks.len()).collect(),
        supports: landmarks.points.clone(),
        coefficients: design.features().expansion(&fit.beta),
        bias: fit.beta_0,
    };
    Ok(Trained {
        method: plan.method(),
        settings,
        classifier: Classifier {
            scaler: plan.scaler.clone(),
            expansion,
            names: plan.names().to_vec(),
            envelope: part.envelope(),
            recipe: None,
        },
        report: fit.report,
        unexplained: plan.unexplained,
        prior: None,
    })
}

/// Psi of row-major scaled rows, on all threads.
fn psi_of(landmarks: &Landmarks, scaled: &[f64]) -> Mat<f64> {
    let mut psi = Mat::zeros(scaled.len() / landmarks.features, landmarks.len() + 1);
    psi.par_row_chunks_mut(ROWS)
        .zip(scaled.par_chunks(ROWS * landmarks.features))
        .for_each(|(mut psi, rows)| psi.copy_from(landmarks.psi(rows, Rounding::None)));
    psi
}

/// Where the graph of the local term is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GraphRows {
    /// Among all rows.
    All,
    /// Among those of the sample.
    Sample,
}

/// Fits what the plan says to all rows of `data`, whose features are the plan's, with this local term.
pub fn train_on_all(
    data: &Dataset,
    plan: Plan,
    local: Option<(LocalTerm, GraphRows)>,
    watch: &dyn Watch,
) -> Result<Trained, TrainError> {
    let plan = match local {
        None => plan,
        Some((local, GraphRows::Sample)) => plan.with_local_of_sample(local, watch)?,
        Some((local, GraphRows::All)) => plan.with_local(local, data.rows(), data.labeled(), watch)?,
    };
    watch.phase("sums", data.len());
    let mut part = Part::new(plan);
    part.add(data.rows(), data.labeled(), watch);
    fit(&part, watch)
}

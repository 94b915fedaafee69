//! What is known about a model when it has been trained: plain numbers and names, for JSON and for people.

use pual_infer::Model;
use serde::Serialize;

use super::approach::Learned;
use super::evaluate::TruthQuality;
use super::finish::TrainingRows;
use super::many_rows::ManyRows;
use super::options::Request;
use crate::ensemble::EnsembleReport;
use crate::geometry::kernel::Kernel;
use crate::model::compress::Ladder;
use crate::model::export::Agreement;
use crate::model::summary::ModelSummary;

/// What is known about a trained model.
#[derive(Debug, Clone, Serialize)]
pub struct Summary {
    /// Bytes of the model file.
    pub bytes: usize,
    /// What was learned: "ensemble", "PUAL", ...
    pub method: &'static str,
    /// "rbf" or "linear".
    pub kernel: &'static str,
    /// The seed.
    pub seed: u64,
    /// Rows learned from.
    pub rows: usize,
    /// Labeled ones among them.
    pub labeled: usize,
    /// The features' names, in the order of a reading.
    pub features: Vec<String>,
    /// Support instances; the weights of a linear model are one.
    pub supports: usize,
    /// How numbers are stored.
    pub encoding: &'static str,
    /// Support instances it was trained with.
    pub trained_supports: usize,
    /// How it came about.
    #[serde(flatten)]
    pub origin: Origin,
    /// The f32 model against the trained one.
    pub export: Agreement,
    /// Against the truth, where that is known: never learned from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub training_truth: Option<TruthQuality>,
    /// The ladder of sizes, unless the model was kept as trained.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compression: Option<Ladder>,
    /// How many rows were used for what, where they were many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub many_rows: Option<ManyRows>,
}

/// How a model came about.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum Origin {
    /// One fit.
    One(Box<ModelSummary>),
    /// The student of an ensemble.
    Ensemble {
        /// Its teachers.
        ensemble: Box<EnsembleReport>,
    },
}

impl Summary {
    pub(super) fn new(
        request: &Request,
        learned: &Learned,
        rows: TrainingRows<'_>,
        export: Agreement,
        compression: Option<Ladder>,
        model: &Model<'_>,
        called: &[bool],
    ) -> Self {
        let classifier = learned.classifier();
        let truth = rows.data.truth();
        Self {
            bytes: model.length(),
            method: learned.approach().name(),
            kernel: match classifier.expansion.kernel {
                Kernel::Linear => "linear",
                _ => "rbf",
            },
            seed: request.train.seed,
            rows: rows.total,
            labeled: rows.labeled,
            features: classifier.names.clone(),
            supports: model.supports(),
            encoding: model.encoding().name(),
            trained_supports: classifier.supports(),
            origin: match learned {
                Learned::One { trained, tuned } => {
                    let summary = trained.summary(request.train.scaling, tuned.as_ref());
                    Origin::One(Box::new(summary))
                }
                Learned::Ensemble { report, .. } => Origin::Ensemble { ensemble: Box::new(report.clone()) },
            },
            export,
            training_truth: truth.map(|truth| TruthQuality::new(truth, called)),
            compression,
            many_rows: rows.many,
        }
    }
}

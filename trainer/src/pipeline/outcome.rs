//! What training gives: the model, how it was learned, the ladder of sizes, warnings.

use std::path::Path;

use pual_infer::{DecodeError, Model, ModelBytes};
use serde::Serialize;

use super::approach::Learned;
use super::compare::Comparison;
use super::evaluate::TruthQuality;
use super::finish::ModelRows;
use super::many_rows::ManyRows;
use super::options::Request;
use crate::base::files::{WriteError, write_file};
use crate::base::scenario::Scenario;
use crate::base::warnings::Warning;
use crate::data::dataset::Dataset;
use crate::ensemble::EnsembleReport;
use crate::geometry::kernel::Kernel;
use crate::model::compress::Ladder;
use crate::model::export::Agreement;
use crate::model::summary::ModelSummary;

/// The bytes a chip runs.
#[derive(Debug, Clone)]
pub struct ModelFile(ModelBytes);

impl ModelFile {
    pub(crate) fn new(bytes: ModelBytes) -> Self {
        Self(bytes)
    }

    /// The bytes, aligned as the decoder needs them.
    #[must_use]
    pub fn bytes(&self) -> &ModelBytes {
        &self.0
    }

    /// The model, by the device's own code.
    ///
    /// # Errors
    /// None for a model that was trained here: it has been decoded before.
    pub fn decode(&self) -> Result<Model<'_>, DecodeError> {
        self.0.decode()
    }

    /// Writes the file whole or not at all.
    ///
    /// # Errors
    /// What the operating system says; a file that was there is then still there.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), WriteError> {
        write_file(path.as_ref(), &self.0)
    }
}

/// What training gives. It serialises as its [`Summary`] and its warnings.
#[derive(Debug, Serialize)]
pub struct Outcome {
    /// What the chip runs.
    #[serde(skip)]
    pub model: ModelFile,
    /// What was learned, and how.
    #[serde(skip)]
    pub learned: Learned,
    /// What rows the evidence counts as a sample of the population.
    #[serde(skip)]
    pub scenario: Scenario,
    /// Every approach, where it was chosen among several.
    #[serde(skip)]
    pub comparison: Option<Comparison>,
    /// The rows that settings were chosen on, where there were more than those.
    #[serde(skip)]
    pub sample: Option<Dataset>,
    /// The device's scores of the training rows.
    #[serde(skip)]
    pub scores: Vec<f32>,
    /// What is known about the model.
    #[serde(flatten)]
    pub summary: Summary,
    /// What the user should know before relying on it.
    pub warnings: Vec<Warning>,
}

impl Outcome {
    /// The ladder of sizes, unless the model was kept as trained.
    #[must_use]
    pub fn ladder(&self) -> Option<&Ladder> {
        self.summary.compression.as_ref()
    }
}

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
        rows: ModelRows<'_>,
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

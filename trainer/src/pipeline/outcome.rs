//! What training gives: the model, how it was learned, the ladder of sizes, warnings.

use std::path::Path;

use pual_infer::{DecodeError, ModelBytes};
use serde::Serialize;

use super::approach::Learned;
use super::compare::Comparison;
use super::summary::Summary;
use crate::base::files::{WriteError, write_file};
use crate::base::scenario::Scenario;
use crate::base::warnings::Warning;
use crate::data::dataset::Dataset;
use crate::model::compress::Ladder;

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
    pub fn decode(&self) -> Result<pual_infer::Model<'_>, DecodeError> {
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

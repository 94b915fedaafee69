//! What is deployed, in double precision: raw readings to a score, with all that the device needs to know.

use crate::data::dataset::Dataset;
use crate::data::scale::Scaler;
use crate::learner::Expansion;

/// A score on raw readings; above 0 is positive.
#[derive(Debug, Clone)]
pub struct Classifier {
    /// Raw readings to scaled ones.
    pub scaler: Scaler,
    /// Scaled readings to scores.
    pub expansion: Expansion,
    /// The features' names.
    pub names: Vec<String>,
    /// Smallest and largest raw value of each feature in the training rows.
    pub envelope: (Vec<f64>, Vec<f64>),
}

impl Classifier {
    /// A score learned from `data`.
    pub fn new(data: &Dataset, scaler: Scaler, expansion: Expansion) -> Self {
        let mut minima = vec![f64::INFINITY; data.features()];
        let mut maxima = vec![f64::NEG_INFINITY; data.features()];
        for row in data.rows().chunks_exact(data.features()) {
            for (at, &value) in row.iter().enumerate() {
                minima[at] = minima[at].min(value);
                maxima[at] = maxima[at].max(value);
            }
        }
        Self { scaler, expansion, names: data.names().to_vec(), envelope: (minima, maxima) }
    }

    /// Scores of raw readings, row after row, in double precision.
    pub fn scores(&self, rows: &[f64]) -> Vec<f64> {
        self.expansion.scores(&self.scaler.apply(rows))
    }

    /// Support instances; the weights of a linear score are one.
    pub fn supports(&self) -> usize {
        self.expansion.rows.len().max(1)
    }
}

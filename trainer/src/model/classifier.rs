//! What is deployed, in double precision: raw readings to a score, with all that the device needs to know.

use pual_infer::RecipeSpec;

use crate::base::scenario::Scenario;
use crate::base::statistics::cut_of_share;
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
    /// How readings are made of raw samples, if they are.
    pub recipe: Option<RecipeSpec>,
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
        Self { scaler, expansion, names: data.names().to_vec(), envelope: (minima, maxima), recipe: None }
    }

    /// Scores of raw readings, row after row, in double precision.
    pub fn scores(&self, rows: &[f64]) -> Vec<f64> {
        self.expansion.scores(&self.scaler.apply(rows))
    }

    /// Moves the border so that this share of the population is called positive, by the scores of its own training rows.
    pub(crate) fn call_share(&mut self, data: &Dataset, share: f64, scenario: Scenario) {
        let scores = self.scores(data.rows());
        let in_population = |row: &usize| scenario == Scenario::SingleTrainingSet || !data.labeled()[*row];
        let population: Vec<f64> = (0..data.len()).filter(in_population).map(|row| scores[row]).collect();
        self.expansion.bias -= cut_of_share(population, share);
    }

    /// Support instances; the weights of a linear score are one.
    pub fn supports(&self) -> usize {
        self.expansion.rows.len().max(1)
    }
}

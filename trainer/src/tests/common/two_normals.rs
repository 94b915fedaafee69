//! Two normal classes in the plane, unit variance, means `distance` apart: the prior and the least possible error are known.

use pual_trainer::base::random::Random;
use pual_trainer::base::scenario::Scenario;
use pual_trainer::geometry::features::{FeatureSettings, Features};
use pual_trainer::geometry::instances::Instances;
use pual_trainer::geometry::kernel::Kernel;

#[derive(Debug, Clone, Copy)]
pub struct TwoNormals {
    pub distance: f64,
    pub prior: f64,
    pub labeled: usize,
    pub unlabeled: usize,
    pub scenario: Scenario,
}

impl TwoNormals {
    /// Labeled rows first. Case-control: `prior` of the unlabeled are positive; single training set: of all rows.
    pub fn instances(&self, seed: u64) -> Instances {
        let mut random = Random::new(seed, 0);
        let rows = self.labeled + self.unlabeled;
        let positives = match self.scenario {
            Scenario::CaseControl => self.labeled + (self.prior * self.unlabeled as f64).round() as usize,
            Scenario::SingleTrainingSet => (self.prior * rows as f64).round() as usize,
        };
        let cells: Vec<f64> = (0..rows).flat_map(|row| self.draw(row < positives, &mut random)).collect();
        let labeled: Vec<bool> = (0..rows).map(|row| row < self.labeled).collect();
        Instances::arrange(&cells, 2, &labeled).unwrap()
    }

    fn draw(&self, positive: bool, random: &mut Random) -> [f64; 2] {
        let side = if positive { 0.5 } else { -0.5 };
        [side * self.distance + random.normal(), random.normal()]
    }

    /// The least error any classifier can have on the population.
    pub fn bayes_error(&self) -> f64 {
        let phi = |x: f64| 0.5 * libm::erfc(-x / std::f64::consts::SQRT_2);
        // Where both classes are equally likely.
        let cut = libm::log((1.0 - self.prior) / self.prior) / self.distance;
        let half = 0.5 * self.distance;
        self.prior * phi(cut - half) + (1.0 - self.prior) * phi(-cut - half)
    }

    /// Share of wrong answers on 50,000 fresh rows of the population: right to 0.2 points.
    pub fn error(&self, scores: impl Fn(&[f64]) -> Vec<f64>) -> f64 {
        let rows = 50_000;
        let positives = (self.prior * rows as f64) as usize;
        let mut random = Random::new(99, 7);
        let cells: Vec<f64> = (0..rows).flat_map(|row| self.draw(row < positives, &mut random)).collect();
        let wrong = |(row, score): (usize, &f64)| (*score > 0.0) != (row < positives);
        let scores = scores(&cells);
        scores.iter().enumerate().filter(|&pair| wrong(pair)).count() as f64 / rows as f64
    }
}

pub fn features(instances: &Instances, kernel: Kernel, pivots: usize) -> Features {
    let settings = FeatureSettings { tolerance: 1e-6, ..FeatureSettings::new(kernel, pivots, 3) };
    Features::build(instances, &settings).unwrap()
}

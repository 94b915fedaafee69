//! A fitted score as a function of scaled readings, in double precision:
//!
//!   kernel:  f(x) = sum_b Omega_b k(x, x_b) + beta_0,  the x_b being the pivots;    linear:  f(x) = weights'x + beta_0.

use rayon::prelude::*;

use crate::geometry::features::Features;
use crate::geometry::instances::Instances;
use crate::geometry::kernel::Kernel;

/// Rows scored side by side.
const ROWS: usize = 256;

/// Support instances, coefficients and bias: what is exported.
#[derive(Debug, Clone, PartialEq)]
pub struct Expansion {
    /// The kernel.
    pub kernel: Kernel,
    /// m, the length of a reading.
    pub features: usize,
    /// Index, among the training rows as given, of each support; empty for the linear kernel.
    pub rows: Vec<usize>,
    /// The supports' scaled features, row-major; empty for the linear kernel.
    pub supports: Vec<f64>,
    /// Omega_B, one per support; for the linear kernel the weights, one per feature.
    pub coefficients: Vec<f64>,
    /// beta_0.
    pub bias: f64,
}

impl Expansion {
    pub(super) fn new(instances: &Instances, features: &Features, beta: &[f64], beta_0: f64) -> Self {
        let pivots = features.pivots();
        Self {
            kernel: features.kernel(),
            features: instances.features(),
            rows: pivots.iter().map(|&pivot| instances.row(pivot)).collect(),
            supports: pivots.iter().flat_map(|&pivot| instances.point(pivot)).collect(),
            coefficients: features.expansion(beta),
            bias: beta_0,
        }
    }

    /// The score of one scaled reading.
    pub fn score(&self, x: &[f64]) -> f64 {
        if self.kernel == Kernel::Linear {
            return self.kernel.value(x, &self.coefficients) + self.bias;
        }
        let supports = self.supports.chunks_exact(self.features);
        let terms = supports.zip(&self.coefficients).map(|(support, omega)| omega * self.kernel.value(x, support));
        terms.sum::<f64>() + self.bias
    }

    /// The scores of row-major scaled readings: those of [`Expansion::score`], some rows side by side.
    pub fn scores(&self, rows: &[f64]) -> Vec<f64> {
        if self.kernel == Kernel::Linear {
            return (rows.par_chunks_exact(self.features)).map(|x| self.score(x)).collect();
        }
        (rows.par_chunks(ROWS * self.features)).flat_map_iter(|rows| self.scores_of_block(rows)).collect()
    }

    fn scores_of_block(&self, rows: &[f64]) -> Vec<f64> {
        let count = rows.len() / self.features;
        let mut columns = Vec::with_capacity(rows.len());
        for feature in 0..self.features {
            columns.extend(rows.iter().skip(feature).step_by(self.features));
        }
        let (mut scores, mut values) = (vec![0.0; count], vec![0.0; count]);
        let supports = self.supports.chunks_exact(self.features);
        for (support, &omega) in supports.zip(&self.coefficients) {
            self.kernel.values(&columns, support, &mut values);
            for (score, value) in scores.iter_mut().zip(&values) {
                *score += omega * value;
            }
        }
        scores.iter_mut().for_each(|score| *score += self.bias);
        scores
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_side_by_side_have_the_scores_of_single_ones() {
        let value = |i: usize| libm::sin(i as f64 * 0.7);
        for kernel in [Kernel::Rbf { bandwidth: 1.2 }, Kernel::Laplace { bandwidth: 0.8 }, Kernel::Linear] {
            let linear = kernel == Kernel::Linear;
            let expansion = Expansion {
                kernel,
                features: 3,
                rows: Vec::new(),
                supports: (0..if linear { 0 } else { 21 }).map(value).collect(),
                coefficients: (0..if linear { 3 } else { 7 }).map(|i| 10.0 * value(i + 50)).collect(),
                bias: 0.3,
            };
            let rows: Vec<f64> = (100..100 + 3 * (ROWS + 77)).map(value).collect();
            let scores = expansion.scores(&rows);
            assert_eq!(scores.len(), ROWS + 77);
            for (row, score) in rows.chunks_exact(3).zip(scores) {
                assert_eq!(score.to_bits(), expansion.score(row).to_bits());
            }
        }
    }
}

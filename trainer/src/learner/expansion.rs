//! A fitted score as a function of scaled readings, in double precision:
//!
//!   kernel:  f(x) = sum_b Omega_b k(x, x_b) + beta_0,  the x_b being the pivots;    linear:  f(x) = weights'x + beta_0.

use rayon::prelude::*;

use crate::features::Features;
use crate::instances::Instances;
use crate::kernel::Kernel;

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
    /// Omega_B, one a support; for the linear kernel the weights, one a feature.
    pub coefficients: Vec<f64>,
    /// beta_0.
    pub bias: f64,
}

impl Expansion {
    pub(super) fn new(
        instances: &Instances,
        features: &Features,
        beta: &[f64],
        beta_0: f64,
    ) -> Self {
        let pivots = features.pivots();
        Self {
            kernel: features.kernel(),
            features: instances.features(),
            rows: pivots.iter().map(|&pivot| instances.row(pivot)).collect(),
            supports: pivots
                .iter()
                .flat_map(|&pivot| instances.point(pivot))
                .collect(),
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
        let terms = supports
            .zip(&self.coefficients)
            .map(|(support, omega)| omega * self.kernel.value(x, support));
        terms.sum::<f64>() + self.bias
    }

    /// The scores of row-major scaled readings.
    pub fn scores(&self, rows: &[f64]) -> Vec<f64> {
        rows.par_chunks_exact(self.features)
            .map(|x| self.score(x))
            .collect()
    }
}

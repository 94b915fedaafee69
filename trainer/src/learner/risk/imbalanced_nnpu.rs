//! Imbalanced nnPU (Su, Chen and Xu, 2021): nnPU's risk with both classes weighted as if the class prior were pi' instead of pi,
//!
//!   J = lambda/2 ||beta||^2 + w_p pi E_p[l(f)] + w_n max(bracket, -beta),   w_p = pi'/pi,   w_n = (1 - pi')/(1 - pi),
//!
//! with the sigmoid loss l, nnPU's steps and nnPU's certificate (see `nnpu`). pi' = 1/2: a rare positive counts as much as all the
//! negatives around it, and the score changes its sign where both classes are equally dense. pi' = pi is nnPU.

use super::NnPu;
use crate::base::scenario::Scenario;
use crate::learner::{Design, Fit, FitError, Learner};

/// Imbalanced nnPU's settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ImbalancedNnPu {
    /// Everything but the weights of the classes.
    pub nnpu: NnPu,
    /// pi', inside (0, 1).
    pub balanced_prior: f64,
}

impl ImbalancedNnPu {
    /// The paper's pi' = 1/2.
    pub(crate) fn new(lambda: f64, prior: f64, scenario: Scenario) -> Self {
        Self { nnpu: NnPu::new(lambda, prior, scenario), balanced_prior: 0.5 }
    }
}

impl Learner for ImbalancedNnPu {
    fn name(&self) -> &'static str {
        "imbalanced nnPU"
    }

    fn fit(&self, design: &Design) -> Result<Fit, FitError> {
        let (pi, balanced) = (self.nnpu.prior, self.balanced_prior);
        for (name, value) in [("prior", pi), ("balanced prior", balanced)] {
            if !(value > 0.0 && value < 1.0) {
                return Err(FitError::Setting { name, value, expected: "between 0 and 1, both excluded" });
            }
        }
        self.nnpu.fit_weighted(design, (balanced / pi, (1.0 - balanced) / (1.0 - pi)))
    }
}

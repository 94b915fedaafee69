//! uPU, unbiased positive-unlabeled learning (du Plessis et al., 2015): minimise the risk estimate of `risk.rs`,
//!
//!   lambda/2 ||beta||^2 + pi E_p[l(f) - l(-f)] + E[l(-f)].
//!
//! It is convex exactly for losses with l(f) - l(-f) = -f. Here it is the logistic loss l(m) = ln(1 + e^-m), so that E[l(-f)] is made of
//! ln(1 + e^f): a Newton problem.

use super::{RowWeights, sigmoid, softplus};
use crate::base::scenario::Scenario;
use crate::learner::{Certificate, Design, Fit, FitError, FitReport, Learner, check_positive};
use crate::solver::Stopping;
use crate::solver::newton::{self, RowLoss};

/// uPU's settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Upu {
    /// Ridge, for a risk that is a mean over rows: comparable with PUAL's lambda divided by C_p n_p.
    pub lambda: f64,
    /// pi = P(y = 1) in the population.
    pub prior: f64,
    /// What the training rows are a sample of.
    pub scenario: Scenario,
    /// When the solver stops: at this residual.
    pub stopping: Stopping,
}

impl Upu {
    /// With the default stopping rule.
    pub(crate) fn new(lambda: f64, prior: f64, scenario: Scenario) -> Self {
        Self { lambda, prior, scenario, stopping: Stopping { tolerance: 1e-10, max_iterations: 100 } }
    }
}

impl Learner for Upu {
    fn name(&self) -> &'static str {
        "uPU"
    }

    fn fit(&self, design: &Design) -> Result<Fit, FitError> {
        check_positive(&[("lambda", self.lambda)])?;
        let (n_p, n_u) = (design.positives(), design.unlabeled());
        let weights = RowWeights::new(self.prior, self.scenario, n_p, n_u)?;
        let rank = design.features().rank();
        let mut ridge = vec![self.lambda; rank + 1];
        // The intercept is free.
        ridge[rank] = 0.0;
        let loss = |row: usize, f: f64| logistic(weights.of(row), f);
        let psi = design.features().psi();
        let solution = newton::minimise(psi, &ridge, loss, vec![0.0; rank + 1], self.stopping);
        let report = FitReport {
            status: solution.status,
            iterations: solution.iterations,
            objective: solution.objective,
            certificate: Certificate::KktResidual(solution.residual),
        };
        Ok(Fit::from_z(solution.z, report))
    }
}

/// -(pi/n_p) f on labeled rows, w ln(1 + e^f).
fn logistic((positive, population): (f64, f64), f: f64) -> RowLoss {
    let s = sigmoid(f);
    RowLoss {
        value: population * softplus(f) - positive * f,
        slope: population * s - positive,
        curvature: population * s * (1.0 - s),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_and_curvatures_are_differences_and_values_are_the_risk() {
        for f in [-3.0, -1.02, -0.4, 0.0, 0.7, 1.0, 2.5] {
            let (a, w) = (0.7, 0.2);
            let at = |f| logistic((a, w), f);
            let (up, down) = (at(f + 1e-5), at(f - 1e-5));
            assert!(((up.value - down.value) / 2e-5 - at(f).slope).abs() < 1e-9);
            assert!(((up.slope - down.slope) / 2e-5 - at(f).curvature).abs() < 1e-9);
            let l = |m: f64| softplus(-m);
            let risk = a * (l(f) - l(-f)) + w * l(-f);
            assert!((at(f).value - risk).abs() < 1e-15);
        }
        for f in [-1e300, -1e4, 1e4, 1e300] {
            assert!(logistic((0.1, 0.1), f).value.is_finite());
        }
    }
}

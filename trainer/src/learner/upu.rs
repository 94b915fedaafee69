//! uPU, unbiased positive-unlabeled learning (du Plessis et al., 2015): minimise the risk estimate of `risk.rs`,
//!
//!   lambda/2 ||beta||^2 + pi E_p[l(f) - l(-f)] + E[l(-f)].
//!
//! It is convex exactly for losses with l(f) - l(-f) = -f:
//!
//! | loss         | l(m)                       | E[l(-f)] is made of |
//! |--------------|----------------------------|---------------------|
//! | logistic     | ln(1 + e^-m)               | ln(1 + e^f) |
//! | double hinge | max(-m, 0, (1 - m)/2)      | 1/2 \[1 + f\]_+ + 1/2 \[f - 1\]_+ |
//!
//! The logistic risk is a Newton problem. For the double hinge \[v\]_+ is replaced by t ln(1 + e^{v/t}) and t lowered until
//! the duality gap is small: the smooth problem's slopes are feasible in the dual of the true one, and leave the gap
//!
//!   sum_i w_i/2 sum_{v = 1 + f_i, f_i - 1} |v| / (1 + e^{|v|/t})  +  ||g||^2 / (2 lambda) + |beta_0 g_0|,
//!
//! w_i the row's weight in E, (g, g_0) the gradient that Newton left.

use super::risk::{RowWeights, sigmoid, softplus};
use super::{Certificate, Design, Fit, FitError, Learner, Report, check_positive};
use crate::base::scenario::Scenario;
use crate::solver::newton::{self, NewtonSolution, RowLoss};
use crate::solver::{Status, Stopping};

/// Factor from one temperature to the next.
const COOLING: f64 = 0.25;
/// Newton's residual at each temperature.
const RESIDUAL: f64 = 1e-10;

/// uPU's settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Upu {
    /// Ridge, beside a risk that is a mean over rows: comparable with PUAL's lambda divided by C_p n_p.
    pub lambda: f64,
    /// pi = P(y = 1) in the population.
    pub prior: f64,
    /// What the training rows are a sample of.
    pub scenario: Scenario,
    /// The loss.
    pub loss: UpuLoss,
    /// When the solver stops: at this residual (logistic) or duality gap (double hinge; the risk is of order 1).
    pub stopping: Stopping,
}

/// The losses that leave the risk convex.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UpuLoss {
    /// ln(1 + e^-m).
    #[default]
    Logistic,
    /// max(-m, 0, (1 - m)/2).
    DoubleHinge,
}

impl Upu {
    /// The logistic loss, with its default stopping rule.
    pub fn new(lambda: f64, prior: f64, scenario: Scenario) -> Self {
        Self {
            lambda,
            prior,
            scenario,
            loss: UpuLoss::Logistic,
            stopping: Stopping {
                tolerance: 1e-10,
                max_iterations: 100,
            },
        }
    }

    /// The double hinge, with its default stopping rule.
    pub fn with_double_hinge(self) -> Self {
        Self {
            loss: UpuLoss::DoubleHinge,
            stopping: Stopping {
                tolerance: 1e-6,
                max_iterations: 500,
            },
            ..self
        }
    }

    fn ridge(&self, design: &Design) -> Vec<f64> {
        let rank = design.features().rank();
        let mut ridge = vec![self.lambda; rank + 1];
        // The intercept is free.
        ridge[rank] = 0.0;
        ridge
    }

    fn logistic(&self, design: &Design, weights: &RowWeights) -> (NewtonSolution, Certificate) {
        let ridge = self.ridge(design);
        let start = vec![0.0; ridge.len()];
        let loss = |row: usize, f: f64| logistic(weights.of(row), f);
        let psi = design.features().psi();
        let solution = newton::minimise(psi, &ridge, loss, start, self.stopping);
        let certificate = Certificate::KktResidual(solution.residual);
        (solution, certificate)
    }

    fn double_hinge(&self, design: &Design, weights: &RowWeights) -> (NewtonSolution, Certificate) {
        let ridge = self.ridge(design);
        let psi = design.features().psi();
        // The forces on beta are of order 1, so that scores may reach 1/lambda: so wide a smoothing leaves every row its curvature.
        let mut temperature = 1.0 + 1.0 / self.lambda;
        let (mut start, mut iterations) = (vec![0.0; ridge.len()], 0);
        let mut best: Option<(NewtonSolution, f64)> = None;
        loop {
            let loss = |row: usize, f: f64| double_hinge(weights.of(row), f, temperature);
            let stopping = Stopping {
                tolerance: RESIDUAL,
                max_iterations: self.stopping.max_iterations - iterations,
            };
            let solution = newton::minimise(psi, &ridge, loss, start, stopping);
            iterations += solution.iterations;
            start = solution.z.clone();
            let gap = self.gap(weights, &solution, temperature);
            let newton_ended = solution.status;
            let (mut solution, gap, is_better) = match best {
                Some((best, least)) if gap >= least || gap.is_nan() => (best, least, false),
                _ => (solution, gap, true),
            };
            let end = if gap <= self.stopping.tolerance {
                Some(Status::Converged)
            } else if newton_ended == Status::IterationLimit {
                Some(Status::IterationLimit)
            } else if newton_ended == Status::PrecisionLimit && !is_better {
                // What rounding spoils is more than what the smoothing still costs.
                Some(Status::PrecisionLimit)
            } else {
                None
            };
            if let Some(status) = end {
                solution.objective = self.objective(weights, &solution);
                (solution.status, solution.iterations) = (status, iterations);
                return (solution, Certificate::DualityGap(gap));
            }
            best = Some((solution, gap));
            temperature *= COOLING;
        }
    }

    /// The true objective at z minus the dual at the smooth problem's slopes.
    fn gap(&self, weights: &RowWeights, solution: &NewtonSolution, temperature: f64) -> f64 {
        let rows = solution.f.iter().enumerate().map(|(row, &f)| {
            let slack = |v: f64| v.abs() * sigmoid(-v.abs() / temperature);
            0.5 * weights.of(row).1 * (slack(1.0 + f) + slack(f - 1.0))
        });
        let last = solution.z.len() - 1;
        let squares: f64 = solution.gradient[..last].iter().map(|g| g * g).sum();
        rows.sum::<f64>()
            + squares / (2.0 * self.lambda)
            + (solution.gradient[last] * solution.z[last]).abs()
    }

    /// The true objective.
    fn objective(&self, weights: &RowWeights, solution: &NewtonSolution) -> f64 {
        let (z, last) = (&solution.z, solution.z.len() - 1);
        let squares: f64 = z[..last].iter().map(|z| z * z).sum();
        let rows = solution.f.iter().enumerate();
        let losses = rows.map(|(row, &f)| double_hinge(weights.of(row), f, 0.0).value);
        0.5 * self.lambda * squares + losses.sum::<f64>()
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
        let (solution, certificate) = match self.loss {
            UpuLoss::Logistic => self.logistic(design, &weights),
            UpuLoss::DoubleHinge => self.double_hinge(design, &weights),
        };
        let report = Report {
            status: solution.status,
            iterations: solution.iterations,
            objective: solution.objective,
            certificate,
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

/// -(pi/n_p) f on labeled rows, w/2 ([1 + f]_+ + [f - 1]_+) smoothed to temperature t; at t = 0 its value alone is true.
fn double_hinge((positive, population): (f64, f64), f: f64, t: f64) -> RowLoss {
    let smooth = |v: f64| {
        if t == 0.0 {
            return (v.max(0.0), 0.0, 0.0);
        }
        let s = sigmoid(v / t);
        let value = v.max(0.0) + t * softplus(-v.abs() / t);
        (value, s, s * (1.0 - s) / t)
    };
    let (below, above) = (smooth(1.0 + f), smooth(f - 1.0));
    let half = 0.5 * population;
    RowLoss {
        value: half * (below.0 + above.0) - positive * f,
        slope: half * (below.1 + above.1) - positive,
        curvature: half * (below.2 + above.2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_and_curvatures_are_differences() {
        type Loss = fn((f64, f64), f64) -> RowLoss;
        let losses: [Loss; 2] = [logistic, |weights, f| double_hinge(weights, f, 0.3)];
        for loss in losses {
            for f in [-3.0, -1.02, -0.4, 0.0, 0.7, 1.0, 2.5] {
                let at = |f| loss((0.7, 0.2), f);
                let (up, down) = (at(f + 1e-5), at(f - 1e-5));
                assert!(((up.value - down.value) / 2e-5 - at(f).slope).abs() < 1e-9);
                assert!(((up.slope - down.slope) / 2e-5 - at(f).curvature).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn the_split_losses_are_the_risk_they_came_from() {
        let l_logistic = |m: f64| softplus(-m);
        let l_double_hinge = |m: f64| (-m).max(0.0).max(0.5 * (1.0 - m));
        for f in [-3.0, -1.0, -0.4, 0.0, 0.7, 1.0, 2.5] {
            let (a, w) = (0.7, 0.2);
            let risk = |l: &dyn Fn(f64) -> f64| a * (l(f) - l(-f)) + w * l(-f);
            assert!((logistic((a, w), f).value - risk(&l_logistic)).abs() < 1e-15);
            assert!((double_hinge((a, w), f, 0.0).value - risk(&l_double_hinge)).abs() < 1e-15);
        }
    }

    #[test]
    fn far_scores_are_finite() {
        for f in [-1e300, -1e4, 1e4, 1e300] {
            let loss = double_hinge((0.1, 0.1), f, 1e-9);
            assert!(loss.value.is_finite() && loss.slope.is_finite());
            assert!(logistic((0.1, 0.1), f).value.is_finite());
        }
    }
}

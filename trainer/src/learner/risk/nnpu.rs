//! nnPU, non-negative positive-unlabeled learning (Kiryo et al., 2017), with the sigmoid loss l(m) = 1 / (1 + e^m): minimise
//!
//!   J = lambda/2 ||beta||^2 + pi E_p[l(f)] + max(bracket, -beta),   bracket = E[l(-f)] - pi E_p[l(-f)],
//!
//! by its Algorithm 1 with Adam: where bracket >= -beta a step goes against J's gradient; where it is below, against
//! -gamma times the bracket's gradient alone, back to the bound. Every step sees all rows, and nothing is drawn at
//! random. The step size is constant at first and then falls to 0, so that what it leaves is where it settles.
//!
//! J is not convex: there is no proof of a global optimum. The certificate is the distance from a stationary point,
//!
//!   min_s max_j |g_P + s g_B|_j / (1/4 + pi/2),   s = 1 above the bound, 0 below it, any of [0, 1] at it,
//!
//! g_P the gradient of the ridge and of pi E_p[l(f)], g_B the bracket's; the denominator is what all rows pull at f = 0, both
//! parts together. (The mean of the two kinds of steps vanishes just there.)
//! The paper's own settings are beta = 0, gamma = 1.

use super::{RowWeights, SigmoidRisk};
use crate::base::dense::{dot, product, transposed_product};
use crate::base::scenario::Scenario;
use crate::learner::{Certificate, Design, Fit, FitError, FitReport, Learner, check_positive};
use crate::solver::adam::Adam;
use crate::solver::{Status, Stopping};

/// Distance of the bracket from -beta, in a risk of order 1, that counts as at the bound.
const AT_THE_BOUND: f64 = 1e-3;

/// Distance from stationarity at which nothing is left to gain. (The tolerance would not do: it is wide, for the sake of steps
/// that end at the bound, and where classes overlap much the start itself can lie within it.)
const DONE: f64 = 1e-7;

/// nnPU's settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct NnPu {
    /// Ridge, for a risk that is a mean over rows.
    pub lambda: f64,
    /// pi = P(y = 1) in the population.
    pub prior: f64,
    /// What the training rows are a sample of.
    pub scenario: Scenario,
    /// How far below 0 the bracket may fall, at least 0.
    pub beta: f64,
    /// Length, in [0, 1], of the steps back to the bound.
    pub gamma: f64,
    /// Adam's step size to begin with.
    pub step: f64,
    /// All steps are made unless nothing is left to gain; the tolerance decides whether their end counts as converged.
    pub stopping: Stopping,
}

impl NnPu {
    /// The paper's beta = 0 and gamma = 1.
    pub(crate) fn new(lambda: f64, prior: f64, scenario: Scenario) -> Self {
        Self {
            lambda,
            prior,
            scenario,
            beta: 0.0,
            gamma: 1.0,
            step: 0.3,
            stopping: Stopping { tolerance: 1e-3, max_iterations: 2000 },
        }
    }

    fn check(&self) -> Result<(), FitError> {
        check_positive(&[("lambda", self.lambda), ("step", self.step)])?;
        let refuse = |name, value, expected| Err(FitError::Setting { name, value, expected });
        if !(self.beta >= 0.0 && self.beta.is_finite()) {
            return refuse("beta", self.beta, "at least 0");
        }
        if !(0.0..=1.0).contains(&self.gamma) {
            return refuse("gamma", self.gamma, "between 0 and 1");
        }
        Ok(())
    }

    /// The step size at `iteration`: constant for the first half, then down to 0 in a straight line.
    fn step_size(&self, iteration: usize) -> f64 {
        let left = 1.0 - iteration as f64 / self.stopping.max_iterations as f64;
        self.step * (2.0 * left).min(1.0)
    }
}

/// The risk and the gradients of its two parts at one z, each times its weight.
struct RiskPoint {
    risk: SigmoidRisk,
    /// Of the ridge and the positive part.
    g_p: Vec<f64>,
    /// Of the bracket.
    g_b: Vec<f64>,
}

impl RiskPoint {
    fn new(design: &Design, weights: &RowWeights, parts: (f64, f64), lambda: f64, z: &[f64]) -> Self {
        let psi = design.features().psi();
        let risk = SigmoidRisk::new(weights, &product(psi, z)).weighted(parts);
        // The positive part has slopes only on the labeled rows.
        let labeled = &risk.positive_slopes[..design.positives()];
        let mut g_p = transposed_product(design.features().psi_p(), labeled);
        let g_b = transposed_product(psi, &risk.bracket_slopes);
        let last = z.len() - 1;
        for (g, z) in g_p[..last].iter_mut().zip(z) {
            *g += lambda * z;
        }
        Self { risk, g_p, g_b }
    }

    fn objective(&self, lambda: f64, beta: f64, z: &[f64]) -> f64 {
        let weights = &z[..z.len() - 1];
        0.5 * lambda * dot(weights, weights) + self.risk.positive + self.risk.bracket.max(-beta)
    }

    /// Distance from stationarity, relative to `forces`.
    fn residual(&self, beta: f64, forces: f64) -> f64 {
        let above = self.risk.bracket + beta;
        let share = if above > AT_THE_BOUND {
            1.0
        } else if above < -AT_THE_BOUND {
            0.0
        } else {
            let square = dot(&self.g_b, &self.g_b).max(f64::MIN_POSITIVE);
            (-dot(&self.g_p, &self.g_b) / square).clamp(0.0, 1.0)
        };
        let left = self.g_p.iter().zip(&self.g_b);
        let left = left.fold(0.0, |max: f64, (p, b)| max.max((p + share * b).abs()));
        left / forces
    }
}

impl Learner for NnPu {
    fn name(&self) -> &'static str {
        "nnPU"
    }

    fn fit(&self, design: &Design) -> Result<Fit, FitError> {
        self.fit_weighted(design, (1.0, 1.0))
    }
}

impl NnPu {
    /// Fits with the positive part of the risk and the bracket weighted by `parts`.
    pub(super) fn fit_weighted(&self, design: &Design, parts: (f64, f64)) -> Result<Fit, FitError> {
        self.check()?;
        let beta = parts.1 * self.beta;
        let (n_p, n_u) = (design.positives(), design.unlabeled());
        let weights = RowWeights::new(self.prior, self.scenario, n_p, n_u)?;
        let mut z = vec![0.0; design.features().rank() + 1];
        let mut adam = Adam::new(z.len());
        let forces = 0.25 * parts.1 + 0.25 * (parts.0 + parts.1) * self.prior;
        let at = |z: &[f64]| RiskPoint::new(design, &weights, parts, self.lambda, z);
        let mut point = at(&z);
        let mut iterations = 0;
        while iterations < self.stopping.max_iterations && point.residual(beta, forces) > DONE {
            let direction: Vec<f64> = if point.risk.bracket < -beta {
                point.g_b.iter().map(|b| -self.gamma * b).collect()
            } else {
                let parts = point.g_p.iter().zip(&point.g_b);
                parts.map(|(p, b)| p + b).collect()
            };
            adam.step(&mut z, &direction, self.step_size(iterations));
            point = at(&z);
            iterations += 1;
        }
        let residual = point.residual(beta, forces);
        let report = FitReport {
            status: if residual <= self.stopping.tolerance { Status::Converged } else { Status::IterationLimit },
            iterations,
            objective: point.objective(self.lambda, beta, &z),
            certificate: Certificate::KktResidual(residual),
        };
        Ok(Fit::from_z(z, report))
    }
}

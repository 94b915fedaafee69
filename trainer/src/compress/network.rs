//! A small network of radial basis functions, and its fit to the score of a larger model by least squares.
//!
//! ```text
//! g(z) = sum_b a_b phi_b(z) + a_0,    phi_b(z) = exp(-1/2 sum_j tau_j (z_j - c_bj)^2),    tau_j = (e^{s_j} / l)^2
//! ```
//!
//! Coefficients a, centres c and the logarithms s of the features' scales minimise, over n points z_i with targets t_i,
//!
//! ```text
//! 1/2n sum_i r_i^2 + lambda/2 |a|^2 + rho/2 |s|^2,       r_i = g(z_i) - t_i,  but 0 where t_i = +-1 and g goes beyond
//! ```
//!
//! by Levenberg and Marquardt: (J'J/n + ridges + mu diagonal) step = -gradient, with
//!
//! ```text
//! dg/da_b = phi_b,   dg/dc_bj = a_b phi_b tau_j (z_j - c_bj),   dg/ds_j = -sum_b a_b phi_b tau_j (z_j - c_bj)^2
//! ```
//!
//! and J without the rows whose r is cut off. A step is taken only if the objective falls; centres stay in the box that the points
//! fill. With centres and scales held, the same iteration in a alone is Newton's: the refit after rounding.

use faer::Mat;

use super::points::Points;
use crate::dense::{lower_gram, transposed_product};
use crate::kernel::exp_of_nonpositive;
use crate::solver::linear::Cholesky;

/// lambda: keeps the coefficients from cancelling each other, which rounding would not survive.
const RIDGE: f64 = 1e-5;
/// rho: scales move only for a reason.
const SCALE_RIDGE: f64 = 1e-4;
/// Relative fall of the objective at which a fit is done: of all unknowns, and of the coefficients alone.
const ENOUGH: f64 = 1e-3;
const ENOUGH_OF_REFIT: f64 = 1e-9;
/// mu: at the start, never below, and where it is given up.
const FIRST_DAMPING: f64 = 1e-2;
const LEAST_DAMPING: f64 = 1e-12;
const MOST_DAMPING: f64 = 1e8;
/// A feature's scale changes by at most this factor in a step, in logarithms.
const LONGEST_SCALE_STEP: f64 = 1.0;
const REFIT_STEPS: usize = 30;

/// What may move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Free {
    Coefficients,
    All,
}

/// The network.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Network {
    /// l.
    pub bandwidth: f64,
    /// s, one a feature.
    pub shifts: Vec<f64>,
    /// c, row-major.
    pub centres: Vec<f64>,
    /// a.
    pub coefficients: Vec<f64>,
    /// a_0.
    pub bias: f64,
}

/// The network's state at the points.
struct State {
    /// [phi 1], n x (B + 1).
    phi: Mat<f64>,
    residuals: Vec<f64>,
    objective: f64,
}

impl Network {
    /// No centre yet.
    pub fn empty(features: usize, bandwidth: f64) -> Self {
        Self {
            bandwidth,
            shifts: vec![0.0; features],
            centres: Vec::new(),
            coefficients: Vec::new(),
            bias: 0.0,
        }
    }

    /// Unknowns of a network of so many centres.
    pub fn unknowns(features: usize, centres: usize) -> usize {
        centres * (features + 1) + features + 1
    }

    /// Of each feature e^{s_j}: what its scale is multiplied with.
    pub fn factors(&self) -> Vec<f64> {
        self.shifts.iter().map(|&s| libm::exp(s)).collect()
    }

    /// phi of every point, for one centre.
    pub fn kernel_column(&self, points: &Points, centre: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (j, (c, s)) in centre.iter().zip(&self.shifts).enumerate() {
            let rate = libm::exp(*s) / self.bandwidth;
            for (out, z) in out.iter_mut().zip(points.column(j)) {
                let v = (z - c) * rate;
                *out += v * v;
            }
        }
        for out in out.iter_mut() {
            *out = exp_of_nonpositive(-0.5 * *out);
        }
    }

    /// [phi 1] of every point.
    pub fn phi(&self, points: &Points) -> Mat<f64> {
        let count = self.coefficients.len();
        let mut phi = Mat::zeros(points.len(), count + 1);
        let centres = self.centres.chunks_exact(self.shifts.len());
        for (b, centre) in centres.enumerate() {
            self.kernel_column(points, centre, phi.col_as_slice_mut(b));
        }
        phi.col_as_slice_mut(count).fill(1.0);
        phi
    }

    /// r at every point.
    pub fn residuals(&self, points: &Points, phi: &Mat<f64>) -> Vec<f64> {
        let mut scores = vec![self.bias; points.len()];
        for (b, a) in self.coefficients.iter().enumerate() {
            for (score, phi) in scores.iter_mut().zip(phi.col_as_slice(b)) {
                *score += a * phi;
            }
        }
        points.residuals(scores)
    }

    fn state(&self, points: &Points, phi: Mat<f64>) -> State {
        let residuals = self.residuals(points, &phi);
        let sum = |values: &[f64]| values.iter().map(|v| v * v).sum::<f64>();
        let misfit = sum(&residuals) / points.len() as f64;
        let ridges = RIDGE * sum(&self.coefficients) + SCALE_RIDGE * sum(&self.shifts);
        State {
            phi,
            residuals,
            objective: 0.5 * (misfit + ridges),
        }
    }

    /// Coefficients and bias to the optimum, centres and scales held.
    pub fn refit(&mut self, points: &Points) {
        self.descend(points, Free::Coefficients, REFIT_STEPS);
    }

    /// Everything, for at most so many steps.
    pub fn polish(&mut self, points: &Points, steps: usize) {
        self.descend(points, Free::All, steps);
    }

    fn descend(&mut self, points: &Points, free: Free, steps: usize) {
        let (mut damping, enough) = match free {
            Free::All => (FIRST_DAMPING, ENOUGH),
            Free::Coefficients => (LEAST_DAMPING, ENOUGH_OF_REFIT),
        };
        let mut state = self.state(points, self.phi(points));
        for _ in 0..steps {
            let (hessian, gradient) = self.equations(points, &state, free);
            let before = state.objective;
            while damping < MOST_DAMPING {
                if let Some(next) = self.stepped(points, &hessian, &gradient, damping) {
                    let phi = match free {
                        Free::All => next.phi(points),
                        Free::Coefficients => state.phi.clone(),
                    };
                    let reached = next.state(points, phi);
                    if reached.objective < state.objective {
                        (*self, state) = (next, reached);
                        damping = (0.2 * damping).max(LEAST_DAMPING);
                        break;
                    }
                }
                damping *= 5.0;
            }
            if before - state.objective <= enough * before {
                break;
            }
        }
    }

    /// J'J/n with the ridges (lower triangle) and the gradient, for the unknowns a, a_0 and, if all are free, c, s.
    fn equations(&self, points: &Points, state: &State, free: Free) -> (Mat<f64>, Vec<f64>) {
        let (n, d, count) = (points.len(), self.shifts.len(), self.coefficients.len());
        let unknowns = match free {
            Free::Coefficients => count + 1,
            Free::All => Self::unknowns(d, count),
        };
        let scale = 1.0 / (n as f64).sqrt();
        let seen: Vec<f64> = (state.residuals.iter())
            .map(|&r| if r == 0.0 { 0.0 } else { scale })
            .collect();
        let mut jacobian = Mat::<f64>::zeros(n, unknowns);
        for b in 0..=count {
            let out = jacobian.col_as_slice_mut(b).iter_mut();
            for ((out, phi), seen) in out.zip(state.phi.col_as_slice(b)).zip(&seen) {
                *out = phi * seen;
            }
        }
        if free == Free::All {
            self.slopes_of_centres_and_scales(points, &state.phi, &seen, &mut jacobian);
        }
        let scaled: Vec<f64> = state.residuals.iter().map(|r| r * scale).collect();
        let mut gradient = transposed_product(jacobian.as_ref(), &scaled);
        let mut hessian = lower_gram(jacobian.as_ref(), jacobian.as_ref());
        for (b, a) in self.coefficients.iter().enumerate() {
            hessian[(b, b)] += RIDGE;
            gradient[b] += RIDGE * a;
        }
        if free == Free::All {
            for (j, s) in self.shifts.iter().enumerate() {
                let at = unknowns - d + j;
                hessian[(at, at)] += SCALE_RIDGE;
                gradient[at] += SCALE_RIDGE * s;
            }
        }
        (hessian, gradient)
    }

    fn slopes_of_centres_and_scales(
        &self,
        points: &Points,
        phi: &Mat<f64>,
        seen: &[f64],
        jacobian: &mut Mat<f64>,
    ) {
        let (n, d, count) = (points.len(), self.shifts.len(), self.coefficients.len());
        let first = count + 1;
        for (j, s) in self.shifts.iter().enumerate() {
            let rate = libm::exp(*s) / self.bandwidth;
            let z = points.column(j);
            let mut of_scale = vec![0.0; n];
            for (b, a) in self.coefficients.iter().enumerate() {
                let c = self.centres[b * d + j];
                let factor = a * rate * rate;
                let phi = phi.col_as_slice(b);
                let out = jacobian.col_as_slice_mut(first + b * d + j);
                for i in 0..n {
                    let difference = z[i] - c;
                    let slope = factor * phi[i] * difference * seen[i];
                    out[i] = slope;
                    of_scale[i] -= slope * difference;
                }
            }
            let out = jacobian.col_as_slice_mut(first + count * d + j);
            out.copy_from_slice(&of_scale);
        }
    }

    /// The network one damped step on, if there is such a step.
    fn stepped(
        &self,
        points: &Points,
        hessian: &Mat<f64>,
        gradient: &[f64],
        damping: f64,
    ) -> Option<Self> {
        let mut damped = hessian.clone();
        for at in 0..gradient.len() {
            // A little more than in proportion: a centre without weight has no curvature at all.
            damped[(at, at)] += damping * (damped[(at, at)] + 1e-9) + 1e-12;
        }
        let step = Cholesky::new(damped.as_ref()).ok()?.solve(gradient);
        if step.iter().any(|s| !s.is_finite()) {
            return None;
        }
        let (count, d) = (self.coefficients.len(), self.shifts.len());
        let mut next = self.clone();
        for (a, step) in next.coefficients.iter_mut().zip(&step) {
            *a -= step;
        }
        next.bias -= step[count];
        // Empty if the coefficients alone are free.
        let (of_centres, of_scales) = step[count + 1..].split_at(step.len().saturating_sub(count + 1 + d));
        for (at, (c, step)) in next.centres.iter_mut().zip(of_centres).enumerate() {
            let (low, high) = points.range(at % d);
            *c = (*c - step).clamp(low, high);
        }
        for (s, step) in next.shifts.iter_mut().zip(of_scales) {
            *s -= step.clamp(-LONGEST_SCALE_STEP, LONGEST_SCALE_STEP);
        }
        Some(next)
    }
}

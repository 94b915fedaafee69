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
//! fill. With centres and scales held, the same iteration in a alone is Newton's: the refit after rounding. A network of many unknowns
//! moves some centres at a time, and a with them.

use std::ops::Range;

use faer::Mat;

use super::points::Points;
use crate::base::dense::{lower_gram, transposed_product};
use crate::geometry::kernel::exp_of_nonpositive;
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

/// Unknowns moved together, at most: the equations grow with their square, and are solved on one thread up to here.
const MOST_UNKNOWNS: usize = 511;

/// What may move in addition to the coefficients.
#[derive(Default)]
struct FreeUnknowns {
    centres: Range<usize>,
    scales: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Network {
    /// l.
    pub bandwidth: f64,
    /// s, one per feature.
    pub shifts: Vec<f64>,
    /// c, row-major.
    pub centres: Vec<f64>,
    /// a.
    pub coefficients: Vec<f64>,
    /// a_0.
    pub bias: f64,
}

/// The network's state at the points.
struct FitState {
    /// [phi 1], n x (B + 1).
    phi: Mat<f64>,
    residuals: Vec<f64>,
    objective: f64,
}

impl Network {
    /// No centre yet.
    pub(super) fn empty(features: usize, bandwidth: f64) -> Self {
        Self { bandwidth, shifts: vec![0.0; features], centres: Vec::new(), coefficients: Vec::new(), bias: 0.0 }
    }

    /// e^{s_j}, the factor of each feature's scale.
    pub(super) fn factors(&self) -> Vec<f64> {
        self.shifts.iter().map(|&s| libm::exp(s)).collect()
    }

    /// phi of every point, for one centre.
    pub(super) fn kernel_column(&self, points: &Points, centre: &[f64], out: &mut [f64]) {
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
    pub(super) fn phi(&self, points: &Points) -> Mat<f64> {
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
    pub(super) fn residuals(&self, points: &Points, phi: &Mat<f64>) -> Vec<f64> {
        let mut scores = vec![self.bias; points.len()];
        for (b, a) in self.coefficients.iter().enumerate() {
            for (score, phi) in scores.iter_mut().zip(phi.col_as_slice(b)) {
                *score += a * phi;
            }
        }
        points.residuals(scores)
    }

    fn state(&self, points: &Points, phi: Mat<f64>) -> FitState {
        let residuals = self.residuals(points, &phi);
        let sum = |values: &[f64]| values.iter().map(|v| v * v).sum::<f64>();
        let misfit = sum(&residuals) / points.len() as f64;
        let ridges = RIDGE * sum(&self.coefficients) + SCALE_RIDGE * sum(&self.shifts);
        FitState { phi, residuals, objective: 0.5 * (misfit + ridges) }
    }

    /// Coefficients and bias to the optimum, centres and scales held.
    pub(super) fn refit(&mut self, points: &Points) {
        self.descend(points, &FreeUnknowns::default(), REFIT_STEPS);
    }

    /// Moves everything, for at most `steps` steps; in blocks, newest centres first, if there are too many unknowns.
    pub(super) fn polish(&mut self, points: &Points, steps: usize) {
        let (count, d) = (self.coefficients.len(), self.shifts.len());
        let room = MOST_UNKNOWNS.saturating_sub(count + 1);
        if count * d + d <= room {
            let all = FreeUnknowns { centres: 0..count, scales: true };
            return self.descend(points, &all, steps);
        }
        let block = room / d;
        let mut end = count;
        while block > 0 && end > 0 {
            let start = end.saturating_sub(block);
            let some = FreeUnknowns { centres: start..end, scales: false };
            self.descend(points, &some, steps.div_ceil(2));
            end = start;
        }
    }

    fn descend(&mut self, points: &Points, free: &FreeUnknowns, steps: usize) {
        let (mut damping, enough) = match free.centres.is_empty() {
            false => (FIRST_DAMPING, ENOUGH),
            true => (LEAST_DAMPING, ENOUGH_OF_REFIT),
        };
        let mut state = self.state(points, self.phi(points));
        for _ in 0..steps {
            let (hessian, gradient) = self.equations(points, &state, free);
            let before = state.objective;
            while damping < MOST_DAMPING {
                if let Some(next) = self.stepped(points, &hessian, &gradient, damping, free) {
                    let phi = match free.centres.is_empty() {
                        false => next.phi(points),
                        true => state.phi.clone(),
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

    /// J'J/n with the ridges (lower triangle) and the gradient, for the unknowns a, a_0, and what is free of c and s.
    fn equations(&self, points: &Points, state: &FitState, free: &FreeUnknowns) -> (Mat<f64>, Vec<f64>) {
        let (n, d, count) = (points.len(), self.shifts.len(), self.coefficients.len());
        let first_scale = count + 1 + free.centres.len() * d;
        let unknowns = first_scale + if free.scales { d } else { 0 };
        let scale = 1.0 / (n as f64).sqrt();
        let seen: Vec<f64> = (state.residuals.iter()).map(|&r| if r == 0.0 { 0.0 } else { scale }).collect();
        let mut jacobian = Mat::<f64>::zeros(n, unknowns);
        for b in 0..=count {
            let out = jacobian.col_as_slice_mut(b).iter_mut();
            for ((out, phi), seen) in out.zip(state.phi.col_as_slice(b)).zip(&seen) {
                *out = phi * seen;
            }
        }
        self.slopes_of_centres_and_scales(points, &state.phi, &seen, free, &mut jacobian);
        let scaled: Vec<f64> = state.residuals.iter().map(|r| r * scale).collect();
        let mut gradient = transposed_product(jacobian.as_ref(), &scaled);
        let mut hessian = lower_gram(jacobian.as_ref(), jacobian.as_ref());
        for (b, a) in self.coefficients.iter().enumerate() {
            hessian[(b, b)] += RIDGE;
            gradient[b] += RIDGE * a;
        }
        for at in first_scale..unknowns {
            hessian[(at, at)] += SCALE_RIDGE;
            gradient[at] += SCALE_RIDGE * self.shifts[at - first_scale];
        }
        (hessian, gradient)
    }

    fn slopes_of_centres_and_scales(
        &self,
        points: &Points,
        phi: &Mat<f64>,
        seen: &[f64],
        free: &FreeUnknowns,
        jacobian: &mut Mat<f64>,
    ) {
        let (n, d, first) = (points.len(), self.shifts.len(), phi.ncols());
        for (j, s) in self.shifts.iter().enumerate() {
            let rate = libm::exp(*s) / self.bandwidth;
            let z = points.column(j);
            let mut of_scale = vec![0.0; n];
            for (at, b) in free.centres.clone().enumerate() {
                let c = self.centres[b * d + j];
                let factor = self.coefficients[b] * rate * rate;
                let phi = phi.col_as_slice(b);
                let out = jacobian.col_as_slice_mut(first + at * d + j);
                for i in 0..n {
                    let difference = z[i] - c;
                    let slope = factor * phi[i] * difference * seen[i];
                    out[i] = slope;
                    of_scale[i] -= slope * difference;
                }
            }
            if free.scales {
                let out = jacobian.col_as_slice_mut(first + free.centres.len() * d + j);
                out.copy_from_slice(&of_scale);
            }
        }
    }

    /// The network one damped step on, if there is such a step.
    fn stepped(
        &self,
        points: &Points,
        hessian: &Mat<f64>,
        gradient: &[f64],
        damping: f64,
        free: &FreeUnknowns,
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
        let d = self.shifts.len();
        let mut next = self.clone();
        let (of_coefficients, rest) = step.split_at(self.coefficients.len() + 1);
        let (of_centres, of_scales) = rest.split_at(free.centres.len() * d);
        let coefficients = next.coefficients.iter_mut().chain([&mut next.bias]);
        for (a, step) in coefficients.zip(of_coefficients) {
            *a -= step;
        }
        let centres = &mut next.centres[free.centres.start * d..free.centres.end * d];
        for (at, (c, step)) in centres.iter_mut().zip(of_centres).enumerate() {
            let (low, high) = points.range(at % d);
            *c = (*c - step).clamp(low, high);
        }
        for (s, step) in next.shifts.iter_mut().zip(of_scales) {
            *s -= step.clamp(-LONGEST_SCALE_STEP, LONGEST_SCALE_STEP);
        }
        Some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    /// Points whose targets are the scores of a network of three centres, and that network.
    fn known() -> (Points, Network) {
        let random = &mut Random::new(4, 0);
        let rows: Vec<f64> = (0..600).map(|_| 2.0 * random.normal()).collect();
        let truth = Network {
            bandwidth: 1.2,
            shifts: vec![0.3, -0.2],
            centres: vec![-1.0, 0.5, 1.5, 1.0, 0.2, -1.7],
            coefficients: vec![0.6, -0.5, 0.4],
            bias: 0.05,
        };
        let points = Points::new(&rows, 2, vec![0.0; 300]);
        let phi = truth.phi(&points);
        // With targets of 0 the residuals are the scores, all within +-1.
        let targets = truth.residuals(&points, &phi);
        assert!(targets.iter().all(|t| t.abs() < 1.0));
        (Points::new(&rows, 2, targets), truth)
    }

    #[test]
    fn the_gradient_is_the_slope_of_the_objective() {
        let (points, mut network) = known();
        network.centres[1] += 0.4;
        network.coefficients[2] -= 0.3;
        let free = FreeUnknowns { centres: 0..3, scales: true };
        let state = network.state(&points, network.phi(&points));
        let (_, gradient) = network.equations(&points, &state, &free);
        let moved = |at: usize, by: f64| {
            let mut moved = network.clone();
            let coefficients = moved.coefficients.iter_mut().chain([&mut moved.bias]);
            let unknown = coefficients.chain(&mut moved.centres).chain(&mut moved.shifts);
            *unknown.into_iter().nth(at).unwrap() += by;
            moved.state(&points, moved.phi(&points)).objective
        };
        for (at, slope) in gradient.iter().enumerate() {
            let measured = (moved(at, 1e-5) - moved(at, -1e-5)) / 2e-5;
            assert!((slope - measured).abs() < 1e-7, "{at}: {slope} {measured}");
        }
    }

    #[test]
    fn polishing_finds_a_network_again() {
        let (points, truth) = known();
        let mut start = truth.clone();
        start.centres.iter_mut().for_each(|c| *c += 0.5);
        start.shifts.fill(0.0);
        start.refit(&points);
        let misfit = |network: &Network| {
            let residuals = network.residuals(&points, &network.phi(&points));
            (residuals.iter().map(|r| r * r).sum::<f64>() / 300.0).sqrt()
        };
        let mut polished = start.clone();
        polished.polish(&points, 40);
        // Not to 0: the ridges have their share.
        assert!(misfit(&start) > 0.05 && misfit(&polished) < 0.005);
        let off = |(a, b): (&f64, &f64)| (a - b).abs();
        let farthest = polished.centres.iter().zip(&truth.centres).map(off);
        assert!(farthest.fold(0.0, f64::max) < 0.15, "{polished:?}");
    }

    #[test]
    fn blocks_of_centres_are_polished_too() {
        let (points, _) = known();
        let candidates: Vec<usize> = (0..300).collect();
        let mut network = Network::empty(2, 0.5);
        // More unknowns than are moved together.
        network.grow(&points, &candidates, 180);
        assert!(network.coefficients.len() * 3 > MOST_UNKNOWNS);
        let before = network.state(&points, network.phi(&points)).objective;
        let centres = network.centres.clone();
        network.polish(&points, 4);
        assert!(network.state(&points, network.phi(&points)).objective < before);
        assert_ne!(network.centres[..2], centres[..2]);
        assert!(!network.centres.ends_with(&centres[centres.len() - 2..]));
    }
}

//! Optimisers that know no machine learning. Each file opens with the problem it solves.
//!
//! | file           | problem |
//! |----------------|---------|
//! | `linear`       | A z = b, A symmetric positive definite |
//! | `interior`     | min 1/2 sum_j ridge_j z_j^2 + sum_i C_i [c_i - y_i x_i'z]_+, by an interior-point method |
//! | `box_qp`       | max c'a - 1/2 \|\|V a\|\|^2 over 0 <= a_i <= C_i, by coordinate descent |
//! | `hinge`        | min 1/2 (z - z_0)'H(z - z_0) + C sum [1 - psi_i'z]_+, through its dual, a box QP |
//! | `admm`         | the same, by the paper's Algorithm 1 |
//! | `algorithm2`   | the fixed point of the paper's Algorithm 2, as a box QP |
//! | `newton`       | min 1/2 sum_j ridge_j z_j^2 + sum_i loss_i(x_i'z), losses smooth and convex |
//! | `adam`         | gradient steps, each coordinate in units of its own size, for what is not convex |
//! | `mean_form`    | the limit of Algorithm 2 for mu_1 -> 0: a box QP without any factorisation |

pub(crate) mod adam;
pub(crate) mod admm;
pub(crate) mod algorithm2;
pub mod box_qp;
pub(crate) mod hinge;
pub(crate) mod interior;
pub(crate) mod linear;
pub(crate) mod mean_form;
pub(crate) mod newton;

/// When an iterative solver stops.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stopping {
    /// Relative accuracy that the solver's own certificate must reach.
    pub tolerance: f64,
    /// Iterations (sweeps, steps) after which it stops and reports so.
    pub max_iterations: usize,
}

/// Where a solver ended, with a certificate: the optimum lies between `objective - gap` and `objective`.
#[derive(Debug, Clone)]
pub struct Solution {
    /// The unknowns.
    pub z: Vec<f64>,
    /// The dual unknowns.
    pub multipliers: Vec<f64>,
    /// The objective at z.
    pub objective: f64,
    /// Objective minus dual.
    pub gap: f64,
    /// Sweeps, steps or iterations used.
    pub iterations: usize,
    /// How it ended.
    pub status: Status,
}

impl Solution {
    /// A start, before its certificate is known.
    fn start(z: Vec<f64>, multipliers: Vec<f64>) -> Self {
        let (objective, gap) = (f64::INFINITY, f64::INFINITY);
        Self { z, multipliers, objective, gap, iterations: 0, status: Status::IterationLimit }
    }
}

/// How an iterative solver ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The certificate meets the tolerance.
    Converged,
    /// The iteration limit came first: the result is the last iterate, its certificate says how far off it is.
    IterationLimit,
    /// Double precision allows no further progress: the result is the best iterate, its certificate says how good.
    PrecisionLimit,
}

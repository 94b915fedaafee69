//! minimise over beta, beta_0:   lambda/2 ||beta||^2 + C_u n_u (1 + mean of f_u)^2 + C_p sum [1 - f_p]_+ ,   f = F beta + beta_0
//!
//! Only the *mean* unlabeled score is penalised. With lambda = 1 it is the limit of the paper's Algorithm 2 for
//! mu_1 -> 0. Its dual is the box QP with c = 2 and
//!
//!   v_i = [(F_i - mean of F_u) / sqrt(lambda),  1 / sqrt(2 C_u n_u)],
//!
//! so nothing is factored: the cost is that of the sweeps.

use faer::{Mat, MatRef};

use super::box_qp::{self, BoxQp};
use super::{Solution, Stopping};
use crate::base::dense::dot;

/// The problem's data.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MeanForm<'a> {
    /// F_p.
    pub f_p: MatRef<'a, f64>,
    /// F_u'1 / n_u.
    pub mean_u: &'a [f64],
    /// n_u, or the sum of the unlabeled rows' weights.
    pub unlabeled: f64,
    /// lambda.
    pub lambda: f64,
    /// C_p.
    pub c_p: f64,
    /// C_u.
    pub c_u: f64,
}

/// Solves the dual by coordinate descent; z = (beta, beta_0).
pub(crate) fn solve(problem: &MeanForm<'_>, stopping: Stopping) -> Solution {
    let MeanForm { f_p, mean_u, lambda, c_p, c_u, .. } = *problem;
    let r = f_p.ncols();
    let d = (2.0 * c_u * problem.unlabeled).sqrt();
    let v = Mat::from_fn(
        r + 1,
        f_p.nrows(),
        |j, i| {
            if j < r { (f_p[(i, j)] - mean_u[j]) / lambda.sqrt() } else { 1.0 / d }
        },
    );
    let c = vec![2.0; f_p.nrows()];
    let upper = vec![c_p; c.len()];
    let dual = box_qp::solve(&BoxQp { v: v.as_ref(), c: &c, upper: &upper }, stopping);
    let mut z: Vec<f64> = dual.z[..r].iter().map(|w| w / lambda.sqrt()).collect();
    z.push(-1.0 + dual.z[r] / d - dot(mean_u, &z));
    Solution { z, ..dual }
}

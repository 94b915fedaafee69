//! minimise over z:   1/2 (z - z_0)' H (z - z_0) + C sum_i [1 - psi_i'z]_+ ,   H positive definite
//!
//! through its dual. With H = L L' and v_i = L^{-1} psi_i the minimiser is z = z_0 + L^{-T} w, w = sum_i a_i v_i, where a
//! solves the box QP with c_i = 1 - psi_i'z_0. One Cholesky, no step size, and a duality gap.

use faer::MatRef;

use super::box_qp::{self, BoxQp};
use super::linear::{Cholesky, NotPositiveDefinite};
use super::{Solution, Stopping};
use crate::base::dense::product;

/// The problem's data.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HingeProblem<'a> {
    /// The lower triangle of H.
    pub hessian: MatRef<'a, f64>,
    /// z_0, where the quadratic is zero.
    pub centre: &'a [f64],
    /// psi_i, one per row.
    pub rows: MatRef<'a, f64>,
    /// C > 0.
    pub c: f64,
}

/// Solves the dual by coordinate descent.
pub(crate) fn solve(problem: &HingeProblem<'_>, stopping: Stopping) -> Result<Solution, NotPositiveDefinite> {
    let factor = Cholesky::new(problem.hessian)?;
    let mut v = problem.rows.transpose().to_owned();
    factor.forward(v.as_mut());
    let at_centre = product(problem.rows, problem.centre);
    let c: Vec<f64> = at_centre.iter().map(|f| 1.0 - f).collect();
    let upper = vec![problem.c; c.len()];
    let dual = BoxQp { v: v.as_ref(), c: &c, upper: &upper };
    let solution = box_qp::solve(&dual, stopping);
    let step = factor.backward(&solution.z);
    let z = problem.centre.iter().zip(step).map(|(z, step)| z + step).collect();
    Ok(Solution { z, ..solution })
}

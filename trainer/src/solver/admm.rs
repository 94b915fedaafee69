//! The paper's Algorithm 1: the problem of `hinge`, by the alternating direction method of multipliers.
//!
//! minimise 1/2 (z - z_0)' H (z - z_0) + C_p sum \[h_i\]_+   subject to   h = 1 - Psi_p z.            Equation (admm)
//!
//! | symbol | meaning |
//! |--------|---------|
//! | z      | (beta, beta_0) |
//! | h      | the hinge's argument, split off |
//! | u_h    | the constraint's multiplier; ends in [0, C_p] and equals the box QP's unknown |
//! | mu_1   | the penalty of the augmented Lagrangian |
//! | M      | H + mu_1 Psi_p'Psi_p: M_11, M_12, M_21, M_22 of Equation (mat_beta) |
//! | alpha  | over-relaxation: f = Psi_p z is replaced by alpha f + (1 - alpha)(1 - h) after the z-step |
//!
//! Stops when both residuals are small (Boyd and others, 2011, Section 3.3): primal r = 1 - f - h, dual
//! s = mu_1 Psi_p'(h - h_before).

use super::hinge::HingeProblem;
use super::linear::{Cholesky, NotPositiveDefinite, symmetric_product};
use super::{Solution, Status, Stopping};
use crate::base::dense::{add_scaled, dot, lower_gram, product, transposed_product};

/// 1.6 saved a third of the iterations in trials; 1 is the paper's plain method.
pub(crate) const OVER_RELAXATION: f64 = 1.6;

/// Runs Algorithm 1 with penalty `mu_1` > 0; the last iterate. It has converged when both residuals meet the tolerance.
pub(crate) fn solve(
    problem: &HingeProblem<'_>,
    mu_1: f64,
    stopping: Stopping,
) -> Result<Solution, NotPositiveDefinite> {
    let HingeProblem { hessian, centre, rows, c } = *problem;
    let count = rows.nrows();
    let mut m = lower_gram(rows, rows);
    let width = m.ncols();
    for j in 0..width {
        for i in j..width {
            m[(i, j)] = hessian[(i, j)] + mu_1 * m[(i, j)];
        }
    }
    let m = Cholesky::new(m.as_ref())?;
    let pull = symmetric_product(hessian, centre);
    let mut h = vec![0.0; count];
    let mut u = vec![0.0; count];
    let mut solution = Solution::start(centre.to_vec(), Vec::new());
    while solution.iterations < stopping.max_iterations && solution.status != Status::Converged {
        // z: Equation (betasolution), M z = H z_0 + Psi_p'(u_h + mu_1 (1 - h)).
        let weights: Vec<f64> = u.iter().zip(&h).map(|(u, h)| u + mu_1 * (1.0 - h)).collect();
        let mut right = transposed_product(rows, &weights);
        add_scaled(&mut right, 1.0, &pull);
        solution.z = m.solve(&right);
        let f = product(rows, &solution.z);
        let mut primal = 0.0;
        let mut change = vec![0.0; count];
        for i in 0..count {
            let relaxed = OVER_RELAXATION * f[i] + (1.0 - OVER_RELAXATION) * (1.0 - h[i]);
            // h: Equation (h3); u_h: the line after it, which is what the soft threshold cut off, times mu_1.
            let d = 1.0 + u[i] / mu_1 - relaxed;
            let before = h[i];
            h[i] = soft_threshold(c / mu_1, d);
            u[i] = mu_1 * (d - h[i]);
            change[i] = mu_1 * (h[i] - before);
            primal += (1.0 - f[i] - h[i]) * (1.0 - f[i] - h[i]);
        }
        let norm = |v: &[f64]| dot(v, v).sqrt();
        let scale = norm(&f).max(norm(&h)).max((count as f64).sqrt());
        let primal_residual = primal.sqrt() / scale;
        let dual_scale = norm(&transposed_product(rows, &u)).max(f64::MIN_POSITIVE);
        let dual_residual = norm(&transposed_product(rows, &change)) / dual_scale;
        solution.iterations += 1;
        if primal_residual.max(dual_residual) <= stopping.tolerance {
            solution.status = Status::Converged;
        }
    }
    (solution.objective, solution.gap) = certificate(problem, &solution.z, &u)?;
    solution.multipliers = u;
    Ok(solution)
}

/// s_c(d) = argmin_x c [x]_+ + 1/2 (x - d)^2.
fn soft_threshold(c: f64, d: f64) -> f64 {
    if d > c {
        d - c
    } else if d < 0.0 {
        d
    } else {
        0.0
    }
}

/// Primal at z, and its distance from the dual at u.
fn certificate(problem: &HingeProblem<'_>, z: &[f64], u: &[f64]) -> Result<(f64, f64), NotPositiveDefinite> {
    let away: Vec<f64> = z.iter().zip(problem.centre).map(|(z, centre)| z - centre).collect();
    let quadratic = 0.5 * dot(&away, &symmetric_product(problem.hessian, &away));
    let f = product(problem.rows, z);
    let hinge: f64 = f.iter().map(|f| problem.c * (1.0 - f).max(0.0)).sum();
    let at_centre = product(problem.rows, problem.centre);
    let gain: f64 = u.iter().zip(&at_centre).map(|(u, f)| u * (1.0 - f)).sum();
    let force = transposed_product(problem.rows, u);
    let response = Cholesky::new(problem.hessian)?.solve(&force);
    let primal = quadratic + hinge;
    Ok((primal, primal - gain + 0.5 * dot(&force, &response)))
}

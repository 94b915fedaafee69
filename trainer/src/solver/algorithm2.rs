//! The point that the paper's Algorithm 2 (kernel PUAL) converges to.
//!
//! With Phi = F F', one step of it is, in the paper's symbols,
//!
//!   m_2  = -2 C_u n_u + 1'u_h + mu_1 1'(1 - h)                                             Equation (mat_beta)
//!   M_22 = 2 C_u n_u + 2 1'R1 + mu_1 n_p
//!   Omega_p = u_h - mu_1 (m_2/M_22) 1 + mu_1 (1 - h)   - 2 (m_2/M_22) (R1)_p               Equation (upomega)
//!   Omega_u = -2 C_u 1 - 2 (m_2/M_22) C_u 1            - 2 (m_2/M_22) (R1)_u
//!   beta_0  = m_2/M_22 - Q_b/M_22,   Q_b = (2 C_u 1_u + 2 R1 + mu_1 1_p)' Phi Omega        Equation (betaaa_0)
//!   h = s_{C_p/mu_1}(1 + u_h/mu_1 - f_p),   u_h += mu_1 (1 - f_p - h),   f = Phi Omega + beta_0   Equation (upnew)
//!
//! Since R1 = 0 the graph has no influence at all, and every unlabeled instance has the same coefficient. (Tests run these steps
//! literally, and compare.)
//!
//! **When it converges.** With D = diag(mu_1 on p, 2 C_u on u), d = 1'D1 and F centred at its D-weighted mean, put
//! G = [F - mean, 1/sqrt(d)]. The step is f = G G' q with q_p = u_h + mu_1 (1 - h), q_u = -2 C_u: it contracts when
//! mu_1 lambda_max(G_p G_p') < 1, that is when I - mu_1 G_p'G_p is positive definite.
//!
//! **Where to.** Its fixed point is the minimiser of a `hinge` problem in n_p dual unknowns, found directly:
//!
//!   minimise over z   1/2 z'(I - mu_1 G_p'G_p) z + 2 C_u 1'G_u z + C_p sum [1 - (G_p z)_i]_+ .

use faer::{Mat, MatRef};

use super::hinge::{self, HingeProblem};
use super::linear::{Cholesky, NotPositiveDefinite};
use super::{Solution, Stopping};
use crate::base::dense::{dot, lower_gram, transposed_product};

/// The problem in the coordinates of F.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Algorithm2<'a> {
    /// F_p, the positives' features.
    pub f_p: MatRef<'a, f64>,
    /// F_u'1.
    pub sum_u: &'a [f64],
    /// n_u, or the sum of the unlabeled rows' weights.
    pub unlabeled: f64,
    /// C_p.
    pub c_p: f64,
    /// C_u.
    pub c_u: f64,
    /// mu_1.
    pub mu_1: f64,
}

/// A mu_1 that is safe for any data: 1 / (spread n_p + n_p / (2 C_u n_u)).
///
/// `spread` bounds ||phi(x) - mean||^2: 2 for an RBF kernel, 4 max k(x, x) for any.
pub(crate) fn safe_mu_1(positives: usize, n_u: f64, c_u: f64, spread: f64) -> f64 {
    let n_p = positives as f64;
    1.0 / (spread * n_p + n_p / (2.0 * c_u * n_u))
}

/// Solves for the fixed point, z = (beta, beta_0). The objective is the one above, plus the constant that makes it 0 at the quadratic's
/// minimum. An error means that mu_1 is too large for the iteration to converge.
pub(crate) fn fixed_point(problem: &Algorithm2<'_>, stopping: Stopping) -> Result<Solution, NotPositiveDefinite> {
    let Algorithm2 { f_p, sum_u, c_p, c_u, mu_1, .. } = *problem;
    let (n_p, n_u, r) = (f_p.nrows(), problem.unlabeled, f_p.ncols());
    let d = mu_1 * n_p as f64 + 2.0 * c_u * n_u;
    let sum_p = transposed_product(f_p, &vec![1.0; n_p]);
    let mean: Vec<f64> = (0..r).map(|j| (mu_1 * sum_p[j] + 2.0 * c_u * sum_u[j]) / d).collect();
    let g = Mat::from_fn(n_p, r + 1, |i, j| if j < r { f_p[(i, j)] - mean[j] } else { 1.0 / d.sqrt() });
    let mut hessian = lower_gram(g.as_ref(), g.as_ref());
    for j in 0..=r {
        for i in j..=r {
            hessian[(i, j)] = if i == j { 1.0 } else { 0.0 } - mu_1 * hessian[(i, j)];
        }
    }
    // -2 C_u G_u'1
    let force: Vec<f64> =
        (0..=r).map(|j| -2.0 * c_u * if j < r { sum_u[j] - n_u * mean[j] } else { n_u / d.sqrt() }).collect();
    let centre = Cholesky::new(hessian.as_ref())?.solve(&force);
    let hinge_problem = HingeProblem { hessian: hessian.as_ref(), centre: &centre, rows: g.as_ref(), c: c_p };
    let hinge = hinge::solve(&hinge_problem, stopping)?;
    let mut z = hinge.z[..r].to_vec();
    z.push(hinge.z[r] / d.sqrt() - dot(&mean, &z));
    Ok(Solution { z, ..hinge })
}

//! The paper's Algorithm 2 (kernel PUAL), step by step as it is printed: see `solver::algorithm2` for the equations.

use crate::tests::common::problems::Problem;
use pual_trainer::geometry::graph::Laplacian;
use pual_trainer::geometry::kernel::Kernel;
use pual_trainer::learner::Design;
use pual_trainer::solver::algorithm2::safe_mu_1;

const TOLERANCE: f64 = 1e-13;
const STEPS: usize = 1_000_000;
/// |1 - f - h| beyond which the iteration is called divergent: scores are of order 1.
const DIVERGED: f64 = 1e8;

/// Iterates from h = u_h = 0 until no score moves; beta = F'Omega and beta_0, or `None` if it diverges.
pub fn iterate(
    problem: &Problem,
    design: &Design,
    mu_1: Option<f64>,
    laplacian: Option<&Laplacian>,
) -> Option<(Vec<f64>, f64)> {
    let (psi, rank) = (design.features().psi(), design.features().rank());
    let (n, n_p, n_u) = (psi.nrows(), design.positives(), design.unlabeled());
    let (c_p, c_u) = (problem.c_p, problem.c_u);
    let square = |i: usize| (0..rank).map(|j| psi[(i, j)] * psi[(i, j)]).sum();
    let spread = match problem.kernel {
        Kernel::Rbf { .. } => 2.0,
        _ => 4.0 * (0..n).map(square).fold(0.0, f64::max),
    };
    let mu_1 = mu_1.unwrap_or_else(|| safe_mu_1(n_p, n_u as f64, c_u, spread));
    let mut r_1 = vec![0.0; n];
    if let Some(laplacian) = laplacian {
        laplacian.apply(&vec![1.0; n], &mut r_1);
    }
    // F'v.
    let sum = |v: &[f64]| -> Vec<f64> {
        let entry = |j: usize| (0..n).map(|i| psi[(i, j)] * v[i]).sum();
        (0..rank).map(entry).collect()
    };
    let per_row = |p: f64, u: f64| (0..n).map(move |i| if i < n_p { p } else { u });
    // (2 C_u 1_u + 2 R1 + mu_1 1_p)'F, so that Q_b is its product with beta.
    let pull: Vec<f64> = (per_row(mu_1, 2.0 * c_u).zip(&r_1)).map(|(d, r_1)| d + 2.0 * r_1).collect();
    let q_b = sum(&pull);
    let m_22 = pull.iter().sum::<f64>();
    let (mut h, mut u, mut before) = (vec![0.0; n_p], vec![0.0; n_p], vec![0.0; n_p]);
    let (mut beta, mut beta_0) = (Vec::new(), 0.0);
    for _ in 0..STEPS {
        let force: Vec<f64> = u.iter().zip(&h).map(|(u, h)| u + mu_1 * (1.0 - h)).collect();
        let m_2 = -2.0 * c_u * n_u as f64 + force.iter().sum::<f64>();
        let ratio = m_2 / m_22;
        let omega: Vec<f64> = (0..n)
            .map(|i| match force.get(i) {
                Some(force) => force - mu_1 * ratio - 2.0 * ratio * r_1[i],
                None => -2.0 * c_u - 2.0 * ratio * c_u - 2.0 * ratio * r_1[i],
            })
            .collect();
        beta = sum(&omega);
        let q_b: f64 = q_b.iter().zip(&beta).map(|(q, beta)| q * beta).sum();
        beta_0 = ratio - q_b / m_22;
        let mut moved: f64 = 0.0;
        for i in 0..n_p {
            let f = (0..rank).map(|j| psi[(i, j)] * beta[j]).sum::<f64>() + beta_0;
            let d = 1.0 + u[i] / mu_1 - f;
            // The soft threshold: argmin over x of C_p/mu_1 [x]_+ + 1/2 (x - d)^2.
            h[i] = if d < 0.0 { d } else { (d - c_p / mu_1).max(0.0) };
            u[i] = mu_1 * (d - h[i]);
            moved = moved.max((1.0 - f - h[i]).abs()).max((f - before[i]).abs());
            before[i] = f;
        }
        if !beta_0.is_finite() || moved > DIVERGED {
            return None;
        }
        if moved <= TOLERANCE {
            break;
        }
    }
    Some((beta, beta_0))
}

//! Weighted ridge regression for many ridges at once, with the scores that each row would get had it been left out:
//!
//!   min_z  sum_i w_i (y_i - psi_i'z)^2 + lambda ||z||^2
//!
//! With Psi'W Psi = V diag(e) V' and G = Psi V, for every lambda
//!
//!   z = V t,   t_j = (G'W y)_j / (e_j + lambda),      h_i = w_i sum_j G_ij^2 / (e_j + lambda),
//!   f_i without row i  =  y_i - (y_i - f_i) / (1 - h_i)                             (exact, no refit)
//!
//! so one decomposition serves all ridges. With y = +-1 it is BLS-SVM, with soft targets a regression of probabilities.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};

use super::EnsembleError;

/// A row that decides its own score entirely has no leave-one-out score; this keeps the quotient finite.
const LEAST_FREEDOM: f64 = 1e-3;

/// One ridge's solution.
#[derive(Debug, Clone)]
pub(super) struct RidgeFit {
    /// z.
    pub weights: Vec<f64>,
    /// The score of each row by the fit without it.
    pub left_out: Vec<f64>,
}

/// Eigenvalues, none below 0, and eigenvectors of a symmetric matrix given by its lower triangle.
///
/// On one thread: on several the bits of eigenvectors would depend on their number.
pub(super) fn eigen(matrix: MatRef<'_, f64>) -> Result<(Vec<f64>, Mat<f64>), EnsembleError> {
    let n = matrix.nrows();
    let mut values = Diag::<f64>::zeros(n);
    let mut vectors = Mat::zeros(n, n);
    let scratch = self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::Yes, Par::Seq, Default::default());
    self_adjoint_evd(
        matrix,
        values.as_mut(),
        Some(vectors.as_mut()),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Default::default(),
    )
    .map_err(|_| EnsembleError::Decomposition)?;
    let values = values.column_vector().iter().map(|e| e.max(0.0)).collect();
    Ok((values, vectors))
}

/// A B on one thread.
pub(super) fn multiply(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> Mat<f64> {
    let mut out = Mat::zeros(a.nrows(), b.ncols());
    matmul(out.as_mut(), Accum::Replace, a, b, 1.0, Par::Seq);
    out
}

/// The solutions for all `lambdas`, in their order.
pub(super) fn ridge(
    psi: MatRef<'_, f64>,
    weight: &[f64],
    target: &[f64],
    lambdas: &[f64],
) -> Result<Vec<RidgeFit>, EnsembleError> {
    let (n, q) = (psi.nrows(), psi.ncols());
    let weighted = Mat::from_fn(n, q, |i, j| weight[i] * psi[(i, j)]);
    let (e, v) = eigen(multiply(psi.transpose(), weighted.as_ref()).as_ref())?;
    let g = multiply(psi, v.as_ref());
    let weighted_target = Mat::from_fn(n, 1, |i, _| weight[i] * target[i]);
    let b = multiply(g.transpose(), weighted_target.as_ref());
    let inverse = Mat::from_fn(q, lambdas.len(), |j, l| 1.0 / (e[j] + lambdas[l]));
    let t = Mat::from_fn(q, lambdas.len(), |j, l| b[(j, 0)] * inverse[(j, l)]);
    let f = multiply(g.as_ref(), t.as_ref());
    let squares = Mat::from_fn(n, q, |i, j| g[(i, j)] * g[(i, j)]);
    let leverage = multiply(squares.as_ref(), inverse.as_ref());
    let z = multiply(v.as_ref(), t.as_ref());
    let fit = |l: usize| RidgeFit {
        weights: z.col_as_slice(l).to_vec(),
        left_out: (0..n)
            .map(|i| {
                let freedom = 1.0 - weight[i] * leverage[(i, l)];
                target[i] - (target[i] - f[(i, l)]) / freedom.max(LEAST_FREEDOM)
            })
            .collect(),
    };
    Ok((0..lambdas.len()).map(fit).collect())
}

/// Mean squared difference.
pub(super) fn squared_error(scores: &[f64], target: &[f64]) -> f64 {
    let square = |(s, t): (&f64, &f64)| (s - t) * (s - t);
    scores.iter().zip(target).map(square).sum::<f64>() / target.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    #[test]
    fn scores_left_out_are_those_of_refits() {
        let random = &mut Random::new(8, 0);
        let (n, q) = (25, 6);
        let psi = Mat::from_fn(n, q, |_, _| random.normal());
        let y: Vec<f64> = (0..n).map(|_| random.normal()).collect();
        let w: Vec<f64> = (0..n).map(|_| 0.1 + random.uniform()).collect();
        let lambdas = [1e-3, 0.5];
        let fits = ridge(psi.as_ref(), &w, &y, &lambdas).unwrap();
        for out in [0, 7, 24] {
            let mut without = w.clone();
            without[out] = 0.0;
            let refits = ridge(psi.as_ref(), &without, &y, &lambdas).unwrap();
            for (fit, refit) in fits.iter().zip(&refits) {
                let score: f64 = (0..q).map(|j| psi[(out, j)] * refit.weights[j]).sum();
                assert!((fit.left_out[out] - score).abs() < 1e-8);
            }
        }
        // And the weights satisfy the normal equations.
        for (fit, lambda) in fits.iter().zip(lambdas) {
            for j in 0..q {
                let gradient: f64 = (0..n)
                    .map(|i| {
                        let f: f64 = (0..q).map(|k| psi[(i, k)] * fit.weights[k]).sum();
                        w[i] * (f - y[i]) * psi[(i, j)]
                    })
                    .sum();
                assert!((gradient + lambda * fit.weights[j]).abs() < 1e-10);
            }
        }
    }
}

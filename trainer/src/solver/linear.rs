//! A z = b for a symmetric positive definite A, by Cholesky: A = L L'.
//!
//! Only the lower triangle of A is read. One step of iterative refinement, z += A^{-1}(b - A z), makes the answer as
//! good as the matrix allows, and its residual is the certificate.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Mat, MatMut, MatRef, Par};
use rayon::prelude::*;
use thiserror::Error;

use crate::base::dense::{add_scaled, back_substitution, column, dot, lower_weighted_gram};

/// Below this size threads cost a factorisation more than they bring.
const SEQUENTIAL: usize = 512;
/// Right-hand sides a thread solves for at a time.
const COLUMNS: usize = 256;
/// Ridges tried on a Newton matrix, relative to its largest diagonal entry, before it is given up.
const JITTERS: [f64; 4] = [0.0, 1e-15, 1e-13, 1e-11];

/// The matrix is not positive definite in double precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the matrix is not positive definite")]
pub struct NotPositiveDefinite;

/// A = L L'.
#[derive(Debug, Clone)]
pub struct Cholesky {
    l: Mat<f64>,
}

impl Cholesky {
    /// Factors the symmetric matrix whose lower triangle is given.
    pub fn new(lower: MatRef<'_, f64>) -> Result<Self, NotPositiveDefinite> {
        let mut l = lower.to_owned();
        let size = l.nrows();
        let par = if size < SEQUENTIAL { Par::Seq } else { Par::rayon(0) };
        let mut memory = MemBuffer::new(cholesky_in_place_scratch::<f64>(size, par, Default::default()));
        let stack = MemStack::new(&mut memory);
        let (regularization, parameters) = (Default::default(), Default::default());
        cholesky_in_place(l.as_mut(), regularization, par, stack, parameters).map_err(|_| NotPositiveDefinite)?;
        // faer lets NaN and infinity through.
        if (0..size).any(|j| !l[(j, j)].is_finite()) {
            return Err(NotPositiveDefinite);
        }
        Ok(Self { l })
    }

    /// M := L^{-1} M.
    pub fn forward(&self, m: MatMut<'_, f64>) {
        m.par_col_chunks_mut(COLUMNS).for_each(|m| solve_lower_triangular_in_place(self.l.as_ref(), m, Par::Seq));
    }

    /// L^{-T} b.
    pub fn backward(&self, b: &[f64]) -> Vec<f64> {
        back_substitution(self.l.as_ref(), b)
    }

    /// A^{-1} b.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        let mut z = Mat::from_fn(b.len(), 1, |i, _| b[i]);
        solve_lower_triangular_in_place(self.l.as_ref(), z.as_mut(), Par::Seq);
        solve_upper_triangular_in_place(self.l.transpose(), z.as_mut(), Par::Seq);
        z.col_as_slice(0).to_vec()
    }
}

/// z, and max |A z - b| / max |b|.
#[derive(Debug, Clone)]
pub(crate) struct LinearSolution {
    /// The solution.
    pub z: Vec<f64>,
    /// Its relative residual.
    pub residual: f64,
}

/// Solves A z = b from the lower triangle of A.
pub(crate) fn solve(lower: MatRef<'_, f64>, b: &[f64]) -> Result<LinearSolution, NotPositiveDefinite> {
    let factor = Cholesky::new(lower)?;
    let mut z = factor.solve(b);
    let correction = factor.solve(&residual(lower, b, &z));
    add_scaled(&mut z, 1.0, &correction);
    let largest = |v: &[f64]| v.iter().fold(0.0, |max: f64, x| max.max(x.abs()));
    let residual = largest(&residual(lower, b, &z)) / largest(b).max(f64::MIN_POSITIVE);
    Ok(LinearSolution { z, residual })
}

/// b - A z.
fn residual(lower: MatRef<'_, f64>, b: &[f64], z: &[f64]) -> Vec<f64> {
    let product = symmetric_product(lower, z);
    b.iter().zip(product).map(|(b, az)| b - az).collect()
}

/// ridge + X'W X, factored.
///
/// Near the optimum some weights grow without limit and the ridge drowns in them. A ridge at the level of rounding restores a
/// direction that is good enough: the next step starts from the true residuals.
pub(super) fn newton_matrix(
    x: MatRef<'_, f64>,
    ridge: &[f64],
    weights: impl Iterator<Item = f64>,
) -> Result<Cholesky, NotPositiveDefinite> {
    let mut matrix = lower_weighted_gram(x, weights);
    let width = matrix.ncols();
    for (j, ridge) in ridge.iter().enumerate() {
        matrix[(j, j)] += ridge;
    }
    let top = (0..width).fold(0.0, |max: f64, j| max.max(matrix[(j, j)]));
    for jitter in JITTERS {
        for j in 0..width {
            matrix[(j, j)] += jitter * top;
        }
        if let Ok(factor) = Cholesky::new(matrix.as_ref()) {
            return Ok(factor);
        }
    }
    Err(NotPositiveDefinite)
}

/// A x from the lower triangle of A.
pub(crate) fn symmetric_product(lower: MatRef<'_, f64>, x: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; x.len()];
    for j in 0..x.len() {
        let below = &column(lower, j)[j + 1..];
        out[j] += lower[(j, j)] * x[j] + dot(below, &x[j + 1..]);
        add_scaled(&mut out[j + 1..], x[j], below);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_and_refuses() {
        let a = Mat::from_fn(40, 40, |i, j| {
            libm::exp(-0.3 * (i as f64 - j as f64).abs()) + if i == j { 1e-6 } else { 0.0 }
        });
        let b: Vec<f64> = (0..40).map(|i| libm::sin(i as f64)).collect();
        let solution = solve(a.as_ref(), &b).unwrap();
        assert!(solution.residual < 1e-14);
        for i in 0..40 {
            let product: f64 = (0..40).map(|j| a[(i, j)] * solution.z[j]).sum();
            assert!((product - b[i]).abs() < 1e-12);
        }
        for bad in [-1.0, f64::NAN] {
            let mut indefinite = a.clone();
            indefinite[(7, 7)] = bad;
            assert!(Cholesky::new(indefinite.as_ref()).is_err());
        }
    }
}

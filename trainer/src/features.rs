//! Kernel features by randomly pivoted Cholesky: K ~ F F' without ever forming the n x n matrix K.
//!
//! With pivots B (r instances) and L_BB L_BB' = K_BB, the features are F = K_{:,B} L_BB^{-T}, n x r. A linear model on F
//! *is* a kernel model restricted to the span of the pivots' kernels:
//!
//!   F_x beta = sum_{b in B} Omega_b k(x, x_b),   Omega_B = L_BB^{-T} beta,
//!
//! so the pivots are the support instances the chip will store, and r is the model's size. Pivots are drawn with
//! probability proportional to the diagonal of what is left, K - F F' (Chen, Epperly, Tropp and Webber); a block of
//! candidates is drawn at once and thinned by rejection so that the accepted ones follow that same law (Epperly, Tropp
//! and Webber, "Embrace rejection"), which turns nearly all the work into matrix products. Once the diagonal is used up
//! r is the numerical rank of K, and F F' = K.
//!
//! The linear kernel needs no pivots: F is the scaled rows themselves.

use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::{Accum, Mat, MatRef, Par};
use rayon::prelude::*;

use crate::dense::slice_mut;
use crate::instances::{GeometryError, Instances};
use crate::kernel::Kernel;
use crate::random::Random;

/// Candidates drawn a round. More make larger matrix products, and more rejections.
const CANDIDATES: usize = 96;

/// How the features are built.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FeatureSettings {
    /// The kernel.
    pub kernel: Kernel,
    /// The most pivots to take; the linear kernel takes none.
    pub max_pivots: usize,
    /// What is left of k(x, x) counts as nothing below this share of it. 1e-12 stops at the numerical rank; larger
    /// values stop earlier, with a better conditioned expansion.
    pub tolerance: f64,
    /// Seed of the pivots' draw.
    pub seed: u64,
}

impl FeatureSettings {
    /// At most `max_pivots` pivots, to the numerical rank.
    pub fn new(kernel: Kernel, max_pivots: usize, seed: u64) -> Self {
        Self {
            kernel,
            max_pivots,
            tolerance: 1e-12,
            seed,
        }
    }
}

/// Psi = [F 1], and how to turn a weight vector on F into an expansion over instances.
#[derive(Debug, Clone)]
pub struct Features {
    kernel: Kernel,
    positives: usize,
    psi: Mat<f64>,
    pivots: Vec<usize>,
    l_bb: Mat<f64>,
    unexplained: f64,
}

impl Features {
    /// Builds the features of all instances.
    pub fn build(instances: &Instances, settings: &FeatureSettings) -> Result<Self, GeometryError> {
        let kernel = settings.kernel.check()?;
        if !(settings.tolerance >= 0.0 && settings.tolerance < 1.0) {
            return Err(GeometryError::Setting {
                name: "tolerance",
                value: settings.tolerance,
                expected: "at least 0 and below 1",
            });
        }
        let mut features = match kernel {
            Kernel::Linear => Self::linear(instances),
            _ if settings.max_pivots == 0 => {
                return Err(GeometryError::Setting {
                    name: "max_pivots",
                    value: 0.0,
                    expected: "at least 1",
                });
            }
            _ => Self::pivoted(instances, settings),
        };
        let last = features.psi.ncols() - 1;
        features.psi.col_mut(last).fill(1.0);
        Ok(features)
    }

    fn linear(instances: &Instances) -> Self {
        let (n, m) = (instances.len(), instances.features());
        let mut psi = Mat::zeros(n, m + 1);
        for feature in 0..m {
            let column = psi.col_as_slice_mut(feature);
            column.copy_from_slice(instances.column(feature, 0..n));
        }
        Self {
            kernel: Kernel::Linear,
            positives: instances.positives(),
            psi,
            pivots: Vec::new(),
            l_bb: Mat::new(),
            unexplained: 0.0,
        }
    }

    fn pivoted(instances: &Instances, settings: &FeatureSettings) -> Self {
        let n = instances.len();
        let kernel = settings.kernel;
        let limit = settings.max_pivots.min(n);
        let mut random = Random::new(settings.seed, 0);
        let mut psi = Mat::<f64>::zeros(n, limit + 1);
        let mut pivots: Vec<usize> = Vec::with_capacity(limit);
        let diagonal = kernel.diagonal(instances);
        let negligible = |i: usize| settings.tolerance * diagonal[i];
        let mut left = diagonal.clone();
        let mut cumulative = vec![0.0; n];

        while pivots.len() < limit {
            let rank = pivots.len();
            let mut total = 0.0;
            for (sum, left) in cumulative.iter_mut().zip(&left) {
                total += left;
                *sum = total;
            }
            if total <= 0.0 {
                break;
            }
            let candidates: Vec<usize> = (0..CANDIDATES)
                .map(|_| draw(&cumulative, total * random.uniform()))
                .collect();
            let residual = residual_of(instances, kernel, psi.subcols(0, rank), &candidates);
            let (accepted, factor) = thin(residual, limit - rank, |c, now| {
                // What was drawn with the old diagonal is kept with probability new / old.
                let old = left[candidates[c]];
                random.uniform() * old < now && now > negligible(candidates[c])
            });
            let fresh: Vec<usize> = accepted.iter().map(|&c| candidates[c]).collect();
            append_columns(instances, kernel, &mut psi, rank, &fresh, factor.as_ref());
            for j in rank..rank + fresh.len() {
                for (left, f) in left.iter_mut().zip(psi.col_as_slice(j)) {
                    *left -= f * f;
                }
            }
            for (i, left) in left.iter_mut().enumerate() {
                if *left <= negligible(i) {
                    *left = 0.0;
                }
            }
            for &spent in &fresh {
                left[spent] = 0.0;
            }
            if fresh.is_empty() {
                // Rounding alone separated these candidates from zero.
                for &candidate in &candidates {
                    left[candidate] = 0.0;
                }
            }
            pivots.extend(fresh);
        }

        let rank = pivots.len();
        psi.truncate(n, rank + 1);
        let l_bb = Mat::from_fn(
            rank,
            rank,
            |i, j| {
                if j <= i { psi[(pivots[i], j)] } else { 0.0 }
            },
        );
        Self {
            kernel,
            positives: instances.positives(),
            psi,
            pivots,
            l_bb,
            unexplained: left.iter().sum::<f64>() / diagonal.iter().sum::<f64>(),
        }
    }

    /// The kernel.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// r, the number of features: pivots, or the columns of the data for the linear kernel.
    pub fn rank(&self) -> usize {
        self.psi.ncols() - 1
    }

    /// n_p: the first rows of Psi.
    pub fn positives(&self) -> usize {
        self.positives
    }

    /// Psi = [F 1], n x (r + 1).
    pub fn psi(&self) -> MatRef<'_, f64> {
        self.psi.as_ref()
    }

    /// The positives' rows of Psi.
    pub fn psi_p(&self) -> MatRef<'_, f64> {
        self.psi.subrows(0, self.positives)
    }

    /// The unlabeled rows of Psi.
    pub fn psi_u(&self) -> MatRef<'_, f64> {
        self.psi
            .subrows(self.positives, self.psi.nrows() - self.positives)
    }

    /// The pivots' positions among the arranged instances; empty for the linear kernel.
    pub fn pivots(&self) -> &[usize] {
        &self.pivots
    }

    /// trace(K - F F') / trace(K): 0 when the features are exact.
    pub fn unexplained(&self) -> f64 {
        self.unexplained
    }

    /// Omega_B = L_BB^{-T} beta for a kernel; beta itself, the weights of the features, for the linear kernel.
    pub fn expansion(&self, beta: &[f64]) -> Vec<f64> {
        let mut omega = Mat::from_fn(beta.len(), 1, |i, _| beta[i]);
        if self.kernel != Kernel::Linear {
            let upper = self.l_bb.transpose();
            solve_upper_triangular_in_place(upper, omega.as_mut(), Par::Seq);
        }
        omega.col_as_slice(0).to_vec()
    }
}

/// The first index whose cumulative sum exceeds `target`. Instances with nothing left add nothing and are never it.
fn draw(cumulative: &[f64], target: f64) -> usize {
    let place = cumulative.partition_point(|&sum| sum <= target);
    if place < cumulative.len() {
        return place;
    }
    // target rounded up to the total: the last instance that added something.
    let total = cumulative[cumulative.len() - 1];
    cumulative.partition_point(|&sum| sum < total)
}

/// (K - F F') restricted to the candidates.
fn residual_of(
    instances: &Instances,
    kernel: Kernel,
    f: MatRef<'_, f64>,
    candidates: &[usize],
) -> Mat<f64> {
    let points: Vec<Vec<f64>> = candidates.iter().map(|&c| instances.point(c)).collect();
    let rows = Mat::from_fn(candidates.len(), f.ncols(), |i, j| f[(candidates[i], j)]);
    let mut residual = Mat::from_fn(candidates.len(), candidates.len(), |i, j| {
        kernel.value(&points[i], &points[j])
    });
    let (lhs, rhs) = (rows.as_ref(), rows.transpose());
    matmul(residual.as_mut(), Accum::Add, lhs, rhs, -1.0, Par::Seq);
    residual
}

/// Walks through the candidates, factoring those that `keep(candidate, its diagonal now)` accepts, at most `limit`.
/// Returns them with the Cholesky factor of their residual matrix.
fn thin(
    mut residual: Mat<f64>,
    limit: usize,
    mut keep: impl FnMut(usize, f64) -> bool,
) -> (Vec<usize>, Mat<f64>) {
    let count = residual.nrows();
    let mut accepted = Vec::new();
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for c in 0..count {
        if accepted.len() == limit {
            break;
        }
        let now = residual[(c, c)];
        if !keep(c, now) {
            continue;
        }
        let root = now.sqrt();
        let column: Vec<f64> = (0..count).map(|i| residual[(i, c)] / root).collect();
        for j in c..count {
            for i in j..count {
                residual[(i, j)] -= column[i] * column[j];
            }
        }
        accepted.push(c);
        columns.push(column);
    }
    let factor = Mat::from_fn(accepted.len(), accepted.len(), |i, j| {
        if j <= i { columns[j][accepted[i]] } else { 0.0 }
    });
    (accepted, factor)
}

/// Columns `rank..` of F: (K_{:,T} - F F_T') L_TT^{-T} for the fresh pivots T.
fn append_columns(
    instances: &Instances,
    kernel: Kernel,
    psi: &mut Mat<f64>,
    rank: usize,
    fresh: &[usize],
    factor: MatRef<'_, f64>,
) {
    let rows = Mat::from_fn(fresh.len(), rank, |i, j| psi[(fresh[i], j)]);
    let (done, rest) = psi.as_mut().split_at_col_mut(rank);
    let mut new = rest.subcols_mut(0, fresh.len());
    new.as_mut()
        .par_col_iter_mut()
        .zip(fresh)
        .for_each(|(out, &pivot)| {
            kernel.column(instances, &instances.point(pivot), slice_mut(out))
        });
    let done = done.as_ref();
    // Blocks of rows are independent: threads share rows, never a sum.
    const ROWS: usize = 1024;
    new.as_mut()
        .par_row_chunks_mut(ROWS)
        .enumerate()
        .for_each(|(block, mut new)| {
            let done = done.subrows(block * ROWS, new.nrows());
            matmul(
                new.as_mut(),
                Accum::Add,
                done,
                rows.transpose(),
                -1.0,
                Par::Seq,
            );
            solve_lower_triangular_in_place(factor, new.transpose_mut(), Par::Seq);
        });
}

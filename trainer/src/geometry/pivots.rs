//! Randomly pivoted Cholesky: K ~ F F' with r pivots, in O(n r^2) time and O(n r) memory.
//!
//! Pivots are drawn with probability proportional to the diagonal of what is left, K - F F' (Chen, Epperly, Tropp and
//! Webber). A block of candidates is drawn at once and thinned by rejection, so that the accepted ones follow that same
//! law one by one (Epperly, Tropp and Webber, "Embrace rejection"); nearly all the work then is matrix products:
//!
//!   F_new = (K_{:,T} - F F_T') L_TT^{-T},   T the accepted candidates, L_TT L_TT' = (K - F F')_TT.
//!
//! It ends at the limit, or when nothing is left of the diagonal: at the numerical rank.

use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Accum, Mat, MatRef, Par};
use rayon::prelude::*;

use crate::base::dense::slice_mut;
use crate::base::random::Random;
use crate::geometry::instances::Instances;
use crate::geometry::kernel::Kernel;

/// Candidates drawn per round. More make larger matrix products, and more rejections.
const CANDIDATES: usize = 96;
/// Rows of F a thread computes at a time. Rows are independent: threads share rows, never a sum.
const ROWS: usize = 1024;

/// F and how it came about.
pub(crate) struct PivotedFactor {
    /// F in the first columns, r of them; at least one more column follows.
    pub f: Mat<f64>,
    /// The pivots, in the order of the columns.
    pub pivots: Vec<usize>,
    /// trace(K - F F') / trace(K).
    pub unexplained: f64,
}

/// Factors with at most `max_pivots` pivots. What is left of k(x, x) counts as nothing below `tolerance` times k(x, x).
pub(crate) fn pivoted_cholesky(
    instances: &Instances,
    kernel: Kernel,
    max_pivots: usize,
    tolerance: f64,
    seed: u64,
) -> PivotedFactor {
    let n = instances.len();
    let limit = max_pivots.min(n);
    let mut random = Random::new(seed, 0);
    let mut f = Mat::<f64>::zeros(n, limit + 1);
    let mut pivots: Vec<usize> = Vec::with_capacity(limit);
    let diagonal = kernel.diagonal(instances);
    let negligible = |i: usize| tolerance * diagonal[i];
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
        let candidates: Vec<usize> = (0..CANDIDATES).map(|_| draw(&cumulative, total * random.uniform())).collect();
        let residual = residual_of(instances, kernel, f.subcols(0, rank), &candidates);
        let (accepted, factor) = thin(residual, limit - rank, |c, now| {
            // What was drawn with the old diagonal is kept with probability new / old.
            let old = left[candidates[c]];
            random.uniform() * old < now && now > negligible(candidates[c])
        });
        let fresh: Vec<usize> = accepted.iter().map(|&c| candidates[c]).collect();
        append_columns(instances, kernel, &mut f, rank, &fresh, factor.as_ref());
        for j in rank..rank + fresh.len() {
            for (left, f) in left.iter_mut().zip(f.col_as_slice(j)) {
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
            // Only rounding separated these candidates from zero.
            for &candidate in &candidates {
                left[candidate] = 0.0;
            }
        }
        pivots.extend(fresh);
    }

    PivotedFactor { f, pivots, unexplained: left.iter().sum::<f64>() / diagonal.iter().sum::<f64>() }
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
fn residual_of(instances: &Instances, kernel: Kernel, f: MatRef<'_, f64>, candidates: &[usize]) -> Mat<f64> {
    let points: Vec<Vec<f64>> = candidates.iter().map(|&c| instances.point(c)).collect();
    let rows = Mat::from_fn(candidates.len(), f.ncols(), |i, j| f[(candidates[i], j)]);
    let mut residual = Mat::from_fn(candidates.len(), candidates.len(), |i, j| kernel.value(&points[i], &points[j]));
    let (lhs, rhs) = (rows.as_ref(), rows.transpose());
    matmul(residual.as_mut(), Accum::Add, lhs, rhs, -1.0, Par::Seq);
    residual
}

/// Walks through the candidates, factoring those that `keep(candidate, its diagonal now)` accepts, at most `limit`.
/// Returns them with the Cholesky factor of their residual matrix.
fn thin(mut residual: Mat<f64>, limit: usize, mut keep: impl FnMut(usize, f64) -> bool) -> (Vec<usize>, Mat<f64>) {
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
    let factor =
        Mat::from_fn(accepted.len(), accepted.len(), |i, j| if j <= i { columns[j][accepted[i]] } else { 0.0 });
    (accepted, factor)
}

/// Columns `rank..` of F: (K_{:,T} - F F_T') L_TT^{-T} for the fresh pivots T.
fn append_columns(
    instances: &Instances,
    kernel: Kernel,
    f: &mut Mat<f64>,
    rank: usize,
    fresh: &[usize],
    factor: MatRef<'_, f64>,
) {
    let rows = Mat::from_fn(fresh.len(), rank, |i, j| f[(fresh[i], j)]);
    let (done, rest) = f.as_mut().split_at_col_mut(rank);
    let mut new = rest.subcols_mut(0, fresh.len());
    new.as_mut()
        .par_col_iter_mut()
        .zip(fresh)
        .for_each(|(out, &pivot)| kernel.column(instances, &instances.point(pivot), slice_mut(out)));
    let done = done.as_ref();
    new.as_mut().par_row_chunks_mut(ROWS).enumerate().for_each(|(block, mut new)| {
        let done = done.subrows(block * ROWS, new.nrows());
        matmul(new.as_mut(), Accum::Add, done, rows.transpose(), -1.0, Par::Seq);
        solve_lower_triangular_in_place(factor, new.transpose_mut(), Par::Seq);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pivots_come_close_to_the_best_possible_approximation() {
        // A dense cluster and scattered rows: uniformly drawn pivots would waste nine in ten on the cluster.
        let mut random = Random::new(8, 0);
        let mut rows: Vec<f64> = (0..2 * 450).map(|_| 0.05 * random.normal()).collect();
        rows.extend((0..2 * 50).map(|_| 3.0 * random.normal()));
        let labeled: Vec<bool> = (0..500).map(|i| i % 2 == 0).collect();
        let instances = Instances::arrange(&rows, 2, &labeled).unwrap();
        let kernel = Kernel::Rbf { bandwidth: 0.7 };
        let k = Mat::from_fn(500, 500, |i, j| kernel.value(&instances.point(i), &instances.point(j)));
        let eigenvalues = k.self_adjoint_eigenvalues(faer::Side::Lower).unwrap();
        // Ascending. The best approximation of rank 25 leaves all but the last 25.
        let best_of_25 = eigenvalues[..475].iter().sum::<f64>() / 500.0;
        let mean =
            (0..10).map(|seed| pivoted_cholesky(&instances, kernel, 40, 1e-12, seed).unexplained).sum::<f64>() / 10.0;
        assert!(mean < 1.5 * best_of_25, "{mean:e} against {best_of_25:e}");
    }

    #[test]
    fn fewer_pivots_are_the_beginning_of_more() {
        let instances = Instances::random(200, 3, 1);
        let kernel = Kernel::Rbf { bandwidth: 1.0 };
        let run = |limit| pivoted_cholesky(&instances, kernel, limit, 1e-12, 4);
        let (few, many) = (run(17), run(150));
        assert_eq!(few.pivots, many.pivots[..17]);
        assert!(many.unexplained < few.unexplained);
    }
}

//! The few dense operations that geometry, solvers and learners share, all with results that do not depend on the
//! number of threads.

use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::solve_upper_triangular_in_place;
use faer::{Accum, ColMut, Mat, MatRef, Par};
use rayon::prelude::*;

/// Columns of a tile of a Gram matrix. Each tile is one sequential product, so that threads share tiles, never a sum.
const TILE: usize = 64;
/// Rows handled at a time by [`product`].
const ROWS: usize = 1024;

/// The lower triangle of A'B (what lies above it is left unspecified), for A'B known to be symmetric.
pub(crate) fn lower_gram(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> Mat<f64> {
    let width = a.ncols();
    let mut gram = Mat::zeros(width, width);
    gram.par_col_chunks_mut(TILE).enumerate().for_each(|(tile, columns)| {
        let first = tile * TILE;
        matmul(
            columns.subrows_mut(first, width - first),
            Accum::Replace,
            a.subcols(first, width - first).transpose(),
            b.subcols(first, TILE.min(width - first)),
            1.0,
            Par::Seq,
        );
    });
    gram
}

/// The lower triangle of X'WX, W the diagonal matrix of these weights, none of them negative.
pub(crate) fn lower_weighted_gram(x: MatRef<'_, f64>, weights: impl Iterator<Item = f64>) -> Mat<f64> {
    let roots: Vec<f64> = weights.map(f64::sqrt).collect();
    let mut scaled = Mat::<f64>::zeros(x.nrows(), x.ncols());
    scaled.par_col_iter_mut().enumerate().for_each(|(j, out)| {
        for ((out, x), root) in slice_mut(out).iter_mut().zip(column(x, j)).zip(&roots) {
            *out = x * root;
        }
    });
    lower_gram(scaled.as_ref(), scaled.as_ref())
}

/// A z.
pub(crate) fn product(a: MatRef<'_, f64>, z: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; a.nrows()];
    let block = |(block, out): (usize, &mut [f64])| {
        pulp::Arch::new().dispatch(|| {
            for (j, &z) in z.iter().enumerate() {
                add_scaled(out, z, &column(a, j)[block * ROWS..]);
            }
        });
    };
    if is_small(a) {
        out.chunks_mut(ROWS).enumerate().for_each(block);
    } else {
        out.par_chunks_mut(ROWS).enumerate().for_each(block);
    }
    out
}

/// out += scale v.
#[inline(always)]
pub(crate) fn add_scaled(out: &mut [f64], scale: f64, v: &[f64]) {
    for (out, v) in out.iter_mut().zip(v) {
        *out += scale * v;
    }
}

/// A'v.
pub(crate) fn transposed_product(a: MatRef<'_, f64>, v: &[f64]) -> Vec<f64> {
    let entry = |j| dot(column(a, j), v);
    if is_small(a) { (0..a.ncols()).map(entry).collect() } else { (0..a.ncols()).into_par_iter().map(entry).collect() }
}

/// L^{-T} b, for a lower triangular L.
pub(crate) fn back_substitution(l: MatRef<'_, f64>, b: &[f64]) -> Vec<f64> {
    let mut x = Mat::from_fn(b.len(), 1, |i, _| b[i]);
    solve_upper_triangular_in_place(l.transpose(), x.as_mut(), Par::Seq);
    x.col_as_slice(0).to_vec()
}

/// Whether waking the threads would cost more than the work. They compute the same bits either way.
fn is_small(a: MatRef<'_, f64>) -> bool {
    a.nrows() * a.ncols() < 100_000
}

/// a'b, summed in eight interleaved parts so that it vectorises in one fixed order.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    pulp::Arch::new().dispatch(|| dot_inline(a, b))
}

/// [`dot`], for callers that have already chosen their instruction set.
#[inline(always)]
pub(crate) fn dot_inline(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let (a8, b8) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = (a8.remainder().iter().zip(b8.remainder())).fold(0.0, |sum, (a, b)| sum + a * b);
    for (a, b) in a8.zip(b8) {
        for lane in 0..8 {
            lanes[lane] += a[lane] * b[lane];
        }
    }
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + e) + (c + g)) + ((b + f) + (d + h)) + rest
}

/// A column as a slice. Every matrix here is an owned one or a range of its rows: column-major.
pub(crate) fn column<'a>(a: MatRef<'a, f64>, j: usize) -> &'a [f64] {
    let column = a.col(j).try_as_col_major();
    column.expect("matrices are column-major").as_slice()
}

/// [`column`], to write to.
pub(crate) fn slice_mut<'a>(column: ColMut<'a, f64>) -> &'a mut [f64] {
    let column = column.try_as_col_major_mut();
    column.expect("matrices are column-major").as_slice_mut()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_products() {
        let a = Mat::from_fn(2500, 150, |i, j| libm::sin((i * 7 + j * 13) as f64));
        let z: Vec<f64> = (0..150).map(|j| libm::cos(j as f64)).collect();
        let v: Vec<f64> = (0..2500).map(|i| libm::cos(i as f64 * 0.1)).collect();
        let gram = lower_gram(a.as_ref(), a.as_ref());
        let exact = a.transpose() * &a;
        for j in 0..150 {
            for i in j..150 {
                assert!((gram[(i, j)] - exact[(i, j)]).abs() < 1e-9);
            }
        }
        let (az, av) = (product(a.as_ref(), &z), transposed_product(a.as_ref().subrows(0, 2500), &v));
        for i in [0, 1023, 1024, 2499] {
            let exact: f64 = (0..150).map(|j| a[(i, j)] * z[j]).sum();
            assert!((az[i] - exact).abs() < 1e-10);
        }
        for j in [0, 77, 149] {
            let exact: f64 = (0..2500).map(|i| a[(i, j)] * v[i]).sum();
            assert!((av[j] - exact).abs() < 1e-9);
        }
    }
}

//! The mutual-K-nearest-neighbour graph and its Laplacian: the paper's local term f'Rf.
//!
//! Equation (R1):   w_ij = exp(-||x_i - x_j||^2 / sigma) if i and j are each among the other's K nearest, else 0
//! Equation (RRR):  R = (W* - W) / (n_p + n_u),   W* = diag(W 1)
//!
//! so that f'Rf = 1/n sum_{i<j} w_ij (f_i - f_j)^2, and R 1 = 0 exactly. Who neighbours whom does not depend on sigma:
//! [`Graph`] is searched once, [`Graph::laplacian`] weighs it.

use faer::{Mat, MatMut, MatRef};
use rayon::prelude::*;

use crate::base::dense::{column, lower_gram, slice_mut};
use crate::geometry::instances::{GeometryError, Instances};
use crate::geometry::kernel::exp_of_nonpositive;
use crate::geometry::neighbours::nearest_watched;

/// Columns multiplied by R at a time.
const LANES: usize = 8;

/// Pairs of instances that are each among the other's K nearest.
#[derive(Debug, Clone)]
pub struct Graph {
    /// Row i's edges are `edges[starts[i]..starts[i + 1]]`.
    starts: Vec<usize>,
    /// Squared distance and the other end, ascending by the other end.
    edges: Vec<(f64, u32)>,
}

impl Graph {
    /// Searches the graph. Ties go to the lower index, so of more than K + 1 identical rows only some are joined.
    pub fn mutual(instances: &Instances, neighbours: usize) -> Self {
        Self::mutual_watched(instances, neighbours, &|_| {})
    }

    /// The same, calling `done` with every number of rows whose neighbours are found.
    pub(crate) fn mutual_watched(instances: &Instances, neighbours: usize, done: &(dyn Fn(usize) + Sync)) -> Self {
        let nearest = nearest_watched(instances, neighbours, done);
        let mut starts = vec![0];
        let mut edges = Vec::new();
        for (i, list) in nearest.iter().enumerate() {
            let first = edges.len();
            edges.extend(list.iter().filter(|&&(_, j)| {
                let back = &nearest[j as usize];
                back.iter().any(|&(_, k)| k as usize == i)
            }));
            edges[first..].sort_unstable_by_key(|&(_, j)| j);
            starts.push(edges.len());
        }
        Self { starts, edges }
    }

    /// Undirected edges.
    pub fn edges(&self) -> usize {
        self.edges.len() / 2
    }

    /// The edges of one instance: squared distance and the other end, ascending by the other end.
    pub(crate) fn edges_of(&self, instance: usize) -> &[(f64, u32)] {
        &self.edges[self.starts[instance]..self.starts[instance + 1]]
    }

    /// R for one sigma > 0.
    pub fn laplacian(&self, sigma: f64) -> Result<Laplacian, GeometryError> {
        if !(sigma > 0.0 && sigma.is_finite()) {
            return Err(GeometryError::Setting { name: "sigma", value: sigma, expected: "a positive number" });
        }
        let n = (self.starts.len() - 1) as f64;
        let weight = |&(d, j): &(f64, u32)| (exp_of_nonpositive(-d / sigma) / n, j);
        Ok(Laplacian { starts: self.starts.clone(), weights: self.edges.iter().map(weight).collect() })
    }
}

/// R, sparse: n rows, at most K + 1 entries each.
#[derive(Debug, Clone)]
pub struct Laplacian {
    starts: Vec<usize>,
    /// w_ij / n and j.
    weights: Vec<(f64, u32)>,
}

impl Laplacian {
    /// R v. Written in differences, v_i - v_j, so that R 1 is zero and not merely small.
    pub fn apply(&self, v: &[f64], out: &mut [f64]) {
        for (i, out) in out.iter_mut().enumerate() {
            let row = &self.weights[self.starts[i]..self.starts[i + 1]];
            *out = row.iter().fold(0.0, |sum, &(w, j)| sum + w * (v[i] - v[j as usize]));
        }
    }

    /// v'Rv.
    pub fn quadratic(&self, v: &[f64]) -> f64 {
        let mut product = vec![0.0; v.len()];
        self.apply(v, &mut product);
        v.iter().zip(&product).map(|(v, rv)| v * rv).sum()
    }

    /// The lower triangle of M'RM.
    pub fn gram(&self, m: MatRef<'_, f64>) -> Mat<f64> {
        let mut product = Mat::<f64>::zeros(m.nrows(), m.ncols());
        product.par_col_chunks_mut(LANES).enumerate().for_each(|(block, out)| self.apply_lanes(m, block * LANES, out));
        lower_gram(m, product.as_ref())
    }

    /// [`Laplacian::apply`] to up to eight columns side by side: each edge is looked up once for all of them.
    fn apply_lanes(&self, m: MatRef<'_, f64>, first: usize, out: MatMut<'_, f64>) {
        let mut v = vec![[0.0; LANES]; m.nrows()];
        for lane in 0..out.ncols() {
            for (v, value) in v.iter_mut().zip(column(m, first + lane)) {
                v[lane] = *value;
            }
        }
        let products: Vec<[f64; LANES]> = (0..m.nrows())
            .map(|i| {
                let mut sums = [0.0; LANES];
                for &(w, j) in &self.weights[self.starts[i]..self.starts[i + 1]] {
                    for (lane, sum) in sums.iter_mut().enumerate() {
                        *sum += w * (v[i][lane] - v[j as usize][lane]);
                    }
                }
                sums
            })
            .collect();
        for (lane, out) in out.col_iter_mut().enumerate() {
            for (out, sums) in slice_mut(out).iter_mut().zip(&products) {
                *out = sums[lane];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_local_term_is_the_papers_sum_over_mutual_pairs() {
        let (n, k, sigma) = (60, 4, 0.7);
        let instances = Instances::random(n, 2, 1);
        let laplacian = Graph::mutual(&instances, k).laplacian(sigma).unwrap();
        let squared = |i: usize, j: usize| -> f64 {
            let (x, z) = (instances.point(i), instances.point(j));
            x.iter().zip(&z).map(|(x, z)| (x - z) * (x - z)).sum()
        };
        let among_nearest = |i: usize, j: usize| {
            let closer = |&other: &usize| other != i && squared(i, other) < squared(i, j);
            (0..n).filter(closer).count() < k
        };
        let f: Vec<f64> = (0..n).map(|i| libm::sin(i as f64)).collect();
        let mut exact = 0.0;
        for i in 0..n {
            for j in 0..i {
                if among_nearest(i, j) && among_nearest(j, i) {
                    let w = libm::exp(-squared(i, j) / sigma);
                    exact += w * (f[i] - f[j]) * (f[i] - f[j]) / n as f64;
                }
            }
        }
        assert!((laplacian.quadratic(&f) - exact).abs() < 1e-14);
        // Constants drop out, and so every pair of columns has the same product.
        let matrix = Mat::from_fn(n, 11, |i, j| f[i] + j as f64);
        let gram = laplacian.gram(matrix.as_ref());
        for j in 0..11 {
            for i in j..11 {
                assert!((gram[(i, j)] - exact).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn constant_scores_cost_nothing_to_the_last_bit() {
        for sigma in [1e-4, 1.0, 1e4] {
            let laplacian = Graph::mutual(&Instances::random(80, 2, 2), 5).laplacian(sigma).unwrap();
            let mut product = vec![1.0; 80];
            laplacian.apply(&[3.7; 80], &mut product);
            assert_eq!(product, vec![0.0; 80]);
        }
    }

    #[test]
    fn identical_rows_join_by_index() {
        let instances = Instances::arrange(&[1.0; 6], 1, &[true, true, false, false, false, false]).unwrap();
        let graph = Graph::mutual(&instances, 2);
        // 0 keeps 1, 2; 1 keeps 0, 2; everyone else keeps 0, 1: mutual are 0-1, 0-2, 1-2.
        assert_eq!(graph.edges(), 3);
        assert_eq!(Graph::mutual(&instances, 0).edges(), 0);
        assert_eq!(Graph::mutual(&instances, 99).edges(), 15);
        assert!(graph.laplacian(0.0).is_err());
    }
}

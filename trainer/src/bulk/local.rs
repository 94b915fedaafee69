//! The local term over any number of rows, from the graph's edges:
//!
//! ```text
//! Psi'R Psi = 1/n sum over edges i-j of w_ij (psi_i - psi_j)(psi_i - psi_j)',      w_ij = exp(-|x_i - x_j|^2 / sigma)
//! ```
//!
//! One row sqrt(w_ij) (psi_i - psi_j) per edge, summed exactly as rows are. Features lie on the grid of exact sums, where a 32-bit float holds
//! them: those of all rows are kept if they take at most `KEPT` bytes; otherwise they are computed again for every end of an edge. The sums have
//! the same bits either way.

use faer::Mat;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::landmarks::{Landmarks, Rounding};
use super::sums::{BLOCK, GramSum, to_grid};
use crate::base::watch::Watch;
use crate::choose::settings::LocalTerm;
use crate::geometry::graph::Graph;
use crate::geometry::instances::Instances;
use crate::geometry::kernel::exp_of_nonpositive;

/// Bytes of features that may be kept: those of a million rows at 256 landmarks.
pub(super) const KEPT: usize = 1_100_000_000;

/// Psi'R Psi, and what it is the sum of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct LocalSum {
    pub sigma: f64,
    pub neighbours: usize,
    /// Rows of the graph.
    pub rows: usize,
    /// n Psi'R Psi.
    pub sum: GramSum,
}

impl LocalSum {
    /// Searches the graph of these instances, and sums over its edges.
    pub(super) fn new(instances: &Instances, local: LocalTerm, landmarks: &Landmarks, watch: &dyn Watch) -> Self {
        watch.phase("graph", instances.len());
        let graph = Graph::mutual_watched(instances, local.neighbours, &|rows| watch.rows(rows));
        watch.phase("local term", instances.len());
        let ends = Ends::new(instances, landmarks, KEPT);
        Self {
            sum: ends.sum(&graph, local, watch),
            sigma: local.sigma,
            neighbours: local.neighbours,
            rows: instances.len(),
        }
    }

    /// The lower triangle of Psi'R Psi.
    pub(super) fn gram(&self) -> Mat<f64> {
        let mut gram = self.sum.to_matrix();
        let n = self.rows as f64;
        for j in 0..gram.ncols() {
            gram.col_as_slice_mut(j).iter_mut().for_each(|g| *g /= n);
        }
        gram
    }
}

struct Edge {
    from: usize,
    to: usize,
    square: f64,
}

/// Rows or edges whose features a thread has at a time: they fit its cache.
const ROWS: usize = 1024;

/// The edges that begin in these rows, each once: from the lower end.
fn edges_from(graph: &Graph, rows: std::ops::Range<usize>) -> Vec<Edge> {
    rows.flat_map(|from| {
        let edges = graph.edges_of(from).iter();
        let edges = edges.map(move |&(square, to)| Edge { from, to: to as usize, square });
        edges.filter(|edge| edge.to > edge.from)
    })
    .collect()
}

/// Where the features of an edge's ends come from.
struct Ends<'a> {
    instances: &'a Instances,
    landmarks: &'a Landmarks,
    /// Features of all instances, one after the other, the intercept left out.
    kept: Option<Vec<f32>>,
}

impl<'a> Ends<'a> {
    /// With the features of all instances if these take at most `most_kept` bytes.
    fn new(instances: &'a Instances, landmarks: &'a Landmarks, most_kept: usize) -> Self {
        let width = landmarks.len();
        let mut ends = Self { instances, landmarks, kept: None };
        if 4 * instances.len() * width <= most_kept {
            let mut kept = vec![0.0; instances.len() * width];
            kept.par_chunks_mut(ROWS * width).enumerate().for_each(|(block, out)| {
                let first = block * ROWS;
                let points: Vec<usize> = (first..first + out.len() / width).collect();
                ends.compute(&points, out);
            });
            ends.kept = Some(kept);
        }
        ends
    }

    /// The features of these instances, one after the other.
    fn compute(&self, points: &[usize], out: &mut [f32]) {
        let features = self.instances.features();
        let mut rows = vec![0.0; points.len() * features];
        for feature in 0..features {
            let column = self.instances.column(feature, 0..self.instances.len());
            let cells = rows.iter_mut().skip(feature).step_by(features);
            for (cell, &point) in cells.zip(points) {
                *cell = column[point];
            }
        }
        let psi = self.landmarks.psi(&rows, Rounding::ToGrid);
        let width = self.landmarks.len();
        for j in 0..width {
            let cells = out.iter_mut().skip(j).step_by(width);
            for (cell, &psi) in cells.zip(psi.col_as_slice(j)) {
                // Exact: 21 bits.
                *cell = psi as f32;
            }
        }
    }

    /// n Psi'R Psi.
    fn sum(&self, graph: &Graph, local: LocalTerm, watch: &dyn Watch) -> GramSum {
        let count = self.instances.len();
        let width = self.landmarks.len() + 1;
        let step = (ROWS / local.neighbours.max(1)).max(1);
        (0..count)
            .into_par_iter()
            .step_by(step)
            .fold(
                || GramSum::new(width),
                |mut sum, first| {
                    let rows = first..(first + step).min(count);
                    watch.rows(rows.len());
                    for edges in edges_from(graph, rows).chunks(BLOCK) {
                        sum.add(self.differences(edges, local.sigma).as_ref().transpose());
                    }
                    sum
                },
            )
            .reduce(|| GramSum::new(width), |a, b| a.merged(&b))
    }

    /// sqrt(w_ij) (psi_i - psi_j), one column per edge. The intercept's entry is zero: R 1 = 0.
    fn differences(&self, edges: &[Edge], sigma: f64) -> Mat<f64> {
        let width = self.landmarks.len();
        let mut computed = Vec::new();
        if self.kept.is_none() {
            let points: Vec<usize> = edges.iter().flat_map(|edge| [edge.from, edge.to]).collect();
            computed = vec![0.0; points.len() * width];
            self.compute(&points, &mut computed);
        }
        let mut differences = Mat::zeros(width + 1, edges.len());
        for (at, edge) in edges.iter().enumerate() {
            let (features, from, to) = match &self.kept {
                Some(kept) => (&kept[..], edge.from, edge.to),
                None => (&computed[..], 2 * at, 2 * at + 1),
            };
            let psi = |end: usize| &features[end * width..(end + 1) * width];
            let root = exp_of_nonpositive(-edge.square / sigma).sqrt();
            let out = differences.col_as_slice_mut(at);
            for ((out, &from), &to) in out.iter_mut().zip(psi(from)).zip(psi(to)) {
                *out = to_grid(root * (f64::from(from) - f64::from(to)));
            }
        }
        differences
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;
    use crate::base::watch::Silent;
    use crate::geometry::features::{FeatureSettings, Features};
    use crate::geometry::kernel::Kernel;

    #[test]
    fn the_sum_over_edges_is_the_laplacians_whether_features_are_kept_or_not() {
        let mut random = Random::new(4, 0);
        let rows: Vec<f64> = (0..2 * 900).map(|_| random.normal()).collect();
        let labeled: Vec<bool> = (0..900).map(|i| i % 3 == 0).collect();
        let instances = Instances::arrange(&rows, 2, &labeled).unwrap();
        let settings = FeatureSettings::new(Kernel::Rbf { bandwidth: 0.8 }, 20, 1);
        let features = Features::build(&instances, &settings).unwrap();
        let landmarks = Landmarks::new(&instances, &features);
        let local = LocalTerm { sigma: 0.5, neighbours: 5 };
        let graph = Graph::mutual(&instances, 5);
        let sum = |kept| Ends::new(&instances, &landmarks, kept).sum(&graph, local, &Silent);
        assert_eq!(sum(KEPT), sum(0));
        let exact = graph.laplacian(0.5).unwrap().gram(features.psi());
        let whole = LocalSum::new(&instances, local, &landmarks, &Silent);
        assert_eq!(whole.sum, sum(KEPT));
        let gram = whole.gram();
        for j in 0..=20 {
            for i in j..=20 {
                assert!((gram[(i, j)] - exact[(i, j)]).abs() < 1e-8, "{i}, {j}");
            }
        }
    }
}

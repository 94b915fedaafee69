//! The local term over any number of rows, from the graph's edges:
//!
//! ```text
//! Psi'R Psi = 1/n sum over edges i-j of w_ij (psi_i - psi_j)(psi_i - psi_j)',      w_ij = exp(-|x_i - x_j|^2 / sigma)
//! ```
//!
//! One row sqrt(w_ij) (psi_i - psi_j) an edge, summed exactly as rows are. Features are computed again for every end of an edge: that is
//! quicker than it would be to keep those of a million rows.

use faer::Mat;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::landmarks::{Landmarks, Rounding};
use super::sums::{BLOCK, GramSum, to_grid};
use crate::graph::Graph;
use crate::instances::Instances;
use crate::kernel::exp_of_nonpositive;
use crate::settings::LocalTerm;
use crate::tune::Watch;

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
    pub fn new(
        instances: &Instances,
        local: LocalTerm,
        landmarks: &Landmarks,
        watch: &dyn Watch,
    ) -> Self {
        watch.phase("graph", instances.len());
        let graph = Graph::mutual_watched(instances, local.neighbours, &|rows| watch.rows(rows));
        watch.phase("local term", instances.len());
        let width = landmarks.len() + 1;
        // No more edges than a block of exact sums may have rows.
        let step = (BLOCK / local.neighbours.max(1)).max(1);
        let sum = (0..instances.len())
            .into_par_iter()
            .step_by(step)
            .fold(
                || GramSum::new(width),
                |mut sum, first| {
                    let rows = first..(first + step).min(instances.len());
                    watch.rows(rows.len());
                    for edges in edges_from(&graph, rows).chunks(BLOCK) {
                        sum.add(differences(instances, edges, local.sigma, landmarks).as_ref());
                    }
                    sum
                },
            )
            .reduce(|| GramSum::new(width), |a, b| a.merged(&b));
        Self {
            sigma: local.sigma,
            neighbours: local.neighbours,
            rows: instances.len(),
            sum,
        }
    }

    /// The lower triangle of Psi'R Psi.
    pub fn gram(&self) -> Mat<f64> {
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

/// The edges that begin in these rows, each once: from the lower end.
fn edges_from(graph: &Graph, rows: std::ops::Range<usize>) -> Vec<Edge> {
    rows.flat_map(|from| {
        let edges = graph.edges_of(from).iter();
        edges
            .filter(move |(_, to)| *to as usize > from)
            .map(move |&(square, to)| Edge {
                from,
                to: to as usize,
                square,
            })
    })
    .collect()
}

/// sqrt(w_ij) (psi_i - psi_j), one row an edge. The intercept's column is zero: R 1 = 0.
fn differences(instances: &Instances, edges: &[Edge], sigma: f64, landmarks: &Landmarks) -> Mat<f64> {
    // Features once for each row in which edges begin, and once for each other end.
    let mut points: Vec<usize> = edges.iter().map(|edge| edge.from).collect();
    points.dedup();
    let mut at = 0;
    let from: Vec<usize> = (edges.iter())
        .map(|edge| {
            at += usize::from(points[at] != edge.from);
            at
        })
        .collect();
    let first_to = points.len();
    points.extend(edges.iter().map(|edge| edge.to));
    let mut rows = vec![0.0; points.len() * instances.features()];
    for feature in 0..instances.features() {
        let column = instances.column(feature, 0..instances.len());
        let cells = rows.iter_mut().skip(feature).step_by(instances.features());
        for (cell, &point) in cells.zip(&points) {
            *cell = column[point];
        }
    }
    let psi = landmarks.psi(&rows, Rounding::None);
    let roots: Vec<f64> = (edges.iter())
        .map(|edge| exp_of_nonpositive(-edge.square / sigma).sqrt())
        .collect();
    let mut differences = Mat::zeros(edges.len(), psi.ncols());
    for j in 0..landmarks.len() {
        let column = psi.col_as_slice(j);
        let to = &column[first_to..];
        let out = differences.col_as_slice_mut(j);
        for (((out, &from), &to), &root) in out.iter_mut().zip(&from).zip(to).zip(&roots) {
            *out = to_grid(root * (column[from] - to));
        }
    }
    differences
}

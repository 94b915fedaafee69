//! How much each feature by itself says about rows that were not learned from.
//!
//! | rows | relevance of feature j |
//! |---|---|
//! | independent | its importance to the first round's forests |
//! | in recordings or in the order of time | the best merit over left-out events (`events`) of a BLS-SVM machine on feature j alone |
//!
//! A feature that tells one recording from another, and nothing else, is important to a forest and worthless on the next recording.

use rayon::prelude::*;

use super::{FoldSums, HeldOut};
use crate::base::watch::Silent;
use crate::data::scale::{Scaler, Scaling};
use crate::data::units::Units;
use crate::ensemble::basis::{Basis, Shape};
use crate::ensemble::rounds::first_forests;
use crate::ensemble::{EnsembleError, TrainingRows, columns};
use crate::geometry::instances::Instances;

/// Of more rows, every second, third, ... one is looked at.
const MOST_ROWS: usize = 4000;
const PIVOTS: usize = 20;
/// The same for several features.
const SET_PIVOTS: usize = 60;
/// In medians of the distance between rows: one-sided and two-sided features.
const BANDWIDTHS: [f64; 2] = [0.6, 2.4];
const LAMBDAS: [f64; 2] = [1e-2, 1e-1];

/// Rows looked at, labeled ones first.
struct Part {
    values: Vec<f64>,
    positives: usize,
    held_out: Option<HeldOut>,
}

impl Part {
    fn new(rows: &[f64], features: usize, labeled: &[bool], units: Option<&Units>, seed: u64) -> Self {
        let step = labeled.len().div_ceil(MOST_ROWS);
        // Every labeled row, if a part of the rows would leave out too many.
        let taken = |&row: &usize| row.is_multiple_of(step) || (labeled[row] && labeled.len() > MOST_ROWS);
        let mut order: Vec<usize> = (0..labeled.len()).filter(taken).collect();
        order.sort_by_key(|&row| !labeled[row]);
        let positives = order.iter().filter(|&&row| labeled[row]).count();
        let values = order.iter().flat_map(|&row| &rows[row * features..(row + 1) * features]).copied().collect();
        let held_out = units.map(|units| HeldOut::new(units, &order, positives, seed));
        Self { values, positives, held_out }
    }

    fn rows(&self, features: usize, seed: u64) -> TrainingRows<'_> {
        let held_out = self.held_out.as_ref();
        TrainingRows { values: &self.values, features, positives: self.positives, normal: &[], held_out, seed }
    }
}

/// One number per feature; larger is better.
pub(crate) fn relevance(
    rows: &[f64],
    features: usize,
    labeled: &[bool],
    units: Option<&Units>,
    seed: u64,
) -> Result<Vec<f64>, EnsembleError> {
    let part = Part::new(rows, features, labeled, units, seed);
    let training = part.rows(features, seed);
    match &part.held_out {
        None => {
            let forests = first_forests(&training, &columns(&part.values, features), &Silent);
            Ok((0..features).map(|j| forests.iter().map(|forest| forest.importances[j]).sum()).collect())
        }
        Some(held_out) => (0..features).into_par_iter().map(|j| merit_of(&[j], PIVOTS, &training, held_out)).collect(),
    }
}

/// What some features say together: the best merit over left-out events of a BLS-SVM machine on them.
pub(crate) fn merit_of_features(
    rows: &[f64],
    features: usize,
    of: &[usize],
    labeled: &[bool],
    units: &Units,
    seed: u64,
) -> Result<f64, EnsembleError> {
    let part = Part::new(rows, features, labeled, Some(units), seed);
    match &part.held_out {
        None => Ok(0.0),
        Some(held_out) => merit_of(of, SET_PIVOTS, &part.rows(features, seed), held_out),
    }
}

/// The best merit of machines on these features.
fn merit_of(
    features: &[usize],
    pivots: usize,
    rows: &TrainingRows<'_>,
    held_out: &HeldOut,
) -> Result<f64, EnsembleError> {
    let width = features.len();
    let values: Vec<f64> =
        rows.values.chunks_exact(rows.features).flat_map(|row| features.iter().map(|&j| row[j])).collect();
    let scaled = Scaler::fit(Scaling::ZScore, &values, width).apply(&values);
    let labeled: Vec<bool> = (0..rows.len()).map(|row| row < rows.positives).collect();
    let instances = Instances::arrange(&scaled, width, &labeled)?;
    let class_of: Vec<usize> = labeled.iter().map(|&labeled| usize::from(!labeled)).collect();
    let weights = [1.0 / rows.positives as f64, 1.0 / (rows.len() - rows.positives) as f64];
    let target = rows.weights(1.0, -1.0);
    let median = Shape::Rbf.median_distance(&instances);
    let mut best = f64::NEG_INFINITY;
    for bandwidth in BANDWIDTHS {
        let basis = Basis::new(&instances, Shape::Rbf.kernel(bandwidth * median), pivots, rows.seed)?;
        let fits = FoldSums::new(basis.psi(), &held_out.folds, &class_of, 2).fit(&weights, &target, &LAMBDAS)?;
        let merits = held_out.merits(fits.par_iter().map(|fit| &fit.left_out[..])).by_member(None);
        best = merits.into_iter().fold(best, f64::max);
    }
    Ok(best)
}

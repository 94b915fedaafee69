//! Whether labeled rows are a fair sample of the positives.
//!
//! If they are, labeled rows and unlabeled rows weighted by P_i, the left-out P(y = 1) of row i, follow the same distribution, and no
//! classifier tells them apart. A forest tries. With s the out-of-bag scores,
//!
//!   A  =  sum_i P_i P(s of a labeled row > s_i) / sum_i P_i,        n_e  =  (sum_i P_i)^2 / sum_i P_i^2,
//!
//!   z  =  (A - 1/2) / sqrt(1/(12 n_p) + 1/(12 n_e)).
//!
//! Labels look biased when A is large *and* z is: P is an estimate, and its errors alone make A somewhat larger than 1/2.
//!
//! What cannot be seen here: positives of a kind that is never labeled, if the model does not call them either. They look like negatives.
//! `unlabeled_group` looks for those.

use serde::Serialize;

use crate::base::warnings::{Warning, WarningId};
use crate::ensemble::forest::{Forest, ForestData, ForestSettings, TreeKind};
use crate::ensemble::maps::mid_rank;
use crate::ensemble::{TrainingRows, columns};

const TREES: usize = 150;
const LEAF: usize = 5;
/// Keeps its trees apart from the teacher's.
const STREAM: u64 = 1 << 42;
/// Labels drawn at random stay below.
const BIASED_AUC: f64 = 0.72;
const BIASED_Z: f64 = 3.0;

/// How well labeled rows can be told from unlabeled rows that are positive too.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LabelBias {
    /// A; 0.5 if labels are a fair sample of the positives.
    pub auc: f64,
    /// z.
    pub z: f64,
}

impl LabelBias {
    /// From the left-out posterior of the training rows.
    pub(in crate::ensemble) fn measure(rows: &TrainingRows<'_>, posterior: &[f64]) -> Self {
        let positives = rows.positives;
        let weight = &posterior[positives..];
        let sum = weight.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let scale = positives as f64 / sum;
        let data = ForestData {
            columns: &columns(rows.values, rows.features),
            labeled: positives,
            target: &rows.weights(1.0, 0.0),
            weight: &posterior
                .iter()
                .enumerate()
                .map(|(row, &p)| if row < positives { 1.0 } else { scale * p })
                .collect::<Vec<_>>(),
            folds: None,
        };
        let settings =
            ForestSettings { kind: TreeKind::Extra, leaf: LEAF, trees: TREES, seed: rows.seed, stream: STREAM };
        let scores = Forest::fit(&data, &settings).out_of_bag;
        Self::of_scores(&scores, positives, weight)
    }

    /// From scores, labeled rows' first, and weights of the unlabeled rows.
    fn of_scores(scores: &[f64], positives: usize, weight: &[f64]) -> Self {
        let (labeled, unlabeled) = scores.split_at(positives);
        let mut sorted = labeled.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let n_p = positives as f64;
        let sum = weight.iter().sum::<f64>();
        // The share of labeled rows below a score; the rest is above.
        let below = unlabeled.iter().zip(weight).map(|(&score, p)| p * mid_rank(&sorted, score) / n_p).sum::<f64>();
        let auc = 1.0 - below / sum;
        let effective = sum * sum / weight.iter().map(|p| p * p).sum::<f64>();
        let z = (auc - 0.5) / (1.0 / (12.0 * n_p) + 1.0 / (12.0 * effective)).sqrt();
        Self { auc, z }
    }

    /// What the user must be told.
    pub(crate) fn warning(self) -> Option<Warning> {
        (self.auc >= BIASED_AUC && self.z >= BIASED_Z).then(|| {
            Warning::new(
                WarningId::LabelsLookBiased,
                format_args!(
                    "labeled rows can be told from the unlabeled rows that look positive, in {:.0} % of pairs: they are no fair sample of the positives, and other positives may be missed",
                    100.0 * self.auc
                ),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    #[test]
    fn weights_count_as_rows() {
        // Labeled rows above one unlabeled row of weight 3 and below one of weight 1.
        let bias = LabelBias::of_scores(&[2.0, 2.0, 1.0, 3.0], 2, &[0.9, 0.3]);
        assert!((bias.auc - 0.75).abs() < 1e-12);
        let effective: f64 = 1.2 * 1.2 / 0.9;
        let error = (1.0f64 / 24.0 + 1.0 / (12.0 * effective)).sqrt();
        assert!((bias.z - 0.25 / error).abs() < 1e-12);
    }

    #[test]
    fn an_offset_of_labeled_rows_is_seen_and_a_fair_sample_is_not() {
        let measure = |offset: f64, seed: u64| {
            let random = &mut Random::new(seed, 0);
            let (positives, n) = (80, 400);
            // Unlabeled rows: a third positive, which the posterior knows.
            let is_positive = |row: usize| row < positives || row.is_multiple_of(3);
            let values: Vec<f64> = (0..n)
                .flat_map(|row| {
                    let shift = if row < positives { offset } else { 0.0 };
                    [if is_positive(row) { 4.0 } else { 0.0 } + random.normal(), shift + random.normal()]
                })
                .collect();
            let posterior: Vec<f64> = (0..n).map(|row| if is_positive(row) { 0.95 } else { 0.05 }).collect();
            let rows = TrainingRows { values: &values, features: 2, positives, normal: &[], held_out: None, seed };
            LabelBias::measure(&rows, &posterior)
        };
        for seed in 0..5 {
            let (biased, fair) = (measure(2.0, seed), measure(0.0, seed));
            assert!(biased.warning().is_some(), "{biased:?}");
            assert!(fair.warning().is_none(), "{fair:?}");
        }
    }
}

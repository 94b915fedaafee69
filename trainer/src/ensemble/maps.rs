//! The features as the members see them: four maps of the same raw row.
//!
//! | map | value of feature j |
//! |---|---|
//! | z-scored | z_j = (x_j - mean_j) / sd_j, clipped to [-8, 8] |
//! | normal scores | Phi^-1(q_j(x_j)) over its standard deviation, q_j the mid-rank of x_j among the training values |
//! | each of the two, by relevance | times sqrt(i_j / mean(i) + 0.02), i_j the forests' importance of feature j |
//!
//! Normal scores are robust to outliers and skewed features. Relevance shortens distances along features that tell nothing;
//! the 0.02 keeps a feature from vanishing entirely.

use super::columns;
use crate::data::scale::{Scaler, Scaling};
use crate::geometry::instances::{GeometryError, Instances};

/// Beyond this many standard deviations a value is an outlier, and how far beyond says nothing.
const CLIP: f64 = 8.0;
/// What is left of a feature that no tree used.
const LEAST_RELEVANCE: f64 = 0.02;

/// The first of the two choices that make a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BaseMap {
    ZScored,
    NormalScores,
}

/// A map: base, and whether features are weighted by relevance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Map {
    pub base: BaseMap,
    pub by_relevance: bool,
}

/// What the maps need to know of the training rows.
#[derive(Debug, Clone)]
pub(super) struct Maps {
    features: usize,
    scaler: Scaler,
    /// The training values of each feature, sorted.
    sorted: Vec<Vec<f64>>,
    /// One over the standard deviation of each feature's normal scores; 0 for a constant feature.
    normal_scale: Vec<f64>,
    /// sqrt(i_j / mean(i) + 0.02); 1 until the forests are grown.
    pub relevance: Vec<f64>,
}

impl Maps {
    /// From row-major training rows.
    pub(super) fn fit(rows: &[f64], features: usize) -> Self {
        let mut sorted = columns(rows, features);
        sorted.iter_mut().for_each(|column| column.sort_unstable_by(f64::total_cmp));
        let mut maps = Self {
            features,
            scaler: Scaler::fit(Scaling::ZScore, rows, features),
            sorted,
            normal_scale: vec![1.0; features],
            relevance: vec![1.0; features],
        };
        maps.normal_scale = Scaler::fit(Scaling::ZScore, &maps.normal_scores(rows), features).scale().to_vec();
        maps
    }

    /// Weights features by their importances from now on.
    pub(super) fn with_importances(mut self, importances: &[f64]) -> Self {
        let mean = importances.iter().sum::<f64>() / importances.len() as f64;
        if mean > 0.0 {
            self.relevance =
                importances.iter().map(|importance| (importance / mean + LEAST_RELEVANCE).sqrt()).collect();
        }
        self
    }

    /// Maps row-major rows.
    pub(super) fn apply(&self, map: Map, rows: &[f64]) -> Vec<f64> {
        let mut mapped = match map.base {
            BaseMap::ZScored => self.scaler.apply(rows),
            BaseMap::NormalScores => self.normal_scores(rows),
        };
        for (at, value) in mapped.iter_mut().enumerate() {
            *value = value.clamp(-CLIP, CLIP);
            if map.by_relevance {
                *value *= self.relevance[at % self.features];
            }
        }
        mapped
    }

    /// Maps arranged training rows, row-major, of which the first `positives` are labeled.
    pub(super) fn instances(&self, map: Map, rows: &[f64], positives: usize) -> Result<Instances, GeometryError> {
        let labeled: Vec<bool> = (0..rows.len() / self.features).map(|at| at < positives).collect();
        Instances::arrange(&self.apply(map, rows), self.features, &labeled)
    }

    fn normal_scores(&self, rows: &[f64]) -> Vec<f64> {
        let score = |(at, &x): (usize, &f64)| {
            let feature = at % self.features;
            let column = &self.sorted[feature];
            let n = column.len() as f64;
            let rank = mid_rank(column, x) / n;
            normal_quantile(rank.clamp(0.5 / n, 1.0 - 0.5 / n)) * self.normal_scale[feature]
        };
        rows.iter().enumerate().map(score).collect()
    }
}

/// How many of the ascending values lie below x, those equal to it counting half.
pub(super) fn mid_rank(sorted: &[f64], x: f64) -> f64 {
    0.5 * (sorted.partition_point(|&value| value < x) + sorted.partition_point(|&value| value <= x)) as f64
}

/// Phi^-1(q) for 0 < q < 1, by Newton's method. Left of 0 Phi is convex: from 0 the steps go to the root from one side.
pub(super) fn normal_quantile(q: f64) -> f64 {
    if q > 0.5 {
        return -normal_quantile(1.0 - q);
    }
    let mut x = 0.0;
    for _ in 0..100 {
        let excess = 0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2) - q;
        let density = libm::exp(-0.5 * x * x) / (std::f64::consts::TAU).sqrt();
        let step = excess / density;
        x -= step;
        if step.abs() < 1e-12 {
            break;
        }
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    const Z: Map = Map { base: BaseMap::ZScored, by_relevance: false };
    const NORMAL: Map = Map { base: BaseMap::NormalScores, by_relevance: false };

    #[test]
    fn quantiles_of_the_normal_distribution() {
        let known = [(0.5, 0.0), (0.975, 1.959_963_984_540_054), (0.001, -3.090_232_306_167_813_6)];
        for (q, x) in known.into_iter().chain([(1e-6, -4.753_424_308_822_899)]) {
            assert!((normal_quantile(q) - x).abs() < 1e-9, "{q}");
        }
    }

    #[test]
    fn outliers_are_clipped_and_mean_nothing_to_normal_scores() {
        let mut rows: Vec<f64> = (0..200).map(f64::from).collect();
        let calm = Maps::fit(&rows, 1);
        rows[199] = 1e9;
        let maps = Maps::fit(&rows, 1);
        assert_eq!(maps.apply(Z, &[1e9])[0], CLIP);
        assert_eq!(maps.apply(NORMAL, &[1e9]), calm.apply(NORMAL, &[199.0]));
        let scores = maps.apply(NORMAL, &rows);
        let square = scores.iter().map(|x| x * x).sum::<f64>() / 200.0;
        assert!((square - 1.0).abs() < 1e-6);
        // Outside of what was seen: as the last one seen.
        assert_eq!(maps.apply(NORMAL, &[-5.0])[0], scores[0]);
    }

    #[test]
    fn a_constant_feature_counts_for_nothing_and_ties_share_a_rank() {
        let maps = Maps::fit(&[7.0, 1.0, 7.0, 1.0, 7.0, 2.0], 2);
        assert_eq!(maps.apply(Z, &[9.0, 1.0])[0], 0.0);
        assert_eq!(maps.apply(NORMAL, &[9.0, 1.0])[0], 0.0);
        let tied = maps.apply(NORMAL, &[7.0, 1.0, 7.0, 1.0]);
        assert_eq!(tied[1], tied[3]);
    }

    #[test]
    fn relevance_stretches_what_matters() {
        let maps = Maps::fit(&[0.0, 0.0, 1.0, 1.0, 2.0, 5.0], 2).with_importances(&[1.0, 0.0]);
        let map = Map { by_relevance: true, ..Z };
        let (plain, weighed) = (maps.apply(Z, &[2.0, 5.0]), maps.apply(map, &[2.0, 5.0]));
        assert!((weighed[0] / plain[0] - 2.02f64.sqrt()).abs() < 1e-12);
        assert!((weighed[1] / plain[1] - 0.02f64.sqrt()).abs() < 1e-12);
    }
}

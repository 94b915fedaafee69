//! Bringing features to comparable size: z = (x - offset) * scale, one offset and one scale per feature.
//!
//! | scaling | offset | scale |
//! |---|---|---|
//! | z-score | mean | 1 / standard deviation (divisor n) |
//! | min-max | minimum | 1 / (maximum - minimum) |
//! | none | 0 | 1 |
//!
//! Offset and scale are rounded to 32-bit floats when they are fitted, because that is what the model carries: training then
//! uses the very numbers the device uses. A feature that does not vary in the rows given (it can in others) gets scale 0, so
//! that it counts for nothing instead of counting for everything once it moves.

use crate::base::statistics::quantile;

/// From the first to the ninth decile of a standard normal variable.
const NORMAL_DECILES: f64 = 2.563;

/// How features are scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scaling {
    /// Mean 0, standard deviation 1.
    #[default]
    ZScore,
    /// From 0 to 1.
    MinMax,
    /// As they are.
    None,
}

impl Scaling {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Scaling::ZScore => "z-score",
            Scaling::MinMax => "min-max",
            Scaling::None => "none",
        }
    }
}

/// A fitted scaling.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Scaler {
    offset: Vec<f64>,
    scale: Vec<f64>,
}

impl Scaler {
    /// Fits `scaling` to `rows`, each of `features` values. Give it training rows only.
    ///
    /// Without rows there is nothing to fit: offset 0, scale 1.
    pub fn fit(scaling: Scaling, rows: &[f64], features: usize) -> Self {
        let mut scaler = Self { offset: vec![0.0; features], scale: vec![1.0; features] };
        if scaling == Scaling::None || rows.is_empty() {
            return scaler;
        }
        for at in 0..features {
            let column = || rows.iter().skip(at).step_by(features).copied();
            let (offset, spread) = match scaling {
                Scaling::ZScore => mean_and_deviation(column),
                _ => minimum_and_range(column),
            };
            scaler.offset[at] = f64::from(offset as f32);
            // A spread too small to divide by (in 32-bit floats) is no spread.
            let scale = (1.0 / spread) as f32;
            scaler.scale[at] = if scale.is_finite() { f64::from(scale) } else { 0.0 };
        }
        scaler
    }

    /// The same with the bulk of each feature brought to size: offset the median, scale 2.563 over the distance from the first to the
    /// ninth decile, which is 1 over the standard deviation where the feature is normal. Where it is skewed or has outliers, its bulk is
    /// not squeezed together. A feature whose deciles are equal stays as it is.
    pub fn by_deciles(&self, rows: &[f64]) -> Self {
        let mut scaler = self.clone();
        let features = self.offset.len();
        for at in 0..features {
            let mut column: Vec<f64> = rows.iter().skip(at).step_by(features).copied().collect();
            column.sort_unstable_by(f64::total_cmp);
            let quantile = |share| quantile(&column, share);
            let scale = (NORMAL_DECILES / (quantile(0.9) - quantile(0.1))) as f32;
            if scale.is_normal() && self.scale[at] > 0.0 {
                scaler.offset[at] = f64::from(quantile(0.5) as f32);
                scaler.scale[at] = f64::from(scale);
            }
        }
        scaler
    }

    /// The same with each feature's scale multiplied by its weight.
    pub fn weighed(&self, weights: &[f64]) -> Self {
        let weighed = self.scale.iter().zip(weights);
        Self {
            offset: self.offset.clone(),
            // As the model carries it.
            scale: weighed.map(|(s, w)| f64::from((s * w) as f32)).collect(),
        }
    }

    /// What is subtracted from each feature.
    pub fn offset(&self) -> &[f64] {
        &self.offset
    }

    /// What each feature is multiplied by afterwards.
    pub fn scale(&self) -> &[f64] {
        &self.scale
    }

    /// Scales `rows`, each of as many values as there are features.
    pub fn apply(&self, rows: &[f64]) -> Vec<f64> {
        let per_feature = self.offset.iter().zip(&self.scale).cycle();
        rows.iter().zip(per_feature).map(|(x, (offset, scale))| (x - offset) * scale).collect()
    }
}

/// In two passes: the one-pass formula loses everything when the mean is large compared with the deviation.
fn mean_and_deviation<I: Iterator<Item = f64>>(column: impl Fn() -> I) -> (f64, f64) {
    let n = column().count() as f64;
    let first = column().next().unwrap_or(0.0);
    // Relative to the first value, so that a constant column has a deviation of exactly 0.
    let mean = first + column().map(|x| x - first).sum::<f64>() / n;
    let variance = column().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
    (mean, variance.sqrt())
}

fn minimum_and_range<I: Iterator<Item = f64>>(column: impl Fn() -> I) -> (f64, f64) {
    let minimum = column().fold(f64::INFINITY, f64::min);
    let maximum = column().fold(f64::NEG_INFINITY, f64::max);
    (minimum, maximum - minimum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_scaling_follows_its_formula() {
        // Features 2, 4, 6 (mean 4, deviation sqrt(8/3)) and -1, -1, 2 (minimum -1, range 3).
        let rows = [2.0, -1.0, 4.0, -1.0, 6.0, 2.0];
        let z = Scaler::fit(Scaling::ZScore, &rows, 2);
        assert_eq!(z.offset(), [4.0, 0.0]);
        assert!((z.scale()[0] - (3.0f64 / 8.0).sqrt()).abs() < 1e-7);
        let m = Scaler::fit(Scaling::MinMax, &rows, 2);
        assert_eq!(m.offset(), [2.0, -1.0]);
        assert_eq!(m.scale(), [0.25, f64::from(1.0f32 / 3.0)]);
        assert_eq!(m.apply(&[4.0, -1.0, 10.0, 2.0])[..3], [0.5, 0.0, 2.0]);
        let none = Scaler::fit(Scaling::None, &rows, 2);
        assert_eq!(none.apply(&rows), rows);
    }

    #[test]
    fn z_scores_of_the_training_rows_have_mean_0_and_deviation_1() {
        // A large constant part must not drown the variation.
        let rows: Vec<f64> = (0..1000).map(|i| 1.0e6 + f64::from(i % 7)).collect();
        let z = Scaler::fit(Scaling::ZScore, &rows, 1).apply(&rows);
        let (mean, deviation) = mean_and_deviation(|| z.iter().copied());
        // The offset is a 32-bit float: at 1e6 it is rounded by up to 0.03, a 60th of the deviation.
        assert!(mean.abs() < 0.02, "{mean}");
        assert!((deviation - 1.0).abs() < 1e-6, "{deviation}");
    }

    #[test]
    fn parameters_are_numbers_the_device_can_hold() {
        let rows = [0.1, 3e38, 0.2, -3e38, 0.4, 1.0];
        for scaling in [Scaling::ZScore, Scaling::MinMax, Scaling::None] {
            let fitted = Scaler::fit(scaling, &rows, 2);
            for x in fitted.offset().iter().chain(fitted.scale()) {
                assert!(x.is_finite() && f64::from(*x as f32) == *x, "{scaling:?} {x}");
            }
        }
    }

    #[test]
    fn a_feature_that_does_not_vary_counts_for_nothing() {
        // 0.1 three times sums to more than 0.3: a naive mean would leave a tiny deviation to divide by.
        for constant in [0.0, 0.1, -7.25, 1e30] {
            for scaling in [Scaling::ZScore, Scaling::MinMax] {
                let scaler = Scaler::fit(scaling, &[constant; 3], 1);
                assert_eq!(scaler.apply(&[constant, constant + 1000.0]), [0.0, 0.0]);
            }
        }
        // A range whose inverse is beyond 32-bit floats.
        let scaler = Scaler::fit(Scaling::MinMax, &[0.0, 1e-40], 1);
        assert_eq!(scaler.scale(), [0.0]);
    }

    #[test]
    fn no_rows_or_one_row_are_defined() {
        assert_eq!(Scaler::fit(Scaling::ZScore, &[], 2).scale(), [1.0, 1.0]);
        assert_eq!(Scaler::fit(Scaling::ZScore, &[5.0, 6.0], 2).apply(&[5.0, 6.0]), [0.0, 0.0]);
    }
}

//! Where the small model has to agree with the full one: on the rows, and on points interpolated between them.
//!
//! Scores are clipped: beyond a certain distance from the border, more certainty is not asked for.
//!
//! ```text
//! t_i = clip((f(x_i) - threshold) / unit, -1, 1),      unit = 0.7 times the 90 % quantile of |f - threshold|
//! ```

use crate::base::statistics::quantile;
/// Share of points, on each side of each feature, outside of which no centre lies: one outlier would coarsen the grid for all.
const OUTSIDE: f64 = 0.01;

/// Scaled points, feature by feature, with what the network should say of each.
#[derive(Debug, Clone)]
pub(super) struct Points {
    count: usize,
    columns: Vec<f64>,
    targets: Vec<f64>,
    ranges: Vec<(f64, f64)>,
}

impl Points {
    /// From row-major scaled points, at least one.
    pub(super) fn new(rows: &[f64], features: usize, targets: Vec<f64>) -> Self {
        let count = targets.len();
        let mut columns = Vec::with_capacity(rows.len());
        let mut ranges = Vec::with_capacity(features);
        for j in 0..features {
            let first = columns.len();
            columns.extend(rows.iter().skip(j).step_by(features));
            let mut sorted = columns[first..].to_vec();
            sorted.sort_by(f64::total_cmp);
            ranges.push((quantile(&sorted, OUTSIDE), quantile(&sorted, 1.0 - OUTSIDE)));
        }
        Self { count, columns, targets, ranges }
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn column(&self, feature: usize) -> &[f64] {
        &self.columns[feature * self.count..(feature + 1) * self.count]
    }

    /// The centre that a point would be: where centres may lie, nearest to it.
    pub(super) fn centre(&self, at: usize) -> Vec<f64> {
        (self.ranges.iter().enumerate()).map(|(j, &(low, high))| self.column(j)[at].clamp(low, high)).collect()
    }

    /// Where centres may lie.
    pub(super) fn range(&self, feature: usize) -> (f64, f64) {
        self.ranges[feature]
    }

    /// g - t, but 0 where t is at its limit and g goes beyond.
    pub(super) fn residuals(&self, mut scores: Vec<f64>) -> Vec<f64> {
        for (g, &t) in scores.iter_mut().zip(&self.targets) {
            let beyond = (t >= 1.0 && *g >= t) || (t <= -1.0 && *g <= t);
            *g = if beyond { 0.0 } else { *g - t };
        }
        scores
    }
}

/// The unit in which scores above the threshold become targets; 1 if all lie on the threshold.
pub(super) fn unit(scores: &[f64]) -> f64 {
    let mut sizes: Vec<f64> = scores.iter().map(|score| score.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    let unit = 0.7 * quantile(&sizes, 0.9);
    if unit > 0.0 { unit } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certainty_beyond_the_unit_is_not_asked_for() {
        let points = Points::new(&[0.0, 0.0, 0.0, 0.0], 1, vec![1.0, 1.0, 0.5, -1.0]);
        let residuals = points.residuals(vec![1.5, 0.5, 1.5, -3.0]);
        assert_eq!(residuals, [0.0, -0.5, 1.0, 0.0]);
        assert_eq!(unit(&[0.0; 4]), 1.0);
        let scores: Vec<f64> = (-100..=100).map(f64::from).collect();
        assert!((unit(&scores) - 63.0).abs() < 1.0);
    }

    #[test]
    fn an_outlier_moves_no_centre() {
        let mut rows: Vec<f64> = (0..200).map(|i| f64::from(i) / 200.0).collect();
        rows[7] = 1e6;
        let points = Points::new(&rows, 1, vec![0.0; 200]);
        assert!(points.range(0).1 < 1.0 && points.centre(7)[0] < 1.0);
    }
}

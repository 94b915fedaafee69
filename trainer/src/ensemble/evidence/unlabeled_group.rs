//! Whether rows that are not called form a group of their own, where no row is labeled: perhaps a kind of positive that nobody labeled.
//!
//! Two Gaussians with full covariances are fitted by EM to the rows that are not called, the *bulk* (b) and the smaller *group* (g):
//! centers m, covariances S, shares w. With S_w = w_b S_b + w_g S_g, and m_l the center of the labeled rows, the group is reported if
//!
//! | | |
//! |---|---|
//! | two Gaussians fit better than one | by BIC |
//! | it is small | w_g <= 0.4 |
//! | it is separate | D^2 = (m_g - m_b)' S_w^-1 (m_g - m_b) >= 3.6^2 |
//! | a fair sample would have labeled many of its rows | expected >= 10, and at most a tenth of that labeled inside it |
//! | it lies elsewhere than labeled rows | cos <= 0.3, the angle at m_b between m_l and m_g, in units of S_b |
//! | it is as unusual as they are | its distance from m_b >= 0.6 times that of m_l, in units of S_b |
//! | nobody said that it is normal | no known normal row in it |
//!
//! Where normal rows are of several kinds, a single cloud holds more than one of them, it is wide, and D is small. That is what keeps this
//! quiet on most real data. Nothing here can tell a kind of positive from a kind of normal: the message says so.
//!
//! Features are scaled by deciles and cut at +-6; EM starts from the highest and lowest fifth of each feature, and the likeliest fit counts.

use rayon::prelude::*;
use serde::Serialize;

use crate::base::dense::dot;
use crate::base::warnings::{Warning, WarningId};
use crate::data::scale::{Scaler, Scaling};
use crate::ensemble::TrainingRows;

/// Most rows looked at, and the most features: covariances of more features need more rows.
const MOST_ROWS: usize = 1000;
const MOST_FEATURES: usize = 32;
const LEAST_ROWS: usize = 60;
/// Scaled readings are cut here.
const CLIP: f64 = 6.0;
const STARTS: usize = 16;
const STEPS: usize = 25;
/// The part of the rows that a start takes for the group, and how sure it is.
const START_SHARE: f64 = 0.2;
const START_CERTAINTY: f64 = 0.95;
/// Prior of a variance; as many rows' worth as there are features, and two.
const PRIOR_VARIANCE: f64 = 0.1;
/// Neither Gaussian may shrink below this share.
const LEAST_SHARE: f64 = 0.01;

const LARGEST_SHARE: f64 = 0.4;
const LEAST_SEPARATION: f64 = 3.6;
const LEAST_EXPECTED: f64 = 10.0;
const LABELED_SHARE: f64 = 0.1;
const LARGEST_COSINE: f64 = 0.3;
const LEAST_DISTANCE: f64 = 0.6;
/// A known normal row with this probability is in the group.
const CERTAIN: f64 = 0.9;

/// A group of unlabeled rows that is away from the others and from labeled rows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct UnlabeledGroup {
    /// How many unlabeled rows.
    pub rows: usize,
    /// How many of them would be labeled if they were positive, and labels a fair sample.
    pub expected_labeled: f64,
    /// D: distance from the bulk, in standard deviations.
    pub separation: f64,
}

/// One cloud of a mixture.
struct Gaussian {
    weight: f64,
    center: Vec<f64>,
    covariance: Vec<Vec<f64>>,
    factor: Vec<Vec<f64>>,
}

/// Two of them, and the probability of each row to be in the second, smaller one.
struct Pair {
    bulk: Gaussian,
    group: Gaussian,
    in_group: Vec<f64>,
    likelihood: f64,
}

impl UnlabeledGroup {
    /// From the left-out posterior of the training rows.
    pub(in crate::ensemble) fn find(rows: &TrainingRows<'_>, posterior: &[f64], cut: f64) -> Option<Self> {
        let positives = rows.positives;
        let is_normal = |row: usize| rows.normal.get(row).is_some_and(|&normal| normal);
        let rest: Vec<usize> = (positives..rows.len()).filter(|&row| posterior[row] <= cut || is_normal(row)).collect();
        let called = rows.len() - positives - rest.len();
        let step = rest.len().div_ceil(MOST_ROWS).max(1);
        let sample: Vec<usize> = rest.iter().step_by(step).copied().collect();
        let raw = |row: usize| &rows.values[row * rows.features..][..rows.features];
        let values: Vec<f64> = sample.iter().flat_map(|&row| raw(row)).copied().collect();
        let scaler = Scaler::fit(Scaling::ZScore, &values, rows.features).by_deciles(&values);
        let varying: Vec<usize> = (0..rows.features).filter(|&j| scaler.scale()[j] > 0.0).collect();
        if sample.len() < LEAST_ROWS || varying.is_empty() || varying.len() > MOST_FEATURES {
            return None;
        }
        let scaled = |row: usize| -> Vec<f64> {
            let all = scaler.apply(raw(row));
            varying.iter().map(|&j| all[j].clamp(-CLIP, CLIP)).collect()
        };
        let points: Vec<Vec<f64>> = sample.iter().map(|&row| scaled(row)).collect();
        let labeled: Vec<Vec<f64>> = (0..positives).map(scaled).collect();
        let pair = likeliest(&points)?;
        let share = pair.group.weight / points.len() as f64;
        let found = Self {
            rows: (share * rest.len() as f64).round() as usize,
            expected_labeled: share * rest.len() as f64 * positives as f64 / (positives + called).max(1) as f64,
            separation: pair.separation()?,
        };
        let is_known = sample.iter().zip(&pair.in_group).any(|(&row, &p)| is_normal(row) && p >= CERTAIN);
        let stands = found.separation >= LEAST_SEPARATION
            && found.expected_labeled >= LEAST_EXPECTED
            && share <= LARGEST_SHARE
            && !is_known
            && pair.group.holds(&labeled) as f64 <= LABELED_SHARE * found.expected_labeled
            && pair.is_elsewhere(&mean(&labeled));
        stands.then_some(found)
    }

    /// What the user must be told.
    pub(crate) fn warning(self) -> Warning {
        Warning::new(
            WarningId::UnlabeledGroup,
            format_args!(
                "about {} unlabeled rows form a group of their own, away from labeled rows and from the rest: if they are positives of another kind, the model misses them. Label some of them: 1, or -1 if they are normal",
                self.rows
            ),
        )
    }
}

/// The likeliest pair, if it is better than one Gaussian.
fn likeliest(points: &[Vec<f64>]) -> Option<Pair> {
    let (n, features) = (points.len(), points[0].len());
    // Each feature's highest and lowest rows; of many features, some.
    let starts: Vec<usize> = (0..2 * features).step_by((2 * features).div_ceil(STARTS)).collect();
    let pairs: Vec<Option<Pair>> =
        starts.into_par_iter().map(|start| climb(points, first_guess(points, start))).collect();
    let best =
        pairs.into_iter().flatten().reduce(|best, pair| if pair.likelihood > best.likelihood { pair } else { best })?;
    let one = Gaussian::fit(points, &vec![1.0; n])?;
    let of_one: f64 = points.iter().map(|point| one.log_density(point)).sum();
    let parameters = ((features + 1) * (features + 2) / 2) as f64;
    (2.0 * (best.likelihood - of_one) > parameters * libm::log(n as f64)).then_some(best)
}

/// Probabilities to be in the group: high for the fifth of the rows at one end of a feature.
fn first_guess(points: &[Vec<f64>], start: usize) -> Vec<f64> {
    let (feature, is_upper) = (start / 2, start.is_multiple_of(2));
    let along: Vec<f64> = points.iter().map(|point| if is_upper { point[feature] } else { -point[feature] }).collect();
    let border = crate::base::statistics::cut_of_share(along.clone(), START_SHARE);
    along.iter().map(|&x| if x > border { START_CERTAINTY } else { 1.0 - START_CERTAINTY }).collect()
}

/// EM.
fn climb(points: &[Vec<f64>], mut in_group: Vec<f64>) -> Option<Pair> {
    let n = points.len() as f64;
    let mut last = None;
    for _ in 0..STEPS {
        let in_bulk: Vec<f64> = in_group.iter().map(|p| 1.0 - p).collect();
        let (bulk, group) = (Gaussian::fit(points, &in_bulk)?, Gaussian::fit(points, &in_group)?);
        if bulk.weight.min(group.weight) < LEAST_SHARE * n {
            return None;
        }
        let mut likelihood = 0.0;
        for (point, p) in points.iter().zip(&mut in_group) {
            let of_bulk = libm::log(bulk.weight / n) + bulk.log_density(point);
            let of_group = libm::log(group.weight / n) + group.log_density(point);
            let (large, small) = (of_bulk.max(of_group), of_bulk.min(of_group));
            likelihood += large + libm::log1p(libm::exp(small - large));
            *p = 1.0 / (1.0 + libm::exp(of_bulk - of_group));
        }
        last = Some((bulk, group, likelihood));
    }
    let (bulk, group, likelihood) = last?;
    Some(if group.weight <= bulk.weight {
        Pair { bulk, group, in_group, likelihood }
    } else {
        let in_group = in_group.into_iter().map(|p| 1.0 - p).collect();
        Pair { bulk: group, group: bulk, in_group, likelihood }
    })
}

impl Gaussian {
    /// To weighted points. None where a covariance is not positive definite.
    fn fit(points: &[Vec<f64>], weights: &[f64]) -> Option<Self> {
        let features = points[0].len();
        let weight: f64 = weights.iter().sum();
        let mut center = vec![0.0; features];
        for (point, w) in points.iter().zip(weights) {
            center.iter_mut().zip(point).for_each(|(sum, x)| *sum += w * x / weight);
        }
        let mut covariance = vec![vec![0.0; features]; features];
        for (point, w) in points.iter().zip(weights) {
            let away = minus(point, &center);
            for (i, row) in covariance.iter_mut().enumerate() {
                row[..=i].iter_mut().zip(&away).for_each(|(sum, x)| *sum += w * away[i] * x);
            }
        }
        let prior = features as f64 + 2.0;
        for (i, row) in covariance.iter_mut().enumerate() {
            row[i] += prior * PRIOR_VARIANCE;
            row[..=i].iter_mut().for_each(|sum| *sum /= weight + prior);
        }
        // The upper half is the lower one's mirror image.
        let covariance: Vec<Vec<f64>> =
            (0..features).map(|i| (0..features).map(|j| covariance[i.max(j)][i.min(j)]).collect()).collect();
        let factor = cholesky(&covariance)?;
        Some(Self { weight, center, covariance, factor })
    }

    /// L^-1 (x - m): what is a standard deviation away has length 1.
    fn whitened(&self, point: &[f64]) -> Vec<f64> {
        forward(&self.factor, &minus(point, &self.center))
    }

    /// Up to a constant.
    fn log_density(&self, point: &[f64]) -> f64 {
        let away = self.whitened(point);
        let determinant: f64 = self.factor.iter().enumerate().map(|(i, row)| libm::log(row[i])).sum();
        -determinant - 0.5 * dot(&away, &away)
    }

    /// How many of these points are where its own points are: within three standard deviations of chi^2.
    fn holds(&self, points: &[Vec<f64>]) -> usize {
        let features = self.center.len() as f64;
        let border = features + 3.0 * (2.0 * features).sqrt();
        let is_inside = |point: &&Vec<f64>| {
            let away = self.whitened(point);
            dot(&away, &away) <= border
        };
        points.iter().filter(is_inside).count()
    }
}

impl Pair {
    /// D.
    fn separation(&self) -> Option<f64> {
        let n = self.bulk.weight + self.group.weight;
        let within: Vec<Vec<f64>> = (self.bulk.covariance.iter().zip(&self.group.covariance))
            .map(|(b, g)| b.iter().zip(g).map(|(b, g)| (self.bulk.weight * b + self.group.weight * g) / n).collect())
            .collect();
        let away = forward(&cholesky(&within)?, &minus(&self.group.center, &self.bulk.center));
        Some(dot(&away, &away).sqrt())
    }

    /// As far from the bulk as the labeled rows, and not in their direction.
    fn is_elsewhere(&self, labeled: &[f64]) -> bool {
        let (to_group, to_labeled) = (self.bulk.whitened(&self.group.center), self.bulk.whitened(labeled));
        let (group, labeled) = (dot(&to_group, &to_group).sqrt(), dot(&to_labeled, &to_labeled).sqrt());
        dot(&to_group, &to_labeled) <= LARGEST_COSINE * group * labeled && group >= LEAST_DISTANCE * labeled
    }
}

fn minus(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

fn mean(points: &[Vec<f64>]) -> Vec<f64> {
    let n = points.len() as f64;
    (0..points[0].len()).map(|j| points.iter().map(|point| point[j]).sum::<f64>() / n).collect()
}

/// The rows of L up to the diagonal, L L' = A.
fn cholesky(a: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
    let mut l: Vec<Vec<f64>> = Vec::with_capacity(a.len());
    for (i, entries) in a.iter().enumerate() {
        let mut row: Vec<f64> = Vec::with_capacity(i + 1);
        for (above, entry) in l.iter().zip(entries) {
            let at = row.len();
            row.push((entry - dot(&row, &above[..at])) / above[at]);
        }
        let square = entries[i] - dot(&row, &row);
        if square.is_nan() || square <= 0.0 {
            return None;
        }
        row.push(square.sqrt());
        l.push(row);
    }
    Some(l)
}

/// L^-1 b.
fn forward(l: &[Vec<f64>], b: &[f64]) -> Vec<f64> {
    let mut y: Vec<f64> = Vec::with_capacity(b.len());
    for (row, b) in l.iter().zip(b) {
        let at = y.len();
        y.push((b - dot(&row[..at], &y)) / row[at]);
    }
    y
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    /// 60 labeled rows around (4, 0, 0), 300 normal rows around 0, 80 unlabeled ones around `group`; and what is found.
    fn find(group: [f64; 3], count: usize, seed: u64, normal: bool) -> Option<UnlabeledGroup> {
        let random = &mut Random::new(seed, 0);
        let (labeled, bulk) = (60, 300);
        let n = labeled + bulk + count;
        let center = |row: usize| match row {
            row if row < labeled => [4.0, 0.0, 0.0],
            row if row < labeled + bulk => [0.0; 3],
            _ => group,
        };
        let values: Vec<f64> = (0..n).flat_map(|row| center(row).map(|x| x + random.normal())).collect();
        let posterior: Vec<f64> = (0..n).map(|row| if row < labeled { 0.9 } else { 0.1 }).collect();
        let known: Vec<bool> = (0..n).map(|row| normal && row == n - 1).collect();
        let rows =
            TrainingRows { values: &values, features: 3, positives: labeled, normal: &known, held_out: None, seed };
        UnlabeledGroup::find(&rows, &posterior, 0.5)
    }

    #[test]
    fn a_group_on_another_side_is_found() {
        for seed in 0..5 {
            let found = find([0.0, 5.0, 0.0], 80, seed, false).unwrap();
            assert!((70..=90).contains(&found.rows), "{found:?}");
            assert!((found.separation - 5.0).abs() < 1.0, "{found:?}");
            // Every positive is labeled here, as far as anyone knows.
            assert!((found.expected_labeled - 80.0).abs() < 10.0, "{found:?}");
            assert!(find([-5.0, 0.0, 0.0], 80, seed, false).is_some());
        }
    }

    #[test]
    fn other_groups_are_not() {
        for seed in 0..5 {
            // None at all; near; beyond the labeled rows; among them; few rows; as many as the bulk; known to be normal.
            assert_eq!(find([0.0; 3], 80, seed, false), None);
            assert_eq!(find([0.0, 1.5, 0.0], 80, seed, false), None);
            assert_eq!(find([9.0, 0.0, 0.0], 80, seed, false), None);
            assert_eq!(find([4.0, 0.0, 0.0], 80, seed, false), None);
            assert_eq!(find([0.0, 5.0, 0.0], 7, seed, false), None);
            assert_eq!(find([0.0, 5.0, 0.0], 290, seed, false), None);
            assert_eq!(find([0.0, 5.0, 0.0], 80, seed, true), None);
        }
    }

    #[test]
    fn a_factor_is_a_factor() {
        let l = cholesky(&[vec![4.0, 2.0], vec![2.0, 5.0]]).unwrap();
        assert_eq!(l, [vec![2.0], vec![1.0, 2.0]]);
        assert_eq!(forward(&l, &[2.0, 5.0]), [1.0, 2.0]);
        assert!(cholesky(&[vec![1.0, 1.0], vec![1.0, 1.0]]).is_none());
    }
}

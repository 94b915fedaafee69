//! What every threshold calls.
//!
//! Of P positive and N negative rows with scores f, a threshold t calls those with f > t, tp of them positive and fp negative:
//!
//! ```text
//! recall = tp / P        false alarms = fp / N        precision = tp / (tp + fp)        F1 = 2 tp / (tp + fp + P)
//! ```
//!
//! All thresholds between two neighbouring scores call the same rows, so there is one cut per gap. It has the shortest decimal in the
//! middle half of the gap: far enough from both scores that rounding decides no row, and short enough to be typed. If the
//! model's threshold is in the gap, it is that.
//!
//! The standard error of a share k / n is sqrt(p (1 - p) / n) with p = (k + 1/2) / (n + 1): 0 of n, and n of n, are not certain.

use serde::Serialize;

use crate::base::statistics::standard_error;
use crate::choose::metrics::Confusion;

/// A threshold, and what it calls among rows whose truth is known. Shares come with their standard errors.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Cut {
    /// Scores above this are positive.
    pub threshold: f32,
    /// Rows called positive.
    pub called: usize,
    /// Share of the positive rows that are called.
    pub recall: f64,
    /// Its standard error.
    pub recall_error: f64,
    /// Share of the rows called that are positive; 0 if none is called.
    pub precision: f64,
    /// Its standard error.
    pub precision_error: f64,
    /// 2 tp / (2 tp + fp + fn).
    pub f1: f64,
    /// Share of the negative rows that are called.
    pub false_alarms: f64,
    /// Its standard error.
    pub false_alarms_error: f64,
}

impl Cut {
    fn new(threshold: f32, counts: &Confusion) -> Self {
        let (found, alarms) = (counts.true_positives, counts.false_positives);
        let negatives = counts.rows() - counts.positives();
        Self {
            threshold,
            called: found + alarms,
            recall: counts.recall(),
            recall_error: error_of_share(found, counts.positives()),
            precision: counts.precision(),
            precision_error: error_of_share(found, found + alarms),
            f1: counts.f1(),
            false_alarms: alarms as f64 / negatives.max(1) as f64,
            false_alarms_error: error_of_share(alarms, negatives),
        }
    }
}

/// Of k in n.
fn error_of_share(k: usize, n: usize) -> f64 {
    standard_error((k as f64 + 0.5) / (n as f64 + 1.0), n as f64)
}

/// Two neighbouring scores, and what lies above them.
#[derive(Debug, Clone, Copy)]
struct Gap {
    low: f32,
    high: f32,
    counts: Confusion,
}

/// All cuts between scores, the highest threshold first. Calling every row, or none, is not among them.
pub(super) struct Curve {
    gaps: Vec<Gap>,
    /// The model's threshold.
    current: f32,
}

impl Curve {
    /// Of finite scores.
    pub(super) fn new(scores: &[f32], truth: &[bool], current: f32) -> Self {
        let mut rows: Vec<(f32, bool)> = scores.iter().copied().zip(truth.iter().copied()).collect();
        rows.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        let positives = truth.iter().filter(|&&truth| truth).count();
        let mut counts =
            Confusion { false_negatives: positives, true_negatives: rows.len() - positives, ..Confusion::default() };
        let mut gaps = Vec::new();
        for (at, &(high, positive)) in rows.iter().enumerate() {
            let (called, left) = match positive {
                true => (&mut counts.true_positives, &mut counts.false_negatives),
                false => (&mut counts.false_positives, &mut counts.true_negatives),
            };
            *called += 1;
            *left -= 1;
            // Zero has two signs and is one score.
            if let Some(&(low, _)) = rows.get(at + 1).filter(|(low, _)| *low < high) {
                gaps.push(Gap { low, high, counts });
            }
        }
        Self { gaps, current }
    }

    pub(super) fn len(&self) -> usize {
        self.gaps.len()
    }

    pub(super) fn at(&self, place: usize) -> Cut {
        let Gap { low, high, counts } = self.gaps[place];
        let threshold = match self.current {
            current if low <= current && current < high => current,
            _ => decimal_between(low, high),
        };
        Cut::new(threshold, &counts)
    }

    /// The cut of a threshold of any kind.
    pub(super) fn of(scores: &[f32], truth: &[bool], threshold: f32) -> Cut {
        let called: Vec<bool> = scores.iter().map(|&score| score > threshold).collect();
        Cut::new(threshold, &Confusion::count(truth, &called))
    }

    /// The highest threshold that finds at least this share of the positive rows.
    pub(super) fn with_recall(&self, least: f64) -> Option<Cut> {
        let place = self.gaps.partition_point(|gap| gap.counts.recall() < least);
        (place < self.len()).then(|| self.at(place))
    }

    /// The lowest threshold that calls at most this share of the negative rows, and finds a positive one.
    pub(super) fn with_false_alarms(&self, most: f64) -> Option<Cut> {
        let place = self.gaps.partition_point(|gap| false_alarms(&gap.counts) <= most).checked_sub(1)?;
        (self.gaps[place].counts.true_positives > 0).then(|| self.at(place))
    }

    /// The lowest share of false alarms with which any positive row is found.
    pub(super) fn fewest_false_alarms(&self) -> Option<f64> {
        let first = self.gaps.iter().find(|gap| gap.counts.true_positives > 0)?;
        Some(false_alarms(&first.counts))
    }

    /// The highest threshold with the best F1.
    pub(super) fn with_best_f1(&self) -> Option<Cut> {
        let mut best: Option<(usize, f64)> = None;
        for (place, gap) in self.gaps.iter().enumerate() {
            let f1 = gap.counts.f1();
            if best.is_none_or(|(_, most)| f1 > most) {
                best = Some((place, f1));
            }
        }
        best.map(|(place, _)| self.at(place))
    }
}

fn false_alarms(counts: &Confusion) -> f64 {
    let negatives = counts.false_positives + counts.true_negatives;
    counts.false_positives as f64 / negatives.max(1) as f64
}

/// The shortest decimal in the middle half of low to high, as an f32 that is at least `low` and below `high`.
fn decimal_between(low: f32, high: f32) -> f32 {
    let (from, to) = (f64::from(low), f64::from(high));
    let (middle, quarter) = ((from + to) / 2.0, (to - from) / 4.0);
    // A step of at most half the gap always has a multiple there.
    let coarsest = (to - from).log10().floor() as i32 + 1;
    let decimal = (coarsest - 2..=coarsest).rev().map(|power| {
        // Powers below 1 have no exact value; their inverses do.
        let inverse = 10f64.powi(-power);
        (middle * inverse).round() / inverse + 0.0
    });
    let found = { decimal }.find(|decimal| (decimal - middle).abs() <= quarter).unwrap_or(middle) as f32;
    if low <= found && found < high { found } else { low }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_threshold_between_two_scores_is_short() {
        for (low, high, threshold) in [
            (0.1, 0.5, 0.3),
            (-0.3, 0.5, 0.0),
            (0.312_34, 0.318_9, 0.316),
            (-7.25, -7.125, -7.2),
            (1e-9, 3e-9, 2e-9),
            (1_000.0, 9_000.0, 5_000.0),
        ] {
            assert_eq!(decimal_between(low, high), threshold, "{low} to {high}");
        }
        // Neighbours among floats have nothing between them: a score at the threshold is not above it.
        assert_eq!(decimal_between(1.0, 1f32.next_up()), 1.0);
        assert_eq!(decimal_between(-f32::MIN_POSITIVE, 0.0), -6e-39);
    }

    #[test]
    fn standard_errors_of_all_and_none_are_not_zero() {
        let cut = Curve::of(&[2.0, 1.0, -1.0], &[true, true, false], 0.0);
        assert_eq!((cut.called, cut.recall, cut.precision, cut.f1, cut.false_alarms), (2, 1.0, 1.0, 1.0, 0.0));
        // By hand: p = 2.5 / 3.
        assert!((cut.recall_error - (2.5 / 3.0 * 0.5 / 3.0 / 2.0f64).sqrt()).abs() < 1e-12);
        assert!(cut.false_alarms_error > 0.0);
        let none = Curve::of(&[2.0, 1.0, -1.0], &[true, true, false], 5.0);
        assert_eq!((none.called, none.precision, none.precision_error, none.f1), (0, 0.0, 0.0, 0.0));
    }

    proptest! {
        #[test]
        fn every_cut_calls_what_it_says_and_the_targets_are_the_best(
            rows in prop::collection::vec((-8i32..8, any::<bool>()), 2..60), recall in 0.01..1.0f64, rate in 0.0..1.0f64,
        ) {
            let scores: Vec<f32> = rows.iter().map(|row| row.0 as f32 / 3.0).collect();
            let truth: Vec<bool> = rows.iter().map(|row| row.1).collect();
            prop_assume!(truth.contains(&true) && truth.contains(&false));
            let curve = Curve::new(&scores, &truth, 0.1);
            let cuts: Vec<Cut> = (0..curve.len()).map(|place| curve.at(place)).collect();
            for cut in &cuts {
                prop_assert_eq!(*cut, Curve::of(&scores, &truth, cut.threshold));
                prop_assert!(cut.called > 0 && cut.called < rows.len());
            }
            prop_assert!(cuts.windows(2).all(|pair| pair[0].threshold > pair[1].threshold));
            let distinct: std::collections::BTreeSet<i32> = rows.iter().map(|row| row.0).collect();
            prop_assert_eq!(cuts.len(), distinct.len() - 1);

            let by_hand = cuts.iter().find(|cut| cut.recall >= recall).copied();
            prop_assert_eq!(curve.with_recall(recall), by_hand);
            let by_hand = cuts.iter().rev().find(|cut| cut.false_alarms <= rate).copied();
            prop_assert_eq!(curve.with_false_alarms(rate), by_hand.filter(|cut| cut.recall > 0.0));
            let most = cuts.iter().map(|cut| cut.f1).fold(0.0, f64::max);
            prop_assert_eq!(curve.with_best_f1().map_or(0.0, |cut| cut.f1), most);
        }
    }
}

//! How good a classifier is: with the truth at hand and, as usual, without it.
//!
//! With truth:    precision = tp / (tp + fp),  recall = tp / (tp + fn),  F1 = 2 tp / (2 tp + fp + fn).
//!
//! Without truth: PUF = recall^2 / P(f > 0)                                              (the paper's equation "PUF")
//!
//! with recall = the share of *labeled* positives that score positive, and P(f > 0) = the share of all rows that do
//! (single-training-set scenario: the whole set is a sample of the population) or of the unlabeled rows that do (case-control
//! scenario: the unlabeled rows are). If labels are given to positives at random, recall is estimated without bias, and in
//! expectation P(f > 0) = recall * P(y = 1) / precision, so PUF = precision * recall / P(y = 1): it ranks classifiers nearly as F1
//! does, and has no unit; it is 1 for "all positive".
//!
//! Two rules turn the folds of a cross-validation into one number:
//!
//! - rule A, the paper's: the mean of the folds' PUF. A lucky tiny positive region can win it.
//! - rule D: pool the counts of all folds, then [`PuCounts::cautious_puf`].
//!
//! Two cautious numbers, in which what cannot be told from luck does not count. Both are (recall - 1 s.e.)^2 / (rate + 1 s.e.) with
//! the standard error sqrt(p (1 - p) / n):
//!
//! | | rate | p of the standard errors | used for |
//! |---|---|---|---|
//! | [`PuCounts::cautious_puf`] | P(f > 0) | the share itself | rule D: choosing a setting |
//! | [`PuCounts::smoothed_puf`] | of the unlabeled rows | (k + 1/2)/(n + 1) for recall, (k + 1)/(n + 2) for the rate | ranking an ensemble's members |
//!
//! Where rows are not independent, n is the number of events (for recall) and of recordings or blocks of time (for the rate), and shares
//! are smoothed: [`Observations`].
//!
//! Smoothing keeps 0 of n, and n of n, from counting as certain.
//!
//! Where a denominator is 0 the quotient is 0: no positives found, none to find.

use crate::base::scenario::Scenario;
use crate::base::statistics::standard_error;
use std::iter::Sum;

/// Counts of a classifier's answers against the truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Confusion {
    /// Positive, and called positive.
    pub true_positives: usize,
    /// Negative, but called positive.
    pub false_positives: usize,
    /// Negative, and called negative.
    pub true_negatives: usize,
    /// Positive, but called negative.
    pub false_negatives: usize,
}

impl Confusion {
    /// Counts the pairs of truth and answer.
    pub fn count(truth: &[bool], called: &[bool]) -> Self {
        debug_assert_eq!(truth.len(), called.len());
        let mut counts = Self::default();
        for pair in truth.iter().zip(called) {
            *match pair {
                (true, true) => &mut counts.true_positives,
                (false, true) => &mut counts.false_positives,
                (false, false) => &mut counts.true_negatives,
                (true, false) => &mut counts.false_negatives,
            } += 1;
        }
        counts
    }

    /// Share of the called positives that are positive; 0 if none was called.
    pub fn precision(&self) -> f64 {
        ratio(self.true_positives, self.true_positives + self.false_positives)
    }

    /// Share of the positives that were called; 0 if there is none.
    pub fn recall(&self) -> f64 {
        ratio(self.true_positives, self.positives())
    }

    /// Harmonic mean of precision and recall; 0 if nothing was found.
    pub fn f1(&self) -> f64 {
        ratio(2 * self.true_positives, 2 * self.true_positives + self.false_positives + self.false_negatives)
    }

    /// F1 of calling every row positive: the baseline of any result.
    pub fn f1_of_all_positive(&self) -> f64 {
        ratio(2 * self.positives(), self.positives() + self.rows())
    }

    /// Rows that are positive.
    pub fn positives(&self) -> usize {
        self.true_positives + self.false_negatives
    }

    /// All rows.
    pub fn rows(&self) -> usize {
        self.positives() + self.false_positives + self.true_negatives
    }
}

/// Counts of a classifier's answers on rows whose truth is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PuCounts {
    /// Labeled positives.
    pub labeled: usize,
    /// Labeled positives that are called positive.
    pub labeled_called: usize,
    /// Unlabeled rows.
    pub unlabeled: usize,
    /// Unlabeled rows that are called positive.
    pub unlabeled_called: usize,
}

impl PuCounts {
    /// Counts the pairs of label and answer.
    pub fn count(labeled: &[bool], called: &[bool]) -> Self {
        debug_assert_eq!(labeled.len(), called.len());
        let mut counts = Self::default();
        for (&labeled, &called) in labeled.iter().zip(called) {
            let (rows, hits) = match labeled {
                true => (&mut counts.labeled, &mut counts.labeled_called),
                false => (&mut counts.unlabeled, &mut counts.unlabeled_called),
            };
            *rows += 1;
            *hits += usize::from(called);
        }
        counts
    }

    /// Counts the scores above a threshold; the first `positives` are those of labeled rows.
    pub fn above(scores: &[f64], positives: usize, threshold: f64) -> Self {
        let (labeled, unlabeled) = scores.split_at(positives);
        let called = |scores: &[f64]| scores.iter().filter(|&&s| s > threshold).count();
        Self {
            labeled: labeled.len(),
            labeled_called: called(labeled),
            unlabeled: unlabeled.len(),
            unlabeled_called: called(unlabeled),
        }
    }

    /// Share of the labeled positives that are called positive.
    pub fn recall(&self) -> f64 {
        ratio(self.labeled_called, self.labeled)
    }

    /// P(f > 0): share of the population's rows that are called positive.
    pub fn positive_rate(&self, scenario: Scenario) -> f64 {
        let (called, rows) = self.of_population(scenario);
        ratio(called, rows)
    }

    /// recall^2 / P(f > 0).
    ///
    /// A rate below one row cannot be told from one row: case-control data whose labeled positives alone are called
    /// positive get the value they would have with one unlabeled row called, not infinity.
    pub fn puf(&self, scenario: Scenario) -> f64 {
        let (called, rows) = self.of_population(scenario);
        quotient(self.recall() * self.recall(), ratio(called.max(1), rows))
    }

    /// The standard error of PUF.
    ///
    /// PUF = r^2 / q has, to first order, the relative variance 4 var(r) / r^2 + var(q) / q^2, with binomial variances over the rows.
    pub fn puf_error(&self, scenario: Scenario) -> f64 {
        let (recall, rate) = (self.recall(), self.positive_rate(scenario));
        if recall <= 0.0 || rate <= 0.0 {
            return 0.0;
        }
        let (_, population) = self.of_population(scenario);
        let of_recall = 4.0 * (1.0 - recall) / (recall * self.labeled as f64);
        let of_rate = (1.0 - rate) / (rate * population as f64);
        self.puf(scenario) * (of_recall + of_rate).sqrt()
    }

    /// (recall - 1 s.e.)^2 / (P(f > 0) + 1 s.e.), with standard errors of the shares themselves.
    pub fn cautious_puf(&self, scenario: Scenario) -> f64 {
        let (called, rows) = self.of_population(scenario);
        let recall = (self.recall() - standard_error(self.recall(), self.labeled as f64)).max(0.0);
        let rate = ratio(called.max(1), rows);
        quotient(recall * recall, rate + standard_error(rate, rows as f64))
    }

    /// The same two from rows that are only so many observations.
    pub(crate) fn puf_error_of(&self, scenario: Scenario, observations: Observations) -> f64 {
        let (recall, rate) = (self.recall(), self.positive_rate(scenario));
        let of_recall = quotient(2.0 * observations.recall_error(recall), recall);
        let of_rate = quotient(observations.rate_error(rate), rate);
        self.puf(scenario) * (of_recall * of_recall + of_rate * of_rate).sqrt()
    }

    pub(crate) fn cautious_puf_of(&self, scenario: Scenario, observations: Observations) -> f64 {
        let (called, rows) = self.of_population(scenario);
        let recall = (self.recall() - observations.recall_error(self.recall())).max(0.0);
        let rate = ratio(called.max(1), rows);
        quotient(recall * recall, rate + observations.rate_error(rate))
    }

    /// (recall - 1 s.e.)^2 / (rate of the unlabeled rows + 1 s.e.), with standard errors of smoothed shares.
    pub fn smoothed_puf(&self) -> f64 {
        let (n_p, n_u) = (self.labeled as f64, self.unlabeled as f64);
        let (k_p, k_u) = (self.labeled_called as f64, self.unlabeled_called as f64);
        let recall = (k_p / n_p - standard_error((k_p + 0.5) / (n_p + 1.0), n_p)).max(0.0);
        let rate = k_u / n_u + standard_error((k_u + 1.0) / (n_u + 2.0), n_u);
        recall * recall / rate
    }

    fn of_population(&self, scenario: Scenario) -> (usize, usize) {
        match scenario {
            Scenario::CaseControl => (self.unlabeled_called, self.unlabeled),
            Scenario::SingleTrainingSet => (self.labeled_called + self.unlabeled_called, self.labeled + self.unlabeled),
        }
    }
}

/// How many independent observations rows in sequence are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Observations {
    /// Stretches of labeled rows.
    pub events: usize,
    /// Recordings or blocks of time.
    pub units: usize,
}

impl Observations {
    fn error(share: f64, count: usize) -> f64 {
        let count = count as f64;
        standard_error((share * count + 0.5) / (count + 1.0), count)
    }

    /// Standard error of recall.
    pub(crate) fn recall_error(self, recall: f64) -> f64 {
        Self::error(recall, self.events)
    }

    /// Standard error of P(f > 0).
    pub(crate) fn rate_error(self, rate: f64) -> f64 {
        Self::error(rate, self.units)
    }
}

impl Sum for PuCounts {
    fn sum<I: Iterator<Item = Self>>(folds: I) -> Self {
        folds.fold(Self::default(), |sum, fold| Self {
            labeled: sum.labeled + fold.labeled,
            labeled_called: sum.labeled_called + fold.labeled_called,
            unlabeled: sum.unlabeled + fold.unlabeled,
            unlabeled_called: sum.unlabeled_called + fold.unlabeled_called,
        })
    }
}

/// Rule A, the paper's: the mean of the folds' PUF.
pub(crate) fn rule_a(folds: &[PuCounts], scenario: Scenario) -> f64 {
    let sum: f64 = folds.iter().map(|fold| fold.puf(scenario)).sum();
    quotient(sum, folds.len() as f64)
}

/// Rule D: PUF of the pooled folds, minus one standard error of recall, plus one of the rate.
pub(crate) fn rule_d(folds: &[PuCounts], scenario: Scenario, observations: Option<Observations>) -> f64 {
    let pooled = folds.iter().copied().sum::<PuCounts>();
    match observations {
        None => pooled.cautious_puf(scenario),
        Some(observations) => pooled.cautious_puf_of(scenario, observations),
    }
}

fn ratio(part: usize, whole: usize) -> f64 {
    quotient(part as f64, whole as f64)
}

/// 0 where the whole is 0.
pub(crate) fn quotient(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::Scenario::{CaseControl, SingleTrainingSet};
    use super::*;
    use proptest::prelude::*;

    fn counts((labeled_called, labeled): (usize, usize), (unlabeled_called, unlabeled): (usize, usize)) -> PuCounts {
        PuCounts { labeled, labeled_called, unlabeled, unlabeled_called }
    }

    #[test]
    fn confusion_counts_and_its_ratios() {
        let truth = [true, true, true, false, false, false, false, true];
        let called = [true, true, false, true, false, false, false, true];
        let c = Confusion::count(&truth, &called);
        assert_eq!((c.true_positives, c.false_positives, c.true_negatives, c.false_negatives), (3, 1, 3, 1));
        assert_eq!((c.precision(), c.recall(), c.f1()), (0.75, 0.75, 0.75));
        // Half of the rows positive: precision 1/2, recall 1.
        assert_eq!(c.f1_of_all_positive(), 2.0 / 3.0);
    }

    #[test]
    fn zero_denominators_give_zero() {
        let nothing = Confusion::default();
        assert_eq!([nothing.precision(), nothing.recall(), nothing.f1(), nothing.f1_of_all_positive()], [0.0; 4]);
        let none_called = Confusion::count(&[true, false], &[false, false]);
        assert_eq!((none_called.precision(), none_called.f1()), (0.0, 0.0));
        for scenario in [SingleTrainingSet, CaseControl] {
            for empty in [counts((0, 0), (0, 0)), counts((0, 4), (0, 9)), counts((0, 0), (3, 9))] {
                assert_eq!(empty.puf(scenario), 0.0);
                assert_eq!(empty.cautious_puf(scenario), 0.0);
            }
        }
        assert_eq!(rule_a(&[], CaseControl), 0.0);
        assert_eq!(rule_d(&[], CaseControl, None), 0.0);
    }

    #[test]
    fn puf_in_both_scenarios() {
        // recall 3/4; 13 of 50 rows called, 10 of the 46 unlabeled ones.
        let c = counts((3, 4), (10, 46));
        assert!((c.puf(SingleTrainingSet) - 0.5625 / 0.26).abs() < 1e-12);
        assert!((c.puf(CaseControl) - 0.5625 / (10.0 / 46.0)).abs() < 1e-12);
        // "All positive" has PUF 1 by definition, and nothing to be cautious about.
        let all = counts((4, 4), (46, 46));
        assert_eq!((all.puf(SingleTrainingSet), all.cautious_puf(CaseControl)), (1.0, 1.0));
        // Finite when no unlabeled row is called.
        assert_eq!(counts((4, 4), (0, 50)).puf(CaseControl), 50.0);
    }

    #[test]
    fn rule_d_takes_one_standard_error_off() {
        // recall 0.8 +- sqrt(0.16/100) = 0.04; rate 0.5 +- sqrt(0.25/400) = 0.025.
        let pooled = counts((80, 100), (200, 400));
        assert!((pooled.cautious_puf(CaseControl) - 0.76f64.powi(2) / 0.525).abs() < 1e-12);
        let folds = [counts((50, 60), (90, 200)), counts((30, 40), (110, 200))];
        assert_eq!(rule_d(&folds, CaseControl, None), pooled.cautious_puf(CaseControl));
        let mean = (folds[0].puf(CaseControl) + folds[1].puf(CaseControl)) / 2.0;
        assert_eq!(rule_a(&folds, CaseControl), mean);
    }

    #[test]
    fn copies_are_no_evidence() {
        // Three events of 100 rows each, all found: by rows that is certain, by events it is not.
        let found = counts((300, 300), (100, 1000));
        let observations = Observations { events: 3, units: 8 };
        assert!((found.cautious_puf(CaseControl) - 1.0 / (0.1 + 0.3 / 1000f64.sqrt())).abs() < 1e-9);
        let error = (3.5f64 / 4.0 * (0.5 / 4.0) / 3.0).sqrt();
        let rate_error = (1.3f64 / 9.0 * (7.7 / 9.0) / 8.0).sqrt();
        let cautious = (1.0 - error).powi(2) / (0.1 + rate_error);
        assert!((found.cautious_puf_of(CaseControl, observations) - cautious).abs() < 1e-12);
        assert!(found.puf_error_of(CaseControl, observations) > 5.0 * found.puf_error(CaseControl));
    }

    #[test]
    fn smoothed_puf_prefers_recall_over_a_lucky_few() {
        let smoothed = |labeled, unlabeled| counts((labeled, 20), (unlabeled, 100)).smoothed_puf();
        let sensible = smoothed(18, 40);
        assert!(sensible > smoothed(4, 1) && sensible > smoothed(20, 100));
        assert_eq!(smoothed(0, 0), 0.0);
        // By hand: r = 0.9, r~ = 18.5/21, q = 0.4, q~ = 41/102.
        let r = 0.9 - (18.5f64 / 21.0 * (2.5 / 21.0) / 20.0).sqrt();
        let q = 0.4 + (41.0f64 / 102.0 * (61.0 / 102.0) / 100.0).sqrt();
        assert!((sensible - r * r / q).abs() < 1e-12);
        let scores = [1.0, -1.0, 0.0, 2.0, 3.0];
        assert_eq!(PuCounts::above(&scores, 2, 0.0), counts((1, 2), (2, 3)));
    }

    #[test]
    fn rule_d_resists_the_lucky_tiny_region_that_wins_rule_a() {
        // Ten folds of two labeled rows. A sensible classifier finds 80 % of them and calls 40 % of the rows; a lucky one calls
        // almost nothing, hits both labeled rows of two folds, and no others.
        let sensible: Vec<_> = (0..10).map(|i| counts((2 - usize::from(i < 4), 2), (20, 50))).collect();
        let lucky: Vec<_> = (0..10).map(|i| counts((if i < 2 { 2 } else { 0 }, 2), (1, 50))).collect();
        assert!(rule_a(&lucky, CaseControl) > rule_a(&sensible, CaseControl));
        assert!(rule_d(&lucky, CaseControl, None) < rule_d(&sensible, CaseControl, None));
    }

    proptest! {
        #[test]
        fn puf_is_precision_times_recall_over_the_prior_when_labels_are_at_random(
            true_called in 1usize..500, true_missed in 0usize..500, false_called in 0usize..500, rest in 0usize..500,
        ) {
            // Labeling everything: recall and rate are then exact, not estimates. PUF * P(y = 1) = precision * recall.
            let truth: Vec<bool> = [(true, true_called + true_missed), (false, false_called + rest)]
                .iter().flat_map(|&(mark, times)| std::iter::repeat_n(mark, times)).collect();
            let called: Vec<bool> = [(true, true_called), (false, true_missed), (true, false_called), (false, rest)]
                .iter().flat_map(|&(mark, times)| std::iter::repeat_n(mark, times)).collect();
            let c = Confusion::count(&truth, &called);
            let puf = PuCounts::count(&truth, &called).puf(SingleTrainingSet);
            let prior = c.positives() as f64 / c.rows() as f64;
            prop_assert!((puf * prior - c.precision() * c.recall()).abs() < 1e-12);
        }
    }
}

//! Evidence from events, where rows come in stretches: what left-out recordings say.
//!
//! For event e, with left-out scores of its rows and of unlabeled rows:
//!
//!   within_e  =  P(score of a row of e > score of an unlabeled row of the same recording),   ties half
//!   A_e       =  the mean of within_e and of the same over all unlabeled rows
//!
//! Comparing within a recording forgives a recording's own level; comparing over all of them does not. A member's merit is
//!
//!   mean_e A_e  -  sd_e A_e / sqrt(events)
//!
//! **Is it luck?** Members chosen by an event look good on that event. So for each event members are chosen by the *other* events,
//! and judged on it. Without anything to learn, a stretch of autocorrelated noise lands anywhere among its recording's ranks: within_e is
//! at worst uniform on [0, 1], and the mean of E of them exceeds m with probability
//!
//!   p  =  sum_{k <= x} (-1)^k C(E, k) (x - k)^E / E!,        x = E (1 - m)                          (Irwin and Hall)
//!
//! **The cut.** Two estimates of the share of rows to call: the mixture's mean posterior, which tends to be low where events differ, and
//! the share that is called where 0.8 of a left-out event is (the mean over events), which tends to be high. The cut calls their geometric
//! mean. (On 10 splits of recordings of a pump: F1 72.5; the cut of largest expected F1 has 65.7, 0.8 of events 70.5, the mean
//! posterior 71.9, the best cut in hindsight 77.0.)

//!
//! **Stretches that somebody wrote down.** A maintenance log says "from Tuesday evening to Thursday", and half of that is a machine that
//! runs well. Then an event ranks by the mean of the upper half of its scores, T, among stretches of unlabeled rows of its recording
//! that are as long,
//!
//!   within_e  =  P(T of e > T of a stretch),
//!
//! which is uniform, too, where nothing can be learned; and its recall counts the rows that rank above the median of all unlabeled ones.

use rayon::prelude::*;
use serde::Serialize;

use crate::base::statistics::{cut_of_share, standard_error};
use crate::choose::metrics::quotient;
use crate::data::units::{UnitFolds, Units};
use crate::ensemble::MOST_FOLDS;
use crate::ensemble::maps::mid_rank;

/// Stretches that an event is compared with, at most.
const MOST_STRETCHES: usize = 500;
/// Mean recall of left-out events.
const RECALL: f64 = 0.8;

/// What is held out together, for rows in the teacher's order.
pub(in crate::ensemble) struct HeldOut {
    pub folds: UnitFolds,
    /// Rows of each event.
    pub events: Vec<Vec<usize>>,
    /// By event: unlabeled rows of its recording.
    pub beside: Vec<Vec<usize>>,
    /// First unlabeled row.
    pub positives: usize,
    /// Events that the user labeled; 1 where the two halves of one event stand in for two.
    pub real_events: usize,
    pub recordings: usize,
    pub by_time: bool,
    /// Whether rows of an event need not all be positive.
    pub are_intervals: bool,
}

/// What events say of the model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EventEvidence {
    /// Stretches of labeled rows.
    pub events: usize,
    /// Recordings.
    pub recordings: usize,
    /// Whether blocks of time were held out, not recordings.
    pub by_time: bool,
    /// By event: the share of its recording's unlabeled rows that a row of the event scores above, with members chosen by other events.
    pub ranks: Vec<f64>,
    /// Probability of ranks as high as these where nothing can be learned; 1 for a single event.
    pub p_value: f64,
    /// Mean share of a left-out event that is called.
    pub recall: f64,
    /// Its standard error, from the number of events.
    pub recall_standard_error: f64,
}

impl EventEvidence {
    /// PUF, recall^2 / P(f > 0), and its standard error, with the rate of as many recordings as there are.
    pub(in crate::ensemble) fn puf(&self, rate: f64) -> (f64, f64) {
        let puf = quotient(self.recall * self.recall, rate);
        let of_recall = quotient(2.0 * self.recall_standard_error, self.recall);
        let of_rate = quotient(standard_error(rate, self.recordings.max(self.events) as f64), rate);
        (puf, puf * (of_recall * of_recall + of_rate * of_rate).sqrt())
    }
}

impl HeldOut {
    /// Of the rows that stand at `order` in the data set, the first `positives` labeled.
    pub(in crate::ensemble) fn new(units: &Units, order: &[usize], positives: usize, seed: u64) -> Self {
        let event_count = units.event_of().iter().flatten().max().map_or(0, |&last| last as usize + 1);
        let mut events = vec![Vec::new(); event_count];
        for (at, &row) in order[..positives].iter().enumerate() {
            if let Some(event) = units.event_of()[row] {
                events[event as usize].push(at);
            }
        }
        // A sample of the rows may have none of an event.
        events.retain(|rows| !rows.is_empty());
        let recording = |at: usize| units.recording_of()[order[at]];
        let beside = (events.iter())
            .map(|rows| (positives..order.len()).filter(|&at| recording(at) == recording(rows[0])).collect())
            .collect();
        let mut recordings = units.recording_of().to_vec();
        recordings.sort_unstable();
        recordings.dedup();
        Self {
            folds: units.folds(MOST_FOLDS, seed, 0).reordered(order),
            beside,
            positives,
            real_events: units.events().min(events.len()).max(1),
            events,
            recordings: recordings.len(),
            by_time: units.by_time,
            are_intervals: units.are_intervals,
        }
    }

    /// within_e and the same over all unlabeled rows, by event.
    fn ranks(&self, scores: &[f64]) -> Vec<(f64, f64)> {
        let sorted = |mut values: Vec<f64>| {
            values.sort_unstable_by(f64::total_cmp);
            values
        };
        let all = sorted(scores[self.positives..].to_vec());
        let mean_rank = |rows: &[usize], among: &[f64]| {
            let sum: f64 = rows.iter().map(|&row| mid_rank(among, scores[row])).sum();
            sum / (rows.len() * among.len()) as f64
        };
        let of_event = |(rows, beside): (&Vec<usize>, &Vec<usize>)| {
            let over_all = mean_rank(rows, &all);
            match beside.is_empty() {
                true => (over_all, over_all),
                false => (mean_rank(rows, &sorted(beside.iter().map(|&row| scores[row]).collect())), over_all),
            }
        };
        self.events.iter().zip(&self.beside).map(of_event).collect()
    }

    /// A_e of every member; where labels are stretches that somebody wrote down, its mean with the ranks of stretches.
    pub(in crate::ensemble) fn merits<'a>(
        &self,
        left_out: impl IndexedParallelIterator<Item = &'a [f64]>,
    ) -> EventMerits {
        let of_member = |scores: &[f64]| {
            let of_rows: Vec<f64> = self.ranks(scores).into_iter().map(|(a, b)| 0.5 * (a + b)).collect();
            match self.are_intervals {
                false => of_rows,
                true => of_rows.iter().zip(self.ranks_of_stretches(scores)).map(|(a, b)| 0.5 * (a + b)).collect(),
            }
        };
        EventMerits(left_out.map(of_member).collect())
    }

    /// within_e.
    pub(in crate::ensemble) fn ranks_within(&self, scores: &[f64]) -> Vec<f64> {
        if self.are_intervals {
            return self.ranks_of_stretches(scores);
        }
        self.ranks(scores).into_iter().map(|(within, _)| within).collect()
    }

    /// The same for stretches that somebody wrote down.
    fn ranks_of_stretches(&self, scores: &[f64]) -> Vec<f64> {
        let of_event = |(rows, beside): (&Vec<usize>, &Vec<usize>)| {
            let length = rows.len().min(beside.len());
            if length == 0 {
                return 0.5;
            }
            let of_event = upper_half(rows, scores);
            let rank = |stretch: &[usize]| match upper_half(stretch, scores).total_cmp(&of_event) {
                std::cmp::Ordering::Less => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Greater => 0.0,
            };
            let step = beside.len().div_ceil(MOST_STRETCHES);
            mean(&beside.windows(length).step_by(step).map(rank).collect::<Vec<_>>())
        };
        self.events.iter().zip(&self.beside).map(of_event).collect()
    }

    /// Share of each event's rows that score above `cut`.
    pub(in crate::ensemble) fn recalls(&self, scores: &[f64], cut: f64) -> Vec<f64> {
        let mut unlabeled = scores[self.positives..].to_vec();
        let median = crate::base::statistics::median(&mut unlabeled).filter(|_| self.are_intervals);
        let of_event = |rows: &Vec<usize>| {
            let core = rows.iter().filter(|&&row| median.is_none_or(|median| scores[row] > median)).count();
            let called = rows.iter().filter(|&&row| scores[row] > cut).count();
            called.min(core) as f64 / core.max(1) as f64
        };
        self.events.iter().map(of_event).collect()
    }

    /// Which labeled rows look no more positive than most unlabeled ones, where labels are stretches that somebody wrote down.
    pub(in crate::ensemble) fn doubtful(&self, posterior: &[f64]) -> Vec<bool> {
        let median = crate::base::statistics::median(&mut posterior[self.positives..].to_vec());
        let is_doubtful = |p: &f64| self.are_intervals && median.is_some_and(|median| *p <= median);
        posterior[..self.positives].iter().map(is_doubtful).collect()
    }

    /// The highest cut at which enough of the left-out events is called.
    fn cut_of_recall(&self, scores: &[f64]) -> f64 {
        // Just below each labeled row.
        let mut cuts: Vec<f64> = scores[..self.positives].iter().map(|s| s.next_down()).collect();
        cuts.sort_unstable_by(|a, b| b.total_cmp(a));
        let enough = |cut: &f64| mean(&self.recalls(scores, *cut)) >= RECALL;
        cuts.into_iter().find(enough).unwrap_or(f64::NEG_INFINITY)
    }

    /// The cut of posteriors, of which `population` counts as the population, with this mean posterior.
    pub(in crate::ensemble) fn cut(&self, posterior: &[f64], population: &[f64], share: f64) -> f64 {
        let cut = self.cut_of_recall(posterior);
        let called = population.iter().filter(|&&p| p > cut).count() as f64 / population.len() as f64;
        cut_of_share(population.to_vec(), (share * called).sqrt())
    }

    /// Mean recall of events and its standard error: that of the events, but no less than that of as many coins.
    pub(in crate::ensemble) fn recall(&self, scores: &[f64], cut: f64) -> (f64, f64) {
        let recalls = self.recalls(scores, cut);
        let count = self.real_events as f64;
        let recall = mean(&recalls);
        let smoothed = (recall * count + 0.5) / (count + 1.0);
        (recall, (variance(&recalls).max(smoothed * (1.0 - smoothed)) / count).sqrt())
    }
}

/// A_e by member, then by event.
pub(in crate::ensemble) struct EventMerits(Vec<Vec<f64>>);

impl EventMerits {
    /// Each member's merit by all events, or by all but one.
    pub(in crate::ensemble) fn by_member(&self, without: Option<usize>) -> Vec<f64> {
        let merit = |of_events: &Vec<f64>| {
            let kept: Vec<f64> = (of_events.iter().enumerate())
                .filter(|(event, _)| Some(*event) != without)
                .map(|(_, merit)| *merit)
                .collect();
            mean(&kept) - (variance(&kept) / kept.len() as f64).sqrt()
        };
        self.0.iter().map(merit).collect()
    }
}

/// P(the mean of `count` uniform numbers is at least `mean`).
pub(in crate::ensemble) fn p_value(mean: f64, count: usize) -> f64 {
    let x = (count as f64 * (1.0 - mean)).clamp(0.0, count as f64);
    // Beyond a dozen the alternating sum loses its digits, and the normal distribution is close.
    if count > 12 {
        return 0.5 * libm::erfc((mean - 0.5) * (12.0 * count as f64).sqrt() * std::f64::consts::FRAC_1_SQRT_2);
    }
    let (mut sum, mut term) = (0.0, 1.0);
    for k in 0..=x as usize {
        // (-1)^k C(E, k)
        sum += term * (x - k as f64).powi(count as i32);
        term *= -((count - k) as f64) / (k + 1) as f64;
    }
    let factorial: f64 = (1..=count).map(|k| k as f64).product();
    (sum / factorial).clamp(0.0, 1.0)
}

/// The mean of the upper half of these rows' scores.
fn upper_half(rows: &[usize], scores: &[f64]) -> f64 {
    let mut values: Vec<f64> = rows.iter().map(|&row| scores[row]).collect();
    values.sort_unstable_by(|a, b| b.total_cmp(a));
    mean(&values[..values.len().div_ceil(2)])
}

pub(in crate::ensemble) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn variance(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / values.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    #[test]
    fn the_p_value_is_that_of_uniform_numbers() {
        // One number: 1 - m. Two: (2 - 2m)^2 / 2 for m above 1/2.
        assert!((p_value(0.9, 1) - 0.1).abs() < 1e-12);
        assert!((p_value(0.9, 2) - 0.02).abs() < 1e-12);
        assert!((p_value(0.5, 7) - 0.5).abs() < 1e-9);
        assert_eq!((p_value(1.0, 3), p_value(0.0, 3)), (0.0, 1.0));
        let random = &mut Random::new(1, 0);
        for count in [3, 5, 12, 20] {
            let hits = (0..20_000).filter(|_| (0..count).map(|_| random.uniform()).sum::<f64>() >= 0.6 * count as f64);
            let share = hits.count() as f64 / 20_000.0;
            assert!((p_value(0.6, count) - share).abs() < 0.012, "{count}");
        }
    }

    /// Two recordings of five rows; each has an event of one row. Labeled rows come first.
    fn held_out() -> HeldOut {
        let fold_of = vec![0, 1, 0, 0, 0, 0, 1, 1, 1, 1];
        let learned = (0..2).map(|fold| fold_of.iter().map(|&of| of != fold).collect()).collect();
        HeldOut {
            folds: UnitFolds { fold_of, learned },
            events: vec![vec![0], vec![1]],
            beside: vec![vec![2, 3, 4, 5], vec![6, 7, 8, 9]],
            positives: 2,
            real_events: 2,
            recordings: 2,
            by_time: false,
            are_intervals: false,
        }
    }

    #[test]
    fn ranks_within_a_recording_forgive_its_level() {
        let scores = [1.0, 11.0, 0.0, 0.0, 2.0, 2.0, 10.0, 10.0, 10.0, 10.0];
        let held_out = held_out();
        assert_eq!(held_out.ranks_within(&scores), [0.5, 1.0]);
        // Over all unlabeled rows: 2 of 8, and 8 of 8.
        let merits = held_out.merits([&scores[..]].into_par_iter());
        assert_eq!(merits.0, [[0.375, 1.0]]);
        assert_eq!(merits.by_member(Some(0)), [1.0]);
        assert!((merits.by_member(None)[0] - (0.6875 - 0.3125 / 2f64.sqrt())).abs() < 1e-12);
    }

    #[test]
    fn half_of_a_stretch_may_be_normal() {
        // Two events of four rows, half of which score as unlabeled rows do.
        let held_out = HeldOut {
            events: vec![vec![0, 1, 2, 3], vec![4, 5, 6, 7]],
            beside: vec![(8..20).collect(), (8..20).collect()],
            positives: 8,
            are_intervals: true,
            ..held_out()
        };
        let mut scores = vec![9.0, 9.0, -1.0, -1.0, 8.0, -2.0, -2.0, 8.0];
        scores.extend([0.0, 1.0, 0.5, 0.2, 1.2, 0.1, 0.9, 0.4, 0.3, 1.1, 0.6, 0.8]);
        assert_eq!(held_out.ranks_within(&scores), [1.0, 1.0]);
        // Both high rows of each event, and no low one, count.
        assert_eq!(held_out.recalls(&scores, 5.0), [1.0, 1.0]);
        assert_eq!(held_out.recalls(&scores, 8.5), [1.0, 0.0]);
        let plain = HeldOut { are_intervals: false, ..held_out };
        assert_eq!((plain.ranks_within(&scores), plain.recalls(&scores, 5.0)), (vec![0.5; 2], vec![0.5; 2]));
    }

    #[test]
    fn the_cut_is_between_two_estimates() {
        let scores = [1.0, 11.0, 0.0, 0.0, 2.0, 2.0, 10.0, 10.0, 10.0, 10.0];
        let held_out = held_out();
        // Half of the events is not enough: below the lower one, where 8 of 10 are called.
        assert!(held_out.cut_of_recall(&scores) < 1.0 && held_out.cut_of_recall(&scores) > 0.9);
        // sqrt(0.2 * 0.8) = 0.4: four of ten, the fourth and the fifth being alike.
        let cut = held_out.cut(&scores, &scores, 0.2);
        assert_eq!(cut, 10.0);
        let (recall, error) = held_out.recall(&scores, 5.0);
        assert!(recall == 0.5 && (error - 0.5 / 2f64.sqrt()).abs() < 1e-12);
        assert!(held_out.recall(&scores, 0.0).1 > 0.2, "two of two is not certain");
    }
}

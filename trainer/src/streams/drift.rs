//! When the drift flag goes up: charts of windows outside the training range, and of windows called positive.
//!
//! Of windows whose recording was left out, a share p_0 is outside the range of the others, and a share is called. A chart adds
//! log(p_1 / p_0) for a window of its kind and log((1 - p_1) / (1 - p_0)) for any other, never below 0, and raises the flag at h
//! (Page's CUSUM; Lorden: for independent windows false flags are e^h windows apart or more):
//!
//!   p_1  =  p_0 + 0.3 (1 - p_0), or p_0 / 3 for fewer,            h  =  b log(windows between false flags)
//!
//! Windows overlap and faults last, so kinds come in runs: b is the mean length of runs, over that of independent windows, and h is at
//! least 1.5 times the highest sum that left-out windows reach.

use pual_infer::{Chart, DriftRule};
use serde::Serialize;

/// Units per 1 of a logarithm.
const UNIT: f64 = 256.0;
const RISE: f64 = 0.3;
const FALL: f64 = 1.0 / 3.0;
/// Fewer positive windows than this share cannot become noticeably fewer.
const LEAST_TO_FALL: f64 = 0.1;
/// The limit is this much above what left-out windows reach.
const MARGIN: f64 = 1.5;
const MOST_LIMIT: f64 = (1u32 << 30) as f64;
/// Runs longer than this are noticed by the highest sum.
const MOST_IN_A_ROW: f64 = 8.0;
/// Windows between false flags, of each chart.
const WINDOWS: f64 = 1e6;
const CHARTS: f64 = 3.0;

/// What the drift flag expects.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct DriftReport {
    /// Share of left-out windows outside the range of the other recordings.
    pub outside_share: f64,
    /// Share of left-out windows that are called positive.
    pub positive_share: f64,
    /// Windows from one false flag to the next, on average, or more.
    pub windows_between_false_flags: f64,
}

/// The numbers of the flag, from left-out windows in the order of time.
pub(crate) fn rule(outside: &[bool], called: &[bool]) -> (DriftRule, DriftReport) {
    let (p_outside, p_called) = (share(outside), share(called));
    let rise = |p: f64| p + RISE * (1.0 - p);
    let word = |p: f64| (65_535.0 * p).round() as u16;
    let not_called: Vec<bool> = called.iter().map(|called| !called).collect();
    // Fewer positives are more that are not; the chart counts positives all the same.
    let fewer = match p_called >= LEAST_TO_FALL {
        true => chart(&not_called, 1.0 - p_called, 1.0 - FALL * p_called),
        false => Chart::default(),
    };
    let rule = DriftRule {
        outside_share: word(p_outside),
        positive_share: word(p_called),
        outside: chart(outside, p_outside, rise(p_outside)),
        more_positive: chart(called, p_called, rise(p_called)),
        less_positive: Chart { hit: fewer.miss, miss: fewer.hit, limit: fewer.limit },
    };
    let report = DriftReport {
        outside_share: p_outside,
        positive_share: p_called,
        windows_between_false_flags: WINDOWS / CHARTS,
    };
    (rule, report)
}

/// The share, drawn a little to one half so that it is neither 0 nor 1.
fn share(marks: &[bool]) -> f64 {
    let count = marks.iter().filter(|&&mark| mark).count() as f64;
    (count + 0.5) / (marks.len() as f64 + 1.0)
}

fn chart(marks: &[bool], p_0: f64, p_1: f64) -> Chart {
    let unit = |ratio: f64| (UNIT * libm::log(ratio)).round().clamp(-32_767.0, 32_767.0) as i16;
    let (hit, miss) = (unit(p_1 / p_0).max(1), unit((1.0 - p_1) / (1.0 - p_0)).min(-1));
    let (mut sum, mut highest) = (0i64, 0i64);
    for &mark in marks {
        sum = (sum + i64::from(if mark { hit } else { miss })).max(0);
        highest = highest.max(sum);
    }
    let runs = crate::data::sequence::runs(marks).count().max(1) as f64;
    let in_a_row = marks.iter().filter(|&&mark| mark).count() as f64 / runs;
    let slower = (in_a_row * (1.0 - p_0)).clamp(1.0, MOST_IN_A_ROW);
    let limit = (UNIT * slower * libm::log(WINDOWS)).max(MARGIN * highest as f64);
    Chart { hit, miss, limit: limit.min(MOST_LIMIT).ceil() as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    /// Windows until the chart's flag.
    fn flag(chart: Chart, marks: impl Iterator<Item = bool>) -> Option<usize> {
        let mut sum = 0i64;
        for (at, mark) in marks.enumerate() {
            sum = (sum + i64::from(if mark { chart.hit } else { chart.miss })).max(0);
            if chart.limit > 0 && sum >= i64::from(chart.limit) {
                return Some(at);
            }
        }
        None
    }

    #[test]
    fn a_shift_is_flagged_soon_and_quiet_windows_never() {
        let random = &mut Random::new(3, 0);
        let mut draw = |p: f64, n: usize| (0..n).map(|_| random.uniform() < p).collect::<Vec<_>>();
        let (outside, called) = (draw(0.02, 800), draw(0.2, 800));
        let (rule, report) = rule(&outside, &called);
        assert!((report.outside_share - 0.02).abs() < 0.02 && (report.positive_share - 0.2).abs() < 0.05);
        assert!(flag(rule.outside, draw(0.9, 50).into_iter()).is_some());
        assert!(flag(rule.more_positive, draw(0.9, 50).into_iter()).is_some());
        assert!(flag(rule.less_positive, draw(0.0, 400).into_iter()).is_some());
        assert_eq!(flag(rule.outside, draw(report.outside_share, 100_000).into_iter()), None);
        assert_eq!(flag(rule.more_positive, draw(report.positive_share, 100_000).into_iter()), None);
        assert_eq!(flag(rule.less_positive, draw(report.positive_share, 100_000).into_iter()), None);
    }

    #[test]
    fn what_left_out_windows_did_raises_no_flag() {
        // One long run.
        let called: Vec<bool> = (0..300).map(|at| (100..160).contains(&at)).collect();
        let (rule, _) = rule(&[false; 300], &called);
        assert_eq!(flag(rule.more_positive, called.into_iter()), None);
        assert!(flag(rule.outside, std::iter::repeat_n(true, 50)).is_some());
        assert_eq!(super::rule(&[false; 10], &[false; 10]).0.less_positive.limit, 0);
    }
}

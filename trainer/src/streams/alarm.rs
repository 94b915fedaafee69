//! When windows that are called become an alarm: on at k of the last n, off after m negative ones in a row.
//!
//! Rules are tried on the calls of windows whose recording was left out.
//!
//! | time that is known to be normal | rate of false alarms | the rule taken |
//! |---|---|---|
//! | there is some | that of this time | within the rate wanted: the one that finds most labeled events, then the fastest |
//! | none | of all unlabeled time, in which there may be faults: an upper bound | of those that find most labeled events: within the rate, or else with the fewest alarms; then the fastest |
//!
//! m is n: the alarm ends when none of the last n windows was called.

use pual_infer::{AlarmRule, Debounce};
use serde::Serialize;

use super::judge::{EventQuality, Track};

/// Windows looked back.
const LENGTHS: [u8; 11] = [1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32];
const DAY_HOURS: f64 = 24.0;

/// Whether the alarm is on after each window of one recording, by the device's own code.
pub(crate) fn states(rule: AlarmRule, called: &[bool]) -> Vec<bool> {
    let mut alarm = Debounce::default();
    called.iter().map(|&called| alarm.push(called, &rule)).collect()
}

/// A recording's windows with their calls.
pub(crate) struct CalledTrack<'a> {
    pub track: Track<'a>,
    pub called: Vec<bool>,
}

/// The alarm and what is known of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AlarmChoice {
    /// The rule.
    #[serde(flatten)]
    pub rule: AlarmRule,
    /// False alarms wanted per day, at most.
    pub wanted_per_day: f64,
    /// Whether false alarms were counted in time known to be normal; if not, in all unlabeled time, which is an upper bound.
    pub known_normal: bool,
    /// Labeled events and false alarms on left-out recordings.
    pub left_out: EventQuality,
}

impl AlarmChoice {
    /// False alarms per day.
    #[must_use]
    pub fn per_day(&self) -> f64 {
        DAY_HOURS * self.left_out.false_alarms_per_hour()
    }

    /// Whether there are as few as wanted.
    #[must_use]
    pub fn is_met(&self) -> bool {
        self.per_day() <= self.wanted_per_day
    }
}

/// Tries every rule.
pub(crate) fn choose(tracks: &[CalledTrack<'_>], known_normal: bool, wanted_per_day: f64) -> AlarmChoice {
    let judge = |rule: AlarmRule| {
        let mut left_out = EventQuality::default();
        for CalledTrack { track, called } in tracks {
            left_out.add(track, &states(rule, called));
        }
        AlarmChoice { rule, wanted_per_day, known_normal, left_out }
    };
    let rules = LENGTHS.iter().flat_map(|&of| (of.div_ceil(2)..=of).map(move |on| AlarmRule { on, of, off: of }));
    let reports: Vec<AlarmChoice> = rules.map(judge).collect();
    // Smaller is better, the first number first.
    let key = |report: &AlarmChoice| {
        let missed = (report.left_out.events - report.left_out.found) as f64;
        let over = if report.is_met() { 0.0 } else { report.left_out.false_alarms as f64 };
        let delay = mean(&report.left_out.delays);
        let (first, second) = if known_normal { (over, missed) } else { (missed, over) };
        [first, second, delay, report.left_out.quiet_hours_on, f64::from(report.rule.of)]
    };
    let order = |a: &&AlarmChoice, b: &&AlarmChoice| {
        let (a, b) = (key(a), key(b));
        let differs = (0..a.len()).find(|&at| a[at] != b[at]);
        differs.map_or(std::cmp::Ordering::Equal, |at| a[at].total_cmp(&b[at]))
    };
    let best = reports.iter().min_by(order).cloned();
    best.unwrap_or_else(|| judge(AlarmRule { on: 1, of: 1, off: 1 }))
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(text: &str) -> Vec<bool> {
        text.bytes().map(|byte| byte == b'1').collect()
    }

    fn text(bits: &[bool]) -> String {
        bits.iter().map(|&bit| if bit { '1' } else { '0' }).collect()
    }

    #[test]
    fn two_of_three_is_counted_by_hand() {
        let rule = AlarmRule { on: 2, of: 3, off: 2 };
        assert_eq!(text(&states(rule, &bits("0100101100100"))), "0000001110000");
        let all = AlarmRule { on: 32, of: 32, off: 1 };
        assert_eq!(text(&states(all, &bits(&("1".repeat(33) + "01")))), "0".repeat(31) + "1100");
    }

    fn tracks<'a>(
        truth: &'a [bool],
        ends: &'a [usize],
        times: &'a [f64],
        called: &str,
        normal: Option<&'a [bool]>,
    ) -> [CalledTrack<'a>; 1] {
        let track = Track { ends, window: 1, truth, times, counts: normal, hop: 3600.0, lead: Some(1) };
        [CalledTrack { track, called: bits(called) }]
    }

    #[test]
    fn single_calls_are_suppressed_and_the_event_is_still_found() {
        let truth = bits("000000000000111111110000000000");
        let called = "010000010000111111100000100010";
        let (ends, times): (Vec<usize>, Vec<f64>) = (0..30).map(|at| (at, 3600.0 * at as f64)).unzip();
        let report = choose(&tracks(&truth, &ends, &times, called, None), false, 1.0);
        assert_eq!((report.left_out.found, report.left_out.false_alarms), (1, 0));
        assert_eq!((report.rule.on, report.rule.of), (2, 2));
        assert_eq!(report.left_out.delays, [3600.0]);
        // With 24 per day allowed, the fastest.
        let report = choose(&tracks(&truth, &ends, &times, called, None), false, 24.0);
        assert_eq!((report.rule.on, report.rule.of, &report.left_out.delays[..]), (1, 1, &[0.0][..]));
    }

    #[test]
    fn known_normal_time_comes_first_and_unlabeled_time_is_only_a_bound() {
        // Called as long in unlabeled time as during the event: no rule tells them apart.
        let truth = bits("0000011100000000000000000000000000000000");
        let called = "0000011100000000000000111000000000000000";
        let (ends, times): (Vec<usize>, Vec<f64>) = (0..40).map(|at| (at, 3600.0 * at as f64)).unzip();
        let report = choose(&tracks(&truth, &ends, &times, called, None), false, 0.1);
        assert_eq!((report.left_out.found, report.is_met()), (1, false));
        let all = [true; 40];
        let report = choose(&tracks(&truth, &ends, &times, called, Some(&all)), true, 0.1);
        assert_eq!((report.left_out.found, report.is_met()), (0, true));
        // Known to be normal before the event only.
        let before: Vec<bool> = (0..40).map(|at| at < 5).collect();
        let report = choose(&tracks(&truth, &ends, &times, called, Some(&before)), true, 0.1);
        assert_eq!((report.left_out.found, report.left_out.quiet_hours, report.is_met()), (1, 5.0, true));
    }
}

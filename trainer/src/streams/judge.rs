//! Alarms against events, as somebody on duty would count.
//!
//! An event is a stretch of positive samples; stretches less than a window apart are one. A run of windows with the alarm on is one
//! alarm. A window touches an event if one of its samples is of the event.
//!
//! | what | is |
//! |---|---|
//! | found | an event that a window of an alarm touches, unless the alarm began more than a window's length before: then it was none of the event |
//! | delay | from the event's first sample to the last sample of the first such window |
//! | false alarm | an alarm that finds no event |
//! | quiet time | that of all windows that touch none, a hop each |

use serde::Serialize;
use std::ops::Range;

use crate::data::sequence::runs;

/// The windows of one recording, in the order of time, and what is true of its samples.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Track<'a> {
    /// The last sample of each window.
    pub ends: &'a [usize],
    /// Samples of a window.
    pub window: usize,
    /// Which samples are of an event.
    pub truth: &'a [bool],
    /// Seconds, of each sample.
    pub times: &'a [f64],
    /// Of each window: whether its time counts as quiet.
    pub counts: Option<&'a [bool]>,
    /// Seconds from one window to the next.
    pub hop: f64,
    /// Samples that an alarm may begin before the first window that touches an event it finds; none for any number.
    pub lead: Option<usize>,
}

/// Alarms against events.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct EventQuality {
    /// Stretches of positive samples that any window touches.
    pub events: usize,
    /// Those during which the alarm was on.
    pub found: usize,
    /// Seconds until the alarm, of each event found.
    pub delays: Vec<f64>,
    /// Alarms during no event.
    pub false_alarms: usize,
    /// Time without an event.
    pub quiet_hours: f64,
    /// The part of it with the alarm on.
    pub quiet_hours_on: f64,
}

impl EventQuality {
    /// Adds what the alarm said of a recording's windows.
    pub(crate) fn add(&mut self, track: &Track<'_>, alarm: &[bool]) {
        let events = events(track.truth, track.window);
        let first = |at: usize| (track.ends[at] + 1).saturating_sub(track.window);
        let touches = |at: usize, event: &Range<usize>| first(at) < event.end && track.ends[at] >= event.start;
        let windows = 0..track.ends.len();
        let alarms: Vec<Range<usize>> = runs(alarm).collect();
        let mut finds = vec![false; alarms.len()];
        for event in &events {
            let touching: Vec<usize> = windows.clone().filter(|&at| touches(at, event)).collect();
            let (Some(&from), Some(&to)) = (touching.first(), touching.last()) else {
                continue;
            };
            self.events += 1;
            let is_of_event = |alarm: &Range<usize>| {
                let in_time = |lead: usize| track.ends[alarm.start] + lead >= track.ends[from];
                alarm.start <= to && from < alarm.end && track.lead.is_none_or(in_time)
            };
            let mut first = None;
            for (at, alarm) in alarms.iter().enumerate().filter(|(_, alarm)| is_of_event(alarm)) {
                finds[at] = true;
                first = first.or(Some(alarm.start.max(from)));
            }
            if let Some(at) = first {
                self.found += 1;
                self.delays.push((track.times[track.ends[at]] - track.times[event.start]).max(0.0));
            }
        }
        let is_quiet: Vec<bool> = windows.clone().map(|at| !events.iter().any(|event| touches(at, event))).collect();
        let counts = |at: usize| is_quiet[at] && track.counts.is_none_or(|counts| counts[at]);
        let hours = |count: usize| count as f64 * track.hop / 3600.0;
        self.quiet_hours += hours(windows.clone().filter(|&at| counts(at)).count());
        self.quiet_hours_on += hours(windows.clone().filter(|&at| counts(at) && alarm[at]).count());
        let is_false = |(alarm, finds): (&Range<usize>, &bool)| {
            !finds && track.counts.is_none_or(|counts| counts[alarm.clone()].contains(&true))
        };
        self.false_alarms += alarms.iter().zip(&finds).filter(|&both| is_false(both)).count();
    }

    /// False alarms per hour of quiet time; 0 for no time.
    #[must_use]
    pub fn false_alarms_per_hour(&self) -> f64 {
        if self.quiet_hours > 0.0 { self.false_alarms as f64 / self.quiet_hours } else { 0.0 }
    }

    /// The middle delay, in seconds.
    #[must_use]
    pub fn median_delay(&self) -> Option<f64> {
        crate::base::statistics::median(&mut self.delays.clone())
    }
}

/// Stretches of positive samples, merged where they are less than `window` apart.
pub(crate) fn events(truth: &[bool], window: usize) -> Vec<Range<usize>> {
    let mut events: Vec<Range<usize>> = Vec::new();
    for run in runs(truth) {
        match events.last_mut() {
            Some(last) if run.start - last.end < window => last.end = run.end,
            _ => events.push(run),
        }
    }
    events
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(text: &str) -> Vec<bool> {
        text.bytes().map(|byte| byte == b'1').collect()
    }

    /// Windows of two samples with a hop of one.
    fn count(truth: &str, alarm: &str, counts: Option<&str>) -> EventQuality {
        let truth = bits(truth);
        let ends: Vec<usize> = (1..truth.len()).collect();
        let times: Vec<f64> = (0..truth.len()).map(|at| 3600.0 * at as f64).collect();
        let counts = counts.map(bits);
        let track = Track {
            ends: &ends,
            window: 2,
            truth: &truth,
            times: &times,
            counts: counts.as_deref(),
            hop: 3600.0,
            lead: Some(2),
        };
        let mut quality = EventQuality::default();
        quality.add(&track, &bits(alarm));
        quality
    }

    #[test]
    fn events_are_counted_by_hand() {
        // The event has samples 3 and 4: windows ending at 3, 4 and 5 touch it, which are the third to the fifth.
        let none = count("0001100000", "000000000", None);
        assert_eq!(none, EventQuality { events: 1, quiet_hours: 6.0, ..EventQuality::default() });
        let found = count("0001100000", "000110000", None);
        assert_eq!((found.found, &found.delays[..], found.false_alarms), (1, &[3600.0][..], 0));
        // On before and still on: found at once, and no false alarm.
        let early = count("0001100000", "011000000", None);
        assert_eq!((early.found, &early.delays[..], early.false_alarms), (1, &[0.0][..], 0));
        assert_eq!(early.quiet_hours_on, 1.0);
        // On since long before: an alarm that is always on finds nothing.
        let always = count("00000001100", "1111111111", None);
        assert_eq!((always.found, always.false_alarms, always.quiet_hours_on), (0, 1, 7.0));
        // Over before the event's first window: a false alarm.
        let missed = count("0001100000", "110000000", None);
        assert_eq!((missed.found, missed.false_alarms), (0, 1));
        let two = count("0001100000", "100000101", None);
        assert_eq!((two.found, two.false_alarms), (0, 3));
        assert_eq!(two.false_alarms_per_hour(), 0.5);
    }

    #[test]
    fn stretches_closer_than_a_window_are_one_event() {
        assert_eq!(events(&bits("0110110001"), 2), [1..6, 9..10]);
        assert_eq!(count("0101000001", "000000000", None).events, 2);
    }

    #[test]
    fn only_time_that_counts_is_quiet() {
        let part = count("0001100000", "100000101", Some("111111100"));
        assert_eq!((part.false_alarms, part.quiet_hours), (2, 4.0));
        assert_eq!(count("0000000000", "000000000", None).median_delay(), None);
    }
}

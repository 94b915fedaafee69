//! Alarms of a [day](super::day), compared with what happened.

use super::{Fault, Moment};
use serde::Serialize;

/// Alarms of a day, compared with what happened.
///
/// An excursion begins with the first reading of a fault at which the load is outside its limits. Alarms between the fault and
/// that moment are early. Between the repair and normal operation, and after a door let the load slip over its limit, both
/// alarm and no alarm are right: the load is not safe, but nothing is broken.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AlarmReport {
    /// Readings of the day.
    pub readings: usize,
    /// Readings of normal operation.
    pub normal: usize,
    /// Readings of normal operation with the alarm on.
    pub false_alarms: usize,
    /// For each excursion, readings until the alarm was on: 0 is the first reading of the excursion. `None`: never.
    pub delays: Vec<Option<usize>>,
    /// For each excursion, readings for which the alarm had been on when it began.
    pub early: Vec<usize>,
}

impl AlarmReport {
    /// Compares the alarm after each reading with the day.
    #[must_use]
    pub fn new(day: &[Moment], alarms: &[bool]) -> Self {
        let mut report =
            Self { readings: day.len(), normal: day.iter().filter(|moment| moment.normal).count(), ..Self::default() };
        let normal_alarms = day.iter().zip(alarms).filter(|(now, on)| now.normal && **on);
        report.false_alarms = normal_alarms.count();
        let begins = |&at: &usize| {
            let [before, now] = [&day[at - 1], &day[at]];
            now.danger && now.fault != Fault::None && !before.danger
        };
        for begin in (1..day.len()).filter(begins) {
            let lasts = day[begin..].iter().take_while(|moment| moment.danger).count();
            let during = &alarms[begin..begin + lasts];
            report.delays.push(during.iter().position(|&on| on));
            let before = alarms[..begin].iter().rev();
            report.early.push(before.take_while(|&&on| on).count());
        }
        report
    }

    /// Excursions with an alarm within this many readings.
    #[must_use]
    pub fn within(&self, readings: usize) -> usize {
        let within = |delay: &&Option<usize>| delay.is_some_and(|delay| delay <= readings);
        self.delays.iter().filter(within).count()
    }
}

//! A refrigerator's monitor, from a thermometer's counts to an alarm: the same code makes the trainer's rows, the device's
//! features, and what the host compares them with.
//!
//! ```text
//! count (1/16 degree) -> degrees -> the last 8 of them -> level, slope, spread -> score > threshold? -> alarm
//! ```
//!
//! The alarm goes on at the second positive reading in a row and off at the second negative one: a single one near the
//! border changes nothing.

use pual_infer::Window;
use serde::{Deserialize, Serialize};

/// Readings in the window.
pub const WINDOW: usize = 8;
/// What is computed from it, in the order of a reading.
pub const NAMES: [&str; 3] = ["level", "slope", "spread"];
/// Counts of the thermometer in a degree Celsius: 12 bits, as the TMP105 and its many like have them.
pub const COUNTS_PER_DEGREE: f32 = 16.0;
/// Readings in a row that switch the alarm.
const IN_A_ROW: u8 = 2;

/// The last temperatures.
#[derive(Clone, Debug, Default)]
pub struct Temperatures(Window<1, WINDOW>);

impl Temperatures {
    /// None yet.
    #[must_use]
    pub const fn new() -> Self {
        Self(Window::new())
    }

    /// Takes a count of the thermometer and computes the features, once there are counts enough.
    pub fn push(&mut self, count: i16) -> Option<[f32; 3]> {
        self.0.push([f32::from(count) / COUNTS_PER_DEGREE]).ok()?;
        Some([self.0.level(0)?, self.0.slope(0)?, self.0.spread(0)?])
    }
}

/// Whether the alarm is on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Alarm {
    on: bool,
    against: u8,
}

impl Alarm {
    /// Off.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            on: false,
            against: 0,
        }
    }

    /// Takes a reading's class, and says whether the alarm is on now.
    pub fn push(&mut self, positive: bool) -> bool {
        if positive == self.on {
            self.against = 0;
        } else {
            self.against += 1;
        }
        if self.against >= IN_A_ROW {
            (self.on, self.against) = (positive, 0);
        }
        self.on
    }
}

/// What the device measured, and what it makes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// The thermometer's count.
    pub count: i16,
    /// What the model says; nothing until the window is full.
    pub judged: Option<Judged>,
}

/// A window's features and their score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judged {
    /// The bits of the features, each an f32: what must be identical to the host's.
    pub feature_bits: [u32; 3],
    /// As for a reading that came over the wire.
    pub scored: crate::Scored,
    /// Is the alarm on?
    pub alarm: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_come_with_the_eighth_count() {
        let mut temperatures = Temperatures::new();
        for count in (0..7).map(|at| 64 + 16 * at) {
            assert_eq!(temperatures.push(count), None);
        }
        // 4 to 11 degrees in steps of one: variance (8^2 - 1) / 12.
        let [level, slope, spread] = temperatures.push(64 + 16 * 7).unwrap();
        assert_eq!((level, slope), (7.5, 1.0));
        assert!((spread * spread - 5.25).abs() < 1e-5);
        // Below zero the counts are negative.
        let level = (0..8).fold(None, |_, _| temperatures.push(-8));
        assert_eq!(level, Some([-0.5, 0.0, 0.0]));
    }

    #[test]
    fn one_reading_switches_no_alarm_and_two_do() {
        let mut alarm = Alarm::new();
        let classes = [1, 0, 1, 1, 0, 1, 0, 0, 1, 0].map(|class| class == 1);
        let on = classes.map(|positive| u8::from(alarm.push(positive)));
        assert_eq!(on, [0, 0, 0, 1, 1, 1, 1, 0, 0, 0]);
    }
}

//! The monitor firmware in QEMU, with a thermometer that is moved from here, compared with the workstation at every measurement.
//!
//! Host and device are in step: the temperature is set, then the device is asked to measure. So a run is the same each time,
//! however busy the machine, and a day takes a second.

use crate::DeviceError;
use crate::firmware::{Board, build};
use crate::image::Image;
use crate::link::Link;
use crate::qemu::{Clock, Qemu};
use crate::thermometer::Thermometer;
use pual_infer::{Alarm, Class, Model};
use pual_protocol::Sample;
use pual_trainer::data::synth::{Fault, IN_A_ROW, Moment, Temperatures, thermometer};
use serde::Serialize;
use std::path::Path;
use std::time::Duration;

/// The board: it has an I2C bus that QEMU can put a thermometer on.
pub const BOARD: Board = Board::CortexM4F;
/// The firmware.
pub const PROGRAM: &str = "monitor";

/// A running monitor.
#[derive(Debug)]
pub struct Monitor<'m> {
    link: Link,
    thermometer: Thermometer,
    model: Model<'m>,
    temperatures: Temperatures,
    alarm: Alarm,
}

/// What a measurement came to.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The device's answer.
    pub sample: Sample,
    /// The features, as the workstation computes them.
    pub features: Option<[f32; 3]>,
    /// Their score.
    pub score: Option<f32>,
    /// Is the device's alarm on?
    pub alarm: bool,
    /// Are count, features, score, class and alarm of the device what they must be, to the bit?
    pub identical: bool,
}

impl<'m> Monitor<'m> {
    /// Builds the firmware and boots it with the model, of which the second is the decoded one. The name is one that nothing
    /// else in this process uses.
    ///
    /// # Errors
    /// If it does not build or boot, or does not accept the model.
    pub fn boot(
        bytes: &[u8],
        model: Model<'m>,
        name: &str,
        clock: Clock,
        limit: Duration,
    ) -> Result<Self, DeviceError> {
        let image = Image::read(&build(BOARD, PROGRAM)?)?.with_model(bytes, name)?;
        let booted = Self::boot_image(&image, model, name, clock, limit);
        // QEMU has read it when the firmware answers, or will not any more.
        let _ = std::fs::remove_file(image);
        booted
    }

    fn boot_image(
        image: &Path,
        model: Model<'m>,
        name: &str,
        clock: Clock,
        limit: Duration,
    ) -> Result<Self, DeviceError> {
        let (machine, thermometer) = Qemu::boot_with_thermometer(BOARD, image, name, clock, limit)?;
        let mut link = Link::new(machine)?;
        match link.hello()? {
            Some(hello) if hello.model_checksum == model.checksum() => {}
            _ => return Err(DeviceError::Answer("it did not accept the model".into())),
        }
        Ok(Self {
            link,
            thermometer,
            model,
            temperatures: Temperatures::default(),
            alarm: Alarm::new(IN_A_ROW),
        })
    }

    /// Sets the temperature, and has it measured.
    ///
    /// # Errors
    /// If the device does not answer.
    pub fn expose(&mut self, millidegrees: i32) -> Result<Seen, DeviceError> {
        self.thermometer.expose(millidegrees)?;
        let refused = || DeviceError::Answer("the monitor has no temperature".into());
        let sample = self.link.sample()?.ok_or_else(refused)?;

        let features = self.temperatures.push(sample.count);
        let unscored = |error| DeviceError::Answer(format!("no score for {features:?}: {error}"));
        let (mut score, mut alarm) = (None, false);
        let mut identical = sample.count == thermometer(millidegrees);
        if let Some(features) = features {
            let expected = self.model.judge(&features).map_err(unscored)?;
            let positive = expected.class == Class::Positive;
            alarm = self.alarm.push(positive);
            score = Some(expected.score);
            identical &= sample.judgement.as_ref().is_some_and(|found| {
                let bits = found.features.iter().copied().map(f32::to_bits);
                bits.eq(features.map(f32::to_bits))
                    && found.scored.score_bits == expected.score.to_bits()
                    && found.scored.positive == positive
                    && found.alarm == alarm
            });
        } else {
            identical &= sample.judgement.is_none();
        }
        Ok(Seen {
            features,
            score,
            alarm: sample.judgement.as_ref().map_or(alarm, |found| found.alarm),
            identical,
            sample,
        })
    }

    /// The UART, to send readings over.
    pub fn link(&mut self) -> &mut Link {
        &mut self.link
    }

    /// Ends it.
    ///
    /// # Errors
    /// If it does not end.
    pub fn stop(self) -> Result<Option<i32>, DeviceError> {
        self.link.stop()
    }
}

/// Alarms of a [day](pual_trainer::data::synth::day), against what happened.
///
/// An excursion begins with the first reading of a fault at which the load is outside its limits. Alarms between the fault and
/// that moment are early. Between the repair and normal operation, and after a door let the load slip over its limit, nothing
/// is asked for: the load is not what it should be, and nothing is broken.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Watched {
    /// Readings of the day.
    pub readings: usize,
    /// Those of normal operation.
    pub normal: usize,
    /// Of those, with the alarm on.
    pub false_alarms: usize,
    /// For each excursion, after how many readings the alarm was on: 0 is the reading with which it begins. Nothing: never.
    pub delays: Vec<Option<usize>>,
    /// For each excursion, for how many readings the alarm had been on when it began.
    pub early: Vec<usize>,
}

impl Watched {
    /// Compares the alarm after each reading with the day.
    #[must_use]
    pub fn new(day: &[Moment], alarms: &[bool]) -> Self {
        let mut watched = Self {
            readings: day.len(),
            normal: day.iter().filter(|moment| moment.normal).count(),
            ..Self::default()
        };
        let normal_alarms = day
            .iter()
            .zip(alarms)
            .filter(|(now, on)| now.normal && **on);
        watched.false_alarms = normal_alarms.count();
        let begins = |&at: &usize| {
            let [before, now] = [&day[at - 1], &day[at]];
            now.danger && now.fault != Fault::None && !before.danger
        };
        for begin in (1..day.len()).filter(begins) {
            let lasts = day[begin..]
                .iter()
                .take_while(|moment| moment.danger)
                .count();
            let during = &alarms[begin..begin + lasts];
            watched.delays.push(during.iter().position(|&on| on));
            let before = alarms[..begin].iter().rev();
            watched.early.push(before.take_while(|&&on| on).count());
        }
        watched
    }

    /// Excursions with an alarm within so many readings.
    #[must_use]
    pub fn within(&self, readings: usize) -> usize {
        let within = |delay: &&Option<usize>| delay.is_some_and(|delay| delay <= readings);
        self.delays.iter().filter(within).count()
    }
}

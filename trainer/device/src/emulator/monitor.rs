//! The monitor firmware in QEMU, with a thermometer that is set from here, compared with the workstation at every measurement.
//!
//! Host and device run in step: the temperature is set, then the device is asked to measure. So every run is the same, however
//! busy the machine, and a day takes a second.

use super::link::Link;
use super::qemu::{Clock, Qemu};
use super::thermometer::Thermometer;
use crate::error::DeviceError;
use crate::firmware::{Board, build};
use crate::image::Image;
use pual_infer::{Alarm, Class, Model};
use pual_protocol::Sample;
use pual_trainer::synth::{IN_A_ROW, Temperatures};
use std::time::Duration;

/// The board has an I2C bus on which QEMU can put a thermometer.
const BOARD: Board = Board::CortexM4F;
const PROGRAM: &str = "monitor";

/// A running monitor.
#[derive(Debug)]
pub struct Monitor<'m> {
    link: Link,
    thermometer: Thermometer,
    model: Model<'m>,
    temperatures: Temperatures,
    alarm: Alarm,
}

/// One measurement, on the device and on the workstation.
#[derive(Clone, Debug)]
pub struct Measurement {
    /// The device's answer.
    pub sample: Sample,
    /// The features, computed by the workstation.
    pub features: Option<[f32; 3]>,
    /// Their score.
    pub score: Option<f32>,
    /// Is the device's alarm on?
    pub alarm: bool,
    /// Are the device's count, features, score, class and alarm right to the bit?
    pub identical: bool,
}

impl<'m> Monitor<'m> {
    /// Builds the firmware and boots it with a model, given as bytes and decoded. Nothing else in this process may use the name.
    pub fn boot(
        bytes: &[u8],
        model: Model<'m>,
        name: &str,
        clock: Clock,
        limit: Duration,
    ) -> Result<Self, DeviceError> {
        let image = Image::read(&build(BOARD, PROGRAM)?)?.with_model(bytes, name)?;
        let booted = Qemu::boot_with_thermometer(BOARD, &image, name, clock, limit)
            .and_then(|(machine, thermometer)| Ok((Link::answering(machine)?, thermometer)));
        // QEMU has read it by the time that the firmware answers.
        let _ = std::fs::remove_file(image);
        let (mut link, thermometer) = booted?;
        match link.hello()? {
            Some(hello) if hello.model_checksum == model.checksum() => {}
            _ => return Err(DeviceError::Answer("it did not accept the model".into())),
        }
        Ok(Self { link, thermometer, model, temperatures: Temperatures::default(), alarm: Alarm::new(IN_A_ROW) })
    }

    /// Sets the temperature and has it measured; the sensor must show `count`.
    pub fn expose(&mut self, millidegrees: i32, count: i16) -> Result<Measurement, DeviceError> {
        self.thermometer.expose(millidegrees)?;
        let refused = || DeviceError::Answer("the monitor has no temperature".into());
        let sample = self.link.sample()?.ok_or_else(refused)?;

        let features = self.temperatures.push(sample.count);
        let unscored = |error| DeviceError::Answer(format!("no score for {features:?}: {error}"));
        let (mut score, mut alarm) = (None, false);
        let mut identical = sample.count == count;
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
        Ok(Measurement {
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
    pub fn stop(self) -> Result<Option<i32>, DeviceError> {
        self.link.stop()
    }
}

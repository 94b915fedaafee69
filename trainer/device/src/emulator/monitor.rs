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
use pual_infer::{AnyModel, Class};
use pual_protocol::monitor::{Alarm, Sample, Temperatures};
use std::time::Duration;

/// The board has an I2C bus on which QEMU can put a thermometer.
const BOARD: Board = Board::CortexM4F;
const PROGRAM: &str = "monitor";

/// A running monitor.
#[derive(Debug)]
pub struct Monitor<'m> {
    link: Link,
    thermometer: Thermometer,
    model: AnyModel<'m>,
    temperatures: Temperatures,
    alarm: Alarm,
}

/// One measurement, on the device and on the workstation.
#[derive(Clone, Copy, Debug)]
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
    ///
    /// # Errors
    /// If it does not build or boot, or does not accept the model.
    pub fn boot(
        bytes: &[u8],
        model: AnyModel<'m>,
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
        Ok(Self {
            link,
            thermometer,
            model,
            temperatures: Temperatures::new(),
            alarm: Alarm::new(),
        })
    }

    /// Sets the temperature and has it measured; the sensor must show `count`.
    ///
    /// # Errors
    /// If the device does not answer.
    pub fn expose(&mut self, millidegrees: i32, count: i16) -> Result<Measurement, DeviceError> {
        self.thermometer.expose(millidegrees)?;
        let refused = || DeviceError::Answer("the monitor has no temperature".into());
        let sample = self.link.sample()?.ok_or_else(refused)?;

        let features = self.temperatures.push(sample.count);
        let unscored = |error| DeviceError::Answer(format!("no score for {features:?}: {error}"));
        let (mut score, mut alarm) = (None, false);
        let mut identical = sample.count == count;
        if let Some(features) = features {
            let expected = self.model.score(&features).map_err(unscored)?;
            let class = self.model.classify(&features).map_err(unscored)?;
            alarm = self.alarm.push(class == Class::Positive);
            score = Some(expected);
            identical &= sample.judged.is_some_and(|judged| {
                judged.feature_bits == features.map(f32::to_bits)
                    && judged.scored.score_bits == expected.to_bits()
                    && judged.scored.positive == (class == Class::Positive)
                    && judged.alarm == alarm
            });
        } else {
            identical &= sample.judged.is_none();
        }
        Ok(Measurement {
            sample,
            features,
            score,
            alarm: sample.judged.map_or(alarm, |judged| judged.alarm),
            identical,
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

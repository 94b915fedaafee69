//! The monitor firmware in QEMU, with a thermometer that is set from here, compared with the workstation at every measurement.
//! Its model takes the thermometer's counts: [`thermometer_recipe`] says how.
//!
//! Host and device run in step: the temperature is set, then the device is asked to measure. So every run is the same, however
//! busy the machine, and a day takes a second.

use super::link::Link;
use super::qemu::{Clock, Qemu};
use super::thermometer::Thermometer;
use crate::error::DeviceError;
use crate::firmware::{Board, build};
use crate::image::Image;
use crate::samples::Workstation;
use pual_infer::{AlarmRule, ChannelSpec, DriftRule, Feature, FeatureKind, Input, Model, RecipeSpec};
use pual_protocol::{ALARM, OUTSIDE, POSITIVE, Sample, WindowVerdict};
use pual_trainer::synth::{IN_A_ROW, MINUTES_A_READING};
use std::time::Duration;

/// The board has an I2C bus on which QEMU can put a thermometer.
const BOARD: Board = Board::CortexM4F;
const PROGRAM: &str = "monitor";

/// Counts of a 12-bit thermometer, 1/16 degree each, to level, slope and spread of the last 8 temperatures; the alarm goes on after
/// two positive readings in a row, and off after two negative ones.
#[must_use]
pub fn thermometer_recipe() -> RecipeSpec {
    let feature = |kind| Feature { kind, channel: 0, relative: false };
    RecipeSpec {
        input: Input::Counts,
        rate: 1.0 / (60.0 * MINUTES_A_READING as f32),
        hop: 1,
        blocks: 8,
        baseline: 0,
        alarm: AlarmRule { on: IN_A_ROW, of: IN_A_ROW, off: IN_A_ROW },
        drift: DriftRule::default(),
        channels: vec![ChannelSpec { name: "temperature [C]".into(), exponent: -4, ..ChannelSpec::default() }],
        magnitudes: Vec::new(),
        features: [FeatureKind::Mean, FeatureKind::Slope, FeatureKind::Sd].map(feature).into(),
    }
}

/// A running monitor.
#[derive(Debug)]
pub struct Monitor<'m> {
    link: Link,
    thermometer: Thermometer,
    workstation: Workstation<'m>,
}

/// One measurement, on the device and on the workstation.
#[derive(Clone, Debug)]
pub struct Measurement {
    /// The device's answer.
    pub sample: Sample,
    /// What the workstation says, once the window is full.
    pub expected: Option<WindowVerdict>,
    /// Is the device's alarm on?
    pub alarm: bool,
    /// Are the device's count, features, score, class and alarm right to the bit?
    pub identical: bool,
}

impl<'m> Monitor<'m> {
    /// Builds the firmware and boots it with a model that has a [`thermometer_recipe`], given as bytes and decoded. Nothing else in this process may use the name.
    pub fn boot(
        bytes: &[u8],
        model: &'m Model<'m>,
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
        let workstation = Workstation::new(model).map_err(|error| DeviceError::Answer(error.to_string()))?;
        Ok(Self { link, thermometer, workstation })
    }

    /// Sets the temperature and has it measured; the sensor must show `count`.
    pub fn expose(&mut self, millidegrees: i32, count: i16) -> Result<Measurement, DeviceError> {
        self.thermometer.expose(millidegrees)?;
        let refused = || DeviceError::Answer("the monitor has no temperature".into());
        let sample = self.link.sample()?.ok_or_else(refused)?;

        let unscored = |error| DeviceError::Answer(format!("no score for {sample:?}: {error}"));
        let expected = self.workstation.push(&[sample.count]).map_err(unscored)?;
        let same = match (&expected, &sample.judgement) {
            (None, None) => true,
            (Some(expected), Some(found)) => {
                let bits = found.features.iter().copied().map(f32::to_bits);
                bits.eq(expected.features.iter().copied().map(f32::to_bits))
                    && found.scored.score_bits == expected.score.to_bits()
                    && found.scored.positive == expected.is(POSITIVE)
                    && found.scored.outside_envelope == expected.is(OUTSIDE)
                    && found.alarm == expected.is(ALARM)
            }
            _ => false,
        };
        let alarm = sample.judgement.as_ref().is_some_and(|found| found.alarm);
        Ok(Measurement { identical: same && sample.count == count, expected, alarm, sample })
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

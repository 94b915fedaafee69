//! What a monitor on a vaccine [refrigerator](super::refrigerator) sees: rows to train on, and a day to try it with.
//!
//! A reading every 5 minutes, as a 12-bit thermometer gives it; `level`, `slope` (degrees per reading) and `spread` of the last 8
//! come from `pual_infer::Window`; a stream model computes the same from the thermometer's counts. A row is **positive when the load is
//! outside 2 to 8 degrees**.

use super::refrigerator::{Fault, MINUTES_A_READING, Refrigerator, WARM_UP, log};
use crate::base::random::Random;
use crate::data::table::Table;
use pual_infer::Window;

const STREAM_OF_DAYS: u64 = 2;
/// Minutes between two rows: their windows do not overlap, and a thousand rows come from forty refrigerators.
const MINUTES_A_ROW: usize = 60;

/// Readings in the window.
const WINDOW: usize = 8;
/// Counts of the thermometer per degree Celsius.
pub const COUNTS_PER_DEGREE: f32 = 16.0;
/// Readings in a row that switch the monitor's alarm.
pub const IN_A_ROW: u8 = 2;

/// The last temperatures.
#[derive(Clone, Debug, Default)]
pub struct Temperatures(Window<1, WINDOW>);

impl Temperatures {
    /// Takes a count of the thermometer and computes the features, once the window is full.
    pub fn push(&mut self, count: i16) -> Option<[f32; 3]> {
        self.0.push([f32::from(count) / COUNTS_PER_DEGREE]).ok()?;
        self.0.summary(0)
    }
}

/// `rows` rows in order of time, with their truth and no labels.
pub fn monitored(rows: usize, seed: u64) -> Table {
    log(["level", "slope", "spread"], rows, MINUTES_A_ROW, seed, |temperatures: &mut Temperatures, air| {
        Some(temperatures.push(thermometer(millidegrees(air)))?.map(f64::from))
    })
}

fn millidegrees(degrees: f64) -> i32 {
    (1000.0 * degrees).round() as i32
}

/// The count of a 12-bit thermometer, 1/16 degree: QEMU's TMP105 keeps 1/256 degree, cut off towards zero, and its four lowest
/// bits are not shown.
pub fn thermometer(millidegrees: i32) -> i16 {
    ((millidegrees * 256 / 1000) >> 4) as i16
}

/// One reading of a [`day`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// What the thermometer is exposed to.
    pub millidegrees: i32,
    /// The load's temperature, which nobody measures.
    pub load: f64,
    /// What is wrong.
    pub fault: Fault,
    /// Is the load too warm or too cold?
    pub danger: bool,
    /// Normal operation: nothing is wrong, the load is safe, and both were so for as long as the window reaches back.
    pub normal: bool,
}

/// A refrigerator's day: normal operation, a compressor that stops until the load has been too warm for a while, normal
/// operation, a thermostat that sticks and freezes the load, and normal operation again. Doors open at any time but during a
/// fault. (A door left ajar is no part of it: there the load may stay just at its limit for hours, and no alarm is right.)
pub fn day(seed: u64) -> Vec<Moment> {
    let mut random = Random::new(seed, STREAM_OF_DAYS);
    let mut day = Day::begin(&mut random);
    for fault in [Fault::CompressorStopped, Fault::ThermostatStuck] {
        day.run_normally(24 + random.below(8), &mut random);
        day.run_into(fault, 8 + random.below(6), &mut random);
    }
    day.run_normally(16, &mut random);
    day.moments
}

struct Day {
    refrigerator: Refrigerator,
    moments: Vec<Moment>,
    /// Readings since the last one with a fault or danger.
    well: usize,
}

impl Day {
    fn begin(random: &mut Random) -> Self {
        let mut refrigerator = Refrigerator::new(random);
        // From now on faults come when they are told to.
        refrigerator.repair(random);
        (0..WARM_UP).for_each(|_| refrigerator.advance(random));
        Self { refrigerator, moments: Vec::new(), well: WINDOW }
    }

    fn read(&mut self, random: &mut Random) {
        (0..MINUTES_A_READING).for_each(|_| self.refrigerator.advance(random));
        let refrigerator = &self.refrigerator;
        let danger = refrigerator.is_in_danger();
        self.well = match refrigerator.fault {
            Fault::None if !danger => self.well + 1,
            _ => 0,
        };
        self.moments.push(Moment {
            millidegrees: millidegrees(refrigerator.measure(random)),
            load: refrigerator.load,
            fault: refrigerator.fault,
            danger,
            normal: self.well >= WINDOW,
        });
    }

    /// Runs until there were this many readings of normal operation.
    fn run_normally(&mut self, readings: usize, random: &mut Random) {
        while self.well < WINDOW + readings {
            self.read(random);
        }
    }

    /// Runs until the load was in danger for this many readings, then repairs.
    fn run_into(&mut self, fault: Fault, readings: usize, random: &mut Random) {
        self.refrigerator.break_by(fault);
        let mut dangerous = 0;
        while dangerous < readings {
            self.read(random);
            dangerous += usize::from(self.refrigerator.is_in_danger());
        }
        self.refrigerator.repair(random);
        self.well = 0;
    }
}

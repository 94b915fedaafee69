//! A log of vaccine refrigerators, simulated minute by minute: is the *load* too warm or too cold?
//!
//! The thermometer hangs in the air; the vials lag behind it. With air A, load G, ambient T_a, evaporator T_e (per minute):
//!
//! ```text
//! dA = (T_a - A)/leak + (G - A)/exchange + [door open] (T_a - A)/door + [compressor on] (T_e - A)/cooling
//! dG = (A - G)/lag
//! ```
//!
//! A row is **positive when the load is outside 2 to 8 degrees**, the range in which vaccines are kept. A thermostat keeps the
//! air between 4 and 6; doors open now and then, and the air leaps up and recovers while the load hardly notices (negative,
//! though the thermometer reads 9); a compressor that stops or a door left ajar warms the load, a thermostat that sticks
//! freezes it; after the repair the air is soon right again while the load still is not (positive, though the thermometer reads
//! 6). So the temperature alone misleads both ways and the slope sets it right: roughly, G = A - lag * slope. The positives lie on both
//! sides of normal operation, and sensor noise blurs the border.
//!
//! Columns, as a device on the refrigerator would compute them from readings 5 minutes apart:
//! `temperature`, in degrees Celsius and steps of 1/16 degree like a 12-bit digital thermometer, and `slope`, in degrees an
//! hour, the least-squares slope of the last 4 temperatures.
//!
//! What can be had, as F1 on 3000 rows: the limits 2 and 8 applied to the air, a common logger's alarm, 89; any straight line 68
//! at most; kernel PUAL, GLLC and BSVM from 1000 positive-unlabeled rows, best of a small grid in hindsight, 94 to 95; a vote of 25
//! neighbours among 6000 rows that know the truth 96.

use super::{STREAM_OF_ROWS, table};
use crate::csv::Table;
use crate::random::Random;

/// Minutes between two readings.
const MINUTES_A_READING: usize = 5;
/// Minutes between two rows of the log: neighbouring rows are alike, so more of them would tell little more.
const MINUTES_A_ROW: usize = 15;
/// Readings from which the slope is computed.
const WINDOW: usize = 4;

/// The load is in danger outside of these, in degrees Celsius.
const SAFE: std::ops::RangeInclusive<f64> = 2.0..=8.0;
/// The thermostat switches on above and off below.
const THERMOSTAT: [f64; 2] = [4.0, 6.0];
/// A refrigerator is watched for a day, then the log goes on with another one.
const MINUTES_A_REFRIGERATOR: usize = 24 * 60;
/// Before its first reading is taken a refrigerator runs for this long.
const WARM_UP: usize = 3 * 60;

// Time constants, in minutes.
const LEAK: f64 = 180.0;
const DOOR: f64 = 14.0;
const AJAR: f64 = 60.0;
const COOLING: f64 = 60.0;
const EXCHANGE: f64 = 60.0;
const LAG: f64 = 15.0;

const EVAPORATOR: f64 = -14.0;
const SENSOR_NOISE: f64 = 0.2;
const SENSOR_STEP: f64 = 1.0 / 16.0;
const MEAN_MINUTES_BETWEEN_DOORS: f64 = 90.0;
const MEAN_MINUTES_BETWEEN_FAULTS: f64 = 300.0;

/// `rows` rows in order of time, with their truth and no labels.
pub fn cold_chain(rows: usize, seed: u64) -> Table {
    let mut random = Random::new(seed, STREAM_OF_ROWS);
    let mut values = Vec::with_capacity(2 * rows);
    let mut truth = Vec::with_capacity(rows);
    while truth.len() < rows {
        watch_one(rows, &mut values, &mut truth, &mut random);
    }
    table(&["temperature", "slope"], values, truth)
}

/// Appends one refrigerator's day, or as much of it as fits in `rows`.
fn watch_one(rows: usize, values: &mut Vec<f64>, truth: &mut Vec<bool>, random: &mut Random) {
    let mut refrigerator = Refrigerator::new(random);
    let mut readings: Vec<f64> = Vec::new();
    for minute in 0..WARM_UP + MINUTES_A_REFRIGERATOR {
        refrigerator.advance(random);
        if minute % MINUTES_A_READING != 0 {
            continue;
        }
        readings.push(refrigerator.reading(random));
        if minute < WARM_UP || minute % MINUTES_A_ROW != 0 || truth.len() == rows {
            continue;
        }
        if let Some(window) = readings.last_chunk::<WINDOW>() {
            values.extend([window[WINDOW - 1], slope(window)]);
            truth.push(!SAFE.contains(&refrigerator.load));
        }
    }
}

/// Least-squares slope of equally spaced readings, in degrees an hour.
fn slope(window: &[f64; WINDOW]) -> f64 {
    let middle = (WINDOW - 1) as f64 / 2.0;
    let offsets = || (0..WINDOW).map(|at| at as f64 - middle);
    let sum: f64 = offsets()
        .zip(window)
        .map(|(offset, reading)| offset * reading)
        .sum();
    let squares: f64 = offsets().map(|offset| offset * offset).sum();
    sum / squares * (60.0 / MINUTES_A_READING as f64)
}

/// What is wrong with a refrigerator.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    CompressorStopped,
    DoorAjar,
    ThermostatStuck,
}

struct Refrigerator {
    ambient: f64,
    air: f64,
    load: f64,
    compressor: bool,
    door_minutes: f64,
    next_door: f64,
    fault: Fault,
    fault_minutes: f64,
    next_fault: f64,
}

impl Refrigerator {
    fn new(random: &mut Random) -> Self {
        Self {
            ambient: random.between(18.0, 27.0),
            air: 5.0,
            load: 5.0,
            compressor: false,
            door_minutes: 0.0,
            next_door: random.waiting_time(MEAN_MINUTES_BETWEEN_DOORS),
            fault: Fault::None,
            fault_minutes: 0.0,
            next_fault: random.waiting_time(MEAN_MINUTES_BETWEEN_FAULTS),
        }
    }

    /// One minute.
    fn advance(&mut self, random: &mut Random) {
        self.open_doors(random);
        self.break_and_repair(random);
        let [low, high] = THERMOSTAT;
        self.compressor = match self.fault {
            Fault::ThermostatStuck => true,
            Fault::CompressorStopped => false,
            _ if self.air > high => true,
            _ if self.air < low => false,
            _ => self.compressor,
        };
        let mut change = (self.ambient - self.air) / LEAK + (self.load - self.air) / EXCHANGE;
        if self.door_minutes > 0.0 {
            change += (self.ambient - self.air) / DOOR;
        }
        if self.fault == Fault::DoorAjar {
            change += (self.ambient - self.air) / AJAR;
        }
        if self.compressor {
            change += (EVAPORATOR - self.air) / COOLING;
        }
        self.load += (self.air - self.load) / LAG;
        self.air += change;
    }

    fn open_doors(&mut self, random: &mut Random) {
        self.door_minutes -= 1.0;
        self.next_door -= 1.0;
        if self.next_door <= 0.0 {
            self.door_minutes = random.between(1.0, 4.0);
            self.next_door = random.waiting_time(MEAN_MINUTES_BETWEEN_DOORS);
        }
    }

    fn break_and_repair(&mut self, random: &mut Random) {
        if self.fault != Fault::None {
            self.fault_minutes -= 1.0;
            if self.fault_minutes <= 0.0 {
                self.fault = Fault::None;
                self.next_fault = random.waiting_time(MEAN_MINUTES_BETWEEN_FAULTS);
            }
            return;
        }
        self.next_fault -= 1.0;
        if self.next_fault <= 0.0 {
            self.fault = [
                Fault::CompressorStopped,
                Fault::DoorAjar,
                Fault::ThermostatStuck,
                Fault::ThermostatStuck,
            ][random.below(4)];
            self.fault_minutes = random.between(90.0, 300.0);
        }
    }

    /// What the thermometer in the air says.
    fn reading(&self, random: &mut Random) -> f64 {
        let noisy = self.air + SENSOR_NOISE * random.normal();
        (noisy / SENSOR_STEP).round() * SENSOR_STEP
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slope_is_in_degrees_an_hour() {
        // Half a degree every 5 minutes.
        assert_eq!(slope(&[5.0, 5.5, 6.0, 6.5]), 6.0);
        assert_eq!(slope(&[4.0; WINDOW]), 0.0);
        // Against the normal equations: (-1.5 * 1 - 0.5 * 2 + 0.5 * 0 + 1.5 * 4) / 5 * 12.
        assert!((slope(&[1.0, 2.0, 0.0, 4.0]) - 8.4).abs() < 1e-12);
    }

    #[test]
    fn the_load_lags_behind_the_air() {
        let mut random = Random::new(1, 0);
        let mut refrigerator = Refrigerator::new(&mut random);
        (refrigerator.next_door, refrigerator.next_fault) = (1e9, 1e9);
        // Left alone, the thermostat keeps both within its limits, give or take a minute of overshoot.
        for _ in 0..1000 {
            refrigerator.advance(&mut random);
            assert!(
                (3.5..6.5).contains(&refrigerator.air) && (4.0..6.0).contains(&refrigerator.load)
            );
        }
        // A door opened for three minutes: the air leaps, the load hardly moves.
        let (air, load) = (refrigerator.air, refrigerator.load);
        refrigerator.door_minutes = 4.0;
        (0..3).for_each(|_| refrigerator.advance(&mut random));
        assert!(refrigerator.air > air + 2.0 && refrigerator.load < load + 0.6);
        // A compressor that stops: the load passes 8 degrees within hours, after the air.
        (refrigerator.fault, refrigerator.fault_minutes) = (Fault::CompressorStopped, 1e9);
        let mut minutes = 0;
        while refrigerator.load < 8.0 {
            refrigerator.advance(&mut random);
            minutes += 1;
            assert!(minutes < 180 && refrigerator.load < refrigerator.air);
        }
    }
}

//! A vaccine refrigerator, minute by minute.
//!
//! The thermometer hangs in the air; the vials lag behind it. With air A, load G, ambient T_a, evaporator T_e (per minute):
//!
//! ```text
//! dA = (T_a - A)/leak + (G - A)/exchange + [door open] (T_a - A)/door + [compressor on] (T_e - A)/cooling
//! dG = (A - G)/lag
//! ```
//!
//! A thermostat keeps the air between 4 and 6; doors open now and then, and the air leaps up and recovers while the load
//! hardly notices (safe, though the thermometer reads 9); a compressor that stops or a door left ajar warms the load, a
//! thermostat that sticks freezes it; after the repair the air is soon right again while the load still is not (in danger,
//! though the thermometer reads 6). So the temperature alone misleads both ways and the slope sets it right: roughly,
//! G = A - lag * slope. Danger lies on both sides of normal operation, and sensor noise blurs the border.

use super::{STREAM_OF_ROWS, table};
use crate::base::random::Random;
use crate::data::table::Table;

/// The load is in danger outside of these, in degrees Celsius.
pub const SAFE: std::ops::RangeInclusive<f64> = 2.0..=8.0;
/// The thermostat switches on above and off below.
const THERMOSTAT: [f64; 2] = [4.0, 6.0];
/// Before its first reading is taken a refrigerator runs for this long.
pub(super) const WARM_UP: usize = 3 * 60;
/// A refrigerator is watched for a day, then a log goes on with another one.
const MINUTES_A_DAY: usize = 24 * 60;
/// Minutes between two readings.
pub const MINUTES_A_READING: usize = 5;

// Time constants, in minutes.
const LEAK: f64 = 180.0;
const DOOR: f64 = 14.0;
const AJAR: f64 = 60.0;
const COOLING: f64 = 60.0;
const EXCHANGE: f64 = 60.0;
const LAG: f64 = 15.0;

const EVAPORATOR: f64 = -14.0;
const SENSOR_NOISE: f64 = 0.2;
const MEAN_MINUTES_BETWEEN_DOORS: f64 = 90.0;
const MEAN_MINUTES_BETWEEN_FAULTS: f64 = 300.0;

/// What is wrong with a refrigerator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    None,
    /// It does not cool any more.
    CompressorStopped,
    /// The room's air comes in.
    DoorAjar,
    /// It does not stop cooling.
    ThermostatStuck,
}

pub(super) struct Refrigerator {
    ambient: f64,
    air: f64,
    pub(super) load: f64,
    compressor: bool,
    door_minutes: f64,
    next_door: f64,
    pub(super) fault: Fault,
    fault_minutes: f64,
    next_fault: f64,
}

impl Refrigerator {
    pub(super) fn new(random: &mut Random) -> Self {
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
    pub(super) fn advance(&mut self, random: &mut Random) {
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

    /// Breaks until it is [repaired](Self::repair). Nobody is there to open the door, or it would be noticed.
    pub(super) fn break_by(&mut self, fault: Fault) {
        (self.fault, self.fault_minutes) = (fault, f64::INFINITY);
        (self.next_door, self.door_minutes) = (f64::INFINITY, 0.0);
    }

    /// Works again, for good.
    pub(super) fn repair(&mut self, random: &mut Random) {
        (self.fault, self.next_fault) = (Fault::None, f64::INFINITY);
        self.next_door = random.waiting_time(MEAN_MINUTES_BETWEEN_DOORS);
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
            self.fault = [Fault::CompressorStopped, Fault::DoorAjar, Fault::ThermostatStuck, Fault::ThermostatStuck]
                [random.below(4)];
            self.fault_minutes = random.between(90.0, 300.0);
        }
    }

    /// The air's temperature, as a noisy thermometer has it.
    pub(super) fn measure(&self, random: &mut Random) -> f64 {
        self.air + SENSOR_NOISE * random.normal()
    }

    /// Is the load too warm or too cold?
    pub(super) fn is_in_danger(&self) -> bool {
        !SAFE.contains(&self.load)
    }
}

/// `rows` rows in order of time, with their truth and no labels: one refrigerator's day after another. `read` adds a reading to what
/// is remembered of the day, and computes a row's features.
pub(super) fn log<Memory: Default, const N: usize>(
    names: [&str; N],
    rows: usize,
    minutes_a_row: usize,
    seed: u64,
    read: impl Fn(&mut Memory, f64) -> Option<[f64; N]>,
) -> Table {
    let mut random = Random::new(seed, STREAM_OF_ROWS);
    let (mut values, mut truth) = (Vec::with_capacity(N * rows), Vec::with_capacity(rows));
    while truth.len() < rows {
        let mut refrigerator = Refrigerator::new(&mut random);
        let mut memory = Memory::default();
        for minute in 0..WARM_UP + MINUTES_A_DAY {
            refrigerator.advance(&mut random);
            if minute % MINUTES_A_READING != 0 {
                continue;
            }
            let features = read(&mut memory, refrigerator.measure(&mut random));
            if minute >= WARM_UP
                && minute % minutes_a_row == 0
                && truth.len() < rows
                && let Some(features) = features
            {
                values.extend(features);
                truth.push(refrigerator.is_in_danger());
            }
        }
    }
    table(&names, values, truth)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_load_lags_behind_the_air() {
        let mut random = Random::new(1, 0);
        let mut refrigerator = Refrigerator::new(&mut random);
        (refrigerator.next_door, refrigerator.next_fault) = (1e9, 1e9);
        // Left alone, the thermostat keeps both within its limits, give or take a minute of overshoot.
        for _ in 0..1000 {
            refrigerator.advance(&mut random);
            assert!((3.5..6.5).contains(&refrigerator.air) && (4.0..6.0).contains(&refrigerator.load));
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

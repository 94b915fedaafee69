//! A heating circuit's pump, second by second: what a logger on it records.
//!
//! Three sensors: vibration of the housing, current of the motor, temperature of the housing. With flow q, of which valves ask
//! between 0.6 and 0.85, and the severity s of a fault, between 0 and 1:
//!
//! ```text
//! current      = 3 + 3 q + [blocked] 1.3 s - [dry] 1.3 s
//! vibration    = 1.6 + 1.2 |q - 0.8| - [blocked] 0.2 s + [dry] 0.9 s
//! temperature -> ambient + 12 + 28 q (1 - [blocked] 0.5 s) + [dry] 10 s      with a lag of 90 seconds
//! ```
//!
//! More flow means more current *and* a warmer housing, so normal operation is a band through the plane of the two. A blocked
//! impeller lies on one side of it (too much current, too cold), a dry-running pump on the other (too little, too warm), and
//! neither is an unusual value of its own: **the faults lie on two sides of normal**. Ambient temperature, sensors and
//! bearings drift; knocks and dips of the mains come and go, and are no faults.

use super::recorded::{LabeledStretch, RawRecording};
use crate::base::random::Random;

/// Samples per second.
pub const MACHINE_RATE: f64 = 1.0;
/// Each recording has a stream of its own, so that more of them leave the first ones unchanged.
const STREAM_OF_RECORDINGS: u64 = 1000;
const STREAM_OF_MACHINE_DAYS: u64 = 3;

const NAMES: [&str; 3] = ["vibration [mm/s]", "current [A]", "temperature [C]"];
const NAMES_OF_COUNTS: [&str; 3] = ["vibration", "current", "temperature"];
/// Counts of a 12-bit converter per unit: up to 16 mm/s, 16 A, 128 degrees.
const COUNTS: [f64; 3] = [256.0, 256.0, 32.0];
const HIGHEST_COUNT: f64 = 4095.0;
const DECIMALS: usize = 3;

/// The first day: 3 March 2025, 06:00.
const FIRST_DAY: i64 = 1_740_981_600;
const SECONDS_A_DAY: usize = 24 * 3600;

/// Valves move after this many seconds on average, and so slowly.
const SECONDS_BETWEEN_LOADS: f64 = 900.0;
const SLEW: f64 = 0.15 / 60.0;
const FLOWS: [f64; 2] = [0.6, 0.85];
const LAG: f64 = 90.0;
const SECONDS_BETWEEN_KNOCKS: f64 = 600.0;
const SECONDS_BETWEEN_DIPS: f64 = 1500.0;
/// Standard deviations of the sensors.
const NOISE: [f64; 3] = [0.12, 0.06, 0.15];

/// At most one fault in each of these, and none in the first part of one.
const SLOT: usize = 2400;
const SHARE_OF_SLOTS: f64 = 0.6;
const SHARE_LABELED: f64 = 0.5;

/// What is wrong with the pump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MachineFault {
    /// Something is caught in the impeller.
    Blocked,
    /// There is no water.
    Dry,
}

/// What to record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MachineOptions {
    /// Recordings, each of another day.
    pub recordings: usize,
    /// Length of a recording.
    pub minutes: usize,
    /// Integers of a converter in place of physical units.
    pub counts: bool,
    /// The same seed records the same.
    pub seed: u64,
}

impl Default for MachineOptions {
    fn default() -> Self {
        Self { recordings: 8, minutes: 120, counts: false, seed: 1 }
    }
}

/// A fault, in seconds from the start.
#[derive(Clone, Copy, Debug)]
struct PlannedFault {
    kind: MachineFault,
    from: usize,
    to: usize,
    severity: f64,
    /// Seconds until it is that severe.
    ramp: usize,
}

impl PlannedFault {
    fn new(kind: MachineFault, from: usize, seconds: usize, random: &mut Random) -> Self {
        let ramp = 60 + random.below(90);
        Self { kind, from, to: from + seconds, severity: random.between(0.75, 1.0), ramp }
    }

    fn severity(&self, second: usize) -> f64 {
        if !(self.from..self.to).contains(&second) {
            return 0.0;
        }
        self.severity * ((second - self.from) as f64 / self.ramp as f64).min(1.0)
    }
}

/// Recordings of one pump, on different days, with a few stretches labeled by someone who was there.
pub fn machine(options: &MachineOptions) -> Vec<RawRecording> {
    let mut faults = 0;
    let record = |number: usize| {
        let random = &mut Random::new(options.seed, STREAM_OF_RECORDINGS + number as u64);
        let seconds = 60 * options.minutes;
        let plan = plan(seconds, faults, random);
        let mut labeled = Vec::new();
        // While it was being set up somebody watched.
        if number == 0 {
            labeled.push(LabeledStretch { from: 0, to: SLOT.min(seconds) / 3, fault: false });
        }
        for (index, fault) in plan.iter().enumerate() {
            // Noticed when it is well under way.
            let noticed = fault.from + fault.ramp + random.below(60);
            if faults + index < 2 || random.uniform() < SHARE_LABELED {
                labeled.push(LabeledStretch { from: noticed.min(fault.to - 60), to: fault.to, fault: true });
            }
        }
        faults += plan.len();
        let mut recording = record(&plan, seconds, number, options.counts, random);
        recording.labeled = labeled;
        // A logger that was off for two minutes.
        if number % 3 == 2 {
            let off = seconds / 2 + random.below(seconds / 4);
            recording.remove(off, off + 120);
        }
        recording
    };
    (0..options.recordings).map(record).collect()
}

/// A day of the same pump: normal operation, a blocked impeller, normal operation, dry running, normal operation. Nothing is
/// labeled; the truth is known.
pub fn machine_day(seed: u64, hours: usize, counts: bool) -> RawRecording {
    let random = &mut Random::new(seed, STREAM_OF_MACHINE_DAYS);
    let seconds = 3600 * hours;
    let mut fault = |kind, share: f64| {
        let from = (share * seconds as f64) as usize + random.below(600);
        PlannedFault::new(kind, from, 600 + random.below(600), random)
    };
    let plan = [fault(MachineFault::Blocked, 0.3), fault(MachineFault::Dry, 0.7)];
    let mut day = record(&plan, seconds, 0, counts, random);
    "day".clone_into(&mut day.name);
    day
}

/// Blocked and dry in turn; `before` is the number of faults in earlier recordings.
fn plan(seconds: usize, before: usize, random: &mut Random) -> Vec<PlannedFault> {
    let mut plan = Vec::new();
    for slot in 0..seconds / SLOT {
        if random.uniform() >= SHARE_OF_SLOTS {
            continue;
        }
        let length = 360 + random.below(480);
        let from = slot * SLOT + SLOT / 3 + random.below(SLOT - SLOT / 3 - length);
        let kind = [MachineFault::Blocked, MachineFault::Dry][(before + plan.len()) % 2];
        plan.push(PlannedFault::new(kind, from, length, random));
    }
    plan
}

fn record(plan: &[PlannedFault], seconds: usize, number: usize, counts: bool, random: &mut Random) -> RawRecording {
    let mut pump = Pump::new(number, random);
    let names = if counts { NAMES_OF_COUNTS } else { NAMES };
    let decimals = if counts { 0 } else { DECIMALS };
    let start = FIRST_DAY + (number * SECONDS_A_DAY) as i64;
    let mut recording = RawRecording::new(format!("pump-{}", number + 1), start, 1.0 / MACHINE_RATE, &names, decimals);
    for second in 0..seconds {
        let fault = plan.iter().map(|fault| (fault.kind, fault.severity(second))).find(|fault| fault.1 > 0.0);
        let mut values = pump.advance(second, fault, random);
        for (value, per_unit) in values.iter_mut().zip(COUNTS) {
            let count = (*value * per_unit).round().clamp(0.0, HIGHEST_COUNT);
            *value = if counts { count } else { count / per_unit };
        }
        let truth = plan.iter().any(|fault| (fault.from..fault.to).contains(&second));
        recording.push(&values, truth);
    }
    recording
}

struct Pump {
    flow: f64,
    /// What the valves ask for.
    load: f64,
    next_load: f64,
    /// Of the housing.
    temperature: f64,
    ambient: f64,
    /// Of the day's ambient temperature.
    phase: f64,
    wear: f64,
    /// What the current sensor adds.
    offset: f64,
    knock: f64,
    next_knock: f64,
    dip: f64,
    next_dip: f64,
}

impl Pump {
    fn new(number: usize, random: &mut Random) -> Self {
        let flow = random.between(FLOWS[0], FLOWS[1]);
        let ambient = random.between(18.0, 22.0);
        Self {
            flow,
            load: flow,
            next_load: random.waiting_time(SECONDS_BETWEEN_LOADS),
            temperature: ambient + 12.0 + 28.0 * flow,
            ambient,
            phase: random.uniform(),
            wear: 1.0 + 0.02 * number as f64,
            offset: 0.05 * random.normal(),
            knock: 0.0,
            next_knock: random.waiting_time(SECONDS_BETWEEN_KNOCKS),
            dip: 0.0,
            next_dip: random.waiting_time(SECONDS_BETWEEN_DIPS),
        }
    }

    /// One second; returns vibration, current and temperature as the sensors have them.
    fn advance(&mut self, second: usize, fault: Option<(MachineFault, f64)>, random: &mut Random) -> [f64; 3] {
        self.next_load -= 1.0;
        if self.next_load <= 0.0 {
            self.load = random.between(FLOWS[0], FLOWS[1]);
            self.next_load = random.waiting_time(SECONDS_BETWEEN_LOADS);
        }
        self.flow += (self.load - self.flow).clamp(-SLEW, SLEW);
        self.offset += 0.0004 * random.normal();
        let [blocked, dry] = match fault {
            Some((MachineFault::Blocked, severity)) => [severity, 0.0],
            Some((MachineFault::Dry, severity)) => [0.0, severity],
            None => [0.0, 0.0],
        };
        let day = std::f64::consts::TAU * (second as f64 / SECONDS_A_DAY as f64 + self.phase);
        let ambient = self.ambient + 1.5 * libm::sin(day);
        let target = ambient + 12.0 + 28.0 * self.flow * (1.0 - 0.5 * blocked) + 10.0 * dry;
        self.temperature += (target - self.temperature) / LAG;

        let [knock, dip] = self.disturb(random);
        let vibration = self.wear * (1.6 + 1.2 * (self.flow - 0.8).abs() - 0.2 * blocked + 0.9 * dry) + knock;
        let current = 3.0 + 3.0 * self.flow + 1.3 * (blocked - dry) + self.offset - dip;
        let values = [vibration, current, self.temperature];
        std::array::from_fn(|at| values[at] + NOISE[at] * random.normal())
    }

    /// Somebody knocks against the pump, the mains dips: a few seconds.
    fn disturb(&mut self, random: &mut Random) -> [f64; 2] {
        self.next_knock -= 1.0;
        if self.next_knock <= 0.0 {
            self.knock = random.between(0.5, 2.5);
            self.next_knock = random.waiting_time(SECONDS_BETWEEN_KNOCKS);
        }
        self.next_dip -= 1.0;
        if self.next_dip <= 0.0 {
            self.dip = random.between(0.3, 1.0);
            self.next_dip = random.waiting_time(SECONDS_BETWEEN_DIPS);
        }
        self.knock *= 0.6;
        self.dip *= 0.4;
        [self.knock, self.dip]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_records_the_same_and_more_recordings_leave_the_first_unchanged() {
        let few = machine(&MachineOptions { recordings: 2, ..MachineOptions::default() });
        let more = machine(&MachineOptions { recordings: 3, ..MachineOptions::default() });
        assert_eq!(few[..], more[..2]);
        assert_ne!(few, machine(&MachineOptions { recordings: 2, seed: 2, ..MachineOptions::default() }));
    }

    #[test]
    fn faults_lie_on_both_sides_of_normal() {
        let recordings = machine(&MachineOptions::default());
        // Current against the temperature that goes with it, where the pump has been in its state for a while.
        let mut sides = [0_usize; 3];
        let (mut normal, mut outside) = (0, 0);
        for recording in &recordings {
            for (row, &truth) in recording.rows().zip(&recording.truth) {
                let beyond = (row[1] - 3.0) / 3.0 - (row[2] - 32.0) / 28.0;
                if truth {
                    sides[if beyond > 0.2 { 0 } else { 1 + usize::from(beyond < -0.2) }] += 1;
                } else {
                    normal += 1;
                    outside += usize::from(beyond.abs() > 0.25);
                }
            }
        }
        let [blocked, between, dry] = [sides[0], sides[1], sides[2]];
        assert!(blocked > 2000 && dry > 2000 && between < blocked + dry, "{sides:?}");
        assert!(outside * 10 < normal, "{outside} of {normal}");
    }

    #[test]
    fn a_few_stretches_are_labeled_and_all_of_them_rightly() {
        for seed in 1..6 {
            let recordings = machine(&MachineOptions { seed, ..MachineOptions::default() });
            let (mut faults, mut labeled) = (0, 0);
            for recording in &recordings {
                faults += recording.truth.iter().filter(|&&truth| truth).count();
                for stretch in &recording.labeled {
                    let times = stretch.from as f64..stretch.to as f64;
                    let rows = recording.seconds.iter().zip(&recording.truth);
                    let inside: Vec<_> = rows.filter(|row| times.contains(row.0)).collect();
                    assert!(!inside.is_empty() && inside.iter().all(|row| *row.1 == stretch.fault), "{stretch:?}");
                    labeled += if stretch.fault { stretch.to - stretch.from } else { 0 };
                }
            }
            assert!(labeled > 600 && labeled < faults, "{labeled} of {faults}");
            let seconds = 8 * 120 * 60;
            assert!((seconds / 20..seconds / 4).contains(&faults), "{faults}");
        }
    }

    #[test]
    fn counts_are_what_a_converter_gives() {
        let recordings = machine(&MachineOptions { counts: true, recordings: 1, ..MachineOptions::default() });
        for row in recordings[0].rows() {
            assert!(row.iter().all(|value| value.fract() == 0.0 && (0.0..4096.0).contains(value)), "{row:?}");
        }
    }

    #[test]
    fn a_day_has_one_fault_of_each_kind() {
        let day = machine_day(5, 6, false);
        let begins = day.truth.windows(2).filter(|pair| !pair[0] && pair[1]).count();
        assert_eq!((begins, day.truth.len()), (2, 6 * 3600));
        assert!(!day.truth[0] && !day.truth[day.truth.len() - 1]);
    }
}

//! Synthetic data with known truth: the paper's, a refrigerator's, a corridor's, and recordings of a pump.
//!
//! All are *trifurcate*: the positives lie on two sides of the negatives, which is where a squared loss on positives goes
//! wrong and the paper's asymmetric loss does not.

mod alarms;
mod cold_chain;
mod machine;
mod monitored;
mod recorded;
mod refrigerator;
mod trifurcate;
mod wifi_rooms;

pub use alarms::AlarmReport;
pub use cold_chain::cold_chain;
#[doc(hidden)]
pub use machine::{MACHINE_RATE, MachineFault, MachineOptions, machine, machine_day};
pub use monitored::{COUNTS_PER_DEGREE, IN_A_ROW, Moment, Temperatures, day, monitored, thermometer};
#[doc(hidden)]
pub use recorded::{LabeledStretch, RawRecording};
pub use refrigerator::{Fault, MINUTES_A_READING, SAFE};
pub use trifurcate::{PAPER_MEANS, PAPER_ROWS, trifurcate};
pub use wifi_rooms::{wifi_rooms, wifi_scans};

use crate::base::random::Random;
use crate::data::split::label_positives;
use crate::data::table::Table;

/// Random streams of one seed, so that new labels leave the rows unchanged.
const STREAM_OF_ROWS: u64 = 0;
const STREAM_OF_LABELS: u64 = 1;

/// Labels a share `label_frequency` of the true positives of `table`, at random by `seed`. A table without truth gets no label.
pub fn label(mut table: Table, label_frequency: f64, seed: u64) -> Table {
    let random = &mut Random::new(seed, STREAM_OF_LABELS);
    let truth = table.truth.as_deref();
    table.labeled = truth.map(|truth| label_positives(truth, label_frequency, random));
    table
}

/// A table of generated rows with their truth; values are rounded to what the device can read.
fn table(names: &[&str], rows: Vec<f64>, truth: Vec<bool>) -> Table {
    Table {
        names: names.iter().map(|name| (*name).to_owned()).collect(),
        rows: rows.into_iter().map(|x| f64::from(x as f32) + 0.0).collect(),
        truth: Some(truth),
        ..Table::default()
    }
}

//! What compression costs: bytes and F1 of the model trained by default, before and after, over the paper's data sets, label frequencies
//! and fresh case-control splits.
//!
//! ```text
//! cargo run --release -p pual-trainer --example compression_table -- DATA_DIRECTORY SEED...
//! ```
//!
//! DATA_DIRECTORY holds one CSV file per data set, its last column `label`. The truth is used to draw the splits and to count; what
//! is fitted and chosen sees rows and labels. Both models are measured as bytes, by the device's code.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use pual_trainer::internals::{Random, case_control, export};
use pual_trainer::{Columns, Dataset, Options, Phases, Scenario, Table, Watch, evaluate, train};

type Failure = Box<dyn std::error::Error>;

const SETS: [&str; 16] = [
    "acc", "ecoli", "pen", "or1", "or2", "ssmcr", "pb", "od", "umd", "seeds", "enb", "wifi", "avila", "rd", "ld", "hd",
];
/// Shares of the positives to label, for label frequencies 1/2 and 1/4.
const SHARES: [f64; 2] = [7.0 / 17.0, 7.0 / 37.0];
/// Bytes a model should have at most.
const SMALL: usize = 600;

/// One split.
struct Outcome {
    bytes: [usize; 2],
    supports: [usize; 2],
    f1: [f64; 2],
    seconds: f64,
}

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("expected a directory of data")?;
    let seeds = arguments.map(|seed| seed.parse()).collect::<Result<Vec<u64>, _>>()?;
    println!("| set | bytes before | bytes, mean | bytes, largest | supports, mean | F1 before | F1 after | loss |");
    println!("|---|---|---|---|---|---|---|---|");
    let mut all: Vec<Outcome> = Vec::new();
    let mut small_in_every_split = 0;
    let mut loss_of_small = Vec::new();
    for (number, set) in SETS.into_iter().enumerate() {
        let columns = Columns { truth: Some("label".to_owned()), ..Columns::default() };
        let table = Table::open(&Path::new(&folder).join(format!("{set}.csv")), &columns)?;
        let mut outcomes = Vec::new();
        for (at, share) in SHARES.into_iter().enumerate() {
            for &seed in &seeds {
                // Each cell draws from a stream of its own.
                let random = &mut Random::new(seed, (2 * number + at) as u64);
                outcomes.push(one_split(&table, share, seed, random)?);
            }
        }
        let bytes = mean(&outcomes, |o| o.bytes[1] as f64);
        let largest = outcomes.iter().map(|o| o.bytes[1]).max().unwrap_or(0);
        let [before, after] = [0, 1].map(|at| 100.0 * mean(&outcomes, |o| o.f1[at]));
        println!(
            "| {set} | {:.0} | {bytes:.0} | {largest} | {:.1} | {before:.2} | {after:.2} | {:.2} |",
            mean(&outcomes, |o| o.bytes[0] as f64),
            mean(&outcomes, |o| o.supports[1] as f64),
            before - after
        );
        if bytes <= SMALL as f64 {
            loss_of_small.push(before - after);
        }
        small_in_every_split += usize::from(largest <= SMALL);
        all.extend(outcomes);
    }
    let [before, after] = [0, 1].map(|at| 100.0 * mean(&all, |o| o.f1[at]));
    println!();
    println!(
        "Mean F1 {before:.2} before, {after:.2} after: loss {:.2} points over {} splits.",
        before - after,
        all.len()
    );
    println!(
        "At most {SMALL} bytes: {} of {} sets by the mean (loss there {:.2} points), {small_in_every_split} in every split; {:.0} % of the splits.",
        loss_of_small.len(),
        SETS.len(),
        loss_of_small.iter().sum::<f64>() / loss_of_small.len().max(1) as f64,
        100.0 * mean(&all, |o| f64::from(o.bytes[1] <= SMALL))
    );
    println!(
        "Mean bytes {:.0} before, {:.0} after; supports {:.0} before, {:.1} after. Compression took {:.2} s a model, {:.1} s at most.",
        mean(&all, |o| o.bytes[0] as f64),
        mean(&all, |o| o.bytes[1] as f64),
        mean(&all, |o| o.supports[0] as f64),
        mean(&all, |o| o.supports[1] as f64),
        mean(&all, |o| o.seconds),
        all.iter().map(|o| o.seconds).fold(0.0, f64::max)
    );
    Ok(())
}

fn mean(outcomes: &[Outcome], of: impl Fn(&Outcome) -> f64) -> f64 {
    outcomes.iter().map(of).sum::<f64>() / outcomes.len().max(1) as f64
}

/// Times the phases of a training.
struct Stopwatch(Mutex<Phases>);

impl Watch for Stopwatch {
    fn phase(&self, name: &'static str, _rows: usize) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).begin(name);
    }
}

fn one_split(table: &Table, share: f64, seed: u64, random: &mut Random) -> Result<Outcome, Failure> {
    let truth = table.truth.as_deref().ok_or("no column `label`")?;
    let split = case_control(truth, 0.7, share, random);
    // What may be learned from: rows and labels.
    let train_rows = rows_of(table, &split.train, &table.names);
    let data = Dataset::new(Table { labeled: Some(split.labeled), truth: None, ..train_rows })?;
    let scenario = Scenario::CaseControl;
    let stopwatch = Stopwatch(Mutex::new(Phases::new("start")));
    let outcome = train(&data, &Options { seed, scenario, ..Options::default() }, &stopwatch)?;
    let timing = stopwatch.0.into_inner().unwrap_or_else(PoisonError::into_inner).timing();
    let seconds = timing.phases.iter().filter(|(name, _)| *name == "compress").map(|(_, seconds)| seconds).sum();

    // The columns that were not constant in training.
    let test = rows_of(table, &split.test, data.names());
    let large = export(outcome.learned.classifier(), data.rows())?.bytes;
    let (mut supports, mut f1) = ([0; 2], [0.0; 2]);
    for (at, bytes) in [&large, outcome.model.bytes()].into_iter().enumerate() {
        let model = bytes.decode()?;
        f1[at] = evaluate(&model, &test, scenario, None)?.truth.map_or(0.0, |truth| truth.f1);
        supports[at] = model.supports();
    }
    Ok(Outcome { bytes: [large.len(), outcome.model.bytes().len()], supports, f1, seconds })
}

/// Some rows with their truth, with the columns of these names.
fn rows_of(table: &Table, rows: &[usize], names: &[String]) -> Table {
    let columns: Vec<usize> = (0..table.names.len()).filter(|&at| names.contains(&table.names[at])).collect();
    let cells = |&row: &usize| columns.iter().map(move |at| table.rows[row * table.names.len() + at]);
    Table {
        names: names.to_vec(),
        rows: rows.iter().flat_map(cells).collect(),
        truth: table.truth.as_ref().map(|truth| rows.iter().map(|&row| truth[row]).collect()),
        ..Table::default()
    }
}

//! What compression costs: bytes and F1 of the ensemble's student before and after, over the paper's data sets, label frequencies and
//! fresh case-control splits.
//!
//! ```text
//! cargo run --release -p pual-trainer --example compression_table -- DATA_DIRECTORY SEED...
//! ```
//!
//! DATA_DIRECTORY holds one CSV file a data set, its last column `label`. The truth is used to draw the splits and to count; what is
//! fitted and chosen sees rows and labels. Both models are measured as bytes, by the device's code.

use pual_trainer::Silent;
use std::path::Path;
use std::time::Instant;

use pual_infer::ModelBytes;
use pual_trainer::Approach;
use pual_trainer::Columns;
use pual_trainer::CompressOptions;
use pual_trainer::Confusion;
use pual_trainer::Dataset;
use pual_trainer::Scenario;
use pual_trainer::Table;
use pual_trainer::device_scores;
use pual_trainer::internals::Members;
use pual_trainer::internals::Random;
use pual_trainer::internals::Readings;
use pual_trainer::internals::Split;
use pual_trainer::internals::TrainOptions;
use pual_trainer::internals::TuneOptions;
use pual_trainer::internals::case_control;
use pual_trainer::internals::compress_classifier;
use pual_trainer::internals::export;
use pual_trainer::internals::learn;

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
    let (mut small_by_mean, mut small_in_every_split) = (0, 0);
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
        let f1 = [0, 1].map(|at| 100.0 * mean(&outcomes, |o| o.f1[at]));
        println!(
            "| {set} | {:.0} | {bytes:.0} | {largest} | {:.1} | {:.2} | {:.2} | {:.2} |",
            mean(&outcomes, |o| o.bytes[0] as f64),
            mean(&outcomes, |o| o.supports[1] as f64),
            f1[0],
            f1[1],
            f1[0] - f1[1]
        );
        if bytes <= SMALL as f64 {
            small_by_mean += 1;
            loss_of_small.push(f1[0] - f1[1]);
        }
        small_in_every_split += usize::from(largest <= SMALL);
        all.extend(outcomes);
    }
    let f1 = [0, 1].map(|at| 100.0 * mean(&all, |o| o.f1[at]));
    println!();
    println!(
        "Mean F1 {:.2} before, {:.2} after: loss {:.2} points over {} splits.",
        f1[0],
        f1[1],
        f1[0] - f1[1],
        all.len()
    );
    println!(
        "At most {SMALL} bytes: {small_by_mean} of {} sets by the mean (loss there {:.2} points), {small_in_every_split} in every split; {:.0} % of the splits.",
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

fn one_split(table: &Table, share: f64, seed: u64, random: &mut Random) -> Result<Outcome, Failure> {
    let truth = table.truth.as_deref().ok_or("no column `label`")?;
    let split = case_control(truth, 0.7, share, random);
    let data = Dataset::new(training_table(table, &split))?;
    let options = TrainOptions { seed, ..TrainOptions::default() };
    let scenario = Scenario::CaseControl;
    let tuning = TuneOptions { scenario, ..TuneOptions::default() };
    let approach = Approach::Ensemble(Members::All);
    let learned = learn(&data, approach, &options, &tuning, None, &Silent)?;
    let classifier = learned.classifier();
    let large = export(classifier, data.rows())?.bytes;
    let start = Instant::now();
    let readings = Readings { rows: data.rows(), labeled: Some(data.labeled()), scenario };
    let options = CompressOptions { seed, ..CompressOptions::default() };
    let small = compress_classifier(classifier, &readings, &options, &|_, _| ())?.bytes;
    let seconds = start.elapsed().as_secs_f64();

    let test = test_rows(table, &split, data.names());
    let test_truth: Vec<bool> = split.test.iter().map(|&row| truth[row]).collect();
    let (mut supports, mut f1) = ([0; 2], [0.0; 2]);
    for (at, bytes) in [&large, &small].into_iter().enumerate() {
        let model = ModelBytes::decode(bytes)?;
        let scores = device_scores(&model, &test)?;
        let called: Vec<bool> = scores.iter().map(|&s| s > model.threshold()).collect();
        f1[at] = Confusion::count(&test_truth, &called).f1();
        supports[at] = model.supports();
    }
    Ok(Outcome { bytes: [large.len(), small.len()], supports, f1, seconds })
}

fn row(table: &Table, row: usize) -> &[f64] {
    let features = table.names.len();
    &table.rows[row * features..(row + 1) * features]
}

/// What may be learned from: rows and labels.
fn training_table(table: &Table, split: &Split) -> Table {
    Table {
        rows: (split.train.iter()).flat_map(|&at| row(table, at)).copied().collect(),
        labeled: Some(split.labeled.clone()),
        truth: None,
        ..table.clone()
    }
}

/// The test rows, with the columns that were not constant in training.
fn test_rows(table: &Table, split: &Split, kept: &[String]) -> Vec<f64> {
    let kept: Vec<usize> = (0..table.names.len()).filter(|&at| kept.contains(&table.names[at])).collect();
    (split.test.iter()).flat_map(|&at| kept.iter().map(move |&column| row(table, at)[column])).collect()
}

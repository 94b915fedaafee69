//! `pual synth`: synthetic data with known truth.

mod recordings;

use crate::exit::usage_error;
use crate::flags::values::{positive, share};
use crate::show;
use anyhow::Result;
use clap::Subcommand;
use pual_trainer::synth::{PAPER_ROWS, cold_chain, label, monitored, trifurcate, wifi_rooms};
use pual_trainer::{Table, write_file};
use recordings::MachineFlags;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

/// Name of the label column, which `pual train` looks for.
const LABEL_COLUMN: &str = "label";

/// Generate positive-unlabeled data with known truth
#[derive(clap::Args)]
#[command(after_help = "\
Example: a training set, and a test set with its truth
  pual synth cold-chain --seed 1 -o train.csv
  pual synth cold-chain --seed 2 --truth-column truth -o test.csv")]
pub struct Args {
    #[command(subcommand)]
    data: DataSet,
}

#[derive(Subcommand)]
enum DataSet {
    /// The paper's Section 4.1: positives at (15, 15) and (mean_p2, mean_p2), negatives at the origin
    #[command(after_help = "\
Example:
  pual synth trifurcate --mean-p2 1000 --label-frequency 0.25 -o train.csv")]
    Trifurcate {
        /// Where the second half of the positives lies
        #[arg(long, default_value = "100", value_parser = positive, value_name = "NUMBER")]
        mean_p2: f64,
        #[command(flatten)]
        common: SynthFlags,
    },
    /// Vaccine refrigerators: the thermometer's temperature and slope; positive: the load is below 2 or above 8 degrees
    #[command(after_help = "\
Example:
  pual synth cold-chain --rows 2000 --truth-column truth -o test.csv")]
    ColdChain {
        #[command(flatten)]
        common: SynthFlags,
    },
    /// Features of a refrigerator monitor (firmware-example's `monitor`): level, slope and spread of the last 8 temperatures
    #[command(after_help = "\
Example:
  pual synth monitor --rows 2000 --truth-column truth -o test.csv")]
    Monitor {
        #[command(flatten)]
        common: SynthFlags,
    },
    /// Wi-Fi strengths of six access points; positive: in a room, on either side of the corridor
    #[command(after_help = "\
Example:
  pual synth wifi-rooms --rows 2000 --truth-column truth -o test.csv")]
    WifiRooms {
        #[command(flatten)]
        common: SynthFlags,
    },
    /// Raw recordings of a pump, second by second, with faults on both sides of normal and a few labeled stretches
    ///
    /// Writes a CSV file per recording (time, vibration, current, temperature) and events.csv, which names the labeled stretches
    /// (recording, start, end, kind). A blocked impeller draws too much current for the temperature, a dry-running pump too
    /// little; load, weather, sensors and bearings change without being faults.
    #[command(after_help = "\
Example: recordings to train on, and later ones of the same pump with their truth
  pual synth machine -o pump
  pual synth machine --seed 2 --truth-column truth -o later")]
    Machine {
        #[command(flatten)]
        flags: MachineFlags,
    },
}

#[derive(clap::Args)]
struct SynthFlags {
    /// Rows to generate
    #[arg(long, default_value_t = PAPER_ROWS as u32, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rows: u32,
    /// Random seed; the same seed gives the same file on every machine
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Share of the positives that are labeled
    #[arg(long, default_value = "0.5", value_parser = share, value_name = "SHARE")]
    label_frequency: f64,
    /// Add a column of this name with the truth
    #[arg(long, value_name = "NAME")]
    truth_column: Option<String>,
    /// Where to write the CSV file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print JSON about what was written
    #[arg(long, requires = "output")]
    json: bool,
}

#[derive(Serialize)]
struct SynthFile {
    output: String,
    rows: usize,
    labeled: usize,
    features: Vec<String>,
    bytes: usize,
}

impl Args {
    pub fn run(&self, out: &mut impl Write) -> Result<()> {
        let (common, generate): (_, &dyn Fn(usize, u64) -> Table) = match &self.data {
            DataSet::Trifurcate { mean_p2, common } => (common, &|rows, seed| trifurcate(rows, *mean_p2, seed)),
            DataSet::ColdChain { common } => (common, &cold_chain),
            DataSet::Monitor { common } => (common, &monitored),
            DataSet::WifiRooms { common } => (common, &wifi_rooms),
            DataSet::Machine { flags } => return flags.run(out),
        };
        common.write(out, generate(common.rows as usize, common.seed))
    }
}

impl SynthFlags {
    fn write(&self, out: &mut impl Write, rows: Table) -> Result<()> {
        let mut table = label(rows, self.label_frequency, self.seed);
        match &self.truth_column {
            None => table.truth = None,
            Some(name) if name == LABEL_COLUMN || table.names.contains(name) => {
                let message = format!("--truth-column: there is a column `{name}` already");
                return Err(usage_error("synth", message));
            }
            Some(_) => {}
        }
        let truth_column = self.truth_column.as_deref().unwrap_or_default();
        let mut bytes = Vec::new();
        table.write(&mut bytes, LABEL_COLUMN, truth_column)?;
        let Some(path) = &self.output else {
            return Ok(out.write_all(&bytes)?);
        };
        write_file(path, &bytes)?;
        if !self.json {
            return Ok(());
        }
        let labeled = table.labeled.iter().flatten();
        let report = SynthFile {
            output: path.display().to_string(),
            rows: table.len(),
            labeled: labeled.filter(|&&labeled| labeled).count(),
            features: table.names,
            bytes: bytes.len(),
        };
        show::json(out, &report)
    }
}

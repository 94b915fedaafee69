//! `pual synth`: data with known truth, to try everything on.

use crate::exit::usage_error;
use crate::flags::values::positive;
use crate::flags::values::share;
use crate::show;
use anyhow::Result;
use clap::Subcommand;
use pual_trainer::base::files::write_file;
use pual_trainer::data::synth::{PAPER_ROWS, cold_chain, label, monitored, trifurcate, wifi_rooms};
use pual_trainer::data::table::Table;
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
    data: Data,
}

#[derive(Subcommand)]
enum Data {
    /// The paper's Section 4.1: positives at (15, 15) and (mean_p2, mean_p2), negatives at the origin
    #[command(after_help = "\
Example:
  pual synth trifurcate --mean-p2 1000 --label-frequency 0.25 -o train.csv")]
    Trifurcate {
        /// How far away the second half of the positives lies
        #[arg(long, default_value = "100", value_parser = positive, value_name = "NUMBER")]
        mean_p2: f64,
        #[command(flatten)]
        common: Common,
    },
    /// Vaccine refrigerators: the thermometer's temperature and slope; positive: the load is below 2 or above 8 degrees
    #[command(after_help = "\
Example:
  pual synth cold-chain --rows 2000 --truth-column truth -o test.csv")]
    ColdChain {
        #[command(flatten)]
        common: Common,
    },
    /// What a monitor on a refrigerator computes (firmware-example's `monitor`): level, slope and spread of the last 8 temperatures
    #[command(after_help = "\
Example:
  pual synth monitor --rows 2000 --truth-column truth -o test.csv")]
    Monitor {
        #[command(flatten)]
        common: Common,
    },
    /// Wi-Fi strengths of six access points; positive: in a room, on either side of the corridor
    #[command(after_help = "\
Example:
  pual synth wifi-rooms --rows 2000 --truth-column truth -o test.csv")]
    WifiRooms {
        #[command(flatten)]
        common: Common,
    },
}

#[derive(clap::Args)]
struct Common {
    /// Rows to generate
    #[arg(long, default_value_t = PAPER_ROWS as u32, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rows: u32,
    /// Seed: the same seed gives the same file everywhere
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Share of the positives that gets a label
    #[arg(long, default_value = "0.5", value_parser = share, value_name = "SHARE")]
    label_frequency: f64,
    /// Write the truth too, under this name (else it is left out, as in life)
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
struct Report {
    output: String,
    rows: usize,
    labeled: usize,
    features: Vec<String>,
    bytes: usize,
}

impl Args {
    pub fn run(&self, out: &mut impl Write) -> Result<()> {
        match &self.data {
            Data::Trifurcate { mean_p2, common } => {
                common.write(out, trifurcate(common.rows as usize, *mean_p2, common.seed))
            }
            Data::ColdChain { common } => {
                common.write(out, cold_chain(common.rows as usize, common.seed))
            }
            Data::Monitor { common } => {
                common.write(out, monitored(common.rows as usize, common.seed))
            }
            Data::WifiRooms { common } => {
                common.write(out, wifi_rooms(common.rows as usize, common.seed))
            }
        }
    }
}

impl Common {
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
        match &self.output {
            Some(path) => {
                write_file(path, &bytes)?;
                let labeled = table.labeled.iter().flatten();
                let report = Report {
                    output: path.display().to_string(),
                    rows: table.len(),
                    labeled: labeled.filter(|&&labeled| labeled).count(),
                    features: table.names,
                    bytes: bytes.len(),
                };
                match self.json {
                    true => show::json(out, &report),
                    false => Ok(()),
                }
            }
            None => Ok(out.write_all(&bytes)?),
        }
    }
}

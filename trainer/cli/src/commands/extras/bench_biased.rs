//! `pual bench biased`: whether the user is warned where something is wrong with the data.

use crate::show;
use anyhow::{Context, Result};
use pual_trainer::experiments::biased::{BiasedRuns, Situation, markdown, run_cell, run_situation};
use pual_trainer::experiments::cells_of_table4;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

/// Data sets of the paper whose labels are drawn at random: good runs.
const GOOD_DATA_SETS: [&str; 8] = ["ecoli", "pen", "seeds", "umd", "wifi", "od", "rd", "hd"];

/// Data in which something is wrong: which warnings are raised, and how good the models are
///
/// Trains as `pual train` does on generated data: a row counter among the features, labeled rows from another sensor, one of two
/// clusters labeled, only extreme positives labeled, noise in the order of time, one labeled event, and good data. Prints a Markdown
/// table.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  pual bench biased --runs 2 --situations sensor,good")]
pub struct Args {
    /// Situations
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "NAMES",
        default_value = "counter,sensor,clusters,extremes,noise,event,good",
        value_parser = situation
    )]
    situations: Vec<Situation>,
    /// Runs of each situation
    #[arg(long, default_value_t = 20, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    runs: u64,
    /// Seed of the first run; the others follow it
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Folder of the paper's data sets: also good runs on splits of eight of them
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn situation(key: &str) -> Result<Situation, String> {
    let known = || Situation::ALL.map(Situation::key).join(", ");
    let found = Situation::ALL.into_iter().find(|situation| situation.key() == key);
    found.ok_or_else(|| format!("expected one of {}", known()))
}

#[derive(Serialize)]
struct BiasedReport {
    results: Vec<BiasedRuns>,
}

impl Args {
    pub fn run(&self, out: &mut impl Write) -> Result<()> {
        let bar = show::bar("runs");
        bar.set_length(self.runs * self.situations.len() as u64);
        let mut all = Vec::new();
        for &situation in &self.situations {
            let mut runs = Vec::new();
            for seed in (0..self.runs).map(|run| self.seed.wrapping_add(run)) {
                bar.set_message(situation.name());
                let run = run_situation(situation, seed).with_context(|| format!("{}, seed {seed}", situation.name()));
                runs.push(run?);
                bar.inc(1);
            }
            all.push(BiasedRuns { situation: situation.name().to_owned(), runs });
        }
        if let Some(folder) = &self.data {
            all.push(self.table4(folder)?);
        }
        bar.finish_and_clear();
        let report = BiasedReport { results: all };
        show::result(self.json, out, &report, |report, out| Ok(write!(out, "{}", markdown(&report.results))?))
    }

    /// Splits of real data sets, taken in turn, half of them with each label frequency.
    fn table4(&self, folder: &std::path::Path) -> Result<BiasedRuns> {
        let names = GOOD_DATA_SETS.map(str::to_owned);
        let repeats = self.runs.div_ceil(2 * names.len() as u64);
        let mut cells = cells_of_table4(folder, &names, &[0.5, 0.25], repeats, self.seed)?;
        cells.sort_by_key(|cell| cell.repeat);
        let runs = cells.iter().take(self.runs as usize).map(run_cell).collect::<Result<_, _>>()?;
        Ok(BiasedRuns { situation: "good, splits of real data".to_owned(), runs })
    }
}

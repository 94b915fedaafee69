//! Whether the user is warned: the default pipeline on data in which something is wrong, and on good data.
//!
//! Every run has a seed of its own: the first one, and the following numbers.

mod situations;

pub use situations::Situation;

use std::fmt::Write as _;

use serde::Serialize;

use super::task::{Cell, TrainAndTest};
use crate::base::warnings::WarningId;
use crate::base::watch::Silent;
use crate::choose::metrics::Confusion;
use crate::model::export::device_scores;
use crate::pipeline::Error;
use crate::pipeline::options::Options;
use crate::pipeline::train::train;

/// One run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BiasedRun {
    /// Seed of data and training.
    pub seed: u64,
    /// Names of the warnings that were raised, each once.
    pub warnings: Vec<&'static str>,
    /// F1 on test rows.
    pub f1: f64,
    /// The same of calling every row positive.
    pub f1_of_all_positive: f64,
    /// PUF on held-out rows.
    pub puf: Option<f64>,
}

/// All runs of a situation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BiasedRuns {
    /// What is wrong with the data.
    pub situation: String,
    /// One per seed.
    pub runs: Vec<BiasedRun>,
}

/// Trains on the situation's data of this seed, and counts on its test rows.
pub fn run_situation(situation: Situation, seed: u64) -> Result<BiasedRun, Error> {
    run(&situation.rows(seed)?, seed)
}

/// The same on a split of a table's data set, whose labels are a fair sample.
pub fn run_cell(cell: &Cell) -> Result<BiasedRun, Error> {
    run(&cell.split_rows()?, cell.seed.wrapping_add(cell.repeat))
}

fn run(rows: &TrainAndTest, seed: u64) -> Result<BiasedRun, Error> {
    let outcome = train(&rows.train, &Options { seed, ..Options::default() }, &Silent)?;
    let model = outcome.model.decode()?;
    let scores = device_scores(&model, &rows.test_rows)?;
    let called: Vec<bool> = scores.iter().map(|&score| score > model.threshold()).collect();
    let counts = Confusion::count(&rows.test_truth, &called);
    let mut warnings: Vec<&str> = outcome.warnings.iter().map(|warning| warning.id.name()).collect();
    warnings.sort_unstable();
    warnings.dedup();
    Ok(BiasedRun {
        seed,
        warnings,
        f1: counts.f1(),
        f1_of_all_positive: counts.f1_of_all_positive(),
        puf: outcome.learned.evidence(outcome.scenario).map(|evidence| evidence.puf),
    })
}

impl BiasedRun {
    /// Whether the user is told to doubt the model. That rows look like a log is a remark, no doubt.
    fn is_doubted(&self) -> bool {
        self.warnings.iter().any(|&name| name != WarningId::RowsInSequence.name())
    }
}

impl BiasedRuns {
    /// Of each warning, in how many runs it was raised.
    fn raised(&self) -> Vec<(&'static str, usize)> {
        let raised = WarningId::ALL.map(WarningId::name).map(|name| {
            let runs = self.runs.iter().filter(|run| run.warnings.contains(&name));
            (name, runs.count())
        });
        raised.into_iter().filter(|(_, runs)| *runs > 0).collect()
    }

    fn mean(&self, of: impl Fn(&BiasedRun) -> f64) -> f64 {
        self.runs.iter().map(of).sum::<f64>() / self.runs.len() as f64
    }

    /// The largest PUF of a run without any doubt.
    fn largest_puf_without_doubt(&self) -> Option<f64> {
        self.runs.iter().filter(|run| !run.is_doubted()).filter_map(|run| run.puf).max_by(f64::total_cmp)
    }
}

/// A Markdown table.
pub fn markdown(all: &[BiasedRuns]) -> String {
    let mut text = "| situation | runs | warnings, and in how many runs | with any doubt | F1 | F1 of all positive | largest PUF without doubt |\n|---|---|---|---|---|---|---|\n".to_owned();
    for runs in all {
        let raised: Vec<String> = runs.raised().iter().map(|(name, count)| format!("{name} {count}")).collect();
        let puf = runs.largest_puf_without_doubt().map_or("none".to_owned(), |puf| format!("{puf:.2}"));
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {:.1} | {:.1} | {puf} |",
            runs.situation,
            runs.runs.len(),
            if raised.is_empty() { "none".to_owned() } else { raised.join(", ") },
            runs.runs.iter().filter(|run| run.is_doubted()).count(),
            100.0 * runs.mean(|run| run.f1),
            100.0 * runs.mean(|run| run.f1_of_all_positive),
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_counted_by_hand() {
        let run = |warnings: &[&'static str], f1, puf| BiasedRun {
            seed: 1,
            warnings: warnings.to_vec(),
            f1,
            f1_of_all_positive: 0.5,
            puf: Some(puf),
        };
        let runs = vec![
            run(&["few-labels", "few-events"], 0.2, 9.0),
            run(&["few-labels"], 0.4, 8.0),
            run(&["rows-in-sequence"], 0.6, 1.25),
            run(&[], 0.8, 1.5),
        ];
        let table = markdown(&[BiasedRuns { situation: "noise".to_owned(), runs }]);
        let row = "| noise | 4 | few-labels 2, few-events 1, rows-in-sequence 1 | 2 | 50.0 | 50.0 | 1.50 |\n";
        assert!(table.ends_with(row), "{table}");
    }
}

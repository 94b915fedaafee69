//! `pual calibrate`: what each threshold finds and calls wrongly, and a model with another one.

use crate::exit::Failure;
use crate::files::{check_output, check_page, write_page};
use crate::flags::values::{rate, share, threshold};
use crate::model_file;
use crate::page::{CalibrationPage, command_line};
use crate::show::{self, exact, with_error};
use anyhow::{Context, Result};
use pual_trainer::errors::CalibrateError;
use pual_trainer::{Calibration, Cut, CutTarget, Table, calibrate};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};

const PAGE: &str = "calibration.html";
const COLUMNS: [&str; 7] = ["threshold", "called", "recall", "precision", "F1", "false alarms", ""];

/// Choose a model's threshold on rows whose truth is known
///
/// Shows what thresholds find and what they call wrongly, as a table from cautious to eager. With a target and --output, writes the model with
/// the threshold that meets the target. Only the threshold and the checksum change: every score keeps its bits, on every chip.
///
/// Figures are for the rows given, with standard errors; rows that chose a threshold flatter it a little. Recall and false alarms hold for
/// any mixture of positive and negative rows; precision and F1 for the mixture in these.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  pual synth cold-chain --seed 2 --truth-column truth -o checked.csv
  pual calibrate fridge.pual checked.csv
  pual calibrate fridge.pual checked.csv --recall 0.99 -o eager.pual")]
pub struct Args {
    /// Model file written by `pual train`
    model: PathBuf,
    /// Checked rows: CSV, plain or gzip, or NPY; `-` is standard input
    data: PathBuf,
    /// Column that says which rows are really positive: 1/true/positive or 0/-1/false/negative
    #[arg(long, value_name = "NAME", default_value = "truth")]
    truth_column: String,
    /// Columns to feed to the model, in its order [default: by the model's feature names]
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    features: Option<Vec<String>>,
    #[command(flatten)]
    target: TargetFlags,
    /// Where to write the model with the new threshold
    #[arg(short, long, value_name = "MODEL", requires = "target")]
    output: Option<PathBuf>,
    /// Show it on one page, DIR/calibration.html, with a figure. DIR is created; the page needs no other file
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
#[group(id = "target", multiple = false)]
#[command(next_help_heading = "Target")]
struct TargetFlags {
    /// The highest threshold that finds at least this share of the positive rows: 0.95
    #[arg(long, value_name = "SHARE", value_parser = share)]
    recall: Option<f64>,
    /// The lowest threshold that calls at most this share of the negative rows: 0.01
    #[arg(long, value_name = "SHARE", value_parser = rate)]
    false_alarms: Option<f64>,
    /// The threshold with the best F1
    #[arg(long)]
    best_f1: bool,
    /// This threshold
    #[arg(long, value_name = "T", value_parser = threshold, allow_negative_numbers = true)]
    threshold: Option<f32>,
}

impl TargetFlags {
    fn target(&self) -> Option<CutTarget> {
        let best_f1 = self.best_f1.then_some(CutTarget::BestF1);
        { self.recall.map(CutTarget::Recall) }
            .or(self.false_alarms.map(CutTarget::FalseAlarms))
            .or(self.threshold.map(CutTarget::Threshold))
            .or(best_f1)
    }
}

#[derive(Serialize)]
struct CalibrationReport<'a> {
    model: String,
    data: String,
    /// Where the new model is, if it was written.
    output: Option<String>,
    #[serde(flatten)]
    calibration: &'a Calibration,
}

impl Args {
    pub fn run(&self, out: &mut impl Write) -> Result<()> {
        self.output.as_deref().map_or(Ok(()), check_output)?;
        self.report.as_deref().map_or(Ok(()), |directory| check_page(directory, PAGE))?;
        let bytes = model_file::read(&self.model)?;
        if model_file::split_signature(&bytes).1.is_some() {
            let message =
                format!("{} is signed: its signature does not hold for another threshold", self.model.display());
            let hint = "calibrate the unsigned model, then sign it again with `pual sign`";
            return Err(Failure::new(message, hint).into());
        }
        let model = model_file::decode(&bytes, &self.model)?;
        let mut columns = model_file::columns(&model, self.features.as_deref());
        columns.truth = Some(self.truth_column.clone());
        let table = Table::open(&self.data, &columns)?;
        model_file::check_width(&model, &table.names, &self.data)?;
        let calibration = calibrate(&bytes, &table, self.target.target()).map_err(|error| self.explain(error))?;
        calibration.warnings.iter().cloned().for_each(show::warn);
        if let (Some(output), Some(model)) = (&self.output, &calibration.model) {
            model.write(output)?;
        }
        if let Some(directory) = &self.report {
            write_page(directory, PAGE, &self.page(&calibration)).with_context(|| "no report is written")?;
        }
        let report = CalibrationReport {
            model: self.model.display().to_string(),
            data: self.data.display().to_string(),
            output: self.output.as_deref().map(|output| output.display().to_string()),
            calibration: &calibration,
        };
        show::result(self.json, out, &report, |report, out| report.show(self.report.as_deref(), out))
    }

    /// Names the flag that asked for what no threshold gives, or the file.
    fn explain(&self, error: CalibrateError) -> anyhow::Error {
        let context = match &error {
            CalibrateError::Recall { .. } => "--recall cannot be met".to_owned(),
            CalibrateError::FalseAlarms { .. } => "--false-alarms cannot be met".to_owned(),
            CalibrateError::OneKind { .. } => {
                format!("cannot choose a threshold by column `{}` of {}", self.truth_column, self.data.display())
            }
            _ => format!("cannot choose a threshold of {}", self.model.display()),
        };
        anyhow::Error::new(error).context(context)
    }

    fn page(&self, calibration: &Calibration) -> String {
        // The figure names thresholds, so the table does in words.
        let row = |cut: &Cut| {
            let mut cells = cells(cut, calibration);
            let note = cells.pop().filter(|note| !note.is_empty());
            cells[0] += &note.map_or(String::new(), |note| format!(" ({note})"));
            cells
        };
        let page = CalibrationPage {
            model: self.model.display().to_string(),
            data: self.data.display().to_string(),
            command: command_line(std::env::args_os().skip(1)),
            calibration,
            rows: calibration.table.iter().map(row).collect(),
            columns: &COLUMNS[..COLUMNS.len() - 1],
            warnings: show::warnings(),
        };
        page.html()
    }
}

impl CalibrationReport<'_> {
    fn show(&self, report: Option<&Path>, out: &mut impl Write) -> Result<()> {
        let calibration = self.calibration;
        let negatives = calibration.rows - calibration.positives;
        let [rows, positives, negatives] = [calibration.rows, calibration.positives, negatives].map(show::grouped);
        show::facts(
            out,
            &[
                ("model", format!("{}, threshold {}", self.model, exact(calibration.current.threshold))),
                ("rows", format!("{rows} in {}: {positives} positive, {negatives} negative", self.data)),
            ],
        )?;
        writeln!(out)?;
        let rows: Vec<Vec<String>> = calibration.table.iter().map(|cut| cells(cut, calibration)).collect();
        show::table(out, &COLUMNS, &rows)?;
        writeln!(out)?;
        let cut = calibration.chosen.unwrap_or(calibration.current);
        let whose = if calibration.chosen.is_some() { "new" } else { "now" };
        let all_positive = show::percent(calibration.f1_of_all_positive);
        let mut facts = vec![
            ("threshold", format!("{} ({whose})", exact(cut.threshold))),
            ("recall", with_error(cut.recall, cut.recall_error)),
            ("precision", with_error(cut.precision, cut.precision_error)),
            ("false alarms", with_error(cut.false_alarms, cut.false_alarms_error)),
            ("F1", format!("{}  (calling every row positive: {all_positive})", show::percent(cut.f1))),
        ];
        match (&self.output, calibration.chosen) {
            (Some(output), _) => facts.push(("written", output.clone())),
            (None, Some(_)) => facts.push(("written", "nothing: --output names the new model".to_owned())),
            (None, None) => {}
        }
        facts.extend(report.map(|directory| ("report", directory.join(PAGE).display().to_string())));
        show::facts(out, &facts)
    }
}

/// A cut in the order of [`COLUMNS`].
fn cells(cut: &Cut, calibration: &Calibration) -> Vec<String> {
    let marks =
        [("now", Some(calibration.current)), ("best F1", Some(calibration.best_f1)), ("new", calibration.chosen)];
    let is_it = |marked: &Option<Cut>| marked.is_some_and(|marked| marked.threshold == cut.threshold);
    let marks: Vec<&str> = marks.iter().filter(|(_, marked)| is_it(marked)).map(|(name, _)| *name).collect();
    let [recall, precision, f1, false_alarms] =
        [cut.recall, cut.precision, cut.f1, cut.false_alarms].map(show::percent);
    vec![exact(cut.threshold), show::grouped(cut.called), recall, precision, f1, false_alarms, marks.join(", ")]
}

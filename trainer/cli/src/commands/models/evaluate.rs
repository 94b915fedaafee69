//! `pual evaluate`: how good a model is, measured against the truth or, without it, against the labels.

use crate::flags::values::{SCENARIOS, one_of};
use crate::model_file;
use crate::show;
use anyhow::Result;
use pual_infer::{AnyModel, Class, Envelope};
use pual_trainer::base::scenario::Scenario;
use pual_trainer::choose::metrics::{Confusion, PuCounts};
use pual_trainer::data::csv::Table;
use pual_trainer::model::export::device_scores;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

/// Measure a model on rows whose truth or labels are known
///
/// With --truth-column: F1, precision and recall, and for comparison the F1 of calling every row positive. With --label-column, which
/// needs no truth: PUF = recall^2 / P(f > 0), where recall is the share of labeled rows found; calling every row positive has PUF 1.
/// Scores are computed by the device's code.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  pual synth cold-chain --seed 2 --truth-column truth -o test.csv
  pual evaluate fridge.pual test.csv --truth-column truth")]
pub struct Args {
    /// Model file written by `pual train`
    model: PathBuf,
    /// CSV, plain or gzip, or NPY; `-` is standard input
    data: PathBuf,
    #[command(flatten)]
    known: KnownColumns,
    /// What the rows are a sample of, for PUF
    #[arg(long, value_name = "SCENARIO", default_value = SCENARIOS[0].0, value_parser = one_of(SCENARIOS), requires = "label_column")]
    scenario: Scenario,
    /// Columns to feed to the model, in its order [default: by the model's feature names]
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    features: Option<Vec<String>>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
#[group(required = true, multiple = true)]
struct KnownColumns {
    /// Column that says which rows are really positive: 1/true/positive or 0/-1/false/negative
    #[arg(long, value_name = "NAME")]
    truth_column: Option<String>,
    /// Column that says which rows are labeled positive: 1/true/positive or 0/-1/false/unlabeled/empty
    #[arg(long, value_name = "NAME")]
    label_column: Option<String>,
}

/// Classes compared with the truth.
#[derive(Serialize)]
pub struct Quality {
    f1: f64,
    f1_of_all_positive: f64,
    precision: f64,
    recall: f64,
}

impl Quality {
    pub fn new(truth: &[bool], called: &[bool]) -> Self {
        let counts = Confusion::count(truth, called);
        Self {
            f1: counts.f1(),
            f1_of_all_positive: counts.f1_of_all_positive(),
            precision: counts.precision(),
            recall: counts.recall(),
        }
    }

    /// "94.1 % (calling every row positive: 52.0 %)".
    pub fn f1(&self) -> String {
        let [f1, all] = [self.f1, self.f1_of_all_positive].map(show::percent);
        format!("{f1}  (calling every row positive: {all})")
    }
}

#[derive(Serialize)]
struct Evaluation {
    rows: usize,
    called_positive: usize,
    /// Rows outside the training range.
    outside_envelope: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    truth: Option<Quality>,
    #[serde(skip_serializing_if = "Option::is_none")]
    labels: Option<LabelQuality>,
}

/// Classes compared with the labels.
#[derive(Serialize)]
struct LabelQuality {
    puf: f64,
    recall: f64,
    positive_rate: f64,
}

impl Args {
    pub fn run(&self, out: &mut impl Write) -> Result<()> {
        let bytes = model_file::read(&self.model)?;
        let model = model_file::decode(&bytes, &self.model)?;
        let mut columns = model_file::columns(&model, self.features.as_deref());
        columns.truth.clone_from(&self.known.truth_column);
        columns.label.clone_from(&self.known.label_column);
        let table = Table::open(&self.data, &columns)?;
        model_file::check_width(&model, &table.names, &self.data)?;
        let evaluation = measure(&model, &table, self.scenario)?;
        match self.json {
            true => show::json(out, &evaluation),
            false => evaluation.show(out),
        }
    }
}

fn measure(model: &AnyModel<'_>, table: &Table, scenario: Scenario) -> Result<Evaluation> {
    let called: Vec<bool> = device_scores(model, &table.rows)?
        .into_iter()
        .map(|score| model.class_of(score) == Class::Positive)
        .collect();
    let outside = |row: &&[f64]| {
        let reading: Vec<f32> = row.iter().map(|&value| value as f32).collect();
        matches!(model.envelope(&reading), Ok(Envelope::Outside { .. }))
    };
    Ok(Evaluation {
        rows: table.len(),
        called_positive: called.iter().filter(|&&called| called).count(),
        outside_envelope: table.rows.chunks(model.features()).filter(outside).count(),
        truth: (table.truth.as_ref()).map(|truth| Quality::new(truth, &called)),
        labels: table.labeled.as_ref().map(|labeled| {
            let counts = PuCounts::count(labeled, &called);
            LabelQuality {
                puf: counts.puf(scenario),
                recall: counts.recall(),
                positive_rate: counts.positive_rate(scenario),
            }
        }),
    })
}

impl Evaluation {
    fn show(&self, out: &mut impl Write) -> Result<()> {
        let called = self.called_positive as f64 / self.rows as f64;
        let mut facts = Vec::new();
        if let Some(truth) = &self.truth {
            facts.push(("F1", truth.f1()));
            facts.push(("precision", show::percent(truth.precision)));
            facts.push(("recall", show::percent(truth.recall)));
        }
        if let Some(labels) = &self.labels {
            let all = "(calling every row positive: 1)";
            facts.push(("PUF", format!("{:.3}  {all}", labels.puf)));
            facts.push(("recall of labeled rows", show::percent(labels.recall)));
            facts.push(("P(f > 0)", show::percent(labels.positive_rate)));
        }
        let (count, called) = (show::grouped(self.called_positive), show::percent(called));
        facts.push(("rows", show::grouped(self.rows)));
        facts.push(("called positive", format!("{count} ({called})")));
        facts.push(("outside envelope", show::grouped(self.outside_envelope)));
        show::facts(out, &facts)
    }
}

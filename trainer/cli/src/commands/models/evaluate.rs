//! `pual evaluate`: how good a model is, measured against the truth or, without it, against the labels.

use crate::flags::values::{choice, threshold};
use crate::model_file;
use crate::show;
use anyhow::Result;
use pual_trainer::{Evaluation, Scenario, Table, evaluate};
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
    #[arg(long, value_name = "SCENARIO", default_value = "single-training-set", value_parser = choice::<Scenario>(), requires = "label_column")]
    scenario: Scenario,
    /// Columns to feed to the model, in its order [default: by the model's feature names]
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    features: Option<Vec<String>>,
    /// Call rows with a score above this positive [default: the model's threshold]
    #[arg(long, value_name = "T", value_parser = threshold, allow_negative_numbers = true)]
    threshold: Option<f32>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
#[group(required = true, multiple = true)]
struct KnownColumns {
    /// Column that says which rows are really positive: 1/true/positive or 0/-1/false/negative/normal
    #[arg(long, value_name = "NAME")]
    truth_column: Option<String>,
    /// Column that says which rows are labeled positive, as for `pual train`
    #[arg(long, value_name = "NAME")]
    label_column: Option<String>,
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
        let evaluation = evaluate(&model, &table, self.scenario, self.threshold)?;
        evaluation.warnings.iter().cloned().for_each(show::warn);
        show::result(self.json, out, &evaluation, show_evaluation)
    }
}

fn show_evaluation(evaluation: &Evaluation, out: &mut impl Write) -> Result<()> {
    let called = evaluation.called_positive as f64 / evaluation.rows as f64;
    let threshold = show::exact(evaluation.threshold);
    let rate = format!("P(f > {threshold})");
    let mut facts = Vec::new();
    // Training puts it at 0.
    if evaluation.threshold != 0.0 {
        facts.push(("threshold", threshold));
    }
    if let Some(truth) = &evaluation.truth {
        facts.push(("F1", show::f1(truth)));
        facts.push(("precision", show::percent(truth.precision)));
        facts.push(("recall", show::percent(truth.recall)));
    }
    if let Some(labels) = &evaluation.labels {
        let all = "(calling every row positive: 1)";
        facts.push(("PUF", format!("{:.3}  {all}", labels.puf)));
        facts.push(("recall of labeled rows", show::percent(labels.recall)));
        facts.push((rate.as_str(), show::percent(labels.positive_rate)));
    }
    let count = show::grouped(evaluation.called_positive);
    let outside = show::grouped(evaluation.outside_envelope);
    facts.push(("rows", show::grouped(evaluation.rows)));
    facts.push(("called positive", format!("{count} ({})", show::percent(called))));
    facts.push(("outside envelope", outside));
    show::facts(out, &facts)
}

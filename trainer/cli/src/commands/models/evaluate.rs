//! `pual evaluate`: how good a model is, measured against the truth or, without it, against the labels.

use crate::exit::usage_error;
use crate::flags::streams::LogFlags;
use crate::flags::values::{choice, threshold};
use crate::model_file;
use crate::show;
use anyhow::Result;
use pual_infer::Model;
use pual_trainer::{Evaluation, LogOptions, Scenario, StreamEvaluation, Table, evaluate, evaluate_recordings};
use std::io::Write;
use std::path::PathBuf;

/// Measure a model on rows whose truth or labels are known
///
/// With --truth-column: F1, precision and recall, and for comparison the F1 of calling every row positive. With --label-column, which
/// needs no truth: PUF = recall^2 / P(f > 0), where recall is the share of labeled rows found; calling every row positive has PUF 1.
/// Scores are computed by the device's code.
///
/// A stream model takes recordings. Its alarm is compared with events, stretches of --truth-column or of a file of --events: how many are
/// found, how soon, and how often the alarm goes off during none.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  pual synth cold-chain --seed 2 --truth-column truth -o test.csv
  pual evaluate fridge.pual test.csv --truth-column truth
  pual evaluate pump.pual new/ --events events.csv")]
pub struct Args {
    /// Model file written by `pual train`
    model: PathBuf,
    /// CSV, plain or gzip, or NPY; `-` is standard input. For a stream model recordings: files, folders or patterns
    #[arg(required = true)]
    data: Vec<PathBuf>,
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
    #[command(flatten)]
    log: LogFlags,
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
    /// Of a stream model's recordings: CSV of what is known, as for `pual train`
    #[arg(long, value_name = "FILE")]
    events: Option<PathBuf>,
}

impl Args {
    pub fn run(&self, out: &mut impl Write) -> Result<()> {
        let bytes = model_file::read(&self.model)?;
        let model = model_file::decode(&bytes, &self.model)?;
        if model.recipe().is_some() {
            return self.evaluate_recordings(&model, out);
        }
        self.log.refuse("evaluate")?;
        if self.known.events.is_some() {
            let message = "--events is for recordings, and this model takes feature rows: it has no recipe".to_owned();
            return Err(usage_error("evaluate", message));
        }
        let mut columns = model_file::columns(&model, self.features.as_deref());
        columns.truth.clone_from(&self.known.truth_column);
        columns.label.clone_from(&self.known.label_column);
        let table = Table::open_all(&self.data, &columns)?;
        model_file::check_width(&model, &table.names, &self.data[0])?;
        let evaluation = evaluate(&model, &table, self.scenario, self.threshold)?;
        evaluation.warnings.iter().cloned().for_each(show::warn);
        show::result(self.json, out, &evaluation, show_evaluation)
    }

    fn evaluate_recordings(&self, model: &Model<'_>, out: &mut impl Write) -> Result<()> {
        let logs = LogOptions {
            channels: self.features.clone(),
            label: self.known.label_column.clone(),
            truth: self.known.truth_column.clone(),
            events: self.known.events.clone(),
            events_are_truth: true,
            ..self.log.options()
        };
        let recordings = model_file::recordings(model, &self.data, logs)?;
        let evaluation = evaluate_recordings(model, &recordings, self.threshold)?;
        evaluation.warnings.iter().cloned().for_each(show::warn);
        show::result(self.json, out, &evaluation, show_events)
    }
}

fn show_events(evaluation: &StreamEvaluation, out: &mut impl Write) -> Result<()> {
    let StreamEvaluation { alarm, truth, .. } = evaluation;
    let delays = match alarm.delays.is_empty() {
        true => "-".to_owned(),
        false => alarm.delays.iter().map(|&delay| show::duration(delay)).collect::<Vec<_>>().join(", "),
    };
    let per_hour = alarm.false_alarms_per_hour();
    let share_on = alarm.quiet_hours_on / alarm.quiet_hours.max(f64::MIN_POSITIVE);
    let called = evaluation.called_positive as f64 / evaluation.windows.max(1) as f64;
    let facts = [
        ("recordings", show::grouped(evaluation.recordings)),
        ("events found", format!("{} of {}", alarm.found, alarm.events)),
        ("delays", delays),
        (
            "false alarms",
            format!(
                "{} in {} without an event: {} per hour, {} per day; on for {} of that time",
                alarm.false_alarms,
                show::duration(3600.0 * alarm.quiet_hours),
                show::number(per_hour),
                show::number(24.0 * per_hour),
                show::percent(share_on)
            ),
        ),
        ("windows", show::grouped(evaluation.windows)),
        ("F1 of windows", show::f1(truth)),
        ("precision", show::percent(truth.precision)),
        ("recall", show::percent(truth.recall)),
        ("called positive", format!("{} ({})", show::grouped(evaluation.called_positive), show::percent(called))),
        ("outside envelope", show::grouped(evaluation.outside_envelope)),
        ("drift flag", format!("raised in {} of {} recordings", evaluation.drifted, evaluation.recordings)),
    ];
    show::facts(out, &facts)
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

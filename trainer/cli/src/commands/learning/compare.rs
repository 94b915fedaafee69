//! `pual compare`: every method on the same folds, and which to take.

use crate::exit::Failure;
use crate::flags::data::DataFlags;
use crate::flags::explain::explain;
use crate::flags::tuning::TuningFlags;
use crate::flags::values::RunFlags;
use crate::progress::Progress;
use crate::show;
use anyhow::Result;
use pual_trainer::internals::export;
use pual_trainer::{Approach, Comparison, Confusion, Dataset, Entry, Learned, Options, compare};
use serde::Serialize;
use std::io::Write;

/// Tune every method on the same folds and say which to take
///
/// PUF = recall^2 / P(f > 0), on rows that were held out, needs no negatives; calling every row positive has PUF 1. The rule (--rule)
/// makes one number of the folds, and the single model with the largest comes first. The ensembles, whose rows are left out one at a time,
/// average out the luck of such a choice: one of them is recommended unless a single model is clearly better, by four standard errors. With
/// --truth-column the F1 on unlabeled rows is shown too; nothing is chosen by it.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  pual synth cold-chain --truth-column truth -o train.csv
  pual compare train.csv --truth-column truth")]
pub struct Args {
    #[command(flatten)]
    data: DataFlags,
    #[command(flatten)]
    tuning: TuningFlags,
    /// Most support instances: the model's size on the chip [default: as `pual train`]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    supports: Option<u16>,
    /// Seed of folds and support instances
    #[arg(long, default_value_t = 0, value_name = "N")]
    seed: u64,
    #[command(flatten)]
    run: RunFlags,
}

#[derive(Serialize)]
struct ComparisonReport {
    methods: Vec<MethodReport>,
    recommended: &'static str,
    because: String,
}

#[derive(Serialize)]
struct MethodReport {
    method: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<MethodResult>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[derive(Serialize)]
struct MethodResult {
    /// The rule's number.
    score: f64,
    puf: f64,
    puf_standard_error: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    f1_of_unlabeled_rows: Option<f64>,
    bandwidth: Option<f64>,
    lambda: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    c_u: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prior: Option<f64>,
    sigma: Option<f64>,
    supports: usize,
    bytes: usize,
    seconds: f64,
}

impl Args {
    pub fn run(&self, out: &mut impl Write) -> Result<()> {
        let data = self.data.open(None, &Progress::new("read"))?;
        let options = Options {
            compress: false,
            supports: self.supports.map(usize::from),
            seed: self.seed,
            threads: self.run.threads(),
            ..self.tuning.add_to(Options::default())
        };
        let bar = Progress::new("search");
        let compared = compare(&data, &options, &bar);
        let compared = compared.map_err(|error| explain("compare", &options, error))?;
        drop(bar);
        let report = ComparisonReport::new(&compared, &data)?;
        show::result(self.run.json, out, &report, ComparisonReport::show)
    }
}

impl ComparisonReport {
    fn new(compared: &Comparison, data: &Dataset) -> Result<Self> {
        let method = |(approach, entry): &(Approach, Result<Entry, _>)| {
            let result = entry.as_ref().ok().map(|entry| MethodResult::new(entry, data)).transpose()?;
            let error = entry.as_ref().err().map(ToString::to_string);
            Ok(MethodReport { method: approach.name(), result, error })
        };
        let methods = compared.entries.iter().map(method).collect::<Result<_>>()?;
        let Some(best) = compared.best() else {
            let hint = "try one method alone: `pual train --method` says more about it";
            return Err(Failure::new("no method could be tuned on these rows", hint).into());
        };
        Ok(Self { methods, recommended: best.learned.approach().name(), because: because(compared, best) })
    }

    fn show(&self, out: &mut impl Write) -> Result<()> {
        let with_truth = |result: &MethodResult| result.f1_of_unlabeled_rows.is_some();
        let truth = (self.methods.iter()).any(|row| row.result.as_ref().is_some_and(with_truth));
        let mut header = vec!["method", "PUF", "by rule"];
        if truth {
            header.push("F1 of unlabeled");
        }
        header.extend(["bandwidth", "lambda", "C_u", "prior", "sigma", "supports", "bytes", "seconds"]);
        let rows: Vec<Vec<String>> = self.methods.iter().map(|row| row.cells(truth)).collect();
        show::table(out, &header, &rows)?;
        for row in &self.methods {
            if let Some(error) = &row.error {
                writeln!(out, "{}: {error}", row.method)?;
            }
        }
        writeln!(out, "\ntake {}: {}", self.recommended, self.because)?;
        Ok(())
    }
}

/// Why the best is recommended, and how sure that is.
fn because(compared: &Comparison, best: &Entry) -> String {
    if let Some(doubt) = best.learned.doubt() {
        return format!("it comes out first, but {}", doubt.text);
    }
    let others = compared.entries.iter().filter_map(|(_, entry)| entry.as_ref().ok());
    let evidence = &best.evidence;
    let rivals: Vec<&str> = others
        .filter(|other| other.learned.approach() != best.learned.approach())
        .filter(|other| evidence.puf - other.evidence.puf <= evidence.puf_error)
        .map(|other| other.learned.approach().name())
        .collect();
    let number = match &best.learned {
        Learned::Ensemble { .. } => {
            "it averages out the luck of choosing settings, and no single model is clearly better".to_owned()
        }
        Learned::One { .. } => format!("by the rule it is best, with {:.3}", evidence.score),
    };
    if rivals.is_empty() {
        format!("{number}; no other comes within one standard error of its PUF")
    } else {
        format!("{number}; within one standard error of its PUF, and so about as good: {}", rivals.join(", "))
    }
}

impl MethodResult {
    fn new(entry: &Entry, data: &Dataset) -> Result<Self> {
        let classifier = entry.learned.classifier();
        let settings = match &entry.learned {
            Learned::One { trained, .. } => Some(&trained.settings),
            Learned::Ensemble { .. } => None,
        };
        let called: Vec<bool> = (classifier.scores(data.rows()).into_iter()).map(|score| score > 0.0).collect();
        let f1 = data.truth().map(|truth| {
            // What a labeled row is was known in training.
            let unlabeled = |marks: &[bool]| -> Vec<bool> {
                let pairs = marks.iter().zip(data.labeled());
                pairs.filter(|(_, labeled)| !**labeled).map(|(mark, _)| *mark).collect()
            };
            Confusion::count(&unlabeled(truth), &unlabeled(&called)).f1()
        });
        Ok(Self {
            score: entry.evidence.score,
            puf: entry.evidence.puf,
            puf_standard_error: entry.evidence.puf_error,
            f1_of_unlabeled_rows: f1,
            bandwidth: settings.and_then(|settings| settings.bandwidth()),
            lambda: settings.map(|settings| settings.lambda),
            // A class prior stands in place of the weights.
            c_u: settings.filter(|settings| settings.prior.is_none()).map(|settings| settings.c_u),
            prior: settings.and_then(|settings| settings.prior),
            sigma: settings.and_then(|settings| Some(settings.local?.sigma)),
            supports: classifier.supports(),
            bytes: export(classifier, data.rows())?.bytes.len(),
            seconds: entry.seconds,
        })
    }
}

impl MethodReport {
    fn cells(&self, truth: bool) -> Vec<String> {
        let Some(result) = &self.result else {
            return vec![self.method.to_owned(), "failed".to_owned()];
        };
        let number = |value: Option<f64>| value.map_or("-".to_owned(), show::number);
        let mut cells = vec![
            self.method.to_owned(),
            format!("{:.3} ± {:.3}", result.puf, result.puf_standard_error),
            format!("{:.3}", result.score),
        ];
        if truth {
            let f1 = result.f1_of_unlabeled_rows;
            cells.push(f1.map_or("-".to_owned(), show::percent));
        }
        cells.extend([
            number(result.bandwidth),
            number(result.lambda),
            number(result.c_u),
            number(result.prior),
            number(result.sigma),
            result.supports.to_string(),
            show::grouped(result.bytes),
            format!("{:.2}", result.seconds),
        ]);
        cells
    }
}

//! `pual train`: a CSV file in, a model file out, and what is known about it.

mod flags;
mod report;

use super::show;
use anyhow::{Context, Result, bail};
use flags::ModelFlags;
use pual_infer::Class;
use pual_trainer::csv::Columns;
use pual_trainer::dataset::Dataset;
use pual_trainer::export::{device_scores, export, write_file};
use pual_trainer::train::train;
use report::Report;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Share of changed classes from which the user is told.
const CHANGED_SHARE_TO_WARN: f64 = 0.001;

/// Train a model and write the file a chip runs
///
/// The label column says which rows are labeled positive; the others are unlabeled, positive or not. All other columns are features.
/// Settings that are not given are chosen from the data by rules of thumb.
///
/// The fit is certified (its duality gap or residual is printed) or refused. The exported bytes are decoded again and score the
/// training rows by the device's own code: the largest difference and the classes that changed are printed. The model file is
/// replaced only when all of that has gone well.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  pual synth cold-chain -o train.csv
  pual train train.csv -o fridge.pual
  pual train log.csv.gz --label-column alarm --ignore time,room --supports 24 -o fridge.pual")]
pub struct Args {
    /// CSV file, plain or gzip; `-` is standard input
    data: PathBuf,
    /// Where to write the model
    #[arg(short, long, value_name = "MODEL")]
    output: PathBuf,
    /// Column that says which rows are labeled positive: 1/true/positive or 0/-1/false/unlabeled/empty
    #[arg(
        long,
        value_name = "NAME",
        default_value = "label",
        help_heading = "Columns"
    )]
    label_column: String,
    /// Columns to learn from, in the order the device gives them [default: all others]
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "NAMES",
        help_heading = "Columns"
    )]
    features: Option<Vec<String>>,
    /// Columns to leave out
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "NAMES",
        help_heading = "Columns"
    )]
    ignore: Vec<String>,
    /// Column that says which rows are really positive: never learned from, only compared with
    #[arg(long, value_name = "NAME", help_heading = "Columns")]
    truth_column: Option<String>,
    #[command(flatten)]
    model: ModelFlags,
    /// Threads; the result does not depend on it [default: one a processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    pub fn run(&self, out: &mut impl Write) -> Result<()> {
        let mut options = self.model.options()?;
        options.threads = self.threads.map_or(0, usize::from);
        // Known before the work begins, not after it.
        check_directory(&self.output)?;
        let data = Dataset::open(
            &self.data,
            &Columns {
                features: self.features.clone(),
                ignore: self.ignore.clone(),
                label: Some(self.label_column.clone()),
                truth: self.truth_column.clone(),
            },
        )
        .with_context(|| format!("cannot train on {}", self.data.display()))?;
        for warning in data.warnings() {
            show::warn(warning);
        }

        let trained = train(&data, &options)?;
        let exported = export(&trained, data.rows())?;
        if exported.agreement.changed_share() > CHANGED_SHARE_TO_WARN {
            show::warn(&format!(
                "{} of {} rows change their class in the device's 32-bit floats",
                exported.agreement.changed, exported.agreement.rows
            ));
        }
        let model = exported.bytes.decode()?;
        let called: Vec<bool> = device_scores(&model, data.rows())?
            .into_iter()
            .map(|score| model.class_of(score) == Class::Positive)
            .collect();
        write_file(&self.output, &exported.bytes)?;

        let report = Report::new(&self.output, &data, &options, &trained, &exported, &called);
        match self.json {
            true => show::json(out, &report),
            false => report.show(out),
        }
    }
}

fn check_directory(output: &Path) -> Result<()> {
    let directory = match output.parent() {
        Some(directory) if !directory.as_os_str().is_empty() => directory,
        _ => Path::new("."),
    };
    if output.is_dir() {
        bail!(
            "--output {} is a directory; name a file in it",
            output.display()
        );
    }
    if !directory.is_dir() {
        bail!(
            "--output {}: there is no directory {}; create it first",
            output.display(),
            directory.display()
        );
    }
    Ok(())
}

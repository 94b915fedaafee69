//! `pual compress`: a model file in, a smaller one out, and the price of each size.

use crate::files::check_output;
use crate::flags::explain::explain;
use crate::flags::size::{SizeFlags, show_ladder};
use crate::flags::values::choice;
use crate::model_file;
use crate::progress::Progress;
use crate::show;
use anyhow::{Context, Result};
use pual_infer::{Model, ModelBytes};
use pual_trainer::{Error, Ladder, Options, Scenario, Table, compress, write_file};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

/// Make a model smaller, and show what each size costs
///
/// A few support instances, well placed, say nearly what hundreds say. Landmarks are chosen, moved and weighed so that the small model
/// gives the large one's classes, stored as integers, and weighed again after rounding. A ladder of sizes is measured on the bytes by
/// the device's own code; the smallest that loses no more F1 than --tolerance is written, or the best within --budget.
///
/// Give the rows it was trained on: without --rows, readings around the support instances stand in for them. No label is needed; with
/// --label-column PUF = recall^2 / P(f > 0) is shown.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  pual compress fridge.pual --rows train.csv -o small.pual
  pual compress fridge.pual --rows train.csv --budget 512B -o small.pual")]
pub struct Args {
    /// Model file written by `pual train`
    model: PathBuf,
    /// Where to write the smaller model
    #[arg(short, long, value_name = "MODEL")]
    output: PathBuf,
    /// Rows used to compare the small with the large model: CSV, plain or gzip, or NPY; `-` is standard input
    #[arg(long, value_name = "DATA")]
    rows: Option<PathBuf>,
    /// Columns to feed to the model, in its order [default: the model's own names]
    #[arg(long, value_delimiter = ',', value_name = "NAMES", requires = "rows", help_heading = "Columns")]
    features: Option<Vec<String>>,
    /// Column that says which rows are labeled positive, for PUF
    #[arg(long, value_name = "NAME", requires = "rows", help_heading = "Columns")]
    label_column: Option<String>,
    /// What the rows are a sample of, for PUF
    #[arg(long, value_name = "SCENARIO", default_value = "single-training-set", value_parser = choice::<Scenario>(), requires = "label_column", help_heading = "Columns")]
    scenario: Scenario,
    #[command(flatten)]
    size: SizeFlags,
    /// Seed of the points between rows
    #[arg(long, default_value_t = 0, value_name = "N")]
    seed: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct CompressionReport<'a> {
    model: String,
    output: String,
    large: ModelSize,
    small: ModelSize,
    /// Whether rows were given, or readings around the support instances stood in for them.
    rows_given: bool,
    compression: &'a Ladder,
}

#[derive(Serialize)]
struct ModelSize {
    bytes: usize,
    supports: usize,
    encoding: &'static str,
}

impl ModelSize {
    fn new(model: &Model<'_>) -> Self {
        Self { bytes: model.length(), supports: model.supports(), encoding: model.encoding().name() }
    }

    fn show(&self) -> String {
        show::model(self.bytes, self.supports, self.encoding)
    }
}

impl Args {
    pub fn run(&self, out: &mut impl Write) -> Result<()> {
        check_output(&self.output)?;
        let bytes = model_file::read(&self.model)?;
        let model = model_file::decode(&bytes, &self.model)?;
        // A signature does not hold for the smaller one.
        let bytes = ModelBytes::new(&bytes[..model.length()]);
        let table = self.table(&model)?;
        let options = self.size.options(self.seed);
        let progress = Progress::new("compress");
        let compressed = compress(&bytes, table.as_ref(), self.scenario, &options, &progress);
        drop(progress);
        let compressed = compressed.map_err(|error| self.explain(error))?;
        let ladder = &compressed.ladder;
        write_file(&self.output, &ladder.bytes)?;
        let report = CompressionReport {
            model: self.model.display().to_string(),
            output: self.output.display().to_string(),
            large: ModelSize::new(&model),
            small: ModelSize::new(&ladder.bytes.decode()?),
            rows_given: table.is_some(),
            compression: &compressed.ladder,
        };
        show::result(self.json, out, &report, CompressionReport::show)
    }

    fn table(&self, model: &Model<'_>) -> Result<Option<Table>> {
        let Some(path) = &self.rows else {
            return Ok(None);
        };
        let mut columns = model_file::columns(model, self.features.as_deref());
        columns.label.clone_from(&self.label_column);
        let table =
            Table::open(path, &columns).with_context(|| format!("cannot compare on --rows {}", path.display()))?;
        model_file::check_width(model, &table.names, path)?;
        Ok(Some(table))
    }

    fn explain(&self, error: Error) -> anyhow::Error {
        explain("compress", &Options::default(), error).context(format!("cannot compress {}", self.model.display()))
    }
}

impl CompressionReport<'_> {
    fn show(&self, out: &mut impl Write) -> Result<()> {
        show::facts(
            out,
            &[
                ("large", format!("{}, {}", self.model, self.large.show())),
                ("small", format!("{}, {}", self.output, self.small.show())),
            ],
        )?;
        show_ladder(self.compression, out)
    }
}

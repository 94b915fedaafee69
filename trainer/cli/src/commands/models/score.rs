//! `pual score`: a CSV file in, the same file with scores out, row by row.

use crate::exit::Failure;
use crate::flags::values::threshold;
use crate::model_file;
use crate::show;
use anyhow::{Context, Result};
use pual_infer::{Class, Envelope, Model};
use pual_trainer::RowReader;
use pual_trainer::internals::OutsideCount;
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

/// The columns that are added.
const ADDED: [&str; 3] = ["score", "class", "outside_envelope"];

/// Score the rows of a CSV file
///
/// Writes the rows to standard output with three more columns: `score`, identical to the device's to the bit; `class`, 1 if the score
/// is above the threshold, else 0; `outside_envelope`, 1 if a feature is outside its training range, so that the score is an
/// extrapolation.
///
/// The model's features are found by name; other columns of a CSV file are copied. Columns of an NPY file are called x0, x1, ...
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  pual score fridge.pual log.csv > scored.csv
  gunzip -c log.csv.gz | pual score fridge.pual - --only-scores | head")]
pub struct Args {
    /// Model file written by `pual train`
    model: PathBuf,
    /// CSV, plain or gzip, or NPY; `-` is standard input
    data: PathBuf,
    /// Columns to feed to the model, in its order [default: by the model's feature names]
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    features: Option<Vec<String>>,
    /// Give class 1 to scores above this [default: the model's threshold]
    #[arg(long, value_name = "T", value_parser = threshold, allow_negative_numbers = true)]
    threshold: Option<f32>,
    /// Write only the added columns
    #[arg(long)]
    only_scores: bool,
    /// Print JSON: an object with the added columns in `rows`
    #[arg(long, conflicts_with = "only_scores")]
    json: bool,
}

/// The columns added to a row.
#[derive(Serialize)]
struct ScoredRow {
    score: f32,
    class: u8,
    /// None if the model carries no training range.
    outside_envelope: Option<bool>,
}

#[derive(Serialize)]
struct ScoredRows {
    model: String,
    data: String,
    threshold: f32,
    rows: Vec<ScoredRow>,
}

impl Args {
    pub fn run(&self, out: &mut impl Write) -> Result<()> {
        let bytes = model_file::read(&self.model)?;
        let model = model_file::decode(&bytes, &self.model)?;
        let columns = model_file::columns(&model, self.features.as_deref());
        let mut rows = RowReader::open(&self.data, &columns)?;
        model_file::check_width(&model, rows.names(), &self.data)?;
        let mut scorer = Scorer::new(model, self.threshold.unwrap_or(model.threshold()));
        let mut values = Vec::new();
        if self.json {
            let mut report = ScoredRows {
                model: self.model.display().to_string(),
                data: self.data.display().to_string(),
                threshold: scorer.threshold,
                rows: Vec::new(),
            };
            while rows.next_row(&mut values)?.is_some() {
                report.rows.push(scorer.score(&values)?);
                values.clear();
            }
            scorer.warn();
            return show::json(out, &report);
        }

        let mut writer = csv::Writer::from_writer(out);
        if !self.only_scores {
            self.refuse_name_clash(rows.header())?;
            write_cells(&mut writer, rows.header())?;
        }
        write_cells(&mut writer, ADDED)?;
        end_row(&mut writer)?;
        while rows.next_row(&mut values)?.is_some() {
            let added = scorer.score(&values)?.cells();
            if !self.only_scores {
                write_cells(&mut writer, rows.cells())?;
            }
            write_cells(&mut writer, &added)?;
            end_row(&mut writer)?;
            values.clear();
        }
        writer.flush()?;
        scorer.warn();
        Ok(())
    }

    fn refuse_name_clash(&self, header: &[String]) -> Result<()> {
        if let Some(name) = header.iter().find(|name| ADDED.contains(&name.as_str())) {
            let data = self.data.display();
            let message = format!("{data}:1: there is a column `{name}` already");
            let hint = "rename it, or leave the columns out with --only-scores";
            return Err(Failure::new(message, hint).into());
        }
        Ok(())
    }
}

/// A model with its working memory.
struct Scorer<'a> {
    model: Model<'a>,
    threshold: f32,
    outside: OutsideCount<'a>,
    reading: Vec<f32>,
    scratch: Vec<f32>,
}

impl<'a> Scorer<'a> {
    fn new(model: Model<'a>, threshold: f32) -> Self {
        let (reading, scratch) = (Vec::new(), vec![0.0; model.features()]);
        Self { model, threshold, outside: OutsideCount::new(model), reading, scratch }
    }

    /// Tells what is odd about all rows so far.
    fn warn(&self) {
        self.outside.warning().into_iter().for_each(show::warn);
    }

    fn score(&mut self, values: &[f64]) -> Result<ScoredRow> {
        self.reading.clear();
        self.reading.extend(values.iter().map(|&value| value as f32));
        let verdict = self.model.judge_with_scratch(&self.reading, &mut self.scratch).context("a row got no score")?;
        let verdict = verdict.at(self.threshold);
        self.outside.add(&self.reading, verdict.envelope);
        Ok(ScoredRow {
            score: verdict.score,
            class: (verdict.class == Class::Positive).into(),
            outside_envelope: match verdict.envelope {
                Envelope::Inside => Some(false),
                Envelope::Outside { .. } => Some(true),
                Envelope::Unknown => None,
            },
        })
    }
}

impl ScoredRow {
    /// The cells of [`ADDED`].
    fn cells(&self) -> [String; 3] {
        let outside = self.outside_envelope.map_or("", |outside| if outside { "1" } else { "0" });
        // The shortest text that reads back as the same 32-bit float.
        let score = self.score.to_string();
        [score, self.class.to_string(), outside.to_owned()]
    }
}

fn write_cells<W: Write, T: AsRef<[u8]>>(
    writer: &mut csv::Writer<W>,
    cells: impl IntoIterator<Item = T>,
) -> io::Result<()> {
    cells.into_iter().try_for_each(|cell| writer.write_field(cell)).map_err(io_error)
}

fn end_row<W: Write>(writer: &mut csv::Writer<W>) -> io::Result<()> {
    writer.write_record(None::<&[u8]>).map_err(io_error)
}

/// The I/O error inside a `csv::Error`, whose own conversion would hide that a pipe was closed.
fn io_error(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

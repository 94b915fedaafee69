//! `pual score`: a CSV file in, the same file with scores out, row by row.

use crate::exit::Failure;
use crate::flags::streams::LogFlags;
use crate::flags::values::threshold;
use crate::model_file;
use crate::show;
use anyhow::{Context, Result};
use pual_infer::{Class, Envelope, Model};
use pual_trainer::internals::OutsideCount;
use pual_trainer::{LogOptions, RowReader, score_recordings};
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
///
/// A stream model takes recordings, and writes a line per window: `time` (of its last sample), `score`, `class`, `alarm`,
/// `outside_envelope` and `drift`, what the chip would say of the same samples; and `recording`, if there are several.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  pual score fridge.pual log.csv > scored.csv
  gunzip -c log.csv.gz | pual score fridge.pual - --only-scores | head
  pual score pump.pual recording.csv > verdicts.csv")]
pub struct Args {
    /// Model file written by `pual train`
    model: PathBuf,
    /// CSV, plain or gzip, or NPY; `-` is standard input. For a stream model a recording, or a folder or pattern of them
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
    #[command(flatten)]
    log: LogFlags,
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

/// What is said at the end of a window.
#[derive(Serialize)]
struct ScoredWindow<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    recording: Option<&'a str>,
    /// Of the last sample, as the log writes it.
    time: String,
    score: f32,
    class: u8,
    alarm: u8,
    outside_envelope: Option<u8>,
    drift: u8,
}

#[derive(Serialize)]
struct ScoredWindows<'a> {
    model: String,
    data: String,
    threshold: f32,
    windows: Vec<ScoredWindow<'a>>,
}

impl Args {
    pub fn run(&self, out: &mut impl Write) -> Result<()> {
        let bytes = model_file::read(&self.model)?;
        let model = model_file::decode(&bytes, &self.model)?;
        if model.recipe().is_some() {
            return self.score_recordings(&model, out);
        }
        self.log.refuse("score")?;
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

    /// A line per window.
    fn score_recordings(&self, model: &Model<'_>, out: &mut impl Write) -> Result<()> {
        let logs = LogOptions { channels: self.features.clone(), ..self.log.options() };
        let recordings = model_file::recordings(model, std::slice::from_ref(&self.data), logs)?;
        let verdicts = score_recordings(model, &recordings, self.threshold)?;
        let rows = verdicts.iter().map(|verdict| {
            let recording = &recordings.all[verdict.recording];
            ScoredWindow {
                recording: (recordings.all.len() > 1).then_some(recording.name.as_str()),
                time: recording.clock.text(recording.times[verdict.sample]),
                score: verdict.score,
                class: verdict.positive.into(),
                alarm: verdict.alarm.into(),
                outside_envelope: verdict.outside.map(u8::from),
                drift: verdict.drift.into(),
            }
        });
        if self.json {
            let report = ScoredWindows {
                model: self.model.display().to_string(),
                data: self.data.display().to_string(),
                threshold: self.threshold.unwrap_or(model.threshold()),
                windows: rows.collect(),
            };
            return show::json(out, &report);
        }
        let mut writer = csv::Writer::from_writer(out);
        let header = ["recording", "time", "score", "class", "alarm", "outside_envelope", "drift"];
        let first = usize::from(recordings.all.len() == 1);
        write_cells(&mut writer, &header[first..])?;
        end_row(&mut writer)?;
        for row in rows {
            let outside = row.outside_envelope.map_or(String::new(), |outside| outside.to_string());
            write_cells(&mut writer, row.recording)?;
            write_cells(&mut writer, [row.time, row.score.to_string(), row.class.to_string(), row.alarm.to_string()])?;
            write_cells(&mut writer, [outside, row.drift.to_string()])?;
            end_row(&mut writer)?;
        }
        Ok(writer.flush()?)
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

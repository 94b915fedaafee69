//! Results on disk, one line per cell and method, appended as they come: an interrupted run resumes.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// One method on one split.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// 2 or 4, as in the paper; 0 for rare positives, 1 for recordings.
    pub table: u8,
    pub data_set: String,
    /// Share of the training positives that is labeled.
    pub label_frequency: f64,
    pub seed: u64,
    /// Which split, from 0.
    pub repeat: u64,
    /// The method, as on the command line.
    pub method: String,
    /// f1, precision and recall are on the test rows.
    pub f1: f64,
    /// Of calling every test row positive.
    pub f1_of_all_positive: f64,
    /// Of the same scores, called from the top down as many as are positive: what is lacking to it in `f1` is lost at the cut.
    pub f1_of_true_count: f64,
    pub test_rows: usize,
    pub test_positives: usize,
    /// Test rows called positive.
    pub test_called: usize,
    /// Of recordings: stretches of positive windows, how many of them are found, and alarms outside of them.
    pub events: Option<usize>,
    pub events_found: Option<usize>,
    pub false_alarms: Option<usize>,
    /// Whether the user is told not to rely on the model.
    pub warned: bool,
    pub precision: f64,
    pub recall: f64,
    /// Of the chosen setting, on held-out training rows; none without tuning.
    pub puf: Option<f64>,
    /// The method that was taken; with `auto`, the one it chose.
    pub taken: String,
    /// bandwidth, lambda, C_u and sigma as chosen.
    pub bandwidth: Option<f64>,
    pub lambda: Option<f64>,
    pub c_u: Option<f64>,
    pub sigma: Option<f64>,
    /// Estimated class prior, where one is needed.
    pub prior: Option<f64>,
    pub supports: usize,
    /// For choosing and training.
    pub seconds: f64,
}

/// What identifies a record: table, data set, bits of the label frequency, seed, repeat, method.
type RecordKey = (u8, String, u64, u64, u64, String);

impl Record {
    fn key(&self) -> RecordKey {
        (self.table, self.data_set.clone(), self.label_frequency.to_bits(), self.seed, self.repeat, self.method.clone())
    }
}

/// Why results could not be read or written.
#[derive(Debug, thiserror::Error)]
#[error("results {path}: {source}")]
pub struct ResultsError {
    path: PathBuf,
    source: csv::Error,
}

/// The results so far, and the file they are kept in.
#[derive(Debug, Default)]
pub struct Results {
    path: Option<PathBuf>,
    records: Vec<Record>,
    /// Where each record is.
    places: HashMap<RecordKey, usize>,
}

impl Results {
    pub fn new() -> Self {
        Self::default()
    }

    /// In `path`, with what is there already.
    pub fn open(path: &Path) -> Result<Self, ResultsError> {
        let failed = |source: csv::Error| ResultsError { path: path.to_owned(), source };
        let mut results = Self { path: Some(path.to_owned()), ..Self::default() };
        if !path.exists() {
            return Ok(results);
        }
        let text = std::fs::read_to_string(path).map_err(|error| failed(error.into()))?;
        // A line without its end was being written when the run died.
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        for record in csv::Reader::from_reader(&text.as_bytes()[..whole]).deserialize() {
            results.remember(record.map_err(failed)?);
        }
        if whole < text.len() {
            let file = OpenOptions::new().write(true).open(path);
            let cut = file.and_then(|file| file.set_len(whole as u64));
            cut.map_err(|error| failed(error.into()))?;
        }
        Ok(results)
    }

    /// Whether there is a result for this.
    pub fn contains(&self, cell: &super::Cell, method: &super::BenchMethod) -> bool {
        self.get(cell, method).is_some()
    }

    /// The result for this, if there is one.
    pub fn get(&self, cell: &super::Cell, method: &super::BenchMethod) -> Option<&Record> {
        let (table, set, frequency) = (cell.protocol.number(), cell.data_set.clone(), cell.label_frequency.to_bits());
        let key = (table, set, frequency, cell.seed, cell.repeat, method.to_string());
        self.records.get(*self.places.get(&key)?)
    }

    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// Adds a result, to the file first.
    pub fn add(&mut self, record: Record) -> Result<(), ResultsError> {
        if let Some(path) = &self.path {
            append(path, &record).map_err(|source| ResultsError { path: path.clone(), source })?;
        }
        self.remember(record);
        Ok(())
    }

    fn remember(&mut self, record: Record) {
        self.places.insert(record.key(), self.records.len());
        self.records.push(record);
    }
}

fn append(path: &Path, record: &Record) -> Result<(), csv::Error> {
    let mut file = OpenOptions::new().append(true).create(true).open(path)?;
    let mut writer = csv::WriterBuilder::new().has_headers(file.metadata()?.len() == 0).from_writer(Vec::new());
    writer.serialize(record)?;
    let line = writer.into_inner().map_err(|error| io::Error::other(error.to_string()))?;
    Ok(file.write_all(&line)?)
}

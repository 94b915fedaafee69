//! The log of a search: every fit as one JSON object per line, written as it is made.
//!
//! The first line says what was searched on: rows, folds, seed, supports. Each further line is a fit: its method, settings and fold, and
//! the counts on the held-out rows (`null` for a fit that failed). Fits are whole numbers for given settings, so a search that takes
//! known ones from the log gives the same result as an uninterrupted one, to the byte.
//!
//! A line is appended in one write. If the process dies during it, the line has no end, and resuming drops it.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde::{Deserialize, Serialize};

use super::tune::LabeledRows;
use crate::base::fnv::{self, fnv_1a};
use crate::choose::metrics::PuCounts;
use crate::choose::options::TrainOptions;
use crate::choose::settings::Settings;

const VERSION: u32 = 1;
/// Most rows that a fit can have been made on: some more than fit in memory.
const MOST_ROWS: usize = 1 << 40;

/// Where a search is logged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JournalFile {
    /// To a new file.
    New(PathBuf),
    /// To the file of an earlier search, whose fits are not made again.
    Resume(PathBuf),
}

/// Why a log cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// A new log would overwrite a file.
    #[error("{0} exists")]
    Exists(PathBuf),
    /// The operating system.
    #[error("tuning log {path}: {source}")]
    Io {
        /// The log.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A line is not one of ours.
    #[error("{path}:{line}: not a line of a tuning log: {source}")]
    Line {
        /// The log.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// The log belongs to another search.
    #[error("{path} is the log of another search: {what} is {found} there and {expected} here")]
    Other {
        /// The log.
        path: PathBuf,
        /// What differs.
        what: &'static str,
        /// There.
        found: String,
        /// Here.
        expected: String,
    },
}

/// What all fits of a log have in common.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct JournalHeader {
    tuning_log: u32,
    /// Checksum of the scaled rows, their labels, and what is held out together.
    rows: String,
    folds: usize,
    seed: u64,
    supports: usize,
}

impl JournalHeader {
    pub(super) fn new(rows: &LabeledRows<'_>, options: &TrainOptions, folds: usize) -> Self {
        let bits = rows.values.iter().flat_map(|x| x.to_bits().to_le_bytes());
        let labels = rows.labeled.iter().map(|&labeled| u8::from(labeled));
        let units = rows.units.into_iter().flat_map(|units| units.of_row()).flat_map(|unit| unit.to_le_bytes());
        let normals = rows.normal.into_iter().flatten().map(|&normal| u8::from(normal));
        Self {
            tuning_log: VERSION,
            rows: format!("{:016x}", fnv_1a(fnv::START, bits.chain(labels).chain(units).chain(normals))),
            folds,
            seed: options.seed,
            supports: options.supports,
        }
    }

    /// The first thing in which `found` differs.
    fn difference(&self, found: &Self) -> Option<(&'static str, String, String)> {
        let values = |header: &Self| {
            [
                ("the version", header.tuning_log.to_string()),
                ("the rows' checksum", header.rows.clone()),
                ("the number of folds", header.folds.to_string()),
                ("the seed", header.seed.to_string()),
                ("the number of supports", header.supports.to_string()),
            ]
        };
        (values(found).into_iter().zip(values(self)))
            .map(|((what, found), (_, expected))| (what, found, expected))
            .find(|(_, found, expected)| found != expected)
    }
}

#[derive(Serialize, Deserialize)]
struct JournalLine {
    #[serde(flatten)]
    key: FitKey,
    /// Called positive, and all, of the labeled and of the unlabeled rows held out.
    counts: Option<[usize; 4]>,
}

/// What identifies a fit.
#[derive(Serialize, Deserialize)]
struct FitKey {
    method: String,
    /// Counted through all shuffles.
    fold: usize,
    bandwidth: Option<f64>,
    lambda: f64,
    c_p: f64,
    c_u: f64,
    prior: Option<f64>,
    sigma: Option<f64>,
    neighbours: Option<usize>,
}

impl FitKey {
    fn new(fold: usize, options: &TrainOptions, settings: &Settings) -> Self {
        Self {
            method: options.method.full_key(),
            fold,
            bandwidth: settings.bandwidth(),
            lambda: settings.lambda,
            c_p: settings.c_p,
            c_u: settings.c_u,
            prior: settings.prior,
            sigma: settings.local.map(|local| local.sigma),
            neighbours: settings.local.map(|local| local.neighbours),
        }
    }

    /// Equal for equal fits, to the last bit of every number.
    fn bits(&self) -> String {
        let bits = |x: Option<f64>| x.map(f64::to_bits);
        let numbers = [self.bandwidth, Some(self.lambda), Some(self.c_p), Some(self.c_u), self.prior, self.sigma];
        format!("{} {} {:?} {:?}", self.method, self.fold, numbers.map(bits), self.neighbours)
    }
}

/// The counts of each fit, by [`FitKey::bits`].
type KnownFits = HashMap<String, Option<PuCounts>>;

/// An open log.
pub(super) struct Journal {
    path: PathBuf,
    file: Mutex<File>,
    known: KnownFits,
}

impl JournalFile {
    /// Begins the log, or reads it to its last whole line.
    pub(super) fn open(&self, header: &JournalHeader) -> Result<Journal, JournalError> {
        match self {
            Self::New(path) => begin(path, header),
            Self::Resume(path) => resume(path, header),
        }
    }
}

fn begin(path: &Path, header: &JournalHeader) -> Result<Journal, JournalError> {
    let created = OpenOptions::new().append(true).create_new(true).open(path);
    let file = created.map_err(|source| match source.kind() {
        io::ErrorKind::AlreadyExists => JournalError::Exists(path.to_owned()),
        _ => failed(path, source),
    })?;
    let journal = Journal { path: path.to_owned(), file: Mutex::new(file), known: HashMap::new() };
    journal.append(header)?;
    Ok(journal)
}

fn resume(path: &Path, header: &JournalHeader) -> Result<Journal, JournalError> {
    let text = std::fs::read_to_string(path).map_err(|source| failed(path, source))?;
    let (known, whole) = read(path, &text, Some(header))?;
    let file = OpenOptions::new().append(true).open(path);
    let file =
        file.and_then(|file| file.set_len(whole as u64).map(|()| file)).map_err(|source| failed(path, source))?;
    let journal = Journal { path: path.to_owned(), file: Mutex::new(file), known };
    if whole == 0 {
        journal.append(header)?;
    }
    Ok(journal)
}

/// Reads a log, of the search with this header if one is given: its fits, and the bytes up to the end of its last whole line.
fn read(path: &Path, text: &str, header: Option<&JournalHeader>) -> Result<(KnownFits, usize), JournalError> {
    // What follows the last line end is a line that was being written when the search died.
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    let mut lines = text[..whole].lines().enumerate();
    let wrong = |line: usize, source| JournalError::Line { path: path.to_owned(), line: line + 1, source };
    if let Some((at, line)) = lines.next() {
        let found: JournalHeader = serde_json::from_str(line).map_err(|source| wrong(at, source))?;
        if let Some((what, found, expected)) = header.and_then(|header| header.difference(&found)) {
            return Err(JournalError::Other { path: path.to_owned(), what, found, expected });
        }
    }
    let mut known = HashMap::new();
    for (at, line) in lines {
        let line: JournalLine = serde_json::from_str(line).map_err(|source| wrong(at, source))?;
        let counts = line.counts.map(counts_of).transpose().map_err(|source| wrong(at, source))?;
        known.insert(line.key.bits(), counts);
    }
    Ok((known, whole))
}

/// The counts of a line, if there can be such: what is added up later must not overflow.
fn counts_of(counts: [usize; 4]) -> Result<PuCounts, serde_json::Error> {
    let [labeled_called, labeled, unlabeled_called, unlabeled] = counts;
    let possible = labeled_called <= labeled && unlabeled_called <= unlabeled && labeled.max(unlabeled) <= MOST_ROWS;
    match possible {
        true => Ok(PuCounts { labeled, labeled_called, unlabeled, unlabeled_called }),
        false => Err(serde::de::Error::custom("counts: more rows called positive than there are, or too many rows")),
    }
}

/// The number of fits in the log `text` of any search; messages call it `file`. For tests.
#[doc(hidden)]
pub fn fits_in_log(file: &str, text: &str) -> Result<usize, JournalError> {
    Ok(read(Path::new(file), text, None)?.0.len())
}

fn failed(path: &Path, source: io::Error) -> JournalError {
    JournalError::Io { path: path.to_owned(), source }
}

impl Journal {
    /// The counts of a fit that an earlier search made.
    pub(super) fn known(&self, fold: usize, options: &TrainOptions, settings: &Settings) -> Option<Option<PuCounts>> {
        self.known.get(&FitKey::new(fold, options, settings).bits()).copied()
    }

    pub(super) fn record(
        &self,
        fold: usize,
        options: &TrainOptions,
        settings: &Settings,
        counts: Option<PuCounts>,
    ) -> Result<(), JournalError> {
        self.append(&JournalLine {
            key: FitKey::new(fold, options, settings),
            counts: counts.map(|c| [c.labeled_called, c.labeled, c.unlabeled_called, c.unlabeled]),
        })
    }

    fn append(&self, line: &impl Serialize) -> Result<(), JournalError> {
        let mut text = serde_json::to_string(line).map_err(|source| failed(&self.path, source.into()))?;
        text.push('\n');
        // A writer that panicked had written a whole line or none: the file is as good as before.
        let mut file = self.file.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        file.write_all(text.as_bytes()).map_err(|source| failed(&self.path, source))
    }
}

#[cfg(test)]
mod tests {
    use super::fits_in_log;

    #[test]
    fn counts_that_cannot_be_are_refused() {
        let log = |counts: &str| {
            format!(
                "{{\"tuning_log\":1,\"rows\":\"0\",\"folds\":4,\"seed\":1,\"supports\":8}}\n\
                {{\"method\":\"pual\",\"fold\":0,\"lambda\":1,\"c_p\":1,\"c_u\":1,\"counts\":{counts}}}\n"
            )
        };
        assert_eq!(fits_in_log("log", &log("[9,10,0,0]")).ok(), Some(1));
        for counts in ["[11,10,0,0]", "[0,0,6,5]", "[0,0,0,18446744073709551615]", "[0,0,-1,0]"] {
            let error = fits_in_log("log", &log(counts)).unwrap_err().to_string();
            assert!(error.starts_with("log:2:"), "{error}");
        }
    }
}

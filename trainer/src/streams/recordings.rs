//! Logs on disk to recordings: files, folders and patterns.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::clock::Clock;
use super::error::{LogError, LogProblem};
use super::read;
use crate::base::statistics::median;
use crate::base::warnings::Warning;

/// Rates that differ by more than this share are two rates.
const RATE_TOLERANCE: f64 = 0.2;
/// Endings of the logs in a folder.
const ENDINGS: [&str; 6] = [".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz"];

/// What an empty cell does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Missing {
    /// It ends the window, as on a chip that lost a sample.
    #[default]
    Gap,
    /// The last value stands in for it.
    Hold,
    /// The line is left out, as if it had never been written.
    Drop,
}

/// How logs are read. The default finds delimiter, times and channels by itself.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LogOptions {
    /// Between cells.
    pub delimiter: Option<u8>,
    /// The column of times.
    pub time: Option<String>,
    /// Samples per second; needed where a log has no times.
    pub rate: Option<f64>,
    /// What an empty cell does.
    pub missing: Missing,
    /// The channels; by default every column that has no other job.
    pub channels: Option<Vec<String>>,
    /// Columns to leave out.
    pub ignore: Vec<String>,
    /// The column that says which samples are labeled positive, and which are known to be normal.
    pub label: Option<String>,
    /// The column that says which samples are really positive.
    pub truth: Option<String>,
    /// A file of what is known: recording, start, end, kind. It is no recording, even if it lies among them.
    pub events: Option<PathBuf>,
    /// Whether the faults among the events are the truth to judge by, and nothing is learned from them.
    pub events_are_truth: bool,
}

/// Recordings with the same channels, sampled at the same rate.
#[derive(Debug, Clone, PartialEq)]
pub struct Recordings {
    /// Names of the channels.
    pub channels: Vec<String>,
    /// Seconds per sample: the median over the recordings.
    pub period: f64,
    /// In the order given; those of a folder by name.
    pub all: Vec<Recording>,
    /// What the user should know.
    pub warnings: Vec<Warning>,
}

/// One log.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    /// The file's name without its ending; the path, where two files share that.
    pub name: String,
    /// The file.
    pub file: String,
    /// How it writes times.
    pub clock: Clock,
    /// Seconds per sample: the median.
    pub period: f64,
    /// Seconds, of each sample.
    pub times: Vec<f64>,
    /// Sample after sample, channel by channel.
    pub samples: Vec<f32>,
    /// Samples without a gap in between.
    pub stretches: Vec<Range<usize>>,
    /// Which samples are labeled positive.
    pub labeled: Vec<bool>,
    /// Which are known to be normal.
    pub normal: Vec<bool>,
    /// Which are really positive, if a column says so.
    pub truth: Option<Vec<bool>>,
    /// The line of each sample.
    pub(super) lines: Vec<u64>,
    /// Samples with an empty cell that was not filled.
    pub empty_cells: usize,
}

impl Default for Recording {
    fn default() -> Self {
        Self {
            name: String::new(),
            file: String::new(),
            clock: Clock::FromStart,
            period: 1.0,
            times: Vec::new(),
            samples: Vec::new(),
            stretches: Vec::new(),
            labeled: Vec::new(),
            normal: Vec::new(),
            truth: None,
            lines: Vec::new(),
            empty_cells: 0,
        }
    }
}

impl Recordings {
    /// Reads logs: files, folders (all CSV, TSV and text files in them, by name) and patterns with `*` and `?` in the file's name.
    /// All have the channels of the first and its rate.
    ///
    /// # Errors
    /// Names file and line.
    pub fn open(paths: &[PathBuf], options: &LogOptions) -> Result<Self, LogError> {
        let files = expand(paths, options.events.as_deref())?;
        let mut recordings = Self { channels: Vec::new(), period: 1.0, all: Vec::new(), warnings: Vec::new() };
        for file in &files {
            let before = recordings.all.first().map(|first| (first.file.as_str(), &recordings.channels[..]));
            let (recording, channels, warnings) = read::recording(file, options, before)?;
            recordings.channels = channels;
            recordings.all.push(recording);
            recordings.warnings.extend(warnings);
        }
        recordings.name_by_path();
        let mut periods: Vec<f64> = recordings.all.iter().map(|recording| recording.period).collect();
        recordings.period = median(&mut periods).unwrap_or(1.0);
        recordings.check_rate(recordings.period, "most of the recordings")?;
        if let Some(events) = &options.events {
            recordings.mark(events, options.events_are_truth)?;
        }
        Ok(recordings)
    }

    /// Names stay apart.
    fn name_by_path(&mut self) {
        let mut counts = HashMap::new();
        self.all.iter().for_each(|recording| *counts.entry(recording.name.clone()).or_insert(0) += 1);
        for recording in &mut self.all {
            if counts[&recording.name] > 1 {
                recording.name.clone_from(&recording.file);
            }
        }
    }

    /// Refuses recordings with another number of seconds per sample.
    pub(crate) fn check_rate(&self, period: f64, than: &str) -> Result<(), LogError> {
        let is_other = |recording: &&Recording| {
            let ratio = recording.period / period;
            !(1.0 / (1.0 + RATE_TOLERANCE)..=1.0 + RATE_TOLERANCE).contains(&ratio)
        };
        match self.all.iter().find(is_other) {
            None => Ok(()),
            Some(other) => {
                let (found, expected) = (rate_text(1.0 / other.period), rate_text(1.0 / period));
                Err(LogError::new(&other.file, LogProblem::OtherRate { found, expected, than: than.to_owned() }))
            }
        }
    }

    /// Number of samples.
    pub(crate) fn samples(&self) -> usize {
        self.all.iter().map(|recording| recording.times.len()).sum()
    }

    /// Gaps within recordings.
    pub(crate) fn gaps(&self) -> usize {
        self.all.iter().map(|recording| recording.stretches.len() - 1).sum()
    }
}

/// A rate in Hz with a few digits.
pub(crate) fn rate_text(rate: f64) -> String {
    let digits = (3 - rate.log10().floor() as i32).clamp(0, 9) as usize;
    let text = format!("{rate:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// The files that are meant, in order, none of them twice.
fn expand(paths: &[PathBuf], not: Option<&Path>) -> Result<Vec<PathBuf>, LogError> {
    let not = not.map(|not| std::fs::canonicalize(not).unwrap_or_else(|_| not.to_owned()));
    let mut files = Vec::new();
    for path in paths {
        let name = path.display().to_string();
        let pattern = path.file_name().and_then(|name| name.to_str()).filter(|name| name.contains(['*', '?']));
        if path.is_dir() {
            let is_log = |file: &str| {
                let file = file.to_ascii_lowercase();
                ENDINGS.iter().any(|ending| file.ends_with(ending))
            };
            files.extend(matching(path, &name, is_log, "the folder has no file that ends in csv, tsv or txt")?);
        } else if let Some(pattern) = pattern.filter(|_| !path.exists()) {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            files.extend(matching(folder, &name, |file| fits(pattern.as_bytes(), file.as_bytes()), "no file fits")?);
        } else {
            files.push(path.clone());
        }
    }
    if let Some(not) = &not {
        files.retain(|file| std::fs::canonicalize(file).map_or(true, |file| file != *not));
    }
    for (at, file) in files.iter().enumerate() {
        if files[..at].contains(file) {
            return Err(LogError::new(&file.display().to_string(), LogProblem::GivenTwice));
        }
    }
    match files.is_empty() {
        true => Err(LogError::new("recordings", LogProblem::NoFiles("name a log"))),
        false => Ok(files),
    }
}

/// The files of a folder whose names are wanted, 2 before 10.
fn matching(
    folder: &Path,
    name: &str,
    is_wanted: impl Fn(&str) -> bool,
    nothing: &'static str,
) -> Result<Vec<PathBuf>, LogError> {
    let failed = |error: std::io::Error| LogError::new(name, error);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let file = entry.file_name().to_string_lossy().into_owned();
        if is_wanted(&file) && !file.starts_with('.') && entry.path().is_file() {
            let path =
                if name.contains('/') || folder != Path::new(".") { folder.join(&file) } else { file.clone().into() };
            files.push((natural(&file), path));
        }
    }
    if files.is_empty() {
        return Err(LogError::new(name, LogProblem::NoFiles(nothing)));
    }
    files.sort();
    Ok(files.into_iter().map(|(_, path)| path).collect())
}

/// A key by which numbers are ordered by their value.
fn natural(name: &str) -> Vec<(u64, String)> {
    let mut parts = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let text: String = rest.chars().take_while(|c| !c.is_ascii_digit()).collect();
        rest = &rest[text.len()..];
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        rest = &rest[digits.len()..];
        parts.push((u64::MAX, text));
        if !digits.is_empty() {
            parts.push((digits.parse().unwrap_or(u64::MAX - 1), digits));
        }
    }
    parts
}

/// Whether a name fits a pattern with `*` and `?`.
fn fits(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern.first(), name.first()) {
        (None, None) => true,
        (Some(b'*'), _) => fits(&pattern[1..], name) || (!name.is_empty() && fits(pattern, &name[1..])),
        (Some(b'?'), Some(_)) => fits(&pattern[1..], &name[1..]),
        (Some(a), Some(b)) => a == b && fits(&pattern[1..], &name[1..]),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_and_the_order_of_names() {
        assert!(fits(b"*.csv", b"a.csv") && fits(b"r?n*", b"run7.csv") && !fits(b"*.csv", b"a.csv.gz"));
        let mut names = ["10.csv", "2.csv", "a10.csv", "a9.csv", "1.csv"];
        names.sort_by_key(|name| natural(name));
        assert_eq!(names, ["1.csv", "2.csv", "10.csv", "a9.csv", "a10.csv"]);
    }

    #[test]
    fn a_rate_has_a_few_digits() {
        assert_eq!([1.0, 1600.0, 1.0 / 300.0, 49.98].map(rate_text), ["1", "1600", "0.003333", "49.98"]);
    }
}

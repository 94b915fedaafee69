//! Recordings: stretches of a few of them are labeled, and the model is tested on recordings that it has not seen.
//!
//! | step | rows |
//! |---|---|
//! | windows | mean and standard deviation of each channel over 20 samples; the truth is that of the last sample |
//! | split | half of the recordings to train on, at every tenth sample, half to test on, at every sample |
//! | labeled | in every second training recording that has a fault, one half of its longest stretch, at a random place |
//!
//! A file is one recording: a header, then a line per sample, cells separated by semicolons or commas; the first column is the time, the
//! truth is in column `anomaly`, and a column `changepoint` is left out.
//!
//! Windows overlap, so beside F1 of windows events count: a stretch of positive windows is found if one of its windows is called, and a
//! stretch of called windows that touches no positive one is a false alarm.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::task::{Cell, Protocol};
use crate::base::random::Random;
use crate::data::groups::Groups;
use crate::data::sequence::runs;
use crate::data::split::Split;
use crate::data::table::Table;

/// Samples of a window.
const WINDOW: usize = 20;
/// Samples from one training window to the next.
const HOP: usize = 10;
const TRUTH: &str = "anomaly";
const LEFT_OUT: &str = "changepoint";
/// Share of a labeled fault.
const LABELED_SHARE: f64 = 0.5;

/// Why there are no cells.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StreamError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{}: line {line}: {what}", path.display())]
    Line { path: PathBuf, line: usize, what: String },
    #[error("{}: {found} recordings (CSV files), but at least 4 are needed", path.display())]
    TooFew { path: PathBuf, found: usize },
}

/// `repeats` splits of the recordings in `folder`.
pub fn cells_of_streams(folder: &Path, repeats: u64, seed: u64) -> Result<Vec<Cell>, StreamError> {
    let io = |source| StreamError::Io { path: folder.to_owned(), source };
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .map_err(io)?
        .map(|entry| Ok(entry.map_err(io)?.path()))
        .collect::<Result<_, StreamError>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "csv"));
    files.sort();
    if files.len() < 4 {
        return Err(StreamError::TooFew { path: folder.to_owned(), found: files.len() });
    }
    let mut all = Table::default();
    let (mut truth, mut recordings) = (Vec::new(), Vec::new());
    for file in &files {
        let recording = Recording::read(file)?;
        if all.names.is_empty() {
            all.names = recording.feature_names();
        } else if all.names != recording.feature_names() {
            let what = "other columns than in the first recording".to_owned();
            return Err(StreamError::Line { path: file.clone(), line: 1, what });
        }
        let windows = recording.windows(&mut all.rows);
        truth.extend_from_slice(&recording.truth[recording.truth.len() - windows..]);
        let name = file.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        recordings.extend(std::iter::repeat_n(name, windows));
    }
    all.truth = Some(truth);
    all.groups = Some(Groups::of_rows(recordings));
    let rows = Arc::new(all);
    let name = folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let cell = |repeat| Cell {
        protocol: Protocol::Streams,
        data_set: name.clone(),
        label_frequency: LABELED_SHARE / 2.0,
        seed,
        repeat,
        rows: Arc::clone(&rows),
    };
    Ok((0..repeats).map(cell).collect())
}

/// One file.
struct Recording {
    channels: Vec<String>,
    /// Sample by sample.
    values: Vec<f64>,
    truth: Vec<bool>,
}

impl Recording {
    fn read(path: &Path) -> Result<Self, StreamError> {
        let text = std::fs::read_to_string(path).map_err(|source| StreamError::Io { path: path.to_owned(), source })?;
        let wrong = |line: usize, what: String| StreamError::Line { path: path.to_owned(), line: line + 1, what };
        let mut lines = text.lines().enumerate();
        let header = lines.next().map_or("", |(_, line)| line);
        let separator = if header.contains(';') { ';' } else { ',' };
        let names: Vec<&str> = header.split(separator).map(str::trim).collect();
        let truth_at = names.iter().position(|&name| name == TRUTH);
        let truth_at = truth_at.ok_or_else(|| wrong(0, format!("no column `{TRUTH}`")))?;
        let is_channel = |at: usize| at > 0 && at != truth_at && names[at] != LEFT_OUT;
        let channels = (0..names.len()).filter(|&at| is_channel(at)).map(|at| names[at].to_owned()).collect();
        let mut recording = Self { channels, values: Vec::new(), truth: Vec::new() };
        for (at, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
            let cells: Vec<&str> = line.split(separator).map(str::trim).collect();
            if cells.len() != names.len() {
                return Err(wrong(at, format!("{} cells, expected {}", cells.len(), names.len())));
            }
            for (column, cell) in
                cells.iter().enumerate().filter(|(column, _)| is_channel(*column) || *column == truth_at)
            {
                let number: f64 = cell
                    .parse()
                    .ok()
                    .filter(|number: &f64| number.is_finite())
                    .ok_or_else(|| wrong(at, format!("column `{}`: `{cell}` is not a number", names[column])))?;
                match column == truth_at {
                    true => recording.truth.push(number > 0.5),
                    false => recording.values.push(number),
                }
            }
        }
        match recording.truth.len() < WINDOW {
            true => Err(wrong(recording.truth.len(), format!("fewer than {WINDOW} samples"))),
            false => Ok(recording),
        }
    }

    fn feature_names(&self) -> Vec<String> {
        ["mean", "sd"].iter().flat_map(|kind| self.channels.iter().map(move |name| format!("{name} {kind}"))).collect()
    }

    /// Adds the window that ends at each sample; how many there are.
    fn windows(&self, rows: &mut Vec<f64>) -> usize {
        let width = self.channels.len();
        let windows = self.truth.len() + 1 - WINDOW;
        let channel = |start: usize, at: usize| (start..start + WINDOW).map(move |row| self.values[row * width + at]);
        for start in 0..windows {
            let mean = |at: usize| channel(start, at).sum::<f64>() / WINDOW as f64;
            let means: Vec<f64> = (0..width).map(mean).collect();
            let deviation = |at: usize| {
                let squares: f64 = channel(start, at).map(|x| (x - means[at]) * (x - means[at])).sum();
                (squares / WINDOW as f64).sqrt()
            };
            rows.extend((0..width).map(deviation).fold(means.clone(), |mut row, sd| {
                row.push(sd);
                row
            }));
        }
        windows
    }
}

/// Rows of all windows to those of a split.
pub(super) fn split(truth: &[bool], groups: &Groups, random: &mut Random) -> Split {
    let mut recordings: Vec<u32> = (0..groups.len() as u32).collect();
    random.shuffle(&mut recordings);
    let (to_train, to_test) = recordings.split_at(recordings.len() / 2);
    let windows = |recording: u32| (0..truth.len()).filter(move |&row| groups.of_row()[row] == recording);
    let (mut train, mut labeled) = (Vec::new(), Vec::new());
    let mut with_fault = 0;
    for &recording in to_train {
        let rows: Vec<usize> = windows(recording).step_by(HOP).collect();
        let faults: Vec<bool> = rows.iter().map(|&row| truth[row]).collect();
        let mut labels = vec![false; rows.len()];
        if let Some(fault) = runs(&faults).max_by_key(|fault| fault.len()) {
            if with_fault % 2 == 0 {
                let length = ((fault.len() as f64 * LABELED_SHARE) as usize).max(1);
                let start = fault.start + random.below(fault.len() - length + 1);
                labels[start..start + length].fill(true);
            }
            with_fault += 1;
        }
        train.extend(rows);
        labeled.extend(labels);
    }
    Split { train, labeled, test: to_test.iter().flat_map(|&recording| windows(recording)).collect() }
}

/// Calls against the truth by stretches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct EventCounts {
    pub events: usize,
    pub found: usize,
    pub false_alarms: usize,
}

impl EventCounts {
    /// Of windows in the order of time, recording by recording.
    pub(super) fn count(truth: &[bool], called: &[bool], recording_of: &[u32]) -> Self {
        let mut counts = Self::default();
        let mut start = 0;
        while start < truth.len() {
            let same = recording_of[start..].iter().take_while(|&&of| of == recording_of[start]).count();
            let (truth, called) = (&truth[start..start + same], &called[start..start + same]);
            counts.events += runs(truth).count();
            counts.found += runs(truth).filter(|event| called[event.clone()].contains(&true)).count();
            counts.false_alarms += runs(called).filter(|alarm| !truth[alarm.clone()].contains(&true)).count();
            start += same;
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_split_and_labels_are_those_of_the_protocol() {
        let folder = std::env::temp_dir().join(format!("pual-streams-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for recording in 0..6 {
            let line = |t: usize| {
                format!("t{t};{};{}.5;{};0.0\n", t % 7, recording, f64::from(u8::from((100..160).contains(&t))))
            };
            let text: String = (0..300).map(line).collect();
            std::fs::write(
                folder.join(format!("{recording}.csv")),
                format!("datetime;a;b;anomaly;changepoint\n{text}"),
            )
            .unwrap();
        }
        let cells = cells_of_streams(&folder, 2, 5).unwrap();
        std::fs::write(folder.join("0.csv"), "datetime;a;b;anomaly\n1;2;x;0\n").unwrap();
        let error = cells_of_streams(&folder, 2, 5).unwrap_err().to_string();
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(error.contains("0.csv: line 2: column `b`: `x`"), "{error}");
        let table = &cells[0].rows;
        assert_eq!(table.names, ["a mean", "b mean", "a sd", "b sd"]);
        assert_eq!(table.truth.as_ref().unwrap().len(), 6 * 281);
        // 0 .. 19 modulo 7: two whole periods and 0 .. 5.
        assert!((table.rows[0] - 57.0 / 20.0).abs() < 1e-12);
        let (truth, groups) = (table.truth.as_ref().unwrap(), table.groups.as_ref().unwrap());
        let split = split(truth, groups, &mut Random::new(1, 0));
        assert_eq!((split.train.len(), split.test.len()), (3 * 29, 3 * 281));
        // Six windows of a fault, three of them labeled, in two of three recordings.
        assert_eq!(split.labeled.iter().filter(|&&labeled| labeled).count(), 6);
        assert_eq!(runs(&split.labeled).count(), 2);
        assert!(split.train.iter().zip(&split.labeled).all(|(&row, &labeled)| truth[row] || !labeled));
        assert!(split.train.iter().all(|row| !split.test.contains(row)));
    }

    #[test]
    fn events_are_counted_by_hand() {
        let bits = |text: &str| text.bytes().map(|b| b == b'1').collect::<Vec<_>>();
        let recording_of = [0, 0, 0, 0, 0, 0, 1, 1, 1, 1];
        let counts = EventCounts::count(&bits("0110001100"), &bits("1100101001"), &recording_of);
        assert_eq!(counts, EventCounts { events: 2, found: 2, false_alarms: 2 });
    }
}

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
use crate::streams::{EventQuality, LogError, LogOptions, Recordings, Track, WindowError, WindowPlan, windows};

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
pub enum StreamError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error(transparent)]
    Log(#[from] LogError),
    #[error(transparent)]
    Windows(#[from] WindowError),
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
    // Samples count as a second apart, whatever their times say.
    let text = std::fs::read_to_string(&files[0]).map_err(io)?;
    let header = text.lines().next().unwrap_or_default().split([';', ',']).map(str::trim);
    let is_left_out = |(at, name): &(usize, &str)| *at == 0 || *name == LEFT_OUT;
    let options = LogOptions {
        rate: Some(1.0),
        truth: Some(TRUTH.to_owned()),
        ignore: header.enumerate().filter(is_left_out).map(|(_, name)| name.to_owned()).collect(),
        ..LogOptions::default()
    };
    let recordings = Recordings::open(&files, &options)?;
    let plan = WindowPlan {
        window: WINDOW,
        hop: 1,
        features: vec!["mean".to_owned(), "sd".to_owned()],
        baseline: 0,
        magnitudes: Vec::new(),
    };
    // Of the recordings to be tested on, only their range is seen: it sets the steps to which samples are rounded.
    let spec = plan.recipe(&recordings).map_err(WindowError::from)?;
    let mut all = windows(&recordings, &spec)?;
    let truth = |recording: usize, end: usize| recordings.all[recording].truth.as_ref().is_some_and(|truth| truth[end]);
    all.table.truth = Some(all.places.iter().map(|place| truth(place.recording, place.end)).collect());
    (all.table.labeled, all.table.normal) = (None, None);
    let rows = Arc::new(all.table);
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

/// Calls against the truth by stretches, of windows in the order of time, recording by recording.
pub(super) fn events(truth: &[bool], called: &[bool], recording_of: &[u32]) -> EventQuality {
    let mut counts = EventQuality::default();
    let mut start = 0;
    while start < truth.len() {
        let same = recording_of[start..].iter().take_while(|&&of| of == recording_of[start]).count();
        let truth = &truth[start..start + same];
        let ends: Vec<usize> = (0..same).collect();
        let times: Vec<f64> = (0..same).map(|at| at as f64).collect();
        let track = Track { ends: &ends, window: 1, truth, times: &times, counts: None, hop: 1.0, lead: None };
        counts.add(&track, &called[start..start + same]);
        start += same;
    }
    counts
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
                format!("t{t};{};{}.5;{};0.0\n", recording, t % 7, f64::from(u8::from((100..160).contains(&t))))
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
        assert!(error.contains("0.csv:2: column `b`: expected a number, found \"x\""), "{error}");
        let table = &cells[0].rows;
        assert_eq!(table.names, ["a mean", "a sd", "b mean", "b sd"]);
        assert_eq!(table.truth.as_ref().unwrap().len(), 6 * 281);
        // 0 .. 19 modulo 7: two whole periods and 0 .. 5.
        assert!((table.rows[2] - (0.5 + 57.0 / 20.0)).abs() < 1e-3);
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
        let counts = events(&bits("0110001100"), &bits("1100101001"), &recording_of);
        assert_eq!((counts.events, counts.found, counts.false_alarms), (2, 2, 2));
    }
}

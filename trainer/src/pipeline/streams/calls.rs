//! What left-out windows were called, and what follows for alarm and drift flag.

use pual_infer::AlarmRule;

use super::Timeline;
use crate::data::dataset::Dataset;
use crate::pipeline::approach::Learned;
use crate::pipeline::outcome::Outcome;
use crate::streams::{AlarmChoice, CalledTrack, Recordings, Track, WindowRows, choose, states};

/// Blocks of time that stand in for recordings, where there is one.
const BLOCKS: usize = 5;

/// Of every window in the order of time.
pub(super) struct Calls {
    /// Above 0 is positive.
    scores: Vec<f64>,
    pub called: Vec<bool>,
    /// Whether the window was left out when it was scored.
    pub left_out: bool,
}

impl Calls {
    /// By the ensemble's teacher on left-out windows; a single model's are those of the windows it was fitted to.
    pub(super) fn new(outcome: &Outcome, windows: usize) -> Self {
        let by_teacher = match &outcome.learned {
            Learned::Ensemble { report, .. } if outcome.sample.is_none() => Some(report),
            _ => None,
        };
        let Some(report) = by_teacher else {
            let threshold = outcome.model.decode().map_or(0.0, |model| model.threshold());
            let scores: Vec<f64> = outcome.scores.iter().map(|score| f64::from(score - threshold)).collect();
            return Self { called: scores.iter().map(|&score| score > 0.0).collect(), scores, left_out: false };
        };
        let mut known = vec![None; windows];
        for &(row, margin) in &report.left_out_margins {
            known[row] = Some(if report.all_positive.is_some() { 1.0 } else { margin });
        }
        // Of more windows than a teacher learns from, those in between are like the one before.
        let mut last = known.iter().flatten().next().copied().unwrap_or(0.0);
        let fill = |margin: Option<f64>| {
            last = margin.unwrap_or(last);
            last
        };
        let scores: Vec<f64> = known.into_iter().map(fill).collect();
        Self { called: scores.iter().map(|&score| score > 0.0).collect(), scores, left_out: true }
    }

    /// The alarm rule, by labeled events and by time that is quiet as far as anybody knows.
    pub(super) fn alarm(&self, recordings: &Recordings, rows: &WindowRows, wanted_per_day: f64) -> AlarmChoice {
        let normal = rows.table.normal.as_deref();
        let ends: Vec<Vec<usize>> = (0..recordings.all.len()).map(|at| rows.ends(at)).collect();
        let track = |at: usize| {
            let recording = &recordings.all[at];
            CalledTrack {
                track: Track {
                    ends: &ends[at],
                    window: rows.window,
                    truth: &recording.labeled,
                    times: &recording.times,
                    counts: normal.map(|normal| &normal[rows.of(at)]),
                    hop: recording.hop_seconds(rows.hop),
                    lead: Some(rows.window),
                },
                called: self.called[rows.of(at)].to_vec(),
            }
        };
        let tracks: Vec<CalledTrack<'_>> = (0..recordings.all.len()).map(track).collect();
        choose(&tracks, normal.is_some(), wanted_per_day)
    }

    pub(super) fn timeline(&self, rows: &WindowRows, recording: usize, rule: AlarmRule) -> Timeline {
        let windows = rows.of(recording);
        Timeline {
            ends: rows.ends(recording),
            scores: self.scores[windows.clone()].to_vec(),
            alarm: states(rule, &self.called[windows]),
        }
    }
}

/// Which windows are outside the range of all other recordings, or of the other blocks of time.
pub(super) fn outside(data: &Dataset) -> Vec<bool> {
    let features = data.features();
    let of_row: Vec<usize> = match data.groups() {
        Some(groups) if groups.len() > 1 => groups.of_row().iter().map(|&group| group as usize).collect(),
        _ => (0..data.len()).map(|row| row * BLOCKS / data.len()).collect(),
    };
    let groups = of_row.iter().max().map_or(0, |&last| last + 1);
    let mut ranges = vec![vec![(f64::INFINITY, f64::NEG_INFINITY); features]; groups];
    for (row, &group) in data.rows().chunks_exact(features).zip(&of_row) {
        for (range, &x) in ranges[group].iter_mut().zip(row) {
            *range = (range.0.min(x), range.1.max(x));
        }
    }
    let others = |group: usize| -> Vec<(f64, f64)> {
        let other = |feature: usize| {
            let ranges = (0..groups).filter(|&at| at != group).map(|at| ranges[at][feature]);
            ranges.fold((f64::INFINITY, f64::NEG_INFINITY), |all, range| (all.0.min(range.0), all.1.max(range.1)))
        };
        (0..features).map(other).collect()
    };
    let others: Vec<Vec<(f64, f64)>> = (0..groups).map(others).collect();
    let is_outside =
        |(row, &group): (&[f64], &usize)| row.iter().zip(&others[group]).any(|(&x, &(low, high))| x < low || x > high);
    data.rows().chunks_exact(features).zip(&of_row).map(is_outside).collect()
}

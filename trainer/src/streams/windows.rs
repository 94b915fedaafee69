//! Recordings to windows, by the device's own code: a row of features per window, with what is known of it.
//!
//! A window is labeled, normal or really positive if at least half of its samples are. It lies in one stretch of one recording.

use pual_infer::{MagnitudeSpec, RecipeSpec, Windows};

use super::error::{LogError, LogProblem};
use super::recipe::{RecipeError, feature_name};
use super::{Recording, Recordings};
use crate::data::groups::Groups;
use crate::data::table::Table;

/// Where a window is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    /// Its recording.
    pub recording: usize,
    /// Its last sample.
    pub end: usize,
}

/// Rows and where they are from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WindowRows {
    pub table: Table,
    pub places: Vec<Place>,
    /// Samples of a window.
    pub window: usize,
    /// Samples from one window to the next.
    pub hop: usize,
}

/// Why there are no windows.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WindowError {
    /// The recordings.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The recipe.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
}

/// The names of a recipe's features.
pub(crate) fn feature_names(spec: &RecipeSpec) -> Vec<String> {
    let raw: Vec<String> = spec.channels.iter().map(|channel| channel.name.clone()).collect();
    let names =
        |magnitude: &MagnitudeSpec| magnitude.of.iter().filter_map(|&at| raw.get(usize::from(at)).cloned()).collect();
    let magnitudes: Vec<Vec<String>> = spec.magnitudes.iter().map(names).collect();
    let channels = super::recipe::channel_names(&raw, &magnitudes);
    let name = |feature| feature_name(feature, &channels, f64::from(spec.rate), usize::from(spec.hop));
    spec.features.iter().map(name).collect()
}

/// Every window of every recording.
pub(crate) fn windows(recordings: &Recordings, spec: &RecipeSpec) -> Result<WindowRows, WindowError> {
    let refused = |error: &dyn std::fmt::Display| RecipeError::Refused(error.to_string());
    let bytes = spec.encode().map_err(|error| refused(&error))?;
    let recipe = bytes.recipe();
    let window = recipe.window();
    let mut rows = WindowRows { table: Table::default(), places: Vec::new(), window, hop: recipe.hop() };
    rows.table.names = feature_names(spec);
    let width = recordings.channels.len();
    let mut features = vec![0.0; recipe.features()];
    for (at, recording) in recordings.all.iter().enumerate() {
        // Each recording is a start of its own.
        let mut windows = Windows::new(vec![0; recipe.memory()], &recipe).map_err(|error| refused(&error))?;
        for stretch in &recording.stretches {
            for sample in stretch.clone() {
                let values = &recording.samples[sample * width..(sample + 1) * width];
                if windows.push(&recipe, values, &mut features).map_err(|error| refused(&error))? {
                    rows.table.rows.extend(features.iter().map(|&value| f64::from(value)));
                    rows.places.push(Place { recording: at, end: sample });
                }
            }
            windows.gap();
        }
    }
    if rows.places.is_empty() {
        let stretches = recordings.all.iter().flat_map(|recording| &recording.stretches);
        let longest = stretches.map(ExactSizeIterator::len).max().unwrap_or(0);
        let problem = LogProblem::WindowTooLong { window, longest, gaps: recordings.gaps() };
        let file = recordings.all.first().map_or("", |first| first.file.as_str());
        let file = if recordings.all.len() == 1 { file.to_owned() } else { format!("{file} and the others") };
        return Err(LogError::new(&file, problem).into());
    }
    rows.mark(recordings);
    Ok(rows)
}

impl WindowRows {
    fn mark(&mut self, recordings: &Recordings) {
        let half = |place: &Place, marks: &[bool]| {
            let marked = marks[place.end + 1 - self.window..=place.end].iter().filter(|&&mark| mark).count();
            2 * marked >= self.window
        };
        let of = |place: &Place| &recordings.all[place.recording];
        let labeled: Vec<bool> = self.places.iter().map(|place| half(place, &of(place).labeled)).collect();
        let normal = |(place, &labeled): (&Place, &bool)| !labeled && half(place, &of(place).normal);
        let normal: Vec<bool> = self.places.iter().zip(&labeled).map(normal).collect();
        let truth = |place: &Place| Some(half(place, of(place).truth.as_deref()?));
        self.table.truth = self.places.iter().map(truth).collect();
        self.table.labeled = Some(labeled);
        self.table.normal = normal.contains(&true).then_some(normal);
        self.table.groups = Some(Groups::of_rows(self.places.iter().map(|place| of(place).name.as_str())));
    }

    /// The windows of one recording.
    pub(crate) fn of(&self, recording: usize) -> std::ops::Range<usize> {
        let start = self.places.partition_point(|place| place.recording < recording);
        start..self.places.partition_point(|place| place.recording <= recording)
    }

    /// The last samples of a recording's windows.
    pub(crate) fn ends(&self, recording: usize) -> Vec<usize> {
        self.places[self.of(recording)].iter().map(|place| place.end).collect()
    }
}

impl Recording {
    /// Seconds from one window to the next.
    pub(crate) fn hop_seconds(&self, hop: usize) -> f64 {
        hop as f64 * self.period
    }
}

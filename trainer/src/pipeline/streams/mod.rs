//! From recordings to a model that takes raw samples: windows, features, a classifier, an alarm and a drift flag.
//!
//! ```text
//! recordings -> window and features, by left-out recordings -> rows -> train -> left-out calls -> alarm, drift flag -> recipe in the model
//! ```

mod calls;
mod features;
mod verdicts;

use pual_infer::{RecipeSpec, with_recipe};
use serde::Serialize;

pub use verdicts::{StreamEvaluation, WindowVerdict, evaluate_recordings, score_recordings};

use super::Error;
use super::options::Options;
use super::outcome::{ModelFile, Outcome};
use super::train::train_with;
use crate::base::warnings::{Warning, WarningId};
use crate::base::watch::Watch;
use crate::data::dataset::Dataset;
use crate::model::export::ExportError;
use crate::streams::{AlarmChoice, DriftReport, Recordings, Span, feature_names};
use calls::Calls;
use features::WindowChoice;

/// Windows of recordings, what is computed of them, and how often the alarm may be wrong.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamOptions {
    /// Lengths of a window; of several, left-out recordings choose.
    pub windows: Vec<Span>,
    /// From one window to the next; by default half a window.
    pub hop: Option<Span>,
    /// Features as tables call them: `mean`, `Current sd`, `band:50-200Hz`, `mean relative`. By default a few are chosen.
    pub features: Option<Vec<String>>,
    /// How long features are averaged after the start; they count from there.
    pub baseline: Option<Span>,
    /// Channels whose magnitude is a channel too.
    pub magnitudes: Vec<Vec<String>>,
    /// False alarms per day, at most.
    pub false_alarms: f64,
}

impl Default for StreamOptions {
    fn default() -> Self {
        Self {
            windows: Vec::new(),
            hop: None,
            features: None,
            baseline: None,
            magnitudes: Vec::new(),
            false_alarms: 1.0,
        }
    }
}

/// What training on recordings gives.
#[derive(Debug, Serialize)]
pub struct StreamOutcome {
    /// The model, with its recipe, and how it was learned from windows.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// Windows, alarm and drift flag.
    pub stream: StreamSummary,
    /// The windows.
    #[serde(skip)]
    pub data: Dataset,
    /// By recording: its windows as the alarm was chosen on them.
    #[serde(skip)]
    pub timelines: Vec<Timeline>,
}

/// What is known about a model's recipe.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StreamSummary {
    /// Recordings learned from.
    pub recordings: usize,
    /// Samples of them.
    pub samples: usize,
    /// Gaps in them, which end windows.
    pub gaps: usize,
    /// Samples left out for an empty cell.
    pub empty_cells: usize,
    /// Samples per second.
    pub rate: f64,
    /// Samples of a window.
    pub window: usize,
    /// Samples from one window to the next.
    pub hop: usize,
    /// Windows that relative features are compared with; 0 for none.
    pub baseline: usize,
    /// Raw channels.
    pub channels: Vec<String>,
    /// The features, in the order of the model.
    pub features: Vec<String>,
    /// Windows and features that were tried, with what left-out events say for them: 1 is perfect, 1/2 chance.
    pub tried: Vec<WindowTrial>,
    /// Whether alarm and drift flag were chosen on left-out windows; if not, on those learned from.
    pub left_out: bool,
    /// The alarm.
    pub alarm: AlarmChoice,
    /// The drift flag.
    pub drift: DriftReport,
    /// Bytes of RAM on a chip: the type `Stream` with these numbers.
    pub ram_bytes: usize,
    /// Channels, blocks and words of that type.
    pub stream_type: [usize; 3],
}

/// A window with features that were tried.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WindowTrial {
    /// Samples.
    pub window: usize,
    /// Kinds of features.
    pub features: Vec<String>,
    /// What left-out events say.
    pub merit: f64,
}

/// A recording's windows when it was left out.
#[derive(Debug, Clone, PartialEq)]
pub struct Timeline {
    /// The last sample of each window.
    pub ends: Vec<usize>,
    /// Scores; above 0 is positive.
    pub scores: Vec<f64>,
    /// Whether the alarm was on.
    pub alarm: Vec<bool>,
}

/// Trains a model on recordings. The truth is never looked at.
///
/// # Errors
/// As [`train`](super::train::train); windows that no recording holds, a hop that does not divide them, unknown features.
pub fn train_recordings(
    recordings: &Recordings,
    streams: &StreamOptions,
    options: &Options,
    watch: &dyn Watch,
) -> Result<StreamOutcome, Error> {
    watch.phase("windows", 0);
    for warning in &recordings.warnings {
        watch.warn(warning);
    }
    let WindowChoice { rows, spec, data, tried } = features::choose(recordings, streams, options)?;
    let mut outcome = train_with(&data, options, Some(&spec), watch)?;
    outcome.warnings.splice(0..0, recordings.warnings.iter().cloned());
    let calls = Calls::new(&outcome, data.len());
    let alarm = calls.alarm(recordings, &rows, streams.false_alarms);
    let outside = calls::outside(&data);
    let (drift, drift_report) = crate::streams::drift_rule(&outside, &calls.called);
    let spec = RecipeSpec { alarm: alarm.rule, drift, ..kept_features(&spec, &outcome.summary.features) };
    let bytes = with_recipe(outcome.model.bytes(), &spec).map_err(ExportError::Encode)?;
    let stream_type = {
        let model = bytes.decode()?;
        model.recipe().map_or([0; 3], |recipe| [recipe.channels(), recipe.blocks(), recipe.words()])
    };
    outcome.summary.bytes = bytes.len();
    outcome.model = ModelFile::new(bytes);
    if !alarm.is_met() {
        let warning = of_false_alarms(&alarm);
        watch.warn(&warning);
        outcome.warnings.push(warning);
    }
    let timelines = (0..recordings.all.len()).map(|at| calls.timeline(&rows, at, alarm.rule)).collect();
    let stream = StreamSummary {
        recordings: recordings.all.len(),
        samples: recordings.samples(),
        gaps: recordings.gaps(),
        empty_cells: recordings.all.iter().map(|recording| recording.empty_cells).sum(),
        rate: 1.0 / recordings.period,
        window: rows.window,
        hop: rows.hop,
        baseline: usize::from(spec.baseline),
        channels: recordings.channels.clone(),
        features: outcome.summary.features.clone(),
        tried,
        left_out: calls.left_out,
        alarm,
        drift: drift_report,
        ram_bytes: ram_bytes(stream_type),
        stream_type,
    };
    Ok(StreamOutcome { outcome, stream, data, timelines })
}

/// The recipe with these of its features, in this order.
pub(super) fn kept_features(spec: &RecipeSpec, names: &[String]) -> RecipeSpec {
    let known = feature_names(spec);
    let feature = |name: &String| known.iter().position(|other| other == name).map(|at| spec.features[at]);
    RecipeSpec { features: names.iter().filter_map(feature).collect(), ..spec.clone() }
}

/// Bytes of `Stream<CHANNELS, BLOCKS, WORDS>` where a pointer has four.
#[must_use]
pub fn ram_bytes([channels, blocks, words]: [usize; 3]) -> usize {
    /// Model and recipe, places in the ring, alarm and drift flag.
    const REST: usize = 24 + 24 + 8 + 28;
    4 * channels * blocks * words + REST
}

fn of_false_alarms(alarm: &AlarmChoice) -> Warning {
    let time = if alarm.known_normal { "known normal" } else { "unlabeled" };
    let bound = if alarm.known_normal { "" } else { ": an upper bound, since some of these may be real" };
    Warning::new(
        WarningId::FalseAlarmsAboveTarget,
        format_args!(
            "the alarm goes off {} times in {:.1} hours of {time} time that was left out, {:.1} per day, more than the {} wanted{bound}",
            alarm.left_out.false_alarms,
            alarm.left_out.quiet_hours,
            alarm.per_day(),
            alarm.wanted_per_day
        ),
    )
}

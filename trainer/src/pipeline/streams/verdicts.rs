//! A stream model's word on recordings: what the chip would say of the same samples, to the bit.

use pual_infer::{Class, Debounce, Drift, Envelope, Model, RecipeSpec};
use serde::Serialize;

use crate::base::warnings::Warning;
use crate::model::export::device_verdicts;
use crate::model::outside::OutsideCount;
use crate::pipeline::Error;
use crate::pipeline::evaluate::TruthQuality;
use crate::streams::{EventQuality, Recordings, Track, WindowRows, windows};

/// What is said at the end of a window.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct WindowVerdict {
    /// The window's recording, as its place among those given.
    pub recording: usize,
    /// The window's last sample.
    pub sample: usize,
    /// The score.
    pub score: f32,
    /// Whether it is above the threshold.
    pub positive: bool,
    /// Whether a feature is outside its training range; none if the model carries no ranges.
    pub outside: Option<bool>,
    /// Whether the alarm is on.
    pub alarm: bool,
    /// Whether the drift flag is raised.
    pub drift: bool,
}

/// What a stream model says of recordings whose events are known.
#[derive(Debug, Clone, Serialize)]
pub struct StreamEvaluation {
    /// Scores above this are called positive.
    pub threshold: f32,
    /// Recordings.
    pub recordings: usize,
    /// Windows scored.
    pub windows: usize,
    /// Windows called positive.
    pub called_positive: usize,
    /// Windows outside the training range.
    pub outside_envelope: usize,
    /// Recordings at whose end the drift flag was raised.
    pub drifted: usize,
    /// Windows against the truth.
    pub truth: TruthQuality,
    /// The alarm against the events.
    pub alarm: EventQuality,
    /// What the user should know about these figures.
    #[serde(skip)]
    pub warnings: Vec<Warning>,
}

/// Runs a stream model over recordings that have its channels and its rate. Every recording is a start of its own.
///
/// # Errors
/// A model without a recipe, recordings at another rate or without a window.
pub fn score_recordings(
    model: &Model<'_>,
    recordings: &Recordings,
    threshold: Option<f32>,
) -> Result<Vec<WindowVerdict>, Error> {
    Ok(run(model, recordings, threshold)?.1)
}

fn run(
    model: &Model<'_>,
    recordings: &Recordings,
    threshold: Option<f32>,
) -> Result<(WindowRows, Vec<WindowVerdict>), Error> {
    let recipe = model.recipe().ok_or(Error::NoRecipe)?;
    recordings.check_rate(1.0 / f64::from(recipe.rate()), "the model's")?;
    let rows = windows(recordings, &RecipeSpec::from(&recipe))?;
    let threshold = threshold.unwrap_or(model.threshold());
    let (rule, drift_rule) = (recipe.alarm(), recipe.drift());
    let (mut alarm, mut drift) = (Debounce::default(), Drift::default());
    let mut before = None;
    let verdicts = device_verdicts(model, &rows.table.rows)?;
    let verdicts = rows.places.iter().zip(&verdicts).map(|(place, verdict)| {
        if before.replace(place.recording) != Some(place.recording) {
            (alarm, drift) = (Debounce::default(), Drift::default());
        }
        let verdict = verdict.at(threshold);
        let positive = verdict.class == Class::Positive;
        let outside = match verdict.envelope {
            Envelope::Inside => Some(false),
            Envelope::Outside { .. } => Some(true),
            Envelope::Unknown => None,
        };
        WindowVerdict {
            recording: place.recording,
            sample: place.end,
            score: verdict.score,
            positive,
            outside,
            alarm: alarm.push(positive, &rule),
            drift: drift.push(outside == Some(true), positive, &drift_rule),
        }
    });
    let verdicts = verdicts.collect();
    Ok((rows, verdicts))
}

/// Compares a stream model with the recordings' truth, or with their labels where they have none.
///
/// # Errors
/// As [`score_recordings`].
pub fn evaluate_recordings(
    model: &Model<'_>,
    recordings: &Recordings,
    threshold: Option<f32>,
) -> Result<StreamEvaluation, Error> {
    let (rows, verdicts) = run(model, recordings, threshold)?;
    let called: Vec<bool> = verdicts.iter().map(|verdict| verdict.positive).collect();
    let labeled = rows.table.labeled.clone().unwrap_or_default();
    let truth = TruthQuality::new(rows.table.truth.as_deref().unwrap_or(&labeled), &called);
    let mut alarm = EventQuality::default();
    for (at, recording) in recordings.all.iter().enumerate() {
        let track = Track {
            ends: &rows.ends(at),
            window: rows.window,
            truth: recording.truth.as_deref().unwrap_or(&recording.labeled),
            times: &recording.times,
            counts: None,
            hop: recording.hop_seconds(rows.hop),
            lead: Some(rows.window),
        };
        let on: Vec<bool> = verdicts[rows.of(at)].iter().map(|verdict| verdict.alarm).collect();
        alarm.add(&track, &on);
    }
    let is_last = |at: &usize| verdicts.get(at + 1).is_none_or(|next| next.recording != verdicts[*at].recording);
    let device = device_verdicts(model, &rows.table.rows)?;
    let outside = OutsideCount::of(model, &rows.table.rows, &device);
    let warnings = truth.warning().into_iter().chain(outside.warning()).collect();
    Ok(StreamEvaluation {
        threshold: threshold.unwrap_or(model.threshold()),
        recordings: recordings.all.len(),
        windows: verdicts.len(),
        called_positive: called.iter().filter(|&&called| called).count(),
        outside_envelope: outside.outside(),
        drifted: (0..verdicts.len()).filter(is_last).filter(|&at| verdicts[at].drift).count(),
        truth,
        alarm,
        warnings,
    })
}

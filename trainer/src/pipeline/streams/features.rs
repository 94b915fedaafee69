//! Which window, and which of its features: by what left-out events say, and by what they cost on a chip.
//!
//! Without a word from the user the mean and the standard deviation of every channel are computed. A kind of feature is added, or one of
//! the two dropped, if events that were left out rank higher by 0.02, and by its cost (in units of the merit of
//! `ensemble/recordings/relevance.rs`, 1 for perfect and 1/2 for chance):
//!
//! | kind | cost |
//! |---|---|
//! | mean, sd, p2p | 0.01: their sums are there anyway |
//! | slope, diff, crossings | 0.02: a word per block |
//! | skewness | 0.04: seven words per block |
//!
//! At most one is added. With fewer than three events nothing is chosen: there is no evidence to choose by.

use pual_infer::RecipeSpec;

use super::{Error, StreamOptions, WindowTrial};
use crate::base::pool::in_pool;
use crate::data::dataset::Dataset;
use crate::ensemble::merit_of_features;
use crate::model::trained::TrainError;
use crate::pipeline::options::Options;
use crate::streams::{Recordings, WindowPlan, WindowRows, windows};

const START: [&str; 2] = ["mean", "sd"];
const CANDIDATES: [(&str, f64); 5] =
    [("p2p", 0.01), ("slope", 0.02), ("diff", 0.02), ("crossings", 0.02), ("skewness", 0.04)];
/// Differences below this are luck.
const LUCK: f64 = 0.02;
const LEAST_EVENTS: usize = 3;

/// The windows to learn from.
pub(super) struct WindowChoice {
    pub rows: WindowRows,
    pub spec: RecipeSpec,
    pub data: Dataset,
    pub tried: Vec<WindowTrial>,
}

/// Tries every window length, and kinds of features.
pub(super) fn choose(
    recordings: &Recordings,
    streams: &StreamOptions,
    options: &Options,
) -> Result<WindowChoice, Error> {
    let mut tried = Vec::new();
    let mut best: Option<(f64, WindowChoice)> = None;
    for &window in &streams.windows {
        let (window, hop) = WindowPlan::lengths(window, streams.hop, recordings.period)?;
        let baseline = streams.baseline.map_or(0, |span| span.samples(recordings.period).div_ceil(hop));
        let plan = |features: Vec<String>| WindowPlan {
            window,
            hop,
            features: with_baseline(features, baseline),
            baseline,
            magnitudes: streams.magnitudes.clone(),
        };
        let owned = |kinds: &[&str]| kinds.iter().map(|&kind| kind.to_owned()).collect::<Vec<_>>();
        let named = streams.features.clone().unwrap_or_else(|| owned(&START));
        let mut chosen = of_plan(recordings, &plan(named.clone()))?;
        let events = chosen.data.units().map_or(0, crate::data::units::Units::events);
        let mut merit = 0.5;
        if streams.windows.len() > 1 || (streams.features.is_none() && events >= LEAST_EVENTS) {
            merit = merit_of(&chosen.data, options)?;
            tried.push(WindowTrial { window, features: named, merit });
        }
        if streams.features.is_none() && events >= LEAST_EVENTS {
            let added = CANDIDATES.map(|(kind, cost)| (owned(&[&START[..], &[kind]].concat()), cost));
            let dropped = START.map(|kind| (owned(&[kind]), 0.0));
            let mut least = merit + LUCK;
            for (kinds, cost) in added.into_iter().chain(dropped) {
                let other = of_plan(recordings, &plan(kinds.clone()))?;
                let found = merit_of(&other.data, options)?;
                tried.push(WindowTrial { window, features: kinds.clone(), merit: found });
                if found - cost > least {
                    (least, merit, chosen) = (found - cost, found, other);
                }
            }
        }
        if best.as_ref().is_none_or(|(before, _)| merit > *before) {
            best = Some((merit, chosen));
        }
    }
    match best {
        Some((_, chosen)) => Ok(WindowChoice { tried, ..chosen }),
        None => Err(crate::pipeline::options::OptionsError::new("{window} says how long a window is").into()),
    }
}

/// All of them relative, unless the user says which are.
fn with_baseline(features: Vec<String>, baseline: usize) -> Vec<String> {
    match baseline == 0 || features.iter().any(|feature| feature.trim_end().ends_with("relative")) {
        true => features,
        false => features.into_iter().map(|feature| format!("{feature} relative")).collect(),
    }
}

fn of_plan(recordings: &Recordings, plan: &WindowPlan) -> Result<WindowChoice, Error> {
    let spec = plan.recipe(recordings)?;
    let rows = windows(recordings, &spec)?;
    let data = Dataset::new(rows.table.clone())?.in_sequence();
    Ok(WindowChoice { rows, spec, data, tried: Vec::new() })
}

fn merit_of(data: &Dataset, options: &Options) -> Result<f64, Error> {
    let all: Vec<usize> = (0..data.features()).collect();
    let Some(units) = data.units() else {
        return Ok(0.5);
    };
    in_pool(options.threads, || {
        merit_of_features(data.rows(), data.features(), &all, data.labeled(), units, options.seed)
            .map_err(|error| Error::from(TrainError::from(error)))
    })
}

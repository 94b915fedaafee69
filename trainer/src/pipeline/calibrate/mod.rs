//! Another threshold in a model, chosen on rows whose truth is known. Scores are the device's, and stay as they are.

mod curve;

pub use curve::Cut;

use pual_infer::{DecodeError, EncodeError, ModelBytes, ReadingError, with_threshold};
use serde::Serialize;

use super::outcome::ModelFile;
use crate::base::warnings::{Warning, WarningId};
use crate::choose::metrics::Confusion;
use crate::data::table::Table;
use crate::model::export::device_verdicts;
use crate::model::outside::OutsideCount;
use curve::Curve;

/// The rows of the table are the highest thresholds with these recalls, from cautious to eager.
const RECALLS: [f64; 10] = [0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 0.99, 1.0];
/// Cuts of the curve, at most: a figure shows no more.
const MOST_CUTS: usize = 240;
/// With fewer rows of a kind than this, a share of 95 % has a standard error of more than 3 points.
const FEW_OF_A_KIND: usize = 50;
/// With fewer misses, or false alarms, than this their number has a standard error of about half of it.
const FEW_ON_THE_FAR_SIDE: usize = 5;

/// What a threshold is chosen for.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum CutTarget {
    /// The highest threshold that finds at least this share of the positive rows.
    Recall(f64),
    /// The lowest threshold that calls at most this share of the negative rows.
    FalseAlarms(f64),
    /// The threshold with the best F1; the highest, if there are several.
    BestF1,
    /// This threshold.
    Threshold(f32),
}

/// Why there is no other threshold.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CalibrateError {
    /// Rows without a truth.
    #[error("the truth of the rows is not known")]
    NoTruth,
    /// Rows of one kind.
    #[error("all {rows} rows are {kind}; a threshold is chosen on positive and negative rows")]
    OneKind {
        /// How many.
        rows: usize,
        /// positive or negative.
        kind: &'static str,
    },
    /// A target that is not a share.
    #[error("{target} must be between 0 and 1, not {value}")]
    NotAShare {
        /// Which.
        target: &'static str,
        /// What it is.
        value: f64,
    },
    /// Scores that do not differ.
    #[error("the model gives all {rows} rows the same score: no threshold separates them")]
    OneScore {
        /// How many.
        rows: usize,
    },
    /// A recall that no useful threshold has.
    #[error("recall {recall} is reached only by calling every row positive; below that, at most {most:.4} is reached")]
    Recall {
        /// The target.
        recall: f64,
        /// The highest recall that leaves a row out.
        most: f64,
    },
    /// A share of false alarms that no useful threshold has.
    #[error("with at most {rate} false alarms no positive row is found: finding any takes {least:.4}")]
    FalseAlarms {
        /// The target.
        rate: f64,
        /// The lowest share with which any positive row is found.
        least: f64,
    },
    /// Bytes that are no model.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// A row that the model refuses.
    #[error("the model refuses a row: {0}")]
    Reading(#[from] ReadingError),
    /// A threshold that the format has no room for.
    #[error("the model cannot have this threshold: {0}")]
    Encode(#[from] EncodeError),
}

/// The trade-off between recall and false alarms, and the threshold chosen.
#[derive(Debug, Clone, Serialize)]
pub struct Calibration {
    /// Rows scored.
    pub rows: usize,
    /// Those that are positive.
    pub positives: usize,
    /// F1 of calling every row positive.
    pub f1_of_all_positive: f64,
    /// By the model's own threshold.
    pub current: Cut,
    /// The best F1.
    pub best_f1: Cut,
    /// What the target asks for, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chosen: Option<Cut>,
    /// About ten cuts, the highest threshold first; those above are among them.
    pub table: Vec<Cut>,
    /// More of them, for a figure.
    #[serde(skip)]
    pub curve: Vec<Cut>,
    /// The model with the threshold chosen: all other bytes but the checksum's are the same.
    #[serde(skip)]
    pub model: Option<ModelFile>,
    /// What the user should know before relying on it.
    #[serde(skip)]
    pub warnings: Vec<Warning>,
}

/// Shows what thresholds of a model call among `checked` rows, which are in its own order of features and have a truth, and chooses
/// the one that `target` asks for.
///
/// # Errors
/// Rows without a truth or of one kind, scores that do not differ, a target that no threshold meets.
pub fn calibrate(
    model: &ModelBytes,
    checked: &Table,
    target: Option<CutTarget>,
) -> Result<Calibration, CalibrateError> {
    let truth = checked.truth.as_deref().ok_or(CalibrateError::NoTruth)?;
    let (rows, positives) = (truth.len(), truth.iter().filter(|&&truth| truth).count());
    if positives == 0 || positives == rows {
        let kind = if positives == 0 { "negative" } else { "positive" };
        return Err(CalibrateError::OneKind { rows, kind });
    }
    target.map_or(Ok(()), CutTarget::check)?;
    let decoded = model.decode()?;
    let verdicts = device_verdicts(&decoded, &checked.rows)?;
    let scores: Vec<f32> = verdicts.iter().map(|verdict| verdict.score).collect();
    let curve = Curve::new(&scores, truth, decoded.threshold());
    let best_f1 = curve.with_best_f1().ok_or(CalibrateError::OneScore { rows })?;
    let current = Curve::of(&scores, truth, decoded.threshold());
    let chosen = match target {
        None => None,
        Some(CutTarget::BestF1) => Some(best_f1),
        Some(CutTarget::Threshold(threshold)) => Some(Curve::of(&scores, truth, threshold)),
        Some(CutTarget::Recall(recall)) => {
            let most = curve.at(curve.len() - 1).recall;
            Some(curve.with_recall(recall).ok_or(CalibrateError::Recall { recall, most })?)
        }
        Some(CutTarget::FalseAlarms(rate)) => {
            // A lowest row that is the only positive one is found only by calling every row.
            let least = curve.fewest_false_alarms().unwrap_or(1.0);
            Some(curve.with_false_alarms(rate).ok_or(CalibrateError::FalseAlarms { rate, least })?)
        }
    };
    let calibrated = chosen.map(|cut| with_threshold(model, cut.threshold)).transpose()?;
    let all = Confusion { true_positives: positives, false_positives: rows - positives, ..Confusion::default() };
    let mut warnings: Vec<Warning> = few_rows(positives, rows - positives, target).into_iter().collect();
    warnings.extend(Warning::worse_than_all_positive(chosen.unwrap_or(current).f1, all.f1()));
    warnings.extend(OutsideCount::of(&decoded, &checked.rows, &verdicts).warning());
    Ok(Calibration {
        rows,
        positives,
        f1_of_all_positive: all.f1(),
        current,
        best_f1,
        chosen,
        table: table(&curve, [Some(current), Some(best_f1), chosen]),
        curve: sampled(&curve),
        model: calibrated.map(ModelFile::new),
        warnings,
    })
}

impl CutTarget {
    fn check(self) -> Result<(), CalibrateError> {
        let (target, value) = match self {
            Self::Recall(recall) => ("recall", recall),
            Self::FalseAlarms(rate) => ("the share of false alarms", rate),
            Self::BestF1 | Self::Threshold(_) => return Ok(()),
        };
        match (0.0..=1.0).contains(&value) {
            true => Ok(()),
            false => Err(CalibrateError::NotAShare { target, value }),
        }
    }
}

/// The cuts to show, the highest threshold first.
fn table(curve: &Curve, marked: [Option<Cut>; 3]) -> Vec<Cut> {
    let is_marked = |cut: &Cut| marked.iter().flatten().any(|marked| marked.called == cut.called);
    let levels = RECALLS.into_iter().filter_map(|recall| curve.with_recall(recall)).filter(|cut| !is_marked(cut));
    let mut cuts: Vec<Cut> = marked.into_iter().flatten().chain(levels).collect();
    cuts.sort_by(|a, b| b.threshold.total_cmp(&a.threshold));
    cuts.dedup_by(|a, b| a.threshold == b.threshold);
    cuts
}

/// Cuts at even steps through the rows.
fn sampled(curve: &Curve) -> Vec<Cut> {
    let step = curve.len().div_ceil(MOST_CUTS).max(1);
    let last = curve.len() - 1;
    let places = (0..last).step_by(step).chain([last]);
    places.map(|place| curve.at(place)).collect()
}

/// Whether there are too few rows for what is asked of them.
fn few_rows(positives: usize, negatives: usize, target: Option<CutTarget>) -> Option<Warning> {
    let warning = |text: String| Some(Warning::new(WarningId::FewCheckedRows, text));
    if positives < FEW_OF_A_KIND || negatives < FEW_OF_A_KIND {
        return warning(format!(
            "only {positives} positive and {negatives} negative rows: on other rows the same threshold can have quite other figures"
        ));
    }
    let (share, rows, may_be) = match target? {
        CutTarget::Recall(recall) => (1.0 - recall, positives, "positive rows may be missed"),
        CutTarget::FalseAlarms(rate) => (rate, negatives, "negative rows may be called"),
        CutTarget::BestF1 | CutTarget::Threshold(_) => return None,
    };
    // 1 - 0.95 is slightly more than 0.05, or slightly less.
    let allowed = (share * rows as f64 + 1e-9).floor() as usize;
    if allowed >= FEW_ON_THE_FAR_SIDE {
        return None;
    }
    warning(format!("{allowed} of {rows} {may_be}: too few to expect the same share of other rows"))
}

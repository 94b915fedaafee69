//! How good a model is on rows whose truth or labels are known. Scores are the device's.

use pual_infer::{Model, ReadingError};
use serde::Serialize;

use crate::base::scenario::Scenario;
use crate::base::warnings::Warning;
use crate::choose::metrics::{Confusion, PuCounts};
use crate::data::table::Table;
use crate::model::export::device_verdicts;
use crate::model::outside::OutsideCount;

/// Answers against the truth.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TruthQuality {
    /// 2 tp / (2 tp + fp + fn).
    pub f1: f64,
    /// F1 of calling every row positive: what any result must be read beside.
    pub f1_of_all_positive: f64,
    /// Share of the rows called that are positive.
    pub precision: f64,
    /// Share of the positive rows that are called.
    pub recall: f64,
}

impl TruthQuality {
    /// Of answers, row by row.
    #[must_use]
    pub fn new(truth: &[bool], called: &[bool]) -> Self {
        let counts = Confusion::count(truth, called);
        Self {
            f1: counts.f1(),
            f1_of_all_positive: counts.f1_of_all_positive(),
            precision: counts.precision(),
            recall: counts.recall(),
        }
    }

    /// If calling every row positive is better.
    pub(crate) fn warning(&self) -> Option<Warning> {
        Warning::worse_than_all_positive(self.f1, self.f1_of_all_positive)
    }
}

/// Answers against the labels.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LabelQuality {
    /// recall^2 / P(f > 0); calling every row positive has 1.
    pub puf: f64,
    /// Share of the labeled rows that are called.
    pub recall: f64,
    /// P(f > 0).
    pub positive_rate: f64,
}

/// What a model says about rows.
#[derive(Debug, Clone, Serialize)]
pub struct Evaluation {
    /// Scores above this are called positive.
    pub threshold: f32,
    /// Rows scored.
    pub rows: usize,
    /// Rows called positive.
    pub called_positive: usize,
    /// Rows outside the training range.
    pub outside_envelope: usize,
    /// Against the truth, where the rows have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truth: Option<TruthQuality>,
    /// Against the labels, where the rows have them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<LabelQuality>,
    /// What the user should know about these figures.
    #[serde(skip)]
    pub warnings: Vec<Warning>,
}

/// Evaluates a model on rows in its own order of features, with its own threshold unless another is given.
///
/// # Errors
/// A row that the model refuses.
pub fn evaluate(
    model: &Model<'_>,
    table: &Table,
    scenario: Scenario,
    threshold: Option<f32>,
) -> Result<Evaluation, ReadingError> {
    let verdicts = device_verdicts(model, &table.rows)?;
    let threshold = threshold.unwrap_or(model.threshold());
    let called: Vec<bool> = verdicts.iter().map(|verdict| verdict.score > threshold).collect();
    let outside = OutsideCount::of(model, &table.rows, &verdicts);
    let truth = table.truth.as_ref().map(|truth| TruthQuality::new(truth, &called));
    let worse = truth.as_ref().and_then(TruthQuality::warning);
    Ok(Evaluation {
        threshold,
        rows: table.len(),
        called_positive: called.iter().filter(|&&called| called).count(),
        outside_envelope: outside.outside(),
        truth,
        labels: table.labeled.as_ref().map(|labeled| {
            let counts = PuCounts::count(labeled, &called);
            LabelQuality {
                puf: counts.puf(scenario),
                recall: counts.recall(),
                positive_rate: counts.positive_rate(scenario),
            }
        }),
        warnings: worse.into_iter().chain(outside.warning()).collect(),
    })
}

//! How far a small model is from the full one, measured on its bytes by the device's own code.
//!
//! With the full model's classes taken for the truth, 1 - F1 of the small one is the number of changed classes over that of positive
//! ones, both models' together. But of rows at the border, whose class changes first, the full model is wrong as often as not:
//! a change there costs nothing. So a changed class counts by how sure the full model was, in full from a quarter of the unit on:
//!
//! ```text
//! loss = sum over changed i of min(1, |f_i - threshold| / (unit / 4))  /  (positive by the full one + by the small one)
//! ```
//!
//! It is measured on the rows and, separately, on interpolated points that nothing was fitted to; the larger of the two is compared with
//! the tolerance.

use std::ops::Range;

use pual_infer::{Model, ReadingError};
use serde::Serialize;

use super::{FullModel, Readings};
use crate::base::random::Random;
use crate::base::scenario::Scenario;
use crate::choose::metrics::{PuCounts, quotient};
use crate::geometry::interpolate::towards_nearest;
use crate::model::export::device_scores;

/// Rows measured on, at most; of more, every k-th.
const MOST_ROWS: usize = 50_000;
/// The full model is sure from this many units on.
const SURE: f64 = 0.25;
/// Interpolated points per row.
const POINTS_PER_ROW: usize = 4;

/// A small model against the full one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Measured {
    /// PUF on the rows, if labels are known; "all positive" has 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub puf: Option<f64>,
    /// Root mean square of the difference of scores on the rows, both clipped, as a share of where they are clipped.
    pub score_error: f64,
    /// Rows whose class changed.
    pub changed_classes: usize,
    /// F1 lost, taking what the full model is sure of as the truth. This is compared with a tolerance.
    pub loss: f64,
}

/// The full model's answers.
pub(super) struct Yardstick {
    /// Row-major: rows, then interpolated points.
    values: Vec<f64>,
    /// Scores above the threshold.
    large: Vec<f64>,
    labeled: Option<Vec<bool>>,
    events: Option<Vec<Option<u32>>>,
    scenario: Scenario,
    /// How many of the values are rows.
    pub rows: usize,
    unit: f64,
    threshold: f64,
}

impl Yardstick {
    /// For `large`, on readings and on points between those `near`, which are given scaled too.
    pub(super) fn new(
        large: &FullModel<'_>,
        readings: &Readings<'_>,
        (near, near_scaled): (&[f64], &[f64]),
        unit: f64,
        random: &mut Random,
    ) -> Result<Self, ReadingError> {
        let (features, threshold) = (large.spec.offsets.len(), large.spec.threshold);
        let step = (readings.rows.len() / features).div_ceil(MOST_ROWS).max(1);
        let rows = readings.rows.chunks_exact(features).step_by(step);
        let mut values: Vec<f64> = rows.flatten().copied().collect();
        let rows = values.len() / features;
        values.extend(towards_nearest(near, near_scaled, features, POINTS_PER_ROW, random));
        Ok(Self {
            large: (large.scores)(&values)?.into_iter().map(|score| score - threshold).collect(),
            values,
            labeled: readings.labeled.map(|labeled| labeled.iter().step_by(step).copied().collect()),
            events: readings.events.map(|events| events.iter().step_by(step).copied().collect()),
            scenario: readings.scenario,
            rows,
            unit,
            threshold,
        })
    }

    /// Points between rows measured on.
    pub(super) fn points(&self) -> usize {
        self.large.len() - self.rows
    }

    /// PUF of the full model.
    pub(super) fn puf(&self) -> Option<f64> {
        let called: Vec<bool> = self.large.iter().map(|&score| score > 0.0).collect();
        self.puf_of(&called)
    }

    fn puf_of(&self, called: &[bool]) -> Option<f64> {
        let labeled = self.labeled.as_ref()?;
        let counts = PuCounts::count(labeled, &called[..self.rows]);
        Some(match &self.events {
            None => counts.puf(self.scenario),
            Some(events) => {
                let recall = mean_recall(events, called);
                quotient(recall * recall, counts.positive_rate(self.scenario))
            }
        })
    }

    pub(super) fn measure(&self, model: &Model<'_>) -> Result<Measured, ReadingError> {
        let small = device_scores(model, &self.values)?;
        let called: Vec<bool> = small.iter().map(|&s| s > model.threshold()).collect();
        let clip = |score: f64| (score / self.unit).clamp(-1.0, 1.0);
        let square = |(large, small): (&f64, &f32)| {
            let difference = clip(*large) - clip(f64::from(*small) - self.threshold);
            difference * difference
        };
        let squares: f64 = (self.large.iter().zip(&small).take(self.rows)).map(square).sum();
        Ok(Measured {
            loss: self.loss(0..self.rows, &called).max(self.loss(self.rows..called.len(), &called)),
            changed_classes: (self.large[..self.rows].iter().zip(&called))
                .filter(|&(large, called)| (*large > 0.0) != *called)
                .count(),
            score_error: (squares / self.rows.max(1) as f64).sqrt(),
            puf: self.puf_of(&called),
        })
    }

    /// The loss of these answers on part of what is measured on.
    fn loss(&self, part: Range<usize>, called: &[bool]) -> f64 {
        let (mut lost, mut positive) = (0.0, 0);
        for (&large, &called) in self.large[part.clone()].iter().zip(&called[part]) {
            positive += usize::from(large > 0.0) + usize::from(called);
            if (large > 0.0) != called {
                lost += (large.abs() / (SURE * self.unit)).min(1.0);
            }
        }
        lost / positive.max(1) as f64
    }
}

/// The share of an event's rows that are called, the mean over events.
fn mean_recall(event_of: &[Option<u32>], called: &[bool]) -> f64 {
    let events = event_of.iter().flatten().max().map_or(0, |&last| last as usize + 1);
    let mut counts = vec![(0.0, 0.0); events];
    for (event, &called) in event_of.iter().zip(called) {
        if let Some(event) = event {
            let (hits, rows) = &mut counts[*event as usize];
            *hits += f64::from(u8::from(called));
            *rows += 1.0;
        }
    }
    // A part of the rows may have none of an event.
    counts.retain(|(_, rows)| *rows > 0.0);
    quotient(counts.iter().map(|(hits, rows)| hits / rows).sum(), counts.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::mean_recall;

    #[test]
    fn events_count_alike_whatever_their_length() {
        let event_of = [Some(0), Some(0), Some(0), Some(0), None, Some(2)];
        assert_eq!(mean_recall(&event_of, &[true, false, false, false, true, true]), 0.625);
        assert_eq!(mean_recall(&[None], &[true]), 0.0);
    }
}

//! What can be said without negatives: whether there is anything to learn, and the guard.
//!
//! z of the PU-AUC: A = P(score of a labeled row > score of an unlabeled one), ties half; without any relation A is 1/2 with
//! standard error sqrt(1/(12 n_p) + 1/(12 n_u)):
//!
//!   z = (A - 1/2) / sqrt(1/(12 n_p) + 1/(12 n_u))
//!
//! The guard calls every row positive, with a warning, when
//!
//! - z < 1: labeled rows do not rank above unlabeled ones;
//! - z < 3 and PUF at the cut <= 1, which is what "all positive" has: a weak ranking that gains nothing;
//! - the cut of largest expected F1 leaves no row out.
//!
//! Where rows are not independent, z would count copies. There the guard goes by p of `recordings::events`: every row is called when p > 0.1. With one
//! event there is no p, and no evidence either way: a model is made, and the user is told.

mod fairness;
mod unlabeled_group;

pub(crate) use fairness::LabelBias;
pub(crate) use unlabeled_group::UnlabeledGroup;

use super::maps::mid_rank;
use super::recordings::EventEvidence;
use crate::base::warnings::{Warning, WarningId};
use serde::{Serialize, Serializer};

/// Below this z there is nothing to learn.
pub(super) const Z_NOTHING: f64 = 1.0;
/// Below this z the ranking is too weak to be its own teacher.
pub(super) const Z_WEAK: f64 = 3.0;

/// Above this p, left-out events are no evidence at all.
const P_NOTHING: f64 = 0.1;
/// Above it they may still be luck, and the user is told: one in five hundred logs of noise gets below.
const P_CLEAR: f64 = 0.002;

/// From this many events on, they are taken to show what events can be like.
const ENOUGH_EVENTS: usize = 5;

/// Why every row is called positive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AllPositive {
    /// Labeled rows do not score above unlabeled ones.
    #[error("labeled rows cannot be told from unlabeled ones")]
    NoRanking,
    /// Rows of left-out events do not rank above the other rows of their recordings.
    #[error("events that were held out do not rank above the rest of their recordings")]
    NoEventRanking,
    /// They do, weakly, but calling rows by it is no better than calling all.
    #[error("labeled rows rank so little above unlabeled ones that nothing is gained by it")]
    NoGain,
    /// The largest expected F1 is that of calling all.
    #[error("nearly every unlabeled row looks positive, so calling all of them is best")]
    BestCut,
}

impl Serialize for AllPositive {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// z of the PU-AUC of scores of which the first `positives` are labeled rows'.
pub(super) fn pu_auc_z(scores: &[f64], positives: usize) -> f64 {
    let (labeled, unlabeled) = scores.split_at(positives);
    let mut sorted = unlabeled.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let (n_p, n_u) = (labeled.len() as f64, unlabeled.len() as f64);
    let auc = labeled.iter().map(|&s| mid_rank(&sorted, s)).sum::<f64>() / (n_p * n_u);
    (auc - 0.5) / (1.0 / (12.0 * n_p) + 1.0 / (12.0 * n_u)).sqrt()
}

/// The guard's word on a cut: where it is, or why every row is called. `puf` gives PUF at a cut.
pub(super) fn guard(z: f64, cut: Option<f64>, puf: impl Fn(f64) -> f64) -> Result<f64, AllPositive> {
    // A z that is not a number is no evidence either.
    if z.is_nan() || z < Z_NOTHING {
        return Err(AllPositive::NoRanking);
    }
    let cut = cut.ok_or(AllPositive::BestCut)?;
    if z < Z_WEAK && puf(cut) <= 1.0 {
        return Err(AllPositive::NoGain);
    }
    Ok(cut)
}

/// The same by events.
pub(super) fn guard_by_events(p_value: f64, events: usize, cut: Option<f64>) -> Result<f64, AllPositive> {
    if events > 1 && p_value > P_NOTHING {
        return Err(AllPositive::NoEventRanking);
    }
    cut.ok_or(AllPositive::BestCut)
}

/// What the user must be told of the number of events.
pub(crate) fn warning_of_events(evidence: &EventEvidence) -> Option<Warning> {
    let EventEvidence { events, p_value, .. } = evidence;
    match events {
        1 => Some(Warning::new(
            WarningId::FewEvents,
            "all labeled rows are one event, and one event is no evidence: whether another one would be found is unknown, and the model may be worse than calling every row positive",
        )),
        _ if *p_value > P_CLEAR || *events < ENOUGH_EVENTS => Some(Warning::new(
            WarningId::FewEvents,
            format_args!(
                "{events} events are little evidence (by luck: p = {p_value:.2e}): an event of another kind may not be found, and the model may be worse than calling every row positive"
            ),
        )),
        _ => None,
    }
}

impl From<AllPositive> for Warning {
    fn from(why: AllPositive) -> Self {
        Self::new(WarningId::AllPositive, format_args!("every row is called positive, because {why}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_z_of_a_ranking() {
        // 4 labeled above all 12 unlabeled: A = 1.
        let scores: Vec<f64> = (0..16).map(|i| f64::from(-i)).collect();
        let error = (1.0f64 / 48.0 + 1.0 / 144.0).sqrt();
        assert!((pu_auc_z(&scores, 4) - 0.5 / error).abs() < 1e-12);
        assert_eq!(pu_auc_z(&[1.0; 10], 3), 0.0);
        assert!(pu_auc_z(&[0.0, 1.0, 2.0], 1) < 0.0);
    }

    #[test]
    fn without_evidence_every_row_is_positive() {
        let good = |_| 2.0;
        let poor = |_| 1.0;
        assert_eq!(guard(0.9, Some(0.5), good), Err(AllPositive::NoRanking));
        assert_eq!(guard(f64::NAN, Some(0.5), good), Err(AllPositive::NoRanking));
        assert_eq!(guard(2.0, Some(0.5), poor), Err(AllPositive::NoGain));
        assert_eq!(guard(2.0, Some(0.5), good), Ok(0.5));
        assert_eq!(guard(3.0, Some(0.5), poor), Ok(0.5));
        assert_eq!(guard(9.0, None, good), Err(AllPositive::BestCut));
        assert_eq!(guard_by_events(0.2, 3, Some(0.5)), Err(AllPositive::NoEventRanking));
        assert_eq!(guard_by_events(1.0, 1, Some(0.5)), Ok(0.5));
        assert_eq!(guard_by_events(0.01, 4, None), Err(AllPositive::BestCut));
    }
}

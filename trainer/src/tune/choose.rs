//! From scored trials to the one that is taken.
//!
//! The best number wins; among equals the one nearest to the rule of thumb, since counts are whole and ties are common. A trial that
//! calls every held-out row positive, or none, is *collapsed*: it has learned nothing and is taken only when all others have
//! collapsed too, and then the choice says so.

use super::{Trial, TuneOptions};
use crate::metrics::PuCounts;
use crate::settings::Settings;

/// What was taken, and how good it seems.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choice {
    /// Its place among the trials.
    pub trial: usize,
    /// The rule's number.
    pub score: f64,
    /// PUF of the pooled folds; 1 is what calling every row positive has.
    pub puf: f64,
    /// Its standard error.
    pub puf_error: f64,
    /// Set when nothing better than a collapsed trial was found.
    pub collapsed: Option<Collapse>,
}

/// How a classifier can say nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Collapse {
    /// Every row is called positive.
    AllPositive,
    /// No row is.
    NonePositive,
}

impl Collapse {
    /// Whether these answers are no answers.
    pub fn of(counts: &PuCounts) -> Option<Self> {
        match counts.labeled_called + counts.unlabeled_called {
            0 => Some(Self::NonePositive),
            called if called == counts.labeled + counts.unlabeled => Some(Self::AllPositive),
            _ => None,
        }
    }
}

/// Chooses among `trials`; none when not one was fitted on every fold.
pub fn choose(trials: &[Trial], tuning: &TuneOptions, rule_of_thumb: &Settings) -> Option<Choice> {
    let candidates = trials.iter().enumerate().filter_map(|(trial, tried)| {
        let (puf, puf_error) = tried.puf(tuning.scenario)?;
        let choice = Choice {
            trial,
            score: tried.score(tuning.rule, tuning.scenario)?,
            puf,
            puf_error,
            collapsed: Collapse::of(&tried.pooled()?),
        };
        Some((choice, distance(&tried.settings, rule_of_thumb)))
    });
    let better = |a: &(Choice, f64), b: &(Choice, f64)| {
        let sound = (a.0.collapsed.is_none()).cmp(&b.0.collapsed.is_none());
        let score = a.0.score.total_cmp(&b.0.score);
        let near = b.1.total_cmp(&a.1);
        // The earlier one, should all be equal.
        sound.then(score).then(near).then(b.0.trial.cmp(&a.0.trial))
    };
    candidates.max_by(better).map(|(choice, _)| choice)
}

/// How far settings are apart: the sum of squared logarithms of their ratios.
fn distance(a: &Settings, b: &Settings) -> f64 {
    let log_ratio = |a: f64, b: f64| libm::log(a / b) * libm::log(a / b);
    let width = |s: &Settings| s.bandwidth().unwrap_or(1.0);
    let sigma = |s: &Settings| s.local.map_or(1.0, |local| local.sigma);
    log_ratio(width(a), width(b))
        + log_ratio(a.lambda, b.lambda)
        + log_ratio(a.c_u, b.c_u)
        + log_ratio(sigma(a), sigma(b))
}

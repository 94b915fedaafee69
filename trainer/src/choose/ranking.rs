//! From scored trials to the best of them.
//!
//! The best number wins; among equals the one nearest to the rule of thumb, since counts are whole and ties are common. A trial that
//! calls every held-out row positive, or none, is *collapsed*: it has learned nothing. It is taken only when all others have collapsed
//! too, and the choice then carries a doubt.

use super::trial::Trial;
use super::tune::TuneOptions;
use crate::base::warnings::{Warning, WarningId};
use crate::choose::metrics::PuCounts;
use crate::choose::settings::Settings;

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

impl Choice {
    /// What the user must be told before relying on it.
    pub fn doubt(&self) -> Option<Doubt> {
        match self.collapsed {
            Some(collapse) => Some(Doubt::Collapsed(collapse)),
            None if self.puf - self.puf_error <= 1.0 => {
                Some(Doubt::NoBetterThanAllPositive { puf: self.puf, error: self.puf_error })
            }
            None => None,
        }
    }
}

/// Why a choice is not to be relied on.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Doubt {
    /// Nothing but collapsed trials.
    #[error("every setting tried {0} on rows held out: these features may not tell positives apart")]
    Collapsed(Collapse),
    /// Within one standard error of calling every row positive.
    #[error(
        "on rows held out PUF is {puf:.3} ± {error:.3}, and calling every row positive has 1: these features may not tell positives apart"
    )]
    NoBetterThanAllPositive {
        /// PUF of the pooled folds.
        puf: f64,
        /// Its standard error.
        error: f64,
    },
}

impl From<Doubt> for Warning {
    fn from(doubt: Doubt) -> Self {
        let id = match doubt {
            Doubt::Collapsed(_) => WarningId::EverySettingCollapsed,
            Doubt::NoBetterThanAllPositive { .. } => WarningId::NoBetterThanAllPositive,
        };
        Self::new(id, doubt)
    }
}

/// How a classifier can be useless.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Collapse {
    /// Every row is called positive.
    #[error("calls every row positive")]
    AllPositive,
    /// No row is.
    #[error("calls no row positive")]
    NonePositive,
}

impl Collapse {
    /// Whether these answers are useless.
    pub fn of(counts: &PuCounts) -> Option<Self> {
        match counts.labeled_called + counts.unlabeled_called {
            0 => Some(Self::NonePositive),
            called if called == counts.labeled + counts.unlabeled => Some(Self::AllPositive),
            _ => None,
        }
    }
}

/// The best of the trials; none when not one was fitted on every fold.
pub(super) fn choose(trials: &[Trial], tuning: &TuneOptions, rule_of_thumb: &Settings) -> Option<Choice> {
    let everywhere: Vec<usize> = (0..trials.len()).collect();
    rank(trials, &everywhere, tuning, rule_of_thumb).first().copied()
}

/// The trials at these places that were fitted on every fold, best first.
pub(super) fn rank(trials: &[Trial], places: &[usize], tuning: &TuneOptions, rule_of_thumb: &Settings) -> Vec<Choice> {
    let candidate = |&trial: &usize| {
        let tried = &trials[trial];
        let (puf, puf_error) = tried.judged_puf(tuning.scenario, tuning.observations)?;
        let choice = Choice {
            trial,
            score: tried.score(tuning.rule, tuning.scenario, tuning.observations)?,
            puf,
            puf_error,
            collapsed: Collapse::of(&tried.pooled()?),
        };
        Some((choice, distance(&tried.settings, rule_of_thumb)))
    };
    let mut candidates: Vec<(Choice, f64)> = places.iter().filter_map(candidate).collect();
    candidates.sort_by(|a, b| {
        let sound = (a.0.collapsed.is_some()).cmp(&b.0.collapsed.is_some());
        let score = b.0.score.total_cmp(&a.0.score);
        let near = a.1.total_cmp(&b.1);
        // The earlier one, should all be equal.
        sound.then(score).then(near).then(a.0.trial.cmp(&b.0.trial))
    });
    candidates.into_iter().map(|(choice, _)| choice).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::scenario::Scenario;
    use crate::choose::trial::{Rule, made_by_hand, settings};

    const SENSIBLE: [(usize, usize); 4] = [(8, 20), (8, 20), (8, 20), (8, 20)];
    const ALL: [(usize, usize); 4] = [(10, 50); 4];
    const NONE: [(usize, usize); 4] = [(0, 0); 4];

    fn chosen(rule: Rule, folds: &[&[(usize, usize)]]) -> Choice {
        let trials: Vec<Trial> =
            (folds.iter().enumerate()).map(|(at, folds)| made_by_hand(settings(1.0 + at as f64, 1.0), folds)).collect();
        let tuning = TuneOptions { rule, scenario: Scenario::CaseControl, ..TuneOptions::default() };
        choose(&trials, &tuning, &settings(1.0, 1.0)).unwrap()
    }

    #[test]
    fn a_lucky_tiny_region_wins_rule_a_and_not_rule_d() {
        // One fold's labeled rows all found with one row called, nothing in the other folds.
        let lucky = [(10, 1), (0, 1), (0, 1), (0, 1)];
        assert_eq!(chosen(Rule::A, &[&SENSIBLE, &lucky]).trial, 1);
        assert_eq!(chosen(Rule::D, &[&SENSIBLE, &lucky]).trial, 0);
    }

    #[test]
    fn what_has_learned_nothing_is_never_taken_silently() {
        for rule in [Rule::A, Rule::D] {
            // PUF 0.9: below the 1 of "all positive", and taken all the same, with a doubt.
            let poor = [(6, 20); 4];
            let choice = chosen(rule, &[&ALL, &poor, &NONE]);
            assert_eq!((choice.trial, choice.collapsed), (1, None));
            assert!(matches!(choice.doubt(), Some(Doubt::NoBetterThanAllPositive { .. })));

            let choice = chosen(rule, &[&NONE, &ALL]);
            assert_eq!(choice.collapsed, Some(Collapse::AllPositive));
            assert!(choice.doubt().unwrap().to_string().contains("calls every row positive"));
            let choice = chosen(rule, &[&NONE]);
            assert_eq!(choice.collapsed, Some(Collapse::NonePositive));
            assert!(choice.doubt().is_some());
            assert_eq!(chosen(rule, &[&SENSIBLE]).doubt(), None);
        }
    }

    #[test]
    fn ties_go_to_the_rule_of_thumb_and_failed_fits_to_nobody() {
        assert_eq!(chosen(Rule::D, &[&SENSIBLE, &SENSIBLE]).trial, 0);
        let tuning = TuneOptions::default();
        let home = settings(1.0, 1.0);
        let far_first = [3.0, 1.5, 0.2].map(|width| made_by_hand(settings(width, 1.0), &SENSIBLE));
        assert_eq!(choose(&far_first, &tuning, &home).unwrap().trial, 1);
        let mut broken = made_by_hand(home, &[(10, 5), (10, 5)]);
        broken.deals[0][0] = None;
        let weak = made_by_hand(settings(2.0, 1.0), &SENSIBLE);
        assert_eq!(choose(&[broken.clone(), weak], &tuning, &home).unwrap().trial, 1);
        assert_eq!(choose(&[broken], &tuning, &home), None);
    }
}

//! Every way to learn on the same rows, and which to take.
//!
//! Single models are tuned on the same folds, so most of the folds' luck is the same; among them the one whose chosen setting has the
//! best number by the rule comes first. The ensemble averages that luck out, and is taken, unless a single model is *clearly* better:
//! two standard errors of its PUF above the ensemble's PUF. A model that collapsed, or failed, is taken only when nothing else is
//! there.

use std::time::Instant;

use crate::dataset::Dataset;
use crate::learn::{Approach, Evidence, Learned, distil};
use crate::metrics::Scenario;
use crate::options::TrainOptions;
use crate::train::{ScaledRows, TrainError, in_pool};
use crate::tune::{JournalFile, TuneOptions, Tuner, Watch};

/// Standard errors by which a single model must lead.
const CLEARLY: f64 = 2.0;

/// One way to learn, and what it led to.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The model.
    pub learned: Learned,
    /// What rows held out say of it.
    pub evidence: Evidence,
    /// What the search and the fit took.
    pub seconds: f64,
}

/// The ways to learn, and which to take.
#[derive(Debug)]
pub struct Comparison {
    /// Each with its result, in the order asked for.
    pub entries: Vec<(Approach, Result<Entry, TrainError>)>,
    /// The place of the recommended one.
    pub recommended: usize,
}

impl Comparison {
    /// The recommended entry.
    pub fn best(&self) -> Option<&Entry> {
        self.entries.get(self.recommended)?.1.as_ref().ok()
    }

    /// The recommended entry, or why there is none.
    pub fn into_best(mut self) -> Result<Entry, TrainError> {
        self.entries.swap_remove(self.recommended).1
    }
}

/// Tunes and trains each of `approaches`; what `options` fixes is fixed for all of them. The truth is not looked at.
pub fn compare(
    data: &Dataset,
    options: &TrainOptions,
    approaches: &[Approach],
    tuning: &TuneOptions,
    journal: Option<&JournalFile>,
    watch: &dyn Watch,
) -> Result<Comparison, TrainError> {
    in_pool(options, || {
        let rows = ScaledRows::new(data, options);
        let tuner = Tuner::new(rows.labeled_rows(), options, tuning, journal, watch)?;
        let entries: Vec<_> = approaches
            .iter()
            .map(|&approach| {
                let start = Instant::now();
                let learned = match approach {
                    Approach::One(method) => {
                        let options = TrainOptions {
                            method,
                            // A method without local term has no use for it.
                            sigma: options.sigma.filter(|_| method.has_local_term()),
                            ..options.clone()
                        };
                        rows.tune_and_fit(&tuner, &options)
                            .map(|(trained, tuned)| Learned::One {
                                trained,
                                tuned: Some(tuned),
                            })
                    }
                    Approach::Ensemble(members) => {
                        distil(data, members, options, tuning.scenario, watch)
                    }
                };
                let seconds = start.elapsed().as_secs_f64();
                (approach, entry(learned, tuning.scenario, seconds))
            })
            .collect();
        Ok(Comparison {
            recommended: recommend(&entries),
            entries,
        })
    })
}

fn entry(
    learned: Result<Learned, TrainError>,
    scenario: Scenario,
    seconds: f64,
) -> Result<Entry, TrainError> {
    let learned = learned?;
    // Whatever was compared was held out from.
    let nothing = Evidence {
        score: 0.0,
        puf: 0.0,
        puf_error: 0.0,
    };
    Ok(Entry {
        evidence: learned.evidence(scenario).unwrap_or(nothing),
        learned,
        seconds,
    })
}

/// The place of the entry to take; the earlier of equals.
fn recommend(entries: &[(Approach, Result<Entry, TrainError>)]) -> usize {
    let best_of = |wanted: &dyn Fn(Approach) -> bool| {
        let places = (0..entries.len()).filter(|&at| wanted(entries[at].0));
        places.reduce(
            |best, at| match merit(&entries[at].1) > merit(&entries[best].1) {
                true => at,
                false => best,
            },
        )
    };
    let ensemble = best_of(&|approach| matches!(approach, Approach::Ensemble(_)));
    let single = best_of(&|approach| matches!(approach, Approach::One(_)));
    match (ensemble, single) {
        (Some(ensemble), Some(single)) => {
            let clearly = match (&entries[single].1, &entries[ensemble].1) {
                (Ok(single), Ok(ensemble)) => leads_clearly(&single.evidence, &ensemble.evidence),
                (Ok(_), Err(_)) => true,
                _ => false,
            };
            if clearly { single } else { ensemble }
        }
        (ensemble, single) => ensemble.or(single).unwrap_or(0),
    }
}

fn leads_clearly(single: &Evidence, ensemble: &Evidence) -> bool {
    single.puf - CLEARLY * single.puf_error > ensemble.puf
}

/// Learned something, learned nothing, failed; then the rule's number.
fn merit(entry: &Result<Entry, TrainError>) -> (u8, f64) {
    match entry {
        Ok(entry) => {
            let collapsed = match &entry.learned {
                Learned::One { tuned, .. } => {
                    (tuned.as_ref()).is_some_and(|tuned| tuned.choice.collapsed.is_some())
                }
                Learned::Ensemble { report, .. } => report.all_positive.is_some(),
            };
            (1 + u8::from(!collapsed), entry.evidence.score)
        }
        Err(_) => (0, 0.0),
    }
}

//! Every way to learn on the same rows, and which to take.
//!
//! Single models are tuned on the same folds, so most of the folds' luck is the same; among them the one whose chosen setting has the
//! best number by the rule comes first. The ensemble averages that luck out, and is taken, unless a single model is *clearly* better:
//! its PUF four standard errors above the ensemble's PUF. (Two for being the best of some sixty settings, which is worth about two
//! standard errors of luck, and two to be clear.) A model that collapsed, or failed, is taken only when nothing else is there.

use std::time::Instant;

use super::Error;
use super::approach::{Approach, Evidence, Learned, distil};
use super::fit::{SampledRows, ScaledRows, TrainError};
use super::options::{Options, Request};
use crate::base::pool::in_pool;
use crate::base::scenario::Scenario;
use crate::base::warnings::Warning;
use crate::base::watch::{Parts, Watch};
use crate::choose::options::TrainOptions;
use crate::choose::tune::{JournalFile, LabeledRows, TuneOptions, Tuner};
use crate::data::dataset::Dataset;

/// Standard errors by which a single model must lead.
const CLEARLY: f64 = 4.0;
/// The most rows that settings of single models are searched on when these only compete with the ensemble. Losses are sums over rows,
/// so the same lambda serves more rows, and C_u goes by the shares of rows.
const ROWS_OF_SEARCH: usize = 2000;

/// About how many fits a search makes: in full, and where it ends with the first shuffle.
const FITS_OF_SEARCH: usize = 1000;
const FITS_OF_SHUFFLE: usize = 240;

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

    /// What the first ensemble says of the labels.
    pub(super) fn of_labels(&self) -> Vec<Warning> {
        let ensemble = |(approach, entry): &(Approach, Result<Entry, TrainError>)| match (approach, entry) {
            (Approach::Ensemble(_), Ok(entry)) => Some(entry.learned.of_labels()),
            _ => None,
        };
        self.entries.iter().find_map(ensemble).unwrap_or_default()
    }

    /// The recommended entry, or why there is none.
    pub fn into_best(mut self) -> Result<Entry, TrainError> {
        self.entries.swap_remove(self.recommended).1
    }
}

/// Tunes and trains every approach there is on the same held-out rows. The truth is not looked at.
///
/// # Errors
/// Options that do not go together, too few rows.
pub fn compare(data: &Dataset, options: &Options, watch: &dyn Watch) -> Result<Comparison, Error> {
    let Request { train, tuning, .. } = options.request()?;
    let data = &*options.judged_rows(data);
    for warning in data.warnings() {
        watch.warn(warning);
    }
    let approaches = Approach::all(tuning.scenario);
    let journal = options.journal.as_ref();
    Ok(compare_approaches(data, &train, &approaches, &tuning, journal, watch)?)
}

/// Tunes and trains each of `approaches`; what `options` fixes is fixed for all of them. The truth is not looked at.
pub(crate) fn compare_approaches(
    data: &Dataset,
    options: &TrainOptions,
    approaches: &[Approach],
    tuning: &TuneOptions,
    journal: Option<&JournalFile>,
    watch: &dyn Watch,
) -> Result<Comparison, TrainError> {
    in_pool(options.threads, || {
        let rows = ScaledRows::new(data, options);
        let is_auto = approaches == Approach::auto();
        let sample = if is_auto { rows.sample(ROWS_OF_SEARCH, options.seed) } else { None };
        let searched = match &sample {
            Some(SampledRows { values, labeled, normal }) => {
                LabeledRows { values, labeled, normal: normal.as_deref(), ..rows.labeled_rows() }
            }
            None => rows.labeled_rows(),
        };
        let fits = if is_auto { FITS_OF_SHUFFLE } else { FITS_OF_SEARCH };
        let cost = |approach: &Approach| match approach {
            Approach::Ensemble(_) => approach.cost(data.len(), fits),
            Approach::One(_) => approach.cost(searched.labeled.len(), fits),
        };
        let parts = Parts::new(watch, approaches.iter().map(cost).collect());
        let tuner = Tuner::new(searched, options, tuning, journal, &parts)?;
        // PUF of the ensemble, which single models have to lead.
        let mut rival = None;
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
                        rows.tune_and_fit(&tuner, &options, rival)
                            .map(|(trained, tuned)| Learned::One { trained, tuned: Some(tuned) })
                            .map(|learned| learned.calling(data, options.prior, tuning.scenario))
                    }
                    Approach::Ensemble(members) => distil(data, members, options, tuning.scenario, &parts),
                };
                parts.next();
                let seconds = start.elapsed().as_secs_f64();
                let entry = entry(learned, tuning.scenario, seconds);
                if is_auto && matches!(approach, Approach::Ensemble(_)) {
                    rival = entry.as_ref().ok().map(|entry| entry.evidence.puf);
                }
                (approach, entry)
            })
            .collect();
        Ok(Comparison { recommended: recommend(&entries.iter().map(standing).collect::<Vec<_>>()), entries })
    })
}

fn entry(learned: Result<Learned, TrainError>, scenario: Scenario, seconds: f64) -> Result<Entry, TrainError> {
    let learned = learned?;
    // Every approach was judged on held-out rows, so this stands in for nothing.
    let nothing = Evidence { score: 0.0, puf: 0.0, puf_error: 0.0 };
    Ok(Entry { evidence: learned.evidence(scenario).unwrap_or(nothing), learned, seconds })
}

/// What counts for the recommendation.
#[derive(Debug, Clone, Copy)]
struct Standing {
    approach: Approach,
    /// Whether it calls some rows positive and some not.
    has_learned: bool,
    evidence: Evidence,
}

/// How an entry stands; none if it failed.
fn standing((approach, entry): &(Approach, Result<Entry, TrainError>)) -> Option<Standing> {
    let entry = entry.as_ref().ok()?;
    let collapsed = match &entry.learned {
        Learned::One { tuned, .. } => tuned.as_ref().and_then(|t| t.choice.collapsed).is_some(),
        Learned::Ensemble { report, .. } => report.all_positive.is_some(),
    };
    Some(Standing { approach: *approach, has_learned: !collapsed, evidence: entry.evidence })
}

/// The place of the one to take; the earlier of equals.
fn recommend(standings: &[Option<Standing>]) -> usize {
    let best = |ensemble: bool| {
        let places = standings.iter().enumerate();
        let standing = places.filter_map(|(place, standing)| Some((place, (*standing)?)));
        standing
            .filter(|(_, s)| matches!(s.approach, Approach::Ensemble(_)) == ensemble)
            .reduce(|best, other| if better(&other.1, &best.1) { other } else { best })
    };
    match (best(true), best(false)) {
        (Some((_, ensemble)), Some((place, single))) if leads_clearly(&single, &ensemble) => place,
        (ensemble, single) => ensemble.or(single).map_or(0, |(place, _)| place),
    }
}

fn better(a: &Standing, b: &Standing) -> bool {
    (a.has_learned, a.evidence.score) > (b.has_learned, b.evidence.score)
}

fn leads_clearly(single: &Standing, ensemble: &Standing) -> bool {
    let Evidence { puf, puf_error, .. } = single.evidence;
    single.has_learned && puf - CLEARLY * puf_error > ensemble.evidence.puf
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choose::options::Method;
    use crate::data::synth;
    use crate::ensemble::Members;
    use crate::learner::PualSolver;

    const PUAL: Approach = Approach::One(Method::Pual(PualSolver::Exact));
    const GLLC: Approach = Approach::One(Method::Gllc);
    const BSVM: Approach = Approach::One(Method::Bsvm);
    const ENSEMBLE: Approach = Approach::Ensemble(Members::All);

    fn standing(approach: Approach, score: f64, puf: f64) -> Option<Standing> {
        Some(Standing { approach, has_learned: true, evidence: Evidence { score, puf, puf_error: 0.1 } })
    }

    fn collapsed(approach: Approach) -> Option<Standing> {
        standing(approach, 9.0, 9.0).map(|standing| Standing { has_learned: false, ..standing })
    }

    #[test]
    fn of_single_models_the_best_by_the_rule_whichever_it_is() {
        for (gllc, bsvm, place) in [(2.1, 1.0, 1), (1.0, 2.1, 2), (1.0, 1.0, 0), (2.0, 2.0, 0)] {
            let standings = [standing(PUAL, 2.0, 2.0), standing(GLLC, gllc, gllc), standing(BSVM, bsvm, bsvm)];
            assert_eq!(recommend(&standings), place);
        }
        assert_eq!(recommend(&[None, collapsed(PUAL), standing(GLLC, 0.5, 0.5)]), 2);
        assert_eq!(recommend(&[None, collapsed(PUAL)]), 1);
        assert_eq!(recommend(&[None, None]), 0);
    }

    #[test]
    fn the_ensemble_unless_a_single_model_is_clearly_better() {
        let ensemble = standing(ENSEMBLE, 1.8, 2.0);
        assert_eq!(recommend(&[ensemble, standing(GLLC, 2.2, 2.3)]), 0);
        assert_eq!(recommend(&[ensemble, standing(GLLC, 2.2, 2.45)]), 1);
        assert_eq!(recommend(&[ensemble, collapsed(GLLC)]), 0);
        assert_eq!(recommend(&[ensemble, None]), 0);
        assert_eq!(recommend(&[None, standing(GLLC, 0.5, 0.5)]), 1);
        let pual_only = standing(Approach::Ensemble(Members::PualOnly), 1.9, 2.0);
        assert_eq!(recommend(&[ensemble, pual_only]), 1);
    }

    #[test]
    fn a_sample_keeps_the_share_of_labels_and_does_not_change() {
        let data = Dataset::new(synth::label(synth::cold_chain(900, 1), 0.5, 1)).unwrap();
        let rows = ScaledRows::new(&data, &TrainOptions::default());
        assert_eq!(rows.sample(900, 0), None);
        let SampledRows { values, labeled, normal } = rows.sample(300, 0).unwrap();
        assert_eq!((values.len(), labeled.len()), (600, 300));
        let drawn = labeled.iter().filter(|&&labeled| labeled).count();
        assert!((3 * drawn).abs_diff(data.positives()) <= 2, "{drawn} of {}", data.positives());
        assert_eq!(rows.sample(300, 0), Some(SampledRows { values, labeled, normal }));
        assert_ne!(rows.sample(300, 1), rows.sample(300, 0));
    }
}

//! The paper's two experiments, by its protocol, and two of ours, on rare positives and on recordings, with any of our methods.
//!
//! | table | data | split | repeats | paper's tuning |
//! |---|---|---|---|---|
//! | 2 (Section 4.1) | 800 synthetic rows, mean_p2 = 50 .. 1000 | single training set: 70 % to train on, 25 % of their positives labeled | 5 | linear, 4 folds, mean PUF, `paper-synthetic` grid |
//! | 4 (Section 4.2) | 16 real data sets | case-control: 7/17 or 7/37 of the positives labeled; 70 % of the rest unlabeled, 30 % the test set | 10 | RBF, 4 folds, mean PUF, `paper-real` grid, refinement |
//!
//! `rare` and `streams` describe ours. A cell is one split of one data set. The test rows' truth is used once, after everything is chosen, to count.

pub mod biased;
mod method;
pub mod paper;
mod random_model;
mod rare;
mod results;
mod streams;
mod summary;
mod task;

pub use method::{BenchMethod, UnknownMethod};
pub use random_model::random_model;
pub use rare::{RareError, cells_of_rare, rare_data_sets};
pub use results::{Record, Results, ResultsError};
pub use streams::{StreamError, cells_of_streams};
pub use summary::TableSummary;
pub use task::{Cell, Protocol, cells_of_table2, cells_of_table4, paper_data_sets};

use crate::base::files::WriteError;
use crate::base::watch::Silent;
use std::time::Instant;

use crate::base::pool::in_pool;
use crate::base::scenario::Scenario;
use crate::choose::metrics::Confusion;
use crate::choose::options::TrainOptions;
use crate::choose::settings::Settings;
use crate::data::dataset::{Dataset, DatasetError};
use crate::learner::Mlp;
use crate::pipeline::approach::{Approach, Learned, learn};
use crate::pipeline::compare::compare_approaches;
use crate::pipeline::fit::{ScaledRows, TrainError, fit_by_rules};
use method::{MethodBase, MethodTuning};
use task::TrainAndTest;

/// Why a cell has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BenchError {
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    #[error(transparent)]
    Train(#[from] TrainError),
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Trains `method` on the cell's training rows, and counts on its test rows.
pub fn run(cell: &Cell, method: &BenchMethod, options: &TrainOptions) -> Result<Record, BenchError> {
    Ok(run_on(cell, &cell.split()?, method, options)?)
}

/// The same on a split of the cell's rows.
fn run_on(
    cell: &Cell,
    split: &TrainAndTest,
    method: &BenchMethod,
    options: &TrainOptions,
) -> Result<Record, TrainError> {
    let start = Instant::now();
    let options = TrainOptions {
        kernel: method.kernel(cell.protocol, options.kernel),
        seed: cell.training_seed(),
        prior: (method.tuning == MethodTuning::Share).then_some(split.share).or(options.prior),
        ..options.clone()
    };
    let outcome = fit(cell.protocol, method, &split.train, &split.test_rows, &options)?;
    let called: Vec<bool> = outcome.scores.iter().map(|&score| score > 0.0).collect();
    let settings = outcome.settings;
    let counts = Confusion::count(&split.test_truth, &called);
    let of_events = |recordings: &Vec<u32>| streams::events(&split.test_truth, &called, recordings);
    let events = split.test_recordings.as_ref().map(of_events);
    Ok(Record {
        table: cell.protocol.number(),
        data_set: cell.data_set.clone(),
        label_frequency: cell.label_frequency,
        seed: cell.seed,
        repeat: cell.repeat,
        method: method.to_string(),
        f1: counts.f1(),
        f1_of_all_positive: counts.f1_of_all_positive(),
        f1_of_true_count: f1_of_true_count(&split.test_truth, &outcome.scores),
        test_rows: counts.rows(),
        test_positives: counts.positives(),
        test_called: counts.true_positives + counts.false_positives,
        events: events.as_ref().map(|counts| counts.events),
        events_found: events.as_ref().map(|counts| counts.found),
        false_alarms: events.as_ref().map(|counts| counts.false_alarms),
        warned: outcome.warned,
        precision: counts.precision(),
        recall: counts.recall(),
        puf: outcome.puf,
        taken: outcome.taken.to_owned(),
        bandwidth: settings.and_then(|settings| settings.bandwidth()),
        lambda: settings.map(|settings| settings.lambda),
        c_u: settings.map(|settings| settings.c_u),
        sigma: settings.and_then(|settings| Some(settings.local?.sigma)),
        prior: outcome.prior,
        supports: outcome.supports,
        seconds: start.elapsed().as_secs_f64(),
    })
}

/// F1 of the cut that calls as many rows as are positive, and all that score the same as the last of these.
fn f1_of_true_count(truth: &[bool], scores: &[f64]) -> f64 {
    let positives = truth.iter().filter(|&&positive| positive).count();
    let mut falling = scores.to_vec();
    falling.sort_by(|a, b| b.total_cmp(a));
    let last = (positives.checked_sub(1)).and_then(|at| falling.get(at).copied());
    let called: Vec<bool> = (scores.iter()).map(|&score| last.is_some_and(|last| score >= last)).collect();
    Confusion::count(truth, &called).f1()
}

/// What a method says about the test rows, and how it came to that.
struct Outcome {
    scores: Vec<f64>,
    taken: &'static str,
    settings: Option<Settings>,
    prior: Option<f64>,
    puf: Option<f64>,
    supports: usize,
    /// Whether the user is told not to rely on it.
    warned: bool,
}

/// Trains on `data`, and scores the test rows, whose truth it is not given.
fn fit(
    protocol: Protocol,
    method: &BenchMethod,
    data: &Dataset,
    test_rows: &[f64],
    options: &TrainOptions,
) -> Result<Outcome, TrainError> {
    let tuning = method.tune_options(protocol);
    let approach = match method.base {
        MethodBase::One(one) => Approach::One(one.with_scenario(tuning.scenario)),
        MethodBase::Ensemble(members) => Approach::Ensemble(members),
        MethodBase::Network { bounded } => return network(data, test_rows, bounded, tuning.scenario, options),
        MethodBase::Auto => {
            let compared = compare_approaches(data, options, &Approach::auto_for(data), &tuning, None, &Silent)?;
            let best = compared.into_best()?.learned;
            return Ok(Outcome::new(&best, tuning.scenario, test_rows));
        }
    };
    let learned = match (method.tuning, approach) {
        (MethodTuning::Fixed, Approach::One(method)) => {
            Learned::One { trained: fit_by_rules(data, &TrainOptions { method, ..options.clone() })?, tuned: None }
        }
        _ => learn(data, approach, options, &tuning, None, &Silent)?,
    };
    Ok(Outcome::new(&learned, tuning.scenario, test_rows))
}

impl Outcome {
    fn new(learned: &Learned, scenario: Scenario, test_rows: &[f64]) -> Self {
        let settings = match learned {
            Learned::One { trained, .. } => Some(trained.settings),
            Learned::Ensemble { .. } => None,
        };
        Self {
            scores: learned.classifier().scores(test_rows),
            taken: learned.approach().name(),
            settings,
            prior: settings.and_then(|settings| settings.prior),
            puf: learned.evidence(scenario).map(|evidence| evidence.puf),
            supports: learned.classifier().supports(),
            warned: learned.doubt().is_some(),
        }
    }
}

/// The published network, with an estimated class prior.
fn network(
    data: &Dataset,
    test_rows: &[f64],
    bounded: bool,
    scenario: Scenario,
    options: &TrainOptions,
) -> Result<Outcome, TrainError> {
    in_pool(options.threads, || {
        let rows = ScaledRows::new(data, options);
        let instances = rows.instances()?;
        let prior = rows.prior(&instances, scenario, options)?.estimate;
        let (taken, network) = match bounded {
            false => ("uPU network", Mlp::upu(prior, scenario, options.seed)),
            true => ("nnPU network", Mlp::nnpu(prior, scenario, options.seed)),
        };
        Ok(Outcome {
            scores: network.fit(&instances)?.scores(&rows.scale(test_rows)),
            taken,
            settings: None,
            prior: Some(prior),
            puf: None,
            supports: 0,
            warned: false,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    #[test]
    fn the_cut_of_the_true_count_is_counted_by_hand() {
        // The two highest are called: one of the two positives.
        let f1 = f1_of_true_count(&[true, false, true, false], &[-3.0, -2.0, -1.0, -4.0]);
        assert!((f1 - 0.5).abs() < 1e-15);
        // A tie at the border is called whole: 2 of 2 found, 3 called.
        let f1 = f1_of_true_count(&[true, false, true], &[1.0, 0.0, 0.0]);
        assert!((f1 - 0.8).abs() < 1e-15);
        assert!(f1_of_true_count(&[false, false], &[1.0, 2.0]).abs() < 1e-15);
    }

    #[test]
    fn permuting_the_test_labels_changes_no_chosen_setting() {
        let cell = &cells_of_table2(&[50.0], 1, 1)[0];
        let split = cell.split().unwrap();
        let mut permuted = cell.split().unwrap();
        Random::new(1, 0).shuffle(&mut permuted.test_truth);
        assert_ne!(split.test_truth, permuted.test_truth);
        let methods = ["auto", "ensemble", "pual", "pual-one", "gllc", "bls-svm", "bsvm", "upu", "nnpu", "nnpu-mlp"];
        for name in methods {
            let method: BenchMethod = name.parse().unwrap();
            let options = TrainOptions::default();
            let record = run_on(cell, &split, &method, &options).unwrap();
            let other = run_on(cell, &permuted, &method, &options).unwrap();
            assert!(other.f1 < record.f1 - 0.1, "{name}: the truth is counted");
            // Everything else is the same: settings, PUF, supports, the method taken.
            let same = Record {
                f1: record.f1,
                f1_of_true_count: record.f1_of_true_count,
                precision: record.precision,
                recall: record.recall,
                seconds: record.seconds,
                ..other
            };
            assert_eq!(record, same, "{name}");
        }
    }
}

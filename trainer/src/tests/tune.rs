//! Searching for settings: what may influence the choice, and what may not.

use pual_trainer::base::random::Random;
use pual_trainer::base::scenario::Scenario;
use pual_trainer::base::watch::{Silent, Watch};
use pual_trainer::choose::options::{Method, TrainOptions};
use pual_trainer::choose::tune::{Grid, Rule, Trial, TuneError, TuneOptions, Tuned};
use pual_trainer::data::dataset::Dataset;
use pual_trainer::data::synth::{cold_chain, label};
use pual_trainer::data::table::Table;
use pual_trainer::model::export::export;
use pual_trainer::pipeline::approach::Approach;
use pual_trainer::pipeline::compare::compare_approaches;
use pual_trainer::pipeline::fit::{TrainError, fit_tuned};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Labeled rows with their truth.
fn table() -> Table {
    label(cold_chain(240, 3), 0.5, 3)
}

/// The search, and the bytes a chip would run.
fn tuned(table: Table, options: &TrainOptions, tuning: &TuneOptions) -> (Tuned, Vec<u8>) {
    let data = Dataset::new(table).unwrap();
    let (trained, tuned) = fit_tuned(&data, options, tuning, None, &Silent).unwrap();
    let bytes = export(&trained.classifier, data.rows()).unwrap().bytes;
    (tuned, bytes.to_vec())
}

#[test]
fn the_truth_changes_no_choice_and_no_byte() {
    let mut shuffled = table();
    Random::new(1, 0).shuffle(shuffled.truth.as_mut().unwrap());
    let without = Table { truth: None, ..table() };
    assert_ne!(shuffled.truth, table().truth);
    for method in Method::MARGIN {
        let options = TrainOptions { method, ..TrainOptions::default() };
        for rule in [Rule::A, Rule::D] {
            let tuning = TuneOptions { rule, ..TuneOptions::default() };
            let with_truth = tuned(table(), &options, &tuning);
            assert!(with_truth == tuned(shuffled.clone(), &options, &tuning));
            assert!(with_truth == tuned(without.clone(), &options, &tuning));
        }
    }
}

#[test]
fn the_comparison_does_not_look_at_the_truth_either() {
    let recommended = |table: Table| {
        let data = Dataset::new(table).unwrap();
        let (options, tuning) = (TrainOptions::default(), TuneOptions::default());
        let approaches = Approach::all(tuning.scenario);
        let compared = compare_approaches(&data, &options, &approaches, &tuning, None, &Silent).unwrap();
        let entries = compared.entries.iter().map(|(_, entry)| entry.as_ref().unwrap());
        let expansions: Vec<_> = entries.map(|entry| entry.learned.classifier().expansion.clone()).collect();
        (compared.recommended, expansions)
    };
    let mut inverted = table();
    let truth = inverted.truth.as_mut().unwrap();
    truth.iter_mut().for_each(|truth| *truth = !*truth);
    assert_eq!(recommended(table()), recommended(inverted));
}

#[test]
fn labels_do_change_the_choice() {
    // Else the tests above would prove nothing.
    let (options, tuning) = (TrainOptions::default(), TuneOptions::default());
    let other = label(cold_chain(240, 3), 0.5, 4);
    assert_ne!(tuned(table(), &options, &tuning), tuned(other, &options, &tuning));
}

#[test]
fn trials_and_bytes_do_not_depend_on_the_threads() {
    for method in Method::MARGIN {
        let with = |threads| {
            let options = TrainOptions { method, threads, ..TrainOptions::default() };
            let tuning = TuneOptions { refine: true, ..TuneOptions::default() };
            tuned(table(), &options, &tuning)
        };
        let one = with(1);
        assert!(one == with(2), "{}", method.name());
        assert!(one == with(4), "{}", method.name());
    }
}

#[test]
fn the_best_settings_get_a_second_look_and_one_of_them_is_taken() {
    let options = TrainOptions::default();
    let (tuned, _) = tuned(table(), &options, &TuneOptions::default());
    let looked_at: Vec<usize> = tuned.trials.iter().map(|trial| trial.deals.len()).collect();
    assert_eq!(looked_at.iter().filter(|&&deals| deals == 12).count(), 10);
    assert_eq!(looked_at.iter().filter(|&&deals| deals == 3).count(), 50);
    assert_eq!(looked_at[tuned.choice.trial], 12);
    // They were the best of the first look.
    let first_look = |trial: &Trial| {
        let trial = Trial { deals: trial.deals[..3].to_vec(), ..trial.clone() };
        trial.score(Rule::D, Scenario::default(), None).unwrap()
    };
    let scores = |deals| tuned.trials.iter().filter(move |trial| trial.deals.len() == deals).map(first_look);
    let least = scores(12).fold(f64::INFINITY, f64::min);
    assert!(scores(3).all(|score| score <= least));
}

#[test]
fn tuning_beats_a_bad_setting_and_says_how_sure_it_is() {
    let (options, tuning) = (TrainOptions::default(), TuneOptions::default());
    let (tuned, _) = tuned(table(), &options, &tuning);
    let best = tuned.choice;
    assert_eq!(best.collapsed, None);
    assert_eq!(best.doubt(), None);
    assert!(best.puf > 1.5 && best.puf_error < 0.5 * best.puf, "{best:?}");
    let scores = tuned.trials.iter().filter_map(|t| t.score(tuning.rule, tuning.scenario, None));
    assert!(scores.clone().all(|score| score <= best.score));
    assert!(scores.fold(f64::INFINITY, f64::min) < 0.7 * best.score);
}

#[test]
fn every_planned_fit_is_made_and_counted() {
    struct Counter(AtomicUsize, AtomicUsize);
    impl Watch for Counter {
        fn planned(&self, fits: usize) {
            self.0.fetch_add(fits, Ordering::Relaxed);
        }
        fn made(&self, fits: usize) {
            self.1.fetch_add(fits, Ordering::Relaxed);
        }
    }
    let counter = Counter(AtomicUsize::new(0), AtomicUsize::new(0));
    let data = Dataset::new(table()).unwrap();
    let options = TrainOptions { supports: 8, ..TrainOptions::default() };
    let tuning = TuneOptions { grid: Grid::PaperReal, repeats: 1, final_repeats: 1, ..TuneOptions::default() };
    fit_tuned(&data, &options, &tuning, None, &counter).unwrap();
    assert_eq!(counter.0.into_inner(), 9 * 9 * 5 * 4);
    assert_eq!(counter.1.into_inner(), 9 * 9 * 5 * 4);
}

#[test]
fn rows_too_few_to_hold_out_and_settings_out_of_range_are_errors() {
    let train = |rows: &[f64], labeled: &[bool], options: &TrainOptions| {
        let (rows, labeled) = (rows.to_vec(), Some(labeled.to_vec()));
        let data = Dataset::new(Table { names: vec!["x".to_owned()], rows, labeled, ..Table::default() });
        fit_tuned(&data.unwrap(), options, &TuneOptions::default(), None, &Silent)
    };
    let options = TrainOptions::default();
    let error = train(&[1.0, 2.0, 3.0], &[true, true, false], &options).unwrap_err();
    assert!(matches!(error, TrainError::Tune(TuneError::TooFewRows { labeled: 2, unlabeled: 1 })));
    // Two of each are enough, with as many folds.
    let (_, tuned) = train(&[1.0, 2.0, 8.0, 9.0], &[true, true, false, false], &options).unwrap();
    assert_eq!(tuned.trials[0].deals[0].len(), 2);
    let negative = TrainOptions { lambda: Some(-1.0), ..TrainOptions::default() };
    let error = train(&[1.0, 2.0, 8.0, 9.0], &[true, true, false, false], &negative).unwrap_err();
    assert!(error.to_string().contains("lambda = -1"), "{error}");
}

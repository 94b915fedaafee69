//! The ensemble as a caller meets it: what it learns, what it refuses, when it says that there is nothing to learn.

use crate::tests::common::{assert_same_on_threads, table};
use pual_trainer::base::random::Random;
use pual_trainer::base::scenario::Scenario;
use pual_trainer::base::watch::Silent;
use pual_trainer::choose::metrics::Confusion;
use pual_trainer::data::split::{case_control, label_positives};
use pual_trainer::ensemble::{self, AllPositive, Ensemble, EnsembleError, EnsembleOptions, Members};
use pual_trainer::geometry::instances::GeometryError;
use pual_trainer::geometry::kernel::Kernel;
use pual_trainer::model::classifier::Classifier;
use pual_trainer::model::export::export;

/// A fit that nobody watches.
fn fit(rows: &[f64], features: usize, labeled: &[bool], options: &EnsembleOptions) -> Result<Ensemble, EnsembleError> {
    ensemble::fit(rows, features, labeled, None, None, options, &Silent)
}

const BOTH: [Members; 2] = [Members::All, Members::PualOnly];

/// Positives on both sides of the negatives in the first feature; the second is noise.
fn rows(n: usize, seed: u64) -> (Vec<f64>, Vec<bool>) {
    let random = &mut Random::new(seed, 0);
    let truth: Vec<bool> = (0..n).map(|i| i % 5 < 2).collect();
    let value = |random: &mut Random, i: usize| match (truth[i], i % 2) {
        (false, _) => random.normal(),
        (true, 0) => 5.0 + random.normal(),
        (true, _) => -5.0 + random.normal(),
    };
    let rows = (0..n).flat_map(|i| [100.0 + 20.0 * value(random, i), random.normal()]).collect();
    (rows, truth)
}

fn labeled(truth: &[bool], seed: u64) -> Vec<bool> {
    label_positives(truth, 0.5, &mut Random::new(seed, 1))
}

fn f1(scores: &[f64], truth: &[bool]) -> f64 {
    let called: Vec<bool> = scores.iter().map(|&score| score > 0.0).collect();
    Confusion::count(truth, &called).f1()
}

fn options(members: Members) -> EnsembleOptions {
    EnsembleOptions { members, student_supports: 30, ..EnsembleOptions::default() }
}

#[test]
fn positives_on_both_sides_are_learned_and_the_student_agrees() {
    let (train, truth) = rows(250, 1);
    let (test, test_truth) = rows(1000, 2);
    for members in BOTH {
        let ensemble = fit(&train, 2, &labeled(&truth, 1), &options(members)).unwrap();
        let report = &ensemble.report;
        assert_eq!(report.all_positive, None);
        let puf = report.left_out.puf(Scenario::SingleTrainingSet);
        assert!(report.pu_auc_z > 3.0 && puf > 1.5, "{report:?}");
        // 50 of the 200 unlabeled rows are positive.
        assert!((report.share_of_positives - 0.25).abs() < 0.06, "{report:?}");
        assert!(f1(&ensemble.teacher_scores(&test), &test_truth) > 0.96);
        assert!(f1(&ensemble.scores(&test), &test_truth) > 0.95);
        assert!(ensemble.expansion.coefficients.len() <= 30);
        assert!(matches!(ensemble.expansion.kernel, Kernel::Rbf { .. }));
        check_supports(&ensemble, &train);
        check_device(&ensemble, &test);
    }
}

/// The supports are the rows they say they are, scaled as the device scales.
fn check_supports(ensemble: &Ensemble, train: &[f64]) {
    let expansion = &ensemble.expansion;
    for (&row, support) in expansion.rows.iter().zip(expansion.supports.chunks(2)) {
        for j in 0..2 {
            let scaled = (train[row * 2 + j] - ensemble.scaler.offset()[j]) * ensemble.scaler.scale()[j];
            assert_eq!(scaled, support[j]);
        }
    }
}

/// In 32-bit floats it is the same classifier.
fn check_device(ensemble: &Ensemble, test: &[f64]) {
    let (scaler, expansion) = (ensemble.scaler.clone(), ensemble.expansion.clone());
    let names = vec!["a".to_owned(), "b".to_owned()];
    let classifier = Classifier { scaler, expansion, names, envelope: (vec![-1e3; 2], vec![1e3; 2]), recipe: None };
    assert!(export(&classifier, test).unwrap().agreement.changed_classes <= 1);
}

#[test]
fn labels_at_random_make_it_say_that_all_are_positive() {
    let random = &mut Random::new(3, 0);
    let train: Vec<f64> = (0..200 * 3).map(|_| random.normal()).collect();
    for members in BOTH {
        let mut said = 0;
        for seed in 0..4 {
            let labeled: Vec<bool> = (0..200).map(|i| (i + seed) % 4 == 0).collect();
            let ensemble = fit(&train, 3, &labeled, &options(members)).unwrap();
            if let Some(reason) = ensemble.report.all_positive {
                let z = ensemble.report.pu_auc_z;
                match reason {
                    AllPositive::NoRanking => assert!(z < 1.0, "{z}"),
                    AllPositive::NoGain => assert!((1.0..3.0).contains(&z), "{z}"),
                    AllPositive::BestCut => assert!(z >= 1.0, "{z}"),
                    AllPositive::NoEventRanking => panic!("rows are independent"),
                }
                assert!(ensemble.scores(&train).iter().all(|&s| s == 1.0));
                assert!(ensemble.teacher_scores(&train).iter().all(|&s| s > 0.0));
                assert!(ensemble.report.student.is_none());
                said += 1;
            }
        }
        assert!(said >= 3, "{members:?}: {said} of 4");
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let (train, truth) = rows(150, 5);
    let labeled = labeled(&truth, 5);
    for members in BOTH {
        assert_same_on_threads(|| {
            let ensemble = fit(&train, 2, &labeled, &options(members)).unwrap();
            let numbers = [
                ensemble.scaler.offset(),
                ensemble.scaler.scale(),
                &ensemble.expansion.coefficients,
                &ensemble.expansion.supports,
                &ensemble.teacher_scores(&train),
            ];
            let bits = numbers.map(|v| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>());
            (bits, ensemble.report)
        });
    }
}

#[test]
fn another_seed_is_another_draw_and_the_same_seed_the_same() {
    let (train, truth) = rows(120, 6);
    let labeled = labeled(&truth, 6);
    let scores = |seed: u64| {
        let options = EnsembleOptions { seed, ..options(Members::All) };
        fit(&train, 2, &labeled, &options).unwrap().teacher_scores(&train)
    };
    assert_eq!(scores(1), scores(1));
    assert_ne!(scores(1), scores(2));
}

#[test]
fn more_rows_than_allowed_are_sampled() {
    let (train, truth) = rows(400, 7);
    let labeled = labeled(&truth, 7);
    let options = EnsembleOptions { max_rows: 150, ..options(Members::PualOnly) };
    let ensemble = fit(&train, 2, &labeled, &options).unwrap();
    assert_eq!(ensemble.report.rows, 150);
    let f1 = f1(&ensemble.scores(&train), &truth);
    assert!(f1 > 0.85, "{f1}");
    check_supports(&ensemble, &train);
}

#[test]
fn a_handful_of_rows_and_copies_of_one_row_are_survived() {
    for members in BOTH {
        let same = fit(&[1.0; 24], 2, &[[true; 6], [false; 6]].concat(), &options(members));
        assert!(same.unwrap().report.all_positive.is_some());
        let few = fit(&[1.0, 2.0, 3.0], 1, &[true, false, false], &options(members)).unwrap();
        assert_eq!(few.scores(&[1.5]).len(), 1);
        let constant: Vec<f64> = (0..60).flat_map(|i| [f64::from(i), 7.0]).collect();
        let low: Vec<bool> = (0..60).map(|i| i < 15).collect();
        let ensemble = fit(&constant, 2, &low, &options(members)).unwrap();
        assert_eq!(ensemble.report.all_positive, None, "{members:?}");
        assert_eq!(ensemble.scaler.scale()[1], 0.0, "a constant feature counts for nothing");
        let copies = [vec![0.0; 30], vec![1.0; 30]].concat();
        let labeled: Vec<bool> = (0..60).map(|i| i >= 45).collect();
        let ensemble = fit(&copies, 1, &labeled, &options(members)).unwrap();
        assert!(ensemble.scores(&[0.0, 1.0]).iter().all(|s| s.is_finite()));
    }
}

#[test]
fn what_cannot_be_learned_from_is_refused() {
    let refused = |rows: &[f64], labeled: &[bool], options: &EnsembleOptions| fit(rows, 1, labeled, options).err();
    let all = options(Members::All);
    let geometry = |error| Some(EnsembleError::Geometry(error));
    assert_eq!(refused(&[1.0, 2.0], &[true; 2], &all), geometry(GeometryError::NoUnlabeled));
    assert_eq!(refused(&[1.0, 2.0], &[false; 2], &all), geometry(GeometryError::NoPositives));
    assert!(refused(&[1.0, f64::NAN], &[true, false], &all).is_some());
    for options in [EnsembleOptions { student_supports: 0, ..all }, EnsembleOptions { max_rows: 9, ..all }] {
        assert!(refused(&[1.0, 2.0], &[true, false], &options).is_some());
    }
}

#[test]
fn real_data_sets_are_learned() {
    // Loose floors, some points below what one split in twenty falls to.
    for (set, floor, pual_floor) in [("ecoli", 0.72, 0.72), ("or1", 0.82, 0.80), ("umd", 0.85, 0.75)] {
        let Some(table) = table(set) else { return };
        let truth = table.truth.as_deref().unwrap();
        let features = table.names.len();
        let split = case_control(truth, 0.7, 7.0 / 17.0, &mut Random::new(1, 0));
        let take = |rows: &[usize]| -> Vec<f64> {
            let row = |&row: &usize| &table.rows[row * features..(row + 1) * features];
            rows.iter().flat_map(row).copied().collect()
        };
        let (train, test) = (take(&split.train), take(&split.test));
        let test_truth: Vec<bool> = split.test.iter().map(|&row| truth[row]).collect();
        for (members, floor) in [(Members::All, floor), (Members::PualOnly, pual_floor)] {
            let options = EnsembleOptions { members, scenario: Scenario::CaseControl, ..EnsembleOptions::default() };
            let ensemble = fit(&train, features, &split.labeled, &options).unwrap();
            let teacher = f1(&ensemble.teacher_scores(&test), &test_truth);
            let student = f1(&ensemble.scores(&test), &test_truth);
            assert!(teacher > floor && student > floor, "{set} {members:?}: {teacher} {student}");
        }
    }
}

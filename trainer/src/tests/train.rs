//! Training: what is chosen when nothing is given, and what is refused.

use pual_trainer::choose::metrics::Confusion;
use pual_trainer::choose::options::{KernelChoice, Method, TrainOptions};
use pual_trainer::data::dataset::Dataset;
use pual_trainer::data::scale::Scaling;
use pual_trainer::data::synth::{cold_chain, label, trifurcate};
use pual_trainer::data::table::Table;
use pual_trainer::geometry::kernel::Kernel;
use pual_trainer::learner::{FitError, PualSolver};
use pual_trainer::pipeline::fit::{TrainError, fit_by_rules};
use pual_trainer::solver::Status;

fn dataset(table: Table) -> Dataset {
    Dataset::new(label(table, 0.5, 1)).unwrap()
}

#[test]
fn the_defaults_find_positives_on_both_sides() {
    for (table, test) in
        [(cold_chain(1000, 1), cold_chain(1000, 2)), (trifurcate(800, 100.0, 1), trifurcate(800, 100.0, 2))]
    {
        let trained = fit_by_rules(&dataset(table), &TrainOptions::default()).unwrap();
        assert_eq!(trained.report.status, Status::Converged);
        let scores = trained.classifier.scores(&test.rows);
        let called: Vec<bool> = scores.iter().map(|&score| score > 0.0).collect();
        let counts = Confusion::count(&test.truth.unwrap(), &called);
        assert!(counts.f1() > 0.9, "{}", counts.f1());
    }
}

#[test]
fn what_is_given_is_used_and_what_is_not_follows_its_rule() {
    let data = dataset(cold_chain(300, 1));
    let chosen = fit_by_rules(&data, &TrainOptions::default()).unwrap().settings;
    let n_p = data.positives() as f64;
    let balance = n_p / (data.len() as f64 - n_p);
    assert_eq!((chosen.lambda, chosen.c_p), (1.0, 1.0));
    assert!((chosen.c_u - balance / 2.0).abs() < 1e-15);
    let Kernel::Rbf { bandwidth } = chosen.kernel else { panic!("{chosen:?}") };
    let local = chosen.local.unwrap();
    assert_eq!((local.sigma, local.neighbours), (2.0 * bandwidth * bandwidth, 5));

    let bsvm = TrainOptions { method: Method::Bsvm, c_p: Some(3.0), ..TrainOptions::default() };
    let chosen = fit_by_rules(&data, &bsvm).unwrap().settings;
    assert!((chosen.c_u - 3.0 * balance).abs() < 1e-15);
    assert_eq!(chosen.local, None);

    let given = TrainOptions {
        kernel: KernelChoice::Rbf { bandwidth: Some(0.7) },
        lambda: Some(0.3),
        c_p: Some(2.0),
        c_u: Some(0.2),
        sigma: Some(0.9),
        neighbours: 3,
        supports: 17,
        ..TrainOptions::default()
    };
    let trained = fit_by_rules(&data, &given).unwrap();
    assert_eq!(trained.classifier.expansion.coefficients.len(), 17);
    let chosen = trained.settings;
    assert_eq!(chosen.kernel, Kernel::Rbf { bandwidth: 0.7 });
    assert_eq!((chosen.lambda, chosen.c_p, chosen.c_u), (0.3, 2.0, 0.2));
    let local = chosen.local.unwrap();
    assert_eq!((local.sigma, local.neighbours), (0.9, 3));
}

#[test]
fn the_bandwidth_follows_the_unit_of_the_features() {
    // Three quarters of the median distance: with no scaling, rows ten times as far apart have ten times the bandwidth.
    let bandwidth = |factor: f64| {
        let mut table = cold_chain(300, 1);
        // A power of two, so that nothing is rounded.
        table.rows.iter_mut().for_each(|x| *x *= factor);
        let options = TrainOptions { scaling: Scaling::None, ..TrainOptions::default() };
        match fit_by_rules(&dataset(table), &options).unwrap().settings.kernel {
            Kernel::Rbf { bandwidth } => bandwidth,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(bandwidth(8.0), 8.0 * bandwidth(1.0));
    assert!(bandwidth(1.0) > 1.0 && bandwidth(1.0) < 20.0);
}

#[test]
fn the_envelope_is_the_range_of_the_training_rows() {
    let data = dataset(cold_chain(300, 1));
    let trained = fit_by_rules(&data, &TrainOptions::default()).unwrap();
    let (minima, maxima) = &trained.classifier.envelope;
    for at in 0..2 {
        let column = || data.rows().iter().skip(at).step_by(2);
        assert!(column().all(|x| minima[at] <= *x && *x <= maxima[at]));
        assert!(column().any(|x| minima[at] == *x) && column().any(|x| maxima[at] == *x));
    }
}

#[test]
fn a_fit_without_a_certificate_is_an_error() {
    let data = dataset(cold_chain(300, 1));
    let with = |solver| TrainOptions { method: Method::Pual(solver), ..TrainOptions::default() };
    // A step too large for Algorithm 2, and one so small for ADMM that its iterations run out.
    let error = fit_by_rules(&data, &with(PualSolver::Algorithm2 { mu_1: Some(1e3) })).unwrap_err();
    assert!(matches!(error, TrainError::Fit(FitError::UnsafeMu1 { .. })));
    let error = fit_by_rules(&data, &with(PualSolver::Admm { mu_1: 1e-7 })).unwrap_err();
    assert!(matches!(error, TrainError::NotCertified(_)), "{error}");
    assert!(error.to_string().contains("iteration limit"), "{error}");
    let negative = TrainOptions { lambda: Some(-1.0), ..TrainOptions::default() };
    let error = fit_by_rules(&data, &negative).unwrap_err();
    assert!(error.to_string().contains("lambda = -1"), "{error}");
}

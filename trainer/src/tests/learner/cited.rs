//! The methods that the paper cites, on data where the answer can be worked out by hand, and against objectives written out once more.

use super::optimality::clarabel_optimum;
use crate::tests::common::problems::{Method, Problem};
use pual_trainer::base::random::Random;
use pual_trainer::base::scenario::Scenario::{self, CaseControl, SingleTrainingSet};
use pual_trainer::geometry::kernel::Kernel;
use pual_trainer::learner::{BlsSvm, Design, Fit, FitError, ImbalancedNnPu, Learner, Llsvm, NnPu, SpySvm, WusSvm};
use pual_trainer::solver::Status;

/// One feature, the linear kernel, and hinges that outweigh the ridge.
fn on_a_line(labeled: &[f64], unlabeled: &[f64]) -> Problem {
    Problem {
        rows: [labeled, unlabeled].concat(),
        features: 1,
        labeled: [vec![true; labeled.len()], vec![false; unlabeled.len()]].concat(),
        kernel: Kernel::Linear,
        lambda: 1e-3,
        c_p: 1.0,
        c_u: 1.0,
        graph: None,
        weights: None,
    }
}

fn z_of(fit: &Fit) -> Vec<f64> {
    [&fit.beta[..], &[fit.beta_0]].concat()
}

fn scores(design: &Design, z: &[f64]) -> Vec<f64> {
    let psi = design.features().psi();
    (0..psi.nrows()).map(|i| (0..z.len()).map(|j| psi[(i, j)] * z[j]).sum()).collect()
}

fn assert_line(fit: &Fit, slope: f64, intercept: f64) {
    let (found, told) = (z_of(fit), &fit.report);
    assert_eq!(told.status, Status::Converged, "{told}");
    assert!((found[0] - slope).abs() < 1e-3 && (found[1] - intercept).abs() < 1e-3, "{found:?}: {told}");
}

#[test]
fn weights_of_wus_svm_by_hand_and_its_optimum_is_clarabels() {
    // Squared distances 0, 1 and 4 to the labeled row, 5/3 in the mean.
    let line = on_a_line(&[0.0], &[0.0, 1.0, -2.0]);
    let weights = WusSvm::row_weights(&line.design());
    let likely = [0.0, 1.0 - libm::exp(-0.6), 1.0 - libm::exp(-2.4)];
    let mean = likely.iter().sum::<f64>() / 3.0;
    for (weight, likely) in weights.iter().zip(likely) {
        assert!((weight - likely / mean).abs() < 1e-12, "{weights:?}");
    }
    // Nothing to tell rows apart by.
    assert_eq!(WusSvm::row_weights(&on_a_line(&[1.0], &[1.0, 1.0]).design()), [1.0, 1.0]);

    for seed in 0..8 {
        let plain = Problem { graph: None, ..Problem::random(seed) };
        let Problem { lambda, c_p, c_u, .. } = plain;
        let design = plain.design();
        let weighted = Problem { weights: Some(WusSvm::row_weights(&design)), ..plain };
        let fit = WusSvm { lambda, c_p, c_u }.fit(&design).unwrap();
        let optimum = clarabel_optimum(&weighted, Method::Bsvm);
        for ours in [fit.report.objective, weighted.objective_of(Method::Bsvm, &design, &fit)] {
            assert!((ours - optimum).abs() < 1e-7 * optimum, "seed {seed}: {ours}, Clarabel {optimum}");
        }
    }
}

#[test]
fn spies_leave_a_hidden_positive_out_of_the_second_step() {
    // Scores rise with x. The row at 3 scores like the spies; what is left is the widest margin between 2 and -2: f = x / 2.
    let line = on_a_line(&[2.0, 3.0, 4.0], &[3.0, -2.0, -3.0, -4.0]);
    let spy = SpySvm::new(line.lambda, line.c_p, line.c_u);
    assert_eq!(spy.reliable_negatives(&line.design()).unwrap(), [false, true, true, true]);
    assert_line(&spy.fit(&line.design()).unwrap(), 0.5, 0.0);
    // Where every spy may score lower, every row counts, and the row at 3 spoils the margin.
    let all = SpySvm { noise: 1.0, ..spy };
    assert_eq!(all.reliable_negatives(&line.design()).unwrap(), [true; 4]);
    assert!(all.fit(&line.design()).unwrap().report.objective > 1.0);
    // Where no row scores below the spies, the lowest one is taken.
    let mixed = on_a_line(&[-5.0, -4.0, 5.0, 6.0], &[-1.0, 0.5, 1.0]).design();
    let reliable = spy.reliable_negatives(&mixed).unwrap();
    assert_eq!(reliable.iter().filter(|&&reliable| reliable).count(), 1);
}

#[test]
fn llsvm_puts_the_boundary_into_the_gap_that_the_prior_asks_for() {
    // Two unlabeled rows at +-2, half of them positive: f = x / 2 has neither hinge, nor hat, nor calibration to pay.
    let line = on_a_line(&[2.0], &[2.0, -2.0]);
    let fit = Llsvm::new(line.lambda, 1.0, 1.0, 0.5, CaseControl).fit(&line.design()).unwrap();
    assert_line(&fit, 0.5, 0.0);
    assert!((fit.report.objective - 0.5 * line.lambda * 0.25).abs() < 1e-6);
    // Gaps between -1 and 1, and between 2 and 4: the prior says which.
    let rows = [-3.0, -2.0, -1.0, 1.0, 2.0, 4.0, 5.0, 6.0];
    let cut = |prior: f64| {
        let line = on_a_line(&[5.0], &rows);
        let design = line.design();
        let fit = Llsvm { calibration: 100.0, ..Llsvm::new(1e-3, 1.0, 0.1, prior, CaseControl) }.fit(&design).unwrap();
        assert_eq!(fit.report.status, Status::Converged, "{}", fit.report);
        scores(&design, &z_of(&fit))[1..].iter().filter(|&&f| f > 0.0).count()
    };
    assert_eq!((cut(3.0 / 8.0), cut(5.0 / 8.0)), (3, 5));
}

/// LLSVM's objective.
fn llsvm_objective(learner: &Llsvm, design: &Design, z: &[f64]) -> f64 {
    let f = scores(design, z);
    let (f_p, f_u) = f.split_at(design.positives());
    let population = match learner.scenario {
        CaseControl => f_u,
        SingleTrainingSet => &f[..],
    };
    let sign = |f: &f64| 2.0 / std::f64::consts::PI * libm::atan(*f);
    let mean = population.iter().map(sign).sum::<f64>() / population.len() as f64;
    let excess = mean - (2.0 * learner.prior - 1.0);
    let norm: f64 = z[..z.len() - 1].iter().map(|z| z * z).sum();
    0.5 * learner.lambda * norm
        + learner.c_p * f_p.iter().map(|f| (1.0 - f).max(0.0)).sum::<f64>()
        + learner.c_u * f_u.iter().map(|f| (1.0 - f.abs()).max(0.0)).sum::<f64>()
        + learner.calibration * learner.c_p * f_p.len() as f64 * excess * excess
}

#[test]
fn llsvm_ends_where_no_small_step_leads_down() {
    for seed in 0..10 {
        let problem = Problem { graph: None, ..Problem::random(seed) };
        let Problem { lambda, c_p, c_u, .. } = problem;
        let design = problem.design();
        let scenario = if seed % 4 < 2 { CaseControl } else { SingleTrainingSet };
        let mut learner = Llsvm::new(lambda, c_p, c_u, 0.4, scenario);
        learner.stopping.tolerance = 1e-9;
        learner.stopping.max_iterations = 10_000;
        let fit = learner.fit(&design).unwrap();
        let told = format!("seed {seed}: {}", fit.report);
        assert_eq!(fit.report.status, Status::Converged, "{told}");
        let value = |z: &[f64]| llsvm_objective(&learner, &design, z);
        let z = z_of(&fit);
        assert!((value(&z) - fit.report.objective).abs() < 1e-9 * fit.report.objective, "{told}");
        let start = BlsSvm { lambda, c_p, c_u }.fit(&design).unwrap();
        assert!(value(&z) < value(&z_of(&start)), "{told}");
        let mut random = Random::new(seed, 3);
        for _ in 0..40 {
            let towards: Vec<f64> = z.iter().map(|_| random.normal()).collect();
            let reach = scores(&design, &towards).iter().fold(0.0, |max: f64, f| max.max(f.abs()));
            let to: Vec<f64> = z.iter().zip(&towards).map(|(z, t)| z + 1e-4 * t / reach).collect();
            // A step of 1e-4 in the scores, against the 1e-4 that everything together pulls.
            assert!(value(&to) > value(&z) - 1e-6 * value(&z), "{told}, lower by {:e}", value(&z) - value(&to));
        }
    }
}

#[test]
fn imbalanced_nnpu_weighs_both_classes_alike() {
    // One row in four is positive. Scores and their negatives are known: pi = 1/4, and E_n is over the last three rows.
    let design = on_a_line(&[1.0], &[1.0, -1.0, -2.0, -3.0]).design();
    let fit = ImbalancedNnPu::new(1e-3, 0.25, CaseControl).fit(&design).unwrap();
    let l = |m: f64| 1.0 / (1.0 + libm::exp(m));
    let f = scores(&design, &z_of(&fit));
    let negatives = f[2..].iter().map(|f| l(-f)).sum::<f64>() / 3.0;
    let balanced = 0.5 * l(f[0]) + 0.5 * negatives;
    let by_hand = 0.5 * 1e-3 * fit.beta[0] * fit.beta[0] + balanced;
    assert!((fit.report.objective - by_hand).abs() < 1e-12, "{} by hand {by_hand}", fit.report);
    assert!(f[0] > 0.0 && f[2..].iter().all(|&f| f < 0.0));
}

#[test]
fn imbalanced_nnpu_with_the_true_prior_is_nnpu_and_a_rare_class_gains_room() {
    for scenario in [CaseControl, SingleTrainingSet] {
        let problem = Problem { graph: None, ..Problem::random(7) };
        let design = problem.design();
        let fit = |learner: &dyn Learner| learner.fit(&design).unwrap();
        let bits = |fit: Fit| -> Vec<u64> {
            let report = [fit.report.objective, fit.report.certificate.value()];
            z_of(&fit).into_iter().chain(report).map(f64::to_bits).collect()
        };
        let plain = NnPu { beta: 0.01, ..NnPu::new(1e-2, 0.5, scenario) };
        assert_eq!(bits(fit(&ImbalancedNnPu { nnpu: plain, balanced_prior: 0.5 })), bits(fit(&plain)));
        let called = |fit: Fit| scores(&design, &z_of(&fit)).iter().filter(|&&f| f > 0.0).count();
        let rare = called(fit(&NnPu::new(1e-2, 0.15, scenario)));
        let balanced = called(fit(&ImbalancedNnPu::new(1e-2, 0.15, scenario)));
        assert!(rare < balanced, "{rare} and {balanced} rows called positive");
    }
}

#[test]
fn settings_out_of_range_are_refused_by_name() {
    let design = on_a_line(&[2.0, 3.0], &[-1.0, 0.0, 3.0]).design();
    let refused = |design: &Design, learner: &dyn Learner, expected: &str| {
        let error = learner.fit(design).unwrap_err();
        assert!(matches!(error, FitError::Setting { name, .. } if name == expected), "{error}");
    };
    let scenario: Scenario = CaseControl;
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        refused(&design, &WusSvm { lambda: 1.0, c_p: 1.0, c_u: bad }, "C_u");
        refused(&design, &SpySvm::new(1.0, bad, 1.0), "C_p");
        refused(&design, &Llsvm::new(bad, 1.0, 1.0, 0.5, scenario), "lambda");
        let llsvm = Llsvm::new(1.0, 1.0, 1.0, 0.5, scenario);
        refused(&design, &Llsvm { calibration: bad, ..llsvm }, "calibration");
        refused(&design, &ImbalancedNnPu::new(bad, 0.5, scenario), "lambda");
    }
    for bad in [0.0, 1.0, f64::NAN] {
        refused(&design, &Llsvm::new(1.0, 1.0, 1.0, bad, scenario), "prior");
        let imbalanced = ImbalancedNnPu::new(1.0, bad, scenario);
        refused(&design, &imbalanced, "prior");
        let balanced = ImbalancedNnPu { balanced_prior: bad, ..ImbalancedNnPu::new(1.0, 0.5, scenario) };
        refused(&design, &balanced, "balanced prior");
    }
    for bad in [-0.1, 1.1, f64::NAN] {
        refused(&design, &SpySvm { noise: bad, ..SpySvm::new(1.0, 1.0, 1.0) }, "noise");
    }
    refused(&on_a_line(&[2.0], &[-1.0, 1.0]).design(), &SpySvm::new(1.0, 1.0, 1.0), "labeled rows");
}

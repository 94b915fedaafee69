//! Unlabeled rows with weights of their own: what a weight means, in every margin method.

use super::optimality::clarabel_optimum;
use crate::tests::common::problems::{Method, Problem};
use pual_trainer::Scenario;
use pual_trainer::learner::{
    BlsSvm, Bsvm, Design, Fit, FitError, Gllc, Learner, Method as LearnerMethod, Pual, PualSolver,
};
use pual_trainer::solver::{Status, Stopping};

fn tight(max_iterations: usize) -> Stopping {
    Stopping { tolerance: 1e-11, max_iterations }
}

fn learners(problem: &Problem) -> Vec<(Method, Box<dyn Learner>)> {
    let Problem { lambda, c_p, c_u, .. } = *problem;
    let pual = Pual::new(lambda, c_p, c_u).with_stopping(tight(1_000_000));
    vec![
        (Method::Pual, Box::new(pual)),
        (Method::Gllc, Box::new(Gllc { lambda, c_p, c_u })),
        (Method::BlsSvm, Box::new(BlsSvm { lambda, c_p, c_u })),
        (Method::Bsvm, Box::new(Bsvm { stopping: tight(100), ..Bsvm::new(lambda, c_p, c_u) })),
    ]
}

/// 0, 1, 2, 0, 1, 2, ... of each unlabeled row.
fn in_turn(problem: &Problem) -> Vec<f64> {
    let unlabeled = problem.labeled.iter().filter(|&&labeled| !labeled).count();
    (0..unlabeled).map(|place| (place % 3) as f64).collect()
}

fn scores(problem: &Problem, design: &Design, fit: &Fit, rows: &[f64]) -> Vec<f64> {
    fit.expansion(&problem.instances(), design.features()).scores(rows)
}

#[test]
fn objectives_with_weights_equal_clarabels() {
    for seed in 0..16 {
        let plain = Problem::random(seed);
        let weights = in_turn(&plain).iter().map(|w| 0.3 + w).collect();
        let problem = Problem { weights: Some(weights), ..plain };
        let design = problem.design();
        for (method, learner) in learners(&problem) {
            let optimum = clarabel_optimum(&problem, method);
            let fit = learner.fit(&design).unwrap();
            assert_eq!(fit.report.status, Status::Converged, "seed {seed}, {method:?}: {}", fit.report);
            for ours in [fit.report.objective, problem.objective_of(method, &design, &fit)] {
                let difference = (ours - optimum).abs() / optimum;
                assert!(difference < 1e-7, "seed {seed}, {method:?}: {ours}, Clarabel {optimum}");
            }
        }
    }
}

#[test]
fn a_row_of_weight_2_is_the_row_twice_and_one_of_weight_0_is_not_there() {
    for seed in 0..8 {
        // Without graph: it knows the rows, not their weights.
        let plain = Problem { graph: None, ..Problem::random(seed) };
        let weights = in_turn(&plain);
        let (mut rows, mut labeled, mut unlabeled) = (Vec::new(), Vec::new(), weights.iter());
        for (i, &is_labeled) in plain.labeled.iter().enumerate() {
            let copies = if is_labeled { 1 } else { *unlabeled.next().unwrap() as usize };
            for _ in 0..copies {
                rows.extend(plain.row(i));
                labeled.push(is_labeled);
            }
        }
        let copied = Problem { rows, labeled, ..plain.clone() };
        let weighted = Problem { weights: Some(weights), ..plain };
        let mut pairs = learners(&copied);
        // Algorithm 2's default step depends on the farthest row, whatever that weighs.
        for solver in [PualSolver::Mean, PualSolver::Algorithm2 { mu_1: Some(1e-4) }, PualSolver::Admm { mu_1: 1.0 }] {
            let pual = Pual::new(copied.lambda, copied.c_p, copied.c_u).with_solver(solver);
            pairs.push((Method::Pual, Box::new(pual.with_stopping(tight(1_000_000)))));
        }
        let (design, other) = (weighted.design(), copied.design());
        for (at, (method, learner)) in pairs.into_iter().enumerate() {
            let ours = scores(&weighted, &design, &learner.fit(&design).unwrap(), &copied.rows);
            let theirs = scores(&copied, &other, &learner.fit(&other).unwrap(), &copied.rows);
            let apart = ours.iter().zip(&theirs).fold(0.0, |max: f64, (a, b)| max.max((a - b).abs()));
            assert!(apart < 1e-4, "seed {seed}, {method:?}, solver {at}: {apart:e}");
        }
    }
}

#[test]
fn weights_of_1_change_no_bit_and_weights_on_weights_multiply() {
    let problem = Problem::random(5);
    let (design, count) = (problem.design(), in_turn(&problem).len());
    let bits = |design: &Design| -> Vec<u64> {
        let fits = learners(&problem).into_iter().map(|(_, learner)| learner.fit(design).unwrap());
        fits.flat_map(|fit| fit.beta.into_iter().chain([fit.beta_0, fit.report.objective])).map(f64::to_bits).collect()
    };
    let with = |design: &Design, w: &[f64]| design.with_weights(w).unwrap();
    assert_eq!(bits(&design), bits(&with(&design, &vec![1.0; count])));
    let (once, twice) = (with(&design, &vec![2.0; count]), with(&design, &vec![4.0; count]));
    assert_ne!(bits(&design), bits(&once));
    assert_eq!(bits(&with(&once, &vec![2.0; count])), bits(&twice));
}

#[test]
fn weights_that_make_no_sense_are_refused() {
    let problem = Problem::random(3);
    let (design, good) = (problem.design(), in_turn(&problem));
    let refused = |weights: &[f64], expected: &str| {
        let error = design.with_weights(weights).unwrap_err();
        assert!(matches!(error, FitError::Setting { name, .. } if name == expected), "{error}");
    };
    refused(&good[1..], "number of row weights");
    refused(&vec![0.0; good.len()], "largest row weight");
    for bad in [-0.1, f64::NAN, f64::INFINITY] {
        refused(&[&good[1..], &[bad]].concat(), "row weight");
    }
}

#[test]
fn normal_rows_weigh_like_labeled_ones_but_not_where_a_prior_counts_rows() {
    let problem = Problem::random(5);
    let design = problem.design();
    let (n_p, count) = (design.positives(), in_turn(&problem).len());
    let pual = LearnerMethod::Pual(PualSolver::Exact);
    let bits = |design: &Design| -> Vec<u64> {
        let fits = learners(&problem).into_iter().map(|(_, learner)| learner.fit(design).unwrap());
        fits.flat_map(|fit| fit.beta).map(f64::to_bits).collect()
    };
    for normals in [1, n_p, 3 * n_p] {
        let normals = normals.min(count - 1);
        let normal: Vec<bool> = (0..count).map(|row| row < normals).collect();
        let weight = ((count - normals) as f64 / n_p.max(normals) as f64).max(1.0);
        let weights: Vec<f64> = normal.iter().map(|&normal| if normal { weight } else { 1.0 }).collect();
        let weighted = design.clone().with_normals(&normal, pual);
        assert_eq!(bits(&weighted), bits(&design.with_weights(&weights).unwrap()));
        let by_prior = LearnerMethod::NnPu(Scenario::CaseControl);
        assert_eq!(bits(&design.clone().with_normals(&normal, by_prior)), bits(&design));
    }
    assert_eq!(bits(&design.clone().with_normals(&[], pual)), bits(&design));
}

//! uPU and nnPU are where they say: by differences of objectives written out once more.

// Matrices are indexed by (i, j), as on paper.
#![allow(clippy::needless_range_loop)]

use crate::tests::common::problems::Problem;
use pual_trainer::base::random::Random;
use pual_trainer::base::scenario::Scenario::{self, CaseControl, SingleTrainingSet};
use pual_trainer::learner::{Design, Fit, Learner, NnPu, Upu};
use pual_trainer::solver::Status;

const PRIOR: f64 = 0.4;

/// E_p and E of a function of the scores.
fn means(design: &Design, scenario: Scenario, f: &[f64], of: impl Fn(f64) -> f64) -> (f64, f64) {
    let mean = |f: &[f64]| f.iter().map(|&f| of(f)).sum::<f64>() / f.len() as f64;
    let n_p = design.positives();
    let population = match scenario {
        CaseControl => &f[n_p..],
        SingleTrainingSet => f,
    };
    (mean(&f[..n_p]), mean(population))
}

fn scores(design: &Design, z: &[f64]) -> Vec<f64> {
    let psi = design.features().psi();
    let row = |i: usize| (0..z.len()).map(|j| psi[(i, j)] * z[j]).sum();
    (0..psi.nrows()).map(row).collect()
}

/// The risk pi E_p[l(f)] + max(E[l(-f)] - pi E_p[l(-f)], floor) with the ridge.
fn objective(design: &Design, scenario: Scenario, lambda: f64, z: &[f64], l: fn(f64) -> f64, floor: f64) -> f64 {
    let f = scores(design, z);
    let (positive, _) = means(design, scenario, &f, l);
    let (of_p, of_all) = means(design, scenario, &f, |f| l(-f));
    let squares: f64 = z[..z.len() - 1].iter().map(|z| z * z).sum();
    0.5 * lambda * squares + PRIOR * positive + (of_all - PRIOR * of_p).max(floor)
}

fn logistic(m: f64) -> f64 {
    libm::log1p(libm::exp(-m))
}

fn sigmoid(m: f64) -> f64 {
    1.0 / (1.0 + libm::exp(m))
}

fn z_of(fit: &Fit) -> Vec<f64> {
    [&fit.beta[..], &[fit.beta_0]].concat()
}

/// Ten problems, linear and kernel, with a ridge that suits a risk of order 1.
fn problems() -> impl Iterator<Item = (Design, f64, Scenario)> {
    (0..10).map(|seed| {
        let problem = Problem::random(seed);
        let scenario = if seed % 4 < 2 { CaseControl } else { SingleTrainingSet };
        (problem.design().without_local(), 0.03 * problem.lambda, scenario)
    })
}

/// The steepest descent that differences find at z, among 40 random directions of length 1 in the scores.
fn steepest(design: &Design, z: &[f64], objective: impl Fn(&[f64]) -> f64, step: f64) -> f64 {
    let mut random = Random::new(5, 0);
    let here = objective(z);
    let slope = |_| {
        let mut to: Vec<f64> = z.iter().map(|_| random.normal()).collect();
        let reach = scores(design, &to).iter().fold(0.0, |max: f64, f| max.max(f.abs()));
        to.iter_mut().zip(z).for_each(|(to, z)| *to = z + step * *to / reach);
        (objective(&to) - here) / step
    };
    (0..40).map(slope).fold(f64::INFINITY, f64::min)
}

#[test]
fn nothing_lies_below_the_logistic_fit() {
    for (design, lambda, scenario) in problems() {
        let fit = Upu::new(lambda, PRIOR, scenario).fit(&design).unwrap();
        assert_eq!(fit.report.status, Status::Converged, "{}", fit.report);
        let value = |z: &[f64]| objective(&design, scenario, lambda, z, logistic, f64::NEG_INFINITY);
        let z = z_of(&fit);
        assert!((value(&z) - fit.report.objective).abs() < 1e-12);
        // At the optimum of a convex function every small move is uphill.
        assert!(steepest(&design, &z, value, 1e-4) > 0.0, "{}", fit.report);
        assert!(steepest(&design, &vec![0.0; z.len()], value, 1e-4) < -1e-3, "the test itself");
    }
}

#[test]
fn nnpu_ends_where_no_direction_leads_down_at_the_bound_or_above_it() {
    let (mut at_the_bound, mut converged) = (0, 0);
    for (design, lambda, scenario) in problems() {
        for beta in [0.0, 0.02] {
            let nnpu = NnPu { beta, ..NnPu::new(0.1 * lambda, PRIOR, scenario) };
            let fit = nnpu.fit(&design).unwrap();
            let value = |z: &[f64]| objective(&design, scenario, nnpu.lambda, z, sigmoid, -beta);
            let z = z_of(&fit);
            assert!((value(&z) - fit.report.objective).abs() < 1e-12);
            let f = scores(&design, &z);
            let (of_p, of_all) = means(&design, scenario, &f, |f| sigmoid(-f));
            let bracket = of_all - PRIOR * of_p;
            at_the_bound += u32::from(bracket < -beta + 1e-3);
            converged += u32::from(fit.report.status == Status::Converged);
            assert!(bracket > -beta - 1e-2, "{bracket}");
            // Where it ends at the bound, what it is still above it may be gained, and no more.
            let above = bracket + beta;
            let to_the_bound = if above < 1e-3 { above.max(0.0) } else { 0.0 };
            let gain = -1e-2 * steepest(&design, &z, value, 1e-2);
            assert!(gain < to_the_bound + 3e-5, "{gain}, bracket {bracket}: {}", fit.report);
        }
    }
    assert!((3..18).contains(&at_the_bound), "{at_the_bound} of 20: both cases must occur");
    // A long valley may take more steps than there are: then the status says so.
    assert!(converged >= 17, "{converged} of 20");
}

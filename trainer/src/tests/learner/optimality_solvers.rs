//! The solvers check one another, and the models behave under permutation, duplication and threads as theory says.

use crate::tests::common::assert_same_on_threads;
use crate::tests::common::problems::Problem;
use pual_trainer::base::random::Random;
use pual_trainer::geometry::features::{FeatureSettings, Features};
use pual_trainer::geometry::graph::Graph;
use pual_trainer::geometry::kernel::Kernel;
use pual_trainer::learner::{BlsSvm, Bsvm, Certificate, Design, Fit, FitError, Gllc, Learner, Pual, PualSolver};
use pual_trainer::solver::{Status, Stopping};

fn scores(problem: &Problem, design: &Design, fit: &Fit) -> Vec<f64> {
    fit.expansion(&problem.instances(), design.features()).scores(&problem.rows)
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).fold(0.0, |max: f64, (a, b)| max.max((a - b).abs()))
}

fn pual(problem: &Problem, solver: PualSolver, tolerance: f64) -> Pual {
    let stopping = Stopping { tolerance, max_iterations: 1_000_000 };
    Pual::new(problem.lambda, problem.c_p, problem.c_u).with_solver(solver).with_stopping(stopping)
}

/// Fitted to a design of the problem.
fn fitted(problem: &Problem, design: &Design, solver: PualSolver, tolerance: f64) -> Fit {
    pual(problem, solver, tolerance).fit(design).unwrap()
}

#[test]
fn admm_and_the_box_qp_reach_the_same_optimum() {
    for seed in 0..30 {
        let problem = Problem::random(seed);
        let design = problem.design();
        let exact = fitted(&problem, &design, PualSolver::Exact, 1e-10);
        let admm = fitted(&problem, &design, PualSolver::Admm { mu_1: 1.0 }, 1e-8);
        assert_eq!(admm.report.status, Status::Converged);
        let relative = (admm.report.objective - exact.report.objective).abs() / exact.report.objective;
        assert!(relative < 1e-5, "seed {seed}: objectives differ by {relative:e}");
        let apart = largest_difference(&scores(&problem, &design, &admm), &scores(&problem, &design, &exact));
        assert!(apart < 1e-5, "seed {seed}: scores differ by {apart:e}");
        let Certificate::DualityGap(gap) = admm.report.certificate else { panic!("a gap was promised") };
        assert!(gap.abs() < 1e-5 * exact.report.objective, "seed {seed}: gap {gap:e}");
    }
}

#[test]
fn algorithm2_converges_to_the_fixed_point_computed_directly() {
    for seed in 0..16 {
        let problem = Problem::random(seed);
        let design = problem.design();
        // The gap is quadratic in the error: 1e-13 of the objective is what double precision leaves.
        let direct = fitted(&problem, &design, PualSolver::Algorithm2 { mu_1: None }, 1e-13);
        let (beta, beta_0) = super::algorithm2::iterate(&problem, &design, None, None).unwrap();
        let iterated = Fit { beta, beta_0, report: direct.report };
        let apart = largest_difference(&scores(&problem, &design, &iterated), &scores(&problem, &design, &direct));
        assert!(apart < 1e-8, "seed {seed}: {apart:e}");
    }
}

/// R 1 = 0, and the graph enters Algorithm 2 only through R 1: it cannot have any effect, to the last bit.
#[test]
fn theorem_the_graph_has_no_effect_in_algorithm2() {
    let problem = Problem::random(1);
    let instances = problem.instances();
    let bare = problem.design().without_local();
    let learner = pual(&problem, PualSolver::Algorithm2 { mu_1: None }, 1e-6);
    let direct = learner.fit(&bare).unwrap();
    let iterated = super::algorithm2::iterate(&problem, &bare, None, None).unwrap();
    for neighbours in [1, 5] {
        let graph = Graph::mutual(&instances, neighbours);
        assert!(graph.edges() > 0);
        for sigma in [1e-4, 1.0, 1e4] {
            let laplacian = graph.laplacian(sigma).unwrap();
            let with = super::algorithm2::iterate(&problem, &bare, None, Some(&laplacian));
            assert_eq!(with.as_ref(), Some(&iterated));
            let with = learner.fit(&bare.with_local(laplacian)).unwrap();
            assert_eq!((&with.beta, with.beta_0), (&direct.beta, direct.beta_0));
        }
    }
    // In the exact form it has one.
    let exact = pual(&problem, PualSolver::Exact, 1e-10);
    let laplacian = Graph::mutual(&instances, 5).laplacian(1.0).unwrap();
    let with = exact.fit(&bare.with_local(laplacian)).unwrap();
    assert!(largest_difference(&with.beta, &exact.fit(&bare).unwrap().beta) > 1e-6);
}

#[test]
fn a_step_too_large_for_algorithm2_is_refused_and_the_bare_iteration_notices() {
    let problem = Problem { kernel: Kernel::Rbf { bandwidth: 3.0 }, c_p: 1.0, c_u: 0.1, ..Problem::random(5) };
    let design = problem.design();
    let with_step = |mu_1| pual(&problem, PualSolver::Algorithm2 { mu_1: Some(mu_1) }, 1e-8);
    let refused = with_step(10.0).fit(&design);
    let Err(FitError::UnsafeMu1 { mu_1, safe }) = refused else { panic!("{refused:?}") };
    assert_eq!(mu_1, 10.0);
    // What the message recommends works.
    assert!(with_step(safe).fit(&design).is_ok());
    assert!(super::algorithm2::iterate(&problem, &design, Some(10.0), None).is_none());
}

#[test]
fn the_mean_form_is_the_limit_of_algorithm2_for_small_mu_1() {
    let problem = Problem { lambda: 1.0, ..Problem::random(7) };
    let design = problem.design();
    let target = scores(&problem, &design, &fitted(&problem, &design, PualSolver::Mean, 1e-12));
    let mut before = f64::INFINITY;
    for mu_1 in [1e-2, 1e-4, 1e-6] {
        let fit = fitted(&problem, &design, PualSolver::Algorithm2 { mu_1: Some(mu_1) }, 1e-12);
        let apart = largest_difference(&scores(&problem, &design, &fit), &target);
        assert!(apart < before);
        before = apart;
    }
    assert!(before < 1e-4, "{before:e}");
}

#[test]
fn the_order_of_the_rows_does_not_matter() {
    for seed in 0..8 {
        let problem = Problem::random(seed);
        let n = problem.len();
        let mut order: Vec<usize> = (0..n).collect();
        Random::new(seed, 9).shuffle(&mut order);
        let shuffled = Problem {
            rows: order.iter().flat_map(|&i| problem.row(i).to_vec()).collect(),
            labeled: order.iter().map(|&i| problem.labeled[i]).collect(),
            ..problem.clone()
        };
        for learner in all_learners(&problem) {
            let (design, other) = (problem.design(), shuffled.design());
            let plain = scores(&problem, &design, &learner.fit(&design).unwrap());
            let moved = scores(&shuffled, &other, &learner.fit(&other).unwrap());
            let back: Vec<f64> = order.iter().map(|&i| plain[i]).collect();
            let apart = largest_difference(&back, &moved);
            assert!(apart < 1e-4, "seed {seed}, {}: {apart:e}", learner.name());
        }
    }
}

#[test]
fn every_row_twice_at_half_the_weight_is_the_same_problem() {
    for seed in 0..8 {
        // Without graph: duplicates are each other's nearest neighbours, which is a different graph.
        let problem = Problem { graph: None, ..Problem::random(seed) };
        let twice = Problem {
            rows: [&problem.rows[..], &problem.rows[..]].concat(),
            labeled: [&problem.labeled[..], &problem.labeled[..]].concat(),
            c_p: problem.c_p / 2.0,
            c_u: problem.c_u / 2.0,
            ..problem.clone()
        };
        for (learner, half) in all_learners(&problem).iter().zip(all_learners(&twice)) {
            let (design, doubled) = (problem.design(), twice.design());
            // Copies add nothing to the span.
            assert_eq!(design.features().rank(), doubled.features().rank());
            let once = scores(&problem, &design, &learner.fit(&design).unwrap());
            let both = scores(&twice, &doubled, &half.fit(&doubled).unwrap());
            let apart = largest_difference(&[&once[..], &once[..]].concat(), &both);
            assert!(apart < 1e-4, "seed {seed}, {}: {apart:e}", learner.name());
        }
    }
}

/// Tight enough that scores are determined to 1e-5 or better.
fn all_learners(problem: &Problem) -> Vec<Box<dyn Learner>> {
    let Problem { lambda, c_p, c_u, .. } = *problem;
    let stopping = Stopping { tolerance: 1e-11, max_iterations: 100 };
    vec![
        Box::new(pual(problem, PualSolver::Exact, 1e-11)),
        Box::new(pual(problem, PualSolver::Mean, 1e-11)),
        Box::new(Gllc { lambda, c_p, c_u }),
        Box::new(BlsSvm { lambda, c_p, c_u }),
        Box::new(Bsvm { stopping, ..Bsvm::new(lambda, c_p, c_u) }),
    ]
}

#[test]
fn one_two_and_four_threads_give_the_same_bits() {
    // Large enough that every parallel loop has several blocks.
    let (n, features) = (3000, 5);
    let mut random = Random::new(4, 0);
    let rows: Vec<f64> = (0..n * features).map(|_| random.normal()).collect();
    let labeled: Vec<bool> = rows.chunks(features).map(|x| x[0].abs() > 1.0 && x[1] > 0.0).collect();
    let problem = Problem { rows, features, labeled, ..Problem::random(1) };
    assert_same_on_threads(|| -> Vec<Vec<u64>> {
        let instances = problem.instances();
        let kernel = Kernel::Rbf { bandwidth: 1.5 };
        let features = Features::build(&instances, &FeatureSettings::new(kernel, 200, 3)).unwrap();
        let laplacian = Graph::mutual(&instances, 5).laplacian(1.0).unwrap();
        let design = Design::new(features).with_local(laplacian);
        let pual = |solver| -> Box<dyn Learner> { Box::new(Pual::new(0.1, 1.0, 0.1).with_solver(solver)) };
        let learners = [
            pual(PualSolver::Exact),
            pual(PualSolver::Admm { mu_1: 1.0 }),
            pual(PualSolver::Algorithm2 { mu_1: None }),
            pual(PualSolver::Mean),
            Box::new(Gllc { lambda: 0.1, c_p: 1.0, c_u: 0.1 }),
            Box::new(Bsvm::new(0.1, 1.0, 0.1)),
        ];
        let bits = |learner: Box<dyn Learner>| {
            let fit = learner.fit(&design).unwrap();
            assert_eq!(fit.report.status, Status::Converged, "{}", fit.report);
            let expansion = fit.expansion(&instances, design.features());
            let numbers = expansion.coefficients.iter().chain([&expansion.bias, &fit.report.objective]);
            numbers.map(|x| x.to_bits()).chain(expansion.rows.iter().map(|&row| row as u64)).collect()
        };
        learners.into_iter().map(bits).collect()
    });
}

#[test]
fn few_pivots_approach_the_full_kernel_from_above() {
    let problem = Problem { kernel: Kernel::Rbf { bandwidth: 1.0 }, ..Problem::random(9) };
    let (neighbours, sigma) = problem.graph.unwrap_or((4, 1.0));
    let laplacian = || Graph::mutual(&problem.instances(), neighbours).laplacian(sigma).unwrap();
    let learner = pual(&problem, PualSolver::Exact, 1e-10);
    let best = learner.fit(&problem.design().with_local(laplacian())).unwrap().report.objective;
    let mut before = f64::INFINITY;
    for pivots in [2, 8, 16, problem.len()] {
        // One seed: the pivots of a smaller model are those of a larger one's beginning.
        let settings = FeatureSettings { tolerance: 1e-14, ..FeatureSettings::new(problem.kernel, pivots, 7) };
        let features = Features::build(&problem.instances(), &settings).unwrap();
        let objective = learner.fit(&Design::new(features).with_local(laplacian())).unwrap().report.objective;
        assert!(objective >= best * (1.0 - 1e-9) && objective <= before * (1.0 + 1e-9));
        before = objective;
    }
    assert!((before - best).abs() < 1e-8 * best);
}

//! The learners reach the optimum that an independent solver, Clarabel, finds from the paper's objectives.

// Matrices are indexed by (i, j), as on paper.
#![allow(clippy::needless_range_loop)]

use crate::tests::common::problems::{Method, Problem};
use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};
use pual_trainer::geometry::kernel::Kernel;
use pual_trainer::learner::{BlsSvm, Bsvm, FitError, Gllc, Learner, Pual};
use pual_trainer::solver::{Status, Stopping};

/// The least x'Px/2 + q'x over Ax <= b, of which the first `equalities` rows hold with equality.
fn least(p: &[Vec<f64>], q: &[f64], (a, b): (&[Vec<f64>], &[f64]), equalities: usize) -> f64 {
    let cones = [SupportedConeT::ZeroConeT(equalities), SupportedConeT::NonnegativeConeT(b.len() - equalities)];
    let settings = DefaultSettings {
        verbose: false,
        tol_gap_abs: 1e-11,
        tol_gap_rel: 1e-11,
        tol_feas: 1e-11,
        max_iter: 200,
        ..DefaultSettings::default()
    };
    let (p, a) = (CscMatrix::from(p), CscMatrix::from(a));
    let mut solver = DefaultSolver::new(&p, q, &a, b, &cones, settings).unwrap();
    solver.solve();
    let status = solver.solution.status;
    assert!(matches!(status, SolverStatus::Solved | SolverStatus::AlmostSolved), "{status:?}");
    solver.solution.obj_val
}

/// The optimal value by Clarabel: unknowns (theta, beta_0, f, xi), f = B theta + beta_0, xi above both pieces of each hinge.
///
/// Linear: theta = beta, B = X. Kernel: theta = Omega over *all* instances, B = K, ||beta||^2 = Omega'K Omega; no features,
/// no pivots.
pub(super) fn clarabel_optimum(problem: &Problem, method: Method) -> f64 {
    let n = problem.len();
    let kernel = problem.kernel != Kernel::Linear;
    let width = if kernel { n } else { problem.features };
    let gram = problem.gram();
    let (f_0, xi_0, total) = (width + 1, width + 1 + n, width + 1 + 2 * n);
    let r = problem.laplacian(method);
    let mut p = vec![vec![0.0; total]; total];
    let mut q = vec![0.0; total];
    let mut constant = 0.0;
    for i in 0..width {
        for j in i..width {
            p[i][j] = problem.lambda * if kernel { gram[i][j] } else { f64::from(u8::from(i == j)) };
        }
    }
    // Equalities f - B theta - beta_0 = 0, then inequalities written as A x <= b.
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for i in 0..n {
        let basis = if kernel { &gram[i] } else { problem.row(i) };
        let mut row: Vec<f64> = basis.iter().map(|entry| -entry).collect();
        row.resize(total, 0.0);
        row[width] = -1.0;
        row[f_0 + i] = 1.0;
        a.push(row);
        b.push(0.0);
        for j in i..n {
            p[f_0 + i][f_0 + j] += 2.0 * r[i][j];
        }
    }
    for i in 0..n {
        let (weight, sign) = (problem.row_weight(i), if problem.labeled[i] { 1.0 } else { -1.0 });
        let hinge = method == Method::Bsvm || (method == Method::Pual && problem.labeled[i]);
        // xi >= 0; and for a hinge xi >= 1 - sign f.
        let mut row = vec![0.0; total];
        row[xi_0 + i] = -1.0;
        a.push(row.clone());
        b.push(0.0);
        if hinge {
            q[xi_0 + i] = weight;
            row[f_0 + i] = -sign;
            a.push(row);
            b.push(-1.0);
        } else {
            // (1 - sign f)^2 = f^2 - 2 sign f + 1; xi is idle, and held by a small price.
            p[f_0 + i][f_0 + i] += 2.0 * weight;
            q[f_0 + i] = -2.0 * weight * sign;
            q[xi_0 + i] = 1.0;
            constant += weight;
        }
    }
    least(&p, &q, (&a, &b), n) + constant
}

#[test]
fn objectives_equal_clarabels_on_fifty_random_problems() {
    let mut worst: f64 = 0.0;
    for seed in 0..50 {
        let problem = Problem::random(seed);
        let design = problem.design();
        let Problem { lambda, c_p, c_u, .. } = problem;
        let tight = |max_iterations| Stopping { tolerance: 1e-9, max_iterations };
        let learners: [(Method, &dyn Learner); 4] = [
            (Method::Pual, &Pual::new(lambda, c_p, c_u).with_stopping(tight(200_000))),
            (Method::Gllc, &Gllc { lambda, c_p, c_u }),
            (Method::BlsSvm, &BlsSvm { lambda, c_p, c_u }),
            (Method::Bsvm, &Bsvm { stopping: tight(100), ..Bsvm::new(lambda, c_p, c_u) }),
        ];
        for (method, learner) in learners {
            let optimum = clarabel_optimum(&problem, method);
            let fit = learner.fit(&design).unwrap();
            let told = format!("seed {seed}, {method:?}, {:?}: {}", problem.kernel, fit.report);
            assert_eq!(fit.report.status, Status::Converged, "{told}");
            // What the report says, and what the exported expansion would achieve.
            for ours in [fit.report.objective, problem.objective_of(method, &design, &fit)] {
                let difference = (ours - optimum).abs() / optimum;
                assert!(difference < 1e-7, "{told}; Clarabel {optimum}, off by {difference:e}");
                worst = worst.max(difference);
            }
        }
    }
    println!("largest relative difference from Clarabel: {worst:e}");
}

#[test]
fn a_gap_bounds_the_distance_from_the_optimum_even_when_stopped_early() {
    let mut stopped = 0;
    for seed in 0..10 {
        let problem = Problem::random(seed);
        let optimum = clarabel_optimum(&problem, Method::Pual);
        let Problem { lambda, c_p, c_u, .. } = problem;
        let early = Stopping { tolerance: 1e-15, max_iterations: 2 };
        let design = problem.design();
        let fit = Pual::new(lambda, c_p, c_u).with_stopping(early).fit(&design).unwrap();
        // Away from the optimum too, the reported objective is the paper's.
        let direct = problem.objective_of(Method::Pual, &design, &fit);
        assert!((fit.report.objective - direct).abs() < 1e-8 * direct);
        // Where everything ends at a bound two sweeps can be enough.
        stopped += u32::from(fit.report.status == Status::IterationLimit);
        let gap = fit.report.certificate.value();
        let distance = fit.report.objective - optimum;
        assert!(distance <= gap * (1.0 + 1e-6) + 1e-7 * optimum, "{distance} against a gap of {gap}");
        assert!(distance >= -1e-7 * optimum);
    }
    assert!(stopped >= 5);
}

#[test]
fn weights_that_make_no_sense_are_refused_by_name() {
    let design = Problem::random(3).design();
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let gllc = Gllc { lambda: 1.0, c_p: bad, c_u: 1.0 };
        let learners: [(&str, &dyn Learner); 3] =
            [("lambda", &Pual::new(bad, 1.0, 1.0)), ("C_p", &gllc), ("C_u", &Bsvm::new(1.0, 1.0, bad))];
        for (expected, learner) in learners {
            let error = learner.fit(&design).unwrap_err();
            assert!(matches!(error, FitError::Setting { name, .. } if name == expected), "{error}");
        }
    }
}

//! An independent solver.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};

/// The least x'Px/2 + q'x over Ax <= b, of which the first `equalities` rows hold with equality.
pub fn least(
    p: &[Vec<f64>],
    q: &[f64],
    (a, b): (&[Vec<f64>], &[f64]),
    equalities: usize,
    tolerance: f64,
) -> f64 {
    let cones = [
        SupportedConeT::ZeroConeT(equalities),
        SupportedConeT::NonnegativeConeT(b.len() - equalities),
    ];
    let settings = DefaultSettings {
        verbose: false,
        tol_gap_abs: tolerance,
        tol_gap_rel: tolerance,
        tol_feas: tolerance,
        max_iter: 200,
        ..DefaultSettings::default()
    };
    let (p, a) = (CscMatrix::from(p), CscMatrix::from(a));
    let mut solver = DefaultSolver::new(&p, q, &a, b, &cones, settings).unwrap();
    solver.solve();
    let status = solver.solution.status;
    assert!(
        matches!(status, SolverStatus::Solved | SolverStatus::AlmostSolved),
        "{status:?}"
    );
    solver.solution.obj_val
}

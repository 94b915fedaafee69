//! maximise over 0 <= a_i <= C_i:   c'a - 1/2 ||w||^2,   w = sum_i a_i v_i
//!
//! by coordinate descent. Q = V'V is never formed: given w, the gradient of one coordinate is c_i - v_i'w, so a
//! sweep over n unknowns in q dimensions costs O(n q) and the memory is that of V.
//!
//! The problem is the dual of  min_w 1/2 ||w||^2 + sum_i C_i [c_i - v_i'w]_+ , and with s_i = c_i - v_i'w
//!
//!   primal(w) - dual(a) = sum_i C_i \[s_i\]_+ - a_i s_i,
//!
//! a sum of terms that are never negative, valid at every iterate: the certificate. It is evaluated on all coordinates
//! with w recomputed from a. Between two evaluations coordinates that sit firmly at a bound are left out.
//!
//! Coordinates that all pull the same way (an intercept that is cheap to move, a large ridge) make descent crawl. Where it
//! has not ended after some sweeps, the interior-point method takes over: its w is not quite V a, and its gap is
//! primal(w) - dual(a) as well. Should double precision stop it short, the sweeps go on from its a.

use faer::MatRef;

use super::interior::{self, Interior};
use super::{Solution, Status, Stopping};
use crate::base::dense::{add_scaled, column, dot, dot_inline, transposed_product};
use crate::base::random::Random;

/// Sweeps over the coordinates in play between two evaluations of the gap.
const SWEEPS_PER_CHECK: usize = 5;
/// Sweeps after which the interior-point method is tried.
const PATIENCE: usize = 60;
/// Its most steps; it needs 10 to 30.
const STEPS: usize = 60;

/// The problem's data.
#[derive(Debug, Clone, Copy)]
pub struct BoxQp<'a> {
    /// V, a column v_i for each unknown.
    pub v: MatRef<'a, f64>,
    /// c.
    pub c: &'a [f64],
    /// C_i > 0, the upper bounds.
    pub upper: &'a [f64],
}

/// Runs coordinate descent from a = 0. The solution's z is w, or an interior-point method's w near it, and its multipliers are a; it has
/// converged when gap <= tolerance * (1/2 ||w||^2 + sum_i C_i [c_i - v_i'w]_+).
pub fn solve(problem: &BoxQp<'_>, stopping: Stopping) -> Solution {
    solve_from(problem, vec![0.0; problem.c.len()], stopping)
}

/// The same from another a within its bounds, such as the solution of a problem that differs little.
pub(crate) fn solve_from(problem: &BoxQp<'_>, start: Vec<f64>, stopping: Stopping) -> Solution {
    let count = problem.c.len();
    let squares: Vec<f64> = (0..count).map(|i| dot(column(problem.v, i), column(problem.v, i))).collect();
    // A fixed random order: cyclic descent is slow on rows that come sorted.
    let mut order: Vec<usize> = (0..count).collect();
    Random::new(0, 0).shuffle(&mut order);
    let mut a = start;
    let mut w = combine(problem.v, &a);
    let (mut sweeps, mut steps) = (0, 0);
    loop {
        let mut active = order.clone();
        let budget = SWEEPS_PER_CHECK.min(stopping.max_iterations - sweeps);
        for _ in 0..budget {
            active.retain(|&i| descend(problem, i, squares[i], &mut a[i], &mut w));
            sweeps += 1;
        }
        w = combine(problem.v, &a);
        let (primal, gap) = certificate(problem, &a, &w);
        let converged = gap <= stopping.tolerance * primal;
        if converged || sweeps >= stopping.max_iterations {
            return Solution {
                z: w,
                multipliers: a,
                objective: primal,
                gap,
                iterations: sweeps + steps,
                status: if converged { Status::Converged } else { Status::IterationLimit },
            };
        }
        if sweeps >= PATIENCE && steps == 0 {
            let stride = stride(problem, stopping.tolerance);
            steps = stride.iterations;
            if stride.status == Status::Converged {
                return Solution { iterations: sweeps + steps, ..stride };
            }
            let there = combine(problem.v, &stride.multipliers);
            if certificate(problem, &stride.multipliers, &there).1 < gap {
                (a, w) = (stride.multipliers, there);
            }
        }
    }
}

/// The same problem by the interior-point method: all ridges 1, all signs +1.
fn stride(problem: &BoxQp<'_>, tolerance: f64) -> Solution {
    let x = problem.v.transpose().to_owned();
    let count = problem.c.len();
    let interior = Interior {
        x: x.as_ref(),
        y: &vec![1.0; count],
        c: problem.c,
        upper: problem.upper,
        ridge: &vec![1.0; problem.v.nrows()],
    };
    let stopping = Stopping { tolerance, max_iterations: STEPS };
    interior::solve(&interior, stopping)
}

/// The primal value at w, and the gap to the dual at a.
fn certificate(problem: &BoxQp<'_>, a: &[f64], w: &[f64]) -> (f64, f64) {
    let (mut hinge, mut gap) = (0.0, 0.0);
    for ((s, a), upper) in slack(problem, w).iter().zip(a).zip(problem.upper) {
        hinge += upper * s.max(0.0);
        gap += upper * s.max(0.0) - a * s;
    }
    (0.5 * dot(w, w) + hinge, gap)
}

/// Maximises over one coordinate. False when it stays at a bound that the gradient presses it to.
fn descend(problem: &BoxQp<'_>, i: usize, square: f64, a: &mut f64, w: &mut [f64]) -> bool {
    let v = column(problem.v, i);
    pulp::Arch::new().dispatch(|| {
        let gradient = problem.c[i] - dot_inline(v, w);
        let pressed = (*a == 0.0 && gradient < 0.0) || (*a == problem.upper[i] && gradient > 0.0);
        if pressed || gradient == 0.0 {
            return !pressed;
        }
        // A zero column makes the step infinite and the clamp exact.
        let new = (*a + gradient / square).clamp(0.0, problem.upper[i]);
        let step = new - *a;
        *a = new;
        add_scaled(w, step, v);
        true
    })
}

/// sum_i a_i v_i.
fn combine(v: MatRef<'_, f64>, a: &[f64]) -> Vec<f64> {
    let mut w = vec![0.0; v.nrows()];
    pulp::Arch::new().dispatch(|| {
        for (i, &a) in a.iter().enumerate().filter(|&(_, &a)| a != 0.0) {
            add_scaled(&mut w, a, column(v, i));
        }
    });
    w
}

/// c_i - v_i'w.
fn slack(problem: &BoxQp<'_>, w: &[f64]) -> Vec<f64> {
    problem.c.iter().zip(transposed_product(problem.v, w)).map(|(c, vw)| c - vw).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::Mat;

    #[test]
    fn the_optimum_satisfies_its_kkt_conditions() {
        let mut random = Random::new(9, 0);
        for (q, n, upper) in [(5, 40, 0.3), (30, 12, 10.0), (8, 300, 1e-3)] {
            let v = Mat::from_fn(q, n, |_, _| random.normal());
            let c: Vec<f64> = (0..n).map(|_| random.between(-1.0, 2.0)).collect();
            let problem = BoxQp { v: v.as_ref(), c: &c, upper: &vec![upper; n] };
            let stopping = Stopping { tolerance: 1e-12, max_iterations: 20_000 };
            let found = solve(&problem, stopping);
            assert_eq!(found.status, Status::Converged);
            for (i, c) in c.iter().enumerate() {
                let gradient = c - dot(column(v.as_ref(), i), &found.z);
                // At the optimum an unknown can only rest where the gradient lets it.
                assert!((0.0..=upper).contains(&found.multipliers[i]));
                assert!(gradient < 1e-5 || found.multipliers[i] > (1.0 - 1e-6) * upper);
                assert!(gradient > -1e-5 || found.multipliers[i] < 1e-6 * upper);
            }
        }
    }

    #[test]
    fn the_limit_is_reported_with_a_true_gap() {
        let mut random = Random::new(2, 0);
        let v = Mat::from_fn(3, 200, |_, _| random.normal());
        let c = vec![1.0; 200];
        let problem = BoxQp { v: v.as_ref(), c: &c, upper: &[1.0; 200] };
        let run = |tolerance, max_iterations| solve(&problem, Stopping { tolerance, max_iterations });
        let (early, best) = (run(1e-15, 1), run(1e-12, 100_000));
        assert_eq!((early.status, early.iterations), (Status::IterationLimit, 1));
        let dual = early.objective - early.gap;
        // Weak duality: the optimum lies between.
        assert!(dual <= best.objective && best.objective <= early.objective);
    }
}

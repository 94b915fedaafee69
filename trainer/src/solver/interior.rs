//! minimise over z:   1/2 sum_j ridge_j z_j^2 + sum_i C_i [c_i - y_i x_i'z]_+ ,   y_i = +-1
//!
//! by a primal-dual interior-point method (Mehrotra's predictor and corrector): 10 to 30 Newton steps of O(n q^2) each,
//! whatever the scales. With f = X z, a in (0, C) the multipliers, t the hinge's slack and s that of the margin, the
//! optimality conditions are
//!
//!   ridge z = X'Y a,   c - Y f = t - s,   a_i s_i = 0,   (C_i - a_i) t_i = 0,
//!
//! and a Newton step towards products mu instead of 0 needs one factorisation, W = diag(1 / (s/a + t/(C - a))):
//!
//!   (ridge + X'W X) dz = X'Y a - ridge z + X'Y W (c - Y f - t + s + ds_0 - dt_0),
//!
//! ds_0 = mu/a - s, dt_0 = mu/(C - a) - t.
//!
//! Certificate: the objective at z minus the dual  c'a - 1/2 sum_j (X'Y a)_j^2 / ridge_j . The last column may be a free
//! intercept: ones, with ridge 0. The dual then asks for y'a = 0, and a is made feasible by scaling one side down.

use faer::MatRef;

use super::linear::{NotPositiveDefinite, newton_matrix};
use super::{Solution, Status, Stopping};
use crate::base::dense::{add_scaled, dot, product, transposed_product};

/// Share of the way to the boundary a step may go.
const STEP_SHARE: f64 = 0.995;

/// The problem's data.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Interior<'a> {
    /// X, a row x_i for each hinge.
    pub x: MatRef<'a, f64>,
    /// y_i, +1 or -1.
    pub y: &'a [f64],
    /// c_i.
    pub c: &'a [f64],
    /// C_i > 0.
    pub upper: &'a [f64],
    /// ridge_j > 0; the last may be 0 for a column of ones, and then both signs occur in y.
    pub ridge: &'a [f64],
}

/// The iterate: z, and for each row a, s, t.
struct InteriorPoint {
    z: Vec<f64>,
    a: Vec<f64>,
    s: Vec<f64>,
    t: Vec<f64>,
}

/// The best iterate; its multipliers are strictly inside the box. It has converged when gap <= tolerance * objective.
pub(crate) fn solve(problem: &Interior<'_>, stopping: Stopping) -> Solution {
    let width = problem.x.ncols();
    let mut point = InteriorPoint {
        z: vec![0.0; width],
        a: problem.upper.iter().map(|c| 0.5 * c).collect(),
        // c = t - s at z = 0, both at least 1.
        s: problem.c.iter().map(|c| 1.0 + (-c).max(0.0)).collect(),
        t: problem.c.iter().map(|c| 1.0 + c.max(0.0)).collect(),
    };
    let mut best = Solution::start(point.z.clone(), point.a.clone());
    for iteration in 0..=stopping.max_iterations {
        let margin = margins(problem, &point.z);
        let force = signed_sum(problem, &point.a);
        let (primal, gap) = certificate(problem, &point, &margin);
        if gap < best.gap {
            best.z.copy_from_slice(&point.z);
            best.multipliers.copy_from_slice(&point.a);
            (best.objective, best.gap) = (primal, gap);
        }
        best.iterations = iteration;
        if gap <= stopping.tolerance * primal {
            best.status = Status::Converged;
            break;
        }
        if iteration == stopping.max_iterations {
            break;
        }
        if !gap.is_finite() || step(problem, &mut point, &margin, &force).is_err() {
            best.status = Status::PrecisionLimit;
            break;
        }
    }
    best
}

/// One predictor-corrector step.
fn step(
    problem: &Interior<'_>,
    point: &mut InteriorPoint,
    margin: &[f64],
    force: &[f64],
) -> Result<(), NotPositiveDefinite> {
    let n = margin.len();
    let room: Vec<f64> = problem.upper.iter().zip(&point.a).map(|(c, a)| c - a).collect();
    let weight: Vec<f64> = (0..n).map(|i| 1.0 / (point.s[i] / point.a[i] + point.t[i] / room[i])).collect();
    let newton = newton_matrix(problem.x, problem.ridge, weight.iter().copied())?;
    let infeasible: Vec<f64> = (0..n).map(|i| margin[i] - point.t[i] + point.s[i]).collect();
    let stationarity: Vec<f64> =
        (force.iter().zip(problem.ridge).zip(&point.z)).map(|((force, ridge), z)| force - ridge * z).collect();
    // Solves for the step that brings a s to `target_s` and (C - a) t to `target_t`, to first order.
    let direction = |target_s: &dyn Fn(usize) -> f64, target_t: &dyn Fn(usize) -> f64| -> InteriorPoint {
        let ds_0: Vec<f64> = (0..n).map(|i| target_s(i) / point.a[i] - point.s[i]).collect();
        let dt_0: Vec<f64> = (0..n).map(|i| target_t(i) / room[i] - point.t[i]).collect();
        let right: Vec<f64> = (0..n).map(|i| infeasible[i] + ds_0[i] - dt_0[i]).collect();
        let weighted: Vec<f64> = weight.iter().zip(&right).map(|(w, r)| w * r).collect();
        let mut rhs = signed_sum(problem, &weighted);
        add_scaled(&mut rhs, 1.0, &stationarity);
        let z = newton.solve(&rhs);
        let moved = product(problem.x, &z);
        let a: Vec<f64> = (0..n).map(|i| weight[i] * (right[i] - problem.y[i] * moved[i])).collect();
        InteriorPoint {
            s: (0..n).map(|i| ds_0[i] - point.s[i] / point.a[i] * a[i]).collect(),
            t: (0..n).map(|i| dt_0[i] + point.t[i] / room[i] * a[i]).collect(),
            z,
            a,
        }
    };
    let complementarity = |share: f64, by: &InteriorPoint| -> f64 {
        let products = (0..n).map(|i| {
            let a = point.a[i] + share * by.a[i];
            a * (point.s[i] + share * by.s[i]) + (problem.upper[i] - a) * (point.t[i] + share * by.t[i])
        });
        products.sum::<f64>() / (2 * n) as f64
    };
    let predictor = direction(&|_| 0.0, &|_| 0.0);
    let now = complementarity(0.0, &predictor);
    let ahead = complementarity(longest(point, &room, &predictor), &predictor);
    let centring = (ahead / now).powi(3).min(1.0) * now;
    let corrector =
        direction(&|i| centring - predictor.a[i] * predictor.s[i], &|i| centring + predictor.a[i] * predictor.t[i]);
    let length = (STEP_SHARE * longest(point, &room, &corrector)).min(1.0);
    let pairs = [
        (&mut point.z, &corrector.z),
        (&mut point.a, &corrector.a),
        (&mut point.s, &corrector.s),
        (&mut point.t, &corrector.t),
    ];
    for (values, steps) in pairs {
        add_scaled(values, length, steps);
    }
    Ok(())
}

/// c - y f.
fn margins(problem: &Interior<'_>, z: &[f64]) -> Vec<f64> {
    let f = product(problem.x, z);
    (f.iter().zip(problem.y).zip(problem.c)).map(|((f, y), c)| c - y * f).collect()
}

/// X'Y v.
fn signed_sum(problem: &Interior<'_>, v: &[f64]) -> Vec<f64> {
    let signed: Vec<f64> = v.iter().zip(problem.y).map(|(v, y)| v * y).collect();
    transposed_product(problem.x, &signed)
}

/// The longest step in [0, 1] that keeps a, C - a, s and t from turning negative.
fn longest(point: &InteriorPoint, room: &[f64], by: &InteriorPoint) -> f64 {
    let mut length: f64 = 1.0;
    for (i, &room) in room.iter().enumerate() {
        let pairs = [(point.a[i], by.a[i]), (room, -by.a[i]), (point.s[i], by.s[i]), (point.t[i], by.t[i])];
        for (value, step) in pairs {
            if step < 0.0 {
                length = length.min(-value / step);
            }
        }
    }
    length
}

/// The objective at z, and its distance from the dual at a.
fn certificate(problem: &Interior<'_>, point: &InteriorPoint, margin: &[f64]) -> (f64, f64) {
    let hinges = margin.iter().zip(problem.upper);
    let squares = point.z.iter().zip(problem.ridge);
    let primal = hinges.map(|(margin, c)| c * margin.max(0.0)).sum::<f64>()
        + 0.5 * squares.map(|(z, ridge)| ridge * z * z).sum::<f64>();
    let side = |i: usize| usize::from(problem.y[i] > 0.0);
    let mut scale = [1.0; 2];
    if problem.ridge.last() == Some(&0.0) {
        let mut sums = [0.0; 2];
        for (i, a) in point.a.iter().enumerate() {
            sums[side(i)] += a;
        }
        scale = sums.map(|sum: f64| sums[0].min(sums[1]) / sum);
    }
    let feasible: Vec<f64> = (0..margin.len()).map(|i| point.a[i] * scale[side(i)]).collect();
    let force = signed_sum(problem, &feasible);
    let squares = force.iter().zip(problem.ridge).filter(|&(_, &ridge)| ridge > 0.0);
    let dual = dot(problem.c, &feasible) - 0.5 * squares.map(|(f, ridge)| f * f / ridge).sum::<f64>();
    (primal, primal - dual)
}

//! minimise over z = (beta, beta_0):   lambda/2 ||beta||^2 + sum_i C_i [1 - y_i psi_i'z]_+ ,   psi_i = (F_i, 1), y_i = +-1
//!
//! by a primal-dual interior-point method (Mehrotra's predictor and corrector). The intercept is free, which costs
//! coordinate descent its simplicity; here it is one more column. With f = Psi z, a in (0, C) the multipliers, t the
//! hinge's slack and s that of the margin, the optimality conditions are
//!
//!   lambda E z = Psi'Y a,   1 - Y f = t - s,   a_i s_i = 0,   (C_i - a_i) t_i = 0,   E = blockdiag(I, 0),
//!
//! and a Newton step towards products mu instead of 0 needs one small factorisation, W = diag(1 / (s/a + t/(C - a))):
//!
//!   (lambda E + Psi'W Psi) dz = Psi'Y a - lambda E z + Psi'Y W (1 - Y f - t + s + ds_0 - dt_0),
//!
//! ds_0 = mu/a - s, dt_0 = mu/(C - a) - t. An iteration costs O(n r^2); 10 to 30 suffice whatever lambda and C.
//! Certificate: the objective at z minus the dual  sum a - ||F'Y a||^2 / (2 lambda)  at a point made feasible (y'a = 0) by
//! scaling one side down.

use faer::{Mat, MatRef};
use rayon::prelude::*;

use super::linear::{Cholesky, NotPositiveDefinite};
use super::{Status, Stopping};
use crate::dense::{column, dot, lower_gram, product, slice_mut, transposed_product};

/// Share of the way to the boundary a step may go.
const STEP_SHARE: f64 = 0.995;
/// Ridges tried, relative to the largest diagonal entry, before a factorisation is given up.
const JITTERS: [f64; 4] = [0.0, 1e-15, 1e-13, 1e-11];

/// The problem's data.
#[derive(Debug, Clone, Copy)]
pub struct Svm<'a> {
    /// Psi = [F 1].
    pub psi: MatRef<'a, f64>,
    /// y_i, +1 or -1; both occur.
    pub y: &'a [f64],
    /// C_i > 0.
    pub upper: &'a [f64],
    /// lambda > 0.
    pub lambda: f64,
}

/// The best iterate and its certificate.
#[derive(Debug, Clone)]
pub struct SvmSolution {
    /// (beta, beta_0).
    pub z: Vec<f64>,
    /// The objective at z.
    pub primal: f64,
    /// Primal - dual.
    pub gap: f64,
    /// Newton steps used.
    pub iterations: usize,
    /// Converged when gap <= tolerance * primal.
    pub status: Status,
}

/// The iterate: z, and for each row a, s, t.
struct Point {
    z: Vec<f64>,
    a: Vec<f64>,
    s: Vec<f64>,
    t: Vec<f64>,
}

/// Solves the problem.
pub fn solve(problem: &Svm<'_>, stopping: Stopping) -> SvmSolution {
    let (n, width) = (problem.psi.nrows(), problem.psi.ncols());
    let mut point = Point {
        z: vec![0.0; width],
        a: problem.upper.iter().map(|c| 0.5 * c).collect(),
        s: vec![1.0; n],
        t: vec![2.0; n],
    };
    let mut best = SvmSolution {
        z: point.z.clone(),
        primal: f64::INFINITY,
        gap: f64::INFINITY,
        iterations: 0,
        status: Status::IterationLimit,
    };
    for iteration in 0..=stopping.max_iterations {
        let margin = margins(problem, &point.z);
        let force = signed_sum(problem, &point.a);
        let (primal, gap) = certificate(problem, &point, &margin);
        if gap < best.gap {
            best.z.copy_from_slice(&point.z);
            (best.primal, best.gap) = (primal, gap);
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
    problem: &Svm<'_>,
    point: &mut Point,
    margin: &[f64],
    force: &[f64],
) -> Result<(), NotPositiveDefinite> {
    let n = margin.len();
    let room: Vec<f64> = problem
        .upper
        .iter()
        .zip(&point.a)
        .map(|(c, a)| c - a)
        .collect();
    let weight: Vec<f64> = (0..n)
        .map(|i| 1.0 / (point.s[i] / point.a[i] + point.t[i] / room[i]))
        .collect();
    let newton = newton_matrix(problem, &weight)?;
    let infeasible: Vec<f64> = (0..n)
        .map(|i| margin[i] - point.t[i] + point.s[i])
        .collect();
    let penalised = problem.psi.ncols() - 1;
    let stationarity: Vec<f64> = (0..=penalised)
        .map(|j| {
            force[j]
                - if j < penalised {
                    problem.lambda * point.z[j]
                } else {
                    0.0
                }
        })
        .collect();
    // Solves for the step that brings a s to `target_s` and (C - a) t to `target_t`, to first order.
    let direction = |target_s: &dyn Fn(usize) -> f64, target_t: &dyn Fn(usize) -> f64| -> Point {
        let ds_0: Vec<f64> = (0..n)
            .map(|i| target_s(i) / point.a[i] - point.s[i])
            .collect();
        let dt_0: Vec<f64> = (0..n).map(|i| target_t(i) / room[i] - point.t[i]).collect();
        let right: Vec<f64> = (0..n).map(|i| infeasible[i] + ds_0[i] - dt_0[i]).collect();
        let weighted: Vec<f64> = weight.iter().zip(&right).map(|(w, r)| w * r).collect();
        let mut rhs = signed_sum(problem, &weighted);
        for (rhs, residual) in rhs.iter_mut().zip(&stationarity) {
            *rhs += residual;
        }
        let z = newton.solve(&rhs);
        let moved = product(problem.psi, &z);
        let a: Vec<f64> = (0..n)
            .map(|i| weight[i] * (right[i] - problem.y[i] * moved[i]))
            .collect();
        Point {
            s: (0..n)
                .map(|i| ds_0[i] - point.s[i] / point.a[i] * a[i])
                .collect(),
            t: (0..n)
                .map(|i| dt_0[i] + point.t[i] / room[i] * a[i])
                .collect(),
            z,
            a,
        }
    };
    let complementarity = |share: f64, by: &Point| -> f64 {
        let products = (0..n).map(|i| {
            let a = point.a[i] + share * by.a[i];
            a * (point.s[i] + share * by.s[i])
                + (problem.upper[i] - a) * (point.t[i] + share * by.t[i])
        });
        products.sum::<f64>() / (2 * n) as f64
    };
    let predictor = direction(&|_| 0.0, &|_| 0.0);
    let now = complementarity(0.0, &predictor);
    let ahead = complementarity(longest(point, &room, &predictor), &predictor);
    let centring = (ahead / now).powi(3).min(1.0) * now;
    let corrector = direction(&|i| centring - predictor.a[i] * predictor.s[i], &|i| {
        centring + predictor.a[i] * predictor.t[i]
    });
    let length = (STEP_SHARE * longest(point, &room, &corrector)).min(1.0);
    let pairs = [
        (&mut point.z, &corrector.z),
        (&mut point.a, &corrector.a),
        (&mut point.s, &corrector.s),
        (&mut point.t, &corrector.t),
    ];
    for (values, steps) in pairs {
        for (value, step) in values.iter_mut().zip(steps) {
            *value += length * step;
        }
    }
    Ok(())
}

/// lambda E + Psi'W Psi, factored.
fn newton_matrix(problem: &Svm<'_>, weight: &[f64]) -> Result<Cholesky, NotPositiveDefinite> {
    let roots: Vec<f64> = weight.iter().map(|w| w.sqrt()).collect();
    let mut scaled = Mat::<f64>::zeros(problem.psi.nrows(), problem.psi.ncols());
    scaled.par_col_iter_mut().enumerate().for_each(|(j, out)| {
        let psi = column(problem.psi, j);
        for ((out, psi), root) in slice_mut(out).iter_mut().zip(psi).zip(&roots) {
            *out = psi * root;
        }
    });
    let mut matrix = lower_gram(scaled.as_ref(), scaled.as_ref());
    let last = matrix.ncols() - 1;
    for j in 0..last {
        matrix[(j, j)] += problem.lambda;
    }
    // Near the optimum the weights of free rows grow without limit and lambda drowns in them. A ridge at the level of
    // rounding restores a direction that is good enough: the next step starts from the true residuals.
    let largest = (0..=last).fold(0.0, |max: f64, j| max.max(matrix[(j, j)]));
    for jitter in JITTERS {
        for j in 0..=last {
            matrix[(j, j)] += jitter * largest;
        }
        if let Ok(factor) = Cholesky::new(matrix.as_ref()) {
            return Ok(factor);
        }
    }
    Err(NotPositiveDefinite)
}

/// 1 - y f.
fn margins(problem: &Svm<'_>, z: &[f64]) -> Vec<f64> {
    let f = product(problem.psi, z);
    f.iter().zip(problem.y).map(|(f, y)| 1.0 - y * f).collect()
}

/// Psi'Y v.
fn signed_sum(problem: &Svm<'_>, v: &[f64]) -> Vec<f64> {
    let signed: Vec<f64> = v.iter().zip(problem.y).map(|(v, y)| v * y).collect();
    transposed_product(problem.psi, &signed)
}

/// The longest step in [0, 1] that keeps a, C - a, s and t from turning negative.
fn longest(point: &Point, room: &[f64], by: &Point) -> f64 {
    let mut length: f64 = 1.0;
    for (i, &room) in room.iter().enumerate() {
        let pairs = [
            (point.a[i], by.a[i]),
            (room, -by.a[i]),
            (point.s[i], by.s[i]),
            (point.t[i], by.t[i]),
        ];
        for (value, step) in pairs {
            if step < 0.0 {
                length = length.min(-value / step);
            }
        }
    }
    length
}

/// The objective at z, and its distance from the dual at a.
fn certificate(problem: &Svm<'_>, point: &Point, margin: &[f64]) -> (f64, f64) {
    let beta = &point.z[..point.z.len() - 1];
    let mut primal = 0.5 * problem.lambda * dot(beta, beta);
    let mut sums = [0.0; 2];
    for i in 0..margin.len() {
        primal += problem.upper[i] * margin[i].max(0.0);
        sums[usize::from(problem.y[i] > 0.0)] += point.a[i];
    }
    let smaller = sums[0].min(sums[1]);
    let feasible: Vec<f64> = (0..margin.len())
        .map(|i| point.a[i] * (smaller / sums[usize::from(problem.y[i] > 0.0)]))
        .collect();
    let force = signed_sum(problem, &feasible);
    let force = &force[..beta.len()];
    let dual = 2.0 * smaller - dot(force, force) / (2.0 * problem.lambda);
    (primal, primal - dual)
}

//! minimise over z:   1/2 sum_j ridge_j z_j^2 + sum_i loss_i(f_i),   f = X z,   every loss_i convex and twice differentiable
//!
//! by Newton's method: with slopes s_i = loss_i'(f_i) and curvatures w_i = loss_i''(f_i),
//!
//!   (ridge + X'W X) dz = -(ridge z + X's),   z := z + t dz.
//!
//! The step length t needs no objective values, whose differences drown in rounding near the optimum: along dz the
//! objective is convex, and t is moved back until the derivative is no longer uphill.
//!
//! Certificate: max |ridge z + X's| / sum |s_i|, the forces that do not cancel relative to the forces there are.

use faer::MatRef;

use super::linear::newton_matrix;
use super::{Status, Stopping};
use crate::base::dense::{add_scaled, dot, product, transposed_product};

/// A full step is taken when the derivative at its end is at most this share of that at its start.
const FLAT: f64 = 0.1;
/// Steps without a smaller residual that are taken for the end of double precision: near the optimum every step squares the
/// error, and far from it a residual seldom grows twice.
const IDLE: usize = 25;
/// Halvings of the interval in which the step length lies.
const HALVINGS: usize = 40;

/// A row's loss at one score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RowLoss {
    /// loss(f).
    pub value: f64,
    /// loss'(f).
    pub slope: f64,
    /// loss''(f), at least 0.
    pub curvature: f64,
}

/// The last iterate and its certificate.
#[derive(Debug, Clone)]
pub(crate) struct NewtonSolution {
    /// z.
    pub z: Vec<f64>,
    /// f = X z.
    pub f: Vec<f64>,
    /// The objective at z.
    pub objective: f64,
    /// Forces that do not cancel, relative to the forces there are.
    pub residual: f64,
    /// Newton steps used.
    pub iterations: usize,
    /// Converged when residual <= tolerance.
    pub status: Status,
}

/// Minimises from `start`. `loss(i, f)` is row i's loss. Columns with ridge 0 must be held by the losses alone.
pub(crate) fn minimise(
    x: MatRef<'_, f64>,
    ridge: &[f64],
    loss: impl Fn(usize, f64) -> RowLoss,
    start: Vec<f64>,
    stopping: Stopping,
) -> NewtonSolution {
    let mut z = start;
    let (mut iterations, mut best_residual, mut idle) = (0, f64::INFINITY, 0);
    loop {
        let point = NewtonPoint::new(x, ridge, &loss, &z);
        let residual = point.residual();
        idle = if residual < best_residual { 0 } else { idle + 1 };
        best_residual = best_residual.min(residual);
        let end = if residual <= stopping.tolerance {
            Some(Status::Converged)
        } else if iterations >= stopping.max_iterations {
            Some(Status::IterationLimit)
        } else if idle == IDLE || !step(x, ridge, &loss, &mut z, &point) {
            Some(Status::PrecisionLimit)
        } else {
            None
        };
        if let Some(status) = end {
            let squares = z.iter().zip(ridge).map(|(z, ridge)| ridge * z * z);
            let losses = point.rows.iter().map(|row| row.value);
            return NewtonSolution {
                objective: 0.5 * squares.sum::<f64>() + losses.sum::<f64>(),
                z,
                f: point.f,
                residual,
                iterations,
                status,
            };
        }
        iterations += 1;
    }
}

/// All that is known at one z.
struct NewtonPoint {
    f: Vec<f64>,
    rows: Vec<RowLoss>,
    gradient: Vec<f64>,
}

impl NewtonPoint {
    fn new(x: MatRef<'_, f64>, ridge: &[f64], loss: &impl Fn(usize, f64) -> RowLoss, z: &[f64]) -> Self {
        let f = product(x, z);
        let rows: Vec<RowLoss> = f.iter().enumerate().map(|(i, &f)| loss(i, f)).collect();
        let slopes: Vec<f64> = rows.iter().map(|row| row.slope).collect();
        let mut gradient = transposed_product(x, &slopes);
        for ((gradient, ridge), z) in gradient.iter_mut().zip(ridge).zip(z) {
            *gradient += ridge * z;
        }
        Self { f, rows, gradient }
    }

    fn residual(&self) -> f64 {
        let forces: f64 = self.rows.iter().map(|row| row.slope.abs()).sum();
        let left = (self.gradient.iter()).fold(0.0, |max: f64, g| max.max(g.abs()));
        left / forces.max(f64::MIN_POSITIVE)
    }
}

/// One Newton step; false if it leads nowhere in double precision, and then z is unchanged.
fn step(
    x: MatRef<'_, f64>,
    ridge: &[f64],
    loss: &impl Fn(usize, f64) -> RowLoss,
    z: &mut [f64],
    point: &NewtonPoint,
) -> bool {
    // Where every row is far from its bend a column without ridge has no curvature left, though it still has a force: a
    // ridge that vanishes with the force lets it move by as much as the scores are large.
    let reach = 1.0 + point.f.iter().fold(0.0, |max: f64, f| max.max(f.abs()));
    let held: Vec<f64> = (ridge.iter().zip(&point.gradient))
        .map(|(&ridge, gradient)| if ridge > 0.0 { ridge } else { gradient.abs() / reach })
        .collect();
    let curvatures = point.rows.iter().map(|row| row.curvature);
    let Ok(matrix) = newton_matrix(x, &held, curvatures) else {
        return false;
    };
    let mut dz = matrix.solve(&point.gradient);
    dz.iter_mut().for_each(|dz| *dz = -*dz);
    let df = product(x, &dz);
    // Of the objective along dz.
    let derivative = |t: f64| -> f64 {
        let rows = point.f.iter().zip(&df).enumerate();
        let ridges = z.iter().zip(&dz).zip(ridge);
        rows.map(|(i, (f, df))| loss(i, f + t * df).slope * df).sum::<f64>()
            + ridges.map(|((z, dz), ridge)| ridge * (z + t * dz) * dz).sum::<f64>()
    };
    let Some(length) = step_length(derivative, dot(&point.gradient, &dz)) else {
        return false;
    };
    add_scaled(z, length, &dz);
    true
}

/// 1 where a full step hardly overshoots; else a length up to which the objective falls; none if it falls nowhere.
fn step_length(derivative: impl Fn(f64) -> f64, at_start: f64) -> Option<f64> {
    if !(at_start < 0.0 && at_start.is_finite()) {
        return None;
    }
    if derivative(1.0) <= -FLAT * at_start {
        return Some(1.0);
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        let slope = derivative(middle);
        if slope > 0.0 {
            high = middle;
        } else {
            low = middle;
            if slope >= FLAT * at_start {
                break;
            }
        }
    }
    (low > 0.0).then_some(low)
}

//! Which points become centres: orthogonal least squares, the matching pursuit that looks one step ahead.
//!
//! With e what is left of the targets and P the projection onto what the centres so far cannot express, the next centre is the
//! candidate k with the largest
//!
//! ```text
//! (phi_k' P e)^2 / |P phi_k|^2
//! ```
//!
//! that is, the largest fall of |e|^2. A candidate that is nearly in the span already, |P phi_k|^2 <= 1e-4 |phi_k|^2, does not
//! count: its coefficient would be enormous.

use faer::Mat;

use super::network::Network;
use super::points::Points;
use crate::base::dense::dot;

/// Share of a column that must be new.
const LEAST_NEW: f64 = 1e-4;

/// Columns of candidates and the remainder, both without what is already expressed.
struct Remainder {
    columns: Mat<f64>,
    /// Squared lengths of the columns, now and at the start.
    squares: Vec<f64>,
    whole: Vec<f64>,
    remainder: Vec<f64>,
}

impl Remainder {
    /// Takes the part along a unit vector out.
    fn take_out(&mut self, direction: &[f64]) {
        remove(direction, &mut self.remainder);
        for (at, square) in self.squares.iter_mut().enumerate() {
            let along = remove(direction, self.columns.col_as_slice_mut(at));
            *square = (*square - along * along).max(0.0);
        }
    }

    /// The candidate that explains most, if any explains anything; of equals the first.
    fn best(&self) -> Option<usize> {
        let mut best = (None, 0.0);
        for (at, &square) in self.squares.iter().enumerate() {
            if square > LEAST_NEW * self.whole[at] {
                let along = dot(self.columns.col_as_slice(at), &self.remainder);
                let merit = along * along / square;
                if merit > best.1 {
                    best = (Some(at), merit);
                }
            }
        }
        best.0
    }
}

fn remove(direction: &[f64], from: &mut [f64]) -> f64 {
    let along = dot(direction, from);
    for (x, q) in from.iter_mut().zip(direction) {
        *x -= along * q;
    }
    along
}

impl Network {
    /// Adds centres among `candidates`, positions of points, until there are `to` or none helps; then refits.
    pub(super) fn grow(&mut self, points: &Points, candidates: &[usize], to: usize) {
        let phi = self.phi(points);
        let residuals = self.residuals(points, &phi);
        let mut columns = Mat::<f64>::zeros(points.len(), candidates.len());
        for (at, &candidate) in candidates.iter().enumerate() {
            let centre = points.centre(candidate);
            self.kernel_column(points, &centre, columns.col_as_slice_mut(at));
        }
        let squares: Vec<f64> =
            (0..candidates.len()).map(|at| dot(columns.col_as_slice(at), columns.col_as_slice(at))).collect();
        let mut left =
            Remainder { columns, whole: squares.clone(), squares, remainder: residuals.iter().map(|r| -r).collect() };
        let mut basis: Vec<Vec<f64>> = Vec::new();
        for b in 0..phi.ncols() {
            let mut direction = phi.col_as_slice(b).to_vec();
            let whole = dot(&direction, &direction);
            for q in &basis {
                remove(q, &mut direction);
            }
            let square = dot(&direction, &direction);
            if square > LEAST_NEW * LEAST_NEW * whole {
                direction.iter_mut().for_each(|x| *x /= square.sqrt());
                left.take_out(&direction);
                basis.push(direction);
            }
        }
        while self.coefficients.len() < to {
            let Some(best) = left.best() else { break };
            self.centres.extend(points.centre(candidates[best]));
            self.coefficients.push(0.0);
            let length = left.squares[best].sqrt();
            let column = left.columns.col_as_slice(best);
            let direction: Vec<f64> = column.iter().map(|x| x / length).collect();
            left.take_out(&direction);
        }
        self.refit(points);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    #[test]
    fn landmarks_of_a_sum_of_kernels_are_found() {
        let random = &mut Random::new(2, 0);
        let mut rows: Vec<f64> = (0..400).map(|_| random.between(-3.0, 3.0)).collect();
        // Far enough apart that each counts for itself.
        rows[..6].copy_from_slice(&[-2.0, -2.0, 2.0, 2.0, 2.0, -2.0]);
        let plain = Points::new(&rows, 2, vec![0.0; 200]);
        let chosen = [0, 1, 2];
        let truth = Network {
            centres: chosen.iter().flat_map(|&at| plain.centre(at)).collect(),
            coefficients: vec![0.8, -0.6, 0.5],
            bias: 0.1,
            ..Network::empty(2, 0.6)
        };
        let targets = truth.residuals(&plain, &truth.phi(&plain));
        let points = Points::new(&rows, 2, targets);
        let mut network = Network::empty(2, 0.6);
        let candidates: Vec<usize> = (0..200).collect();
        network.grow(&points, &candidates, 3);
        for centre in truth.centres.chunks(2) {
            assert!(network.centres.chunks(2).any(|found| found == centre));
        }
        let residuals = network.residuals(&points, &network.phi(&points));
        assert!(residuals.iter().all(|r| r.abs() < 0.01));
    }

    #[test]
    fn growth_ends_when_nothing_is_left_to_explain() {
        let rows = [0.0, 1.0, 2.0, 3.0];
        let points = Points::new(&rows, 1, vec![1.0; 4]);
        let mut network = Network::empty(1, 1.0);
        network.bias = 2.0;
        network.grow(&points, &[0, 1, 2, 3], 4);
        assert!(network.coefficients.is_empty());
        // And copies of one point are one candidate.
        let points = Points::new(&[1.0; 6], 1, vec![0.5, 0.3, 0.5, 0.3, 0.5, 0.5]);
        network.grow(&points, &[0, 1, 2, 3], 4);
        assert!(network.coefficients.len() <= 1);
    }
}

//! Kernel features of any row, from landmarks fixed beforehand: the rows of K_{:,B} L_BB^{-T}.
//!
//! ```text
//! psi_j(x) = (k(x, x_j) - sum_{i<j} L_ji psi_i(x)) / L_jj,      K_BB = L L'
//! ```
//!
//! For rows of the sample that the landmarks were drawn from, these are the features that pivoted Cholesky gives. Several rows are
//! handled side by side, each by the same operations in the same order: a row's features have the same bits at any position and on any
//! processor. |psi(x)|^2 <= k(x, x) = 1, so every entry lies in [-1, 1].

use faer::Mat;
use serde::{Deserialize, Serialize};

use super::sums::to_grid;
use crate::geometry::features::Features;
use crate::geometry::instances::Instances;
use crate::geometry::kernel::Kernel;

/// Rows side by side.
const LANES: usize = 32;

/// Future support instances, and the factor of their kernel matrix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Landmarks {
    pub kernel: Kernel,
    pub features: usize,
    /// Scaled, row-major.
    pub points: Vec<f64>,
    /// L_BB below its diagonal, row after row.
    below: Vec<f64>,
    /// One over its diagonal.
    inverse_diagonal: Vec<f64>,
}

/// Where the features of some rows go: entries as they are, or on the grid of exact sums.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Rounding {
    None,
    ToGrid,
}

impl Landmarks {
    /// The pivots of `features`, which were built from `instances`.
    pub(super) fn new(instances: &Instances, features: &Features) -> Self {
        let factor = features.factor();
        let count = factor.nrows();
        Self {
            kernel: features.kernel(),
            features: instances.features(),
            points: (features.pivots().iter()).flat_map(|&pivot| instances.point(pivot)).collect(),
            below: (0..count).flat_map(|i| (0..i).map(move |j| factor[(i, j)])).collect(),
            inverse_diagonal: (0..count).map(|i| 1.0 / factor[(i, i)]).collect(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.inverse_diagonal.len()
    }

    /// Whether the numbers fit together: files may be corrupt.
    pub(super) fn is_sound(&self) -> bool {
        let count = self.len();
        self.kernel.check().is_ok()
            && matches!(self.kernel, Kernel::Rbf { .. })
            && self.points.len() == count * self.features
            && self.below.len() == count * count.saturating_sub(1) / 2
            && (self.points.iter().chain(&self.below).chain(&self.inverse_diagonal)).all(|x| x.is_finite())
    }

    /// L_BB.
    pub(super) fn factor(&self) -> Mat<f64> {
        Mat::from_fn(self.len(), self.len(), |i, j| match j.cmp(&i) {
            std::cmp::Ordering::Less => self.row_below(i)[j],
            std::cmp::Ordering::Equal => 1.0 / self.inverse_diagonal[i],
            std::cmp::Ordering::Greater => 0.0,
        })
    }

    fn row_below(&self, i: usize) -> &[f64] {
        let first = i * i.saturating_sub(1) / 2;
        &self.below[first..first + i]
    }

    /// Psi = [F 1] of row-major scaled rows.
    pub(super) fn psi(&self, rows: &[f64], rounding: Rounding) -> Mat<f64> {
        let mut psi = Mat::zeros(rows.len() / self.features, self.len() + 1);
        pulp::Arch::new().dispatch(Transform { landmarks: self, rows, rounding, psi: &mut psi });
        psi
    }

    /// [`Landmarks::psi`] of as many rows as fit side by side; unused lanes are computed too and ignored.
    #[inline(always)]
    fn lanes(&self, rows: &[f64], values: &mut [[f64; LANES]]) {
        let rate = match self.kernel {
            Kernel::Rbf { bandwidth } => -0.5 / (bandwidth * bandwidth),
            _ => f64::NAN,
        };
        let mut columns = vec![[0.0; LANES]; self.features];
        for (lane, row) in rows.chunks_exact(self.features).enumerate() {
            for (column, &x) in columns.iter_mut().zip(row) {
                column[lane] = x;
            }
        }
        for (value, point) in values.iter_mut().zip(self.points.chunks_exact(self.features)) {
            let mut square = [0.0; LANES];
            for (column, &z) in columns.iter().zip(point) {
                for lane in 0..LANES {
                    square[lane] += (column[lane] - z) * (column[lane] - z);
                }
            }
            for lane in 0..LANES {
                value[lane] = crate::geometry::kernel::exp_of_nonpositive(square[lane] * rate);
            }
        }
        // Two rows of L at a time, so that a feature is fetched once for both.
        let mut j = 0;
        while j < self.len() {
            let (done, open) = values.split_at_mut(j);
            let (first, second) = open.split_at_mut(1);
            let (mut a, mut b) = (first[0], second.first().map_or([0.0; LANES], |s| *s));
            let l_a = self.row_below(j);
            let l_b = if second.is_empty() { l_a } else { self.row_below(j + 1) };
            for ((psi, &l_a), &l_b) in done.iter().zip(l_a).zip(l_b) {
                for lane in 0..LANES {
                    a[lane] -= l_a * psi[lane];
                    b[lane] -= l_b * psi[lane];
                }
            }
            for a in &mut a {
                *a *= self.inverse_diagonal[j];
            }
            first[0] = a;
            if let Some(second) = second.first_mut() {
                for lane in 0..LANES {
                    b[lane] -= l_b[j] * a[lane];
                    b[lane] *= self.inverse_diagonal[j + 1];
                }
                *second = b;
            }
            j += 2;
        }
    }
}

struct Transform<'a> {
    landmarks: &'a Landmarks,
    rows: &'a [f64],
    rounding: Rounding,
    psi: &'a mut Mat<f64>,
}

impl pulp::NullaryFnOnce for Transform<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let features = self.landmarks.features;
        let mut values = vec![[0.0; LANES]; self.landmarks.len()];
        for (at, rows) in self.rows.chunks(LANES * features).enumerate() {
            self.landmarks.lanes(rows, &mut values);
            let here = at * LANES..at * LANES + rows.len() / features;
            for (j, value) in values.iter_mut().enumerate() {
                if self.rounding == Rounding::ToGrid {
                    for value in value.iter_mut() {
                        *value = to_grid(*value);
                    }
                }
                let out = &mut self.psi.col_as_slice_mut(j)[here.clone()];
                out.copy_from_slice(&value[..out.len()]);
            }
        }
        self.psi.col_as_slice_mut(self.landmarks.len()).fill(1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;
    use crate::geometry::features::FeatureSettings;

    #[test]
    fn features_are_those_of_pivoted_cholesky_wherever_a_row_stands() {
        let mut random = Random::new(4, 0);
        let rows: Vec<f64> = (0..3 * 200).map(|_| random.normal()).collect();
        let labeled: Vec<bool> = (0..200).map(|i| i % 3 == 0).collect();
        let instances = Instances::arrange(&rows, 3, &labeled).unwrap();
        for supports in [1, 2, 40, 41] {
            let kernel = Kernel::Rbf { bandwidth: 1.3 };
            let settings = FeatureSettings::new(kernel, supports, 1);
            let features = Features::build(&instances, &settings).unwrap();
            let landmarks = Landmarks::new(&instances, &features);
            assert!(landmarks.is_sound());
            let arranged: Vec<f64> = (0..200).flat_map(|i| instances.point(i)).collect();
            let psi = landmarks.psi(&arranged, Rounding::None);
            let on_grid = landmarks.psi(&arranged, Rounding::ToGrid);
            let alone = landmarks.psi(&arranged[3 * 123..3 * 124], Rounding::None);
            for j in 0..=supports {
                for i in 0..200 {
                    assert!((psi[(i, j)] - features.psi()[(i, j)]).abs() < 1e-9);
                    assert!((psi[(i, j)] - on_grid[(i, j)]).abs() <= 0.5 / 1048576.0);
                    assert!(on_grid[(i, j)].abs() <= 1.0);
                }
                assert_eq!(alone[(0, j)].to_bits(), psi[(123, j)].to_bits());
            }
            let factor = landmarks.factor();
            for i in 0..supports {
                for j in 0..=i {
                    assert!((factor[(i, j)] - features.factor()[(i, j)]).abs() < 1e-15);
                }
            }
        }
    }
}

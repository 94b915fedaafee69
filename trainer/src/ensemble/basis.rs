//! Kernel features that many members share: one basis for each map, distance and bandwidth.
//!
//! Psi = [F 10], F the pivoted-Cholesky features of `crate::geometry::features`. The column of tens is the bias: the ridge on its weight is
//! a hundredth of that on a column of ones, so next to none.
//!
//! | kernel | distance | bandwidths, in medians of that distance between rows |
//! |---|---|---|
//! | RBF | Euclidean | 0.3, 0.6, 1.2, 2.4 |
//! | Laplace | sum of absolute differences | the same |
//! | linear | none | none; F is the mapped rows themselves |

use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Mat, MatRef, Par};
use rayon::prelude::*;

use super::maps::{Map, Maps};
use super::ridge::multiply;
use crate::base::dense::back_substitution;
use crate::base::statistics::median;
use crate::geometry::features::{FeatureSettings, Features};
use crate::geometry::instances::{GeometryError, Instances};
use crate::geometry::kernel::Kernel;

const BIAS: f64 = 10.0;
/// Pivots stop here: what is left is noise to members whose ridge is at least 1e-5.
const TOLERANCE: f64 = 1e-6;
/// Rows between which distances are measured; evenly spaced when there are more.
const ROWS_MEASURED: usize = 1000;

/// Which distance, hence which kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Rbf,
    Laplace,
}

impl Shape {
    pub(super) fn kernel(self, bandwidth: f64) -> Kernel {
        match self {
            Self::Rbf => Kernel::Rbf { bandwidth },
            Self::Laplace => Kernel::Laplace { bandwidth },
        }
    }

    fn distance(self, x: &[f64], z: &[f64]) -> f64 {
        let differences = x.iter().zip(z).map(|(x, z)| x - z);
        match self {
            Self::Rbf => differences.map(|d| d * d).sum::<f64>().sqrt(),
            Self::Laplace => differences.map(f64::abs).sum(),
        }
    }

    /// Median distance between two rows; 1 where rows do not differ.
    pub(super) fn median_distance(self, instances: &Instances) -> f64 {
        let mut distances = instances.distances(ROWS_MEASURED, |x, z| self.distance(x, z));
        if let Some(median) = median(&mut distances).filter(|&median| median > 0.0) {
            return median;
        }
        // More than half of the pairs are copies: the mean of the others.
        let apart: Vec<f64> = distances.into_iter().filter(|&d| d > 0.0).collect();
        if apart.is_empty() { 1.0 } else { apart.iter().sum::<f64>() / apart.len() as f64 }
    }
}

/// Features of the training rows, and how to score others.
#[derive(Debug, Clone)]
pub(super) struct Basis {
    pub kernel: Kernel,
    /// Psi of the training rows; empty once they are no longer needed.
    psi: Mat<f64>,
    /// Positions of the pivots among the training rows.
    pub pivots: Vec<usize>,
    /// The pivots' rows as mapped; unit vectors for the linear kernel.
    pub points: Vec<Vec<f64>>,
    /// L_BB.
    factor: Mat<f64>,
}

impl Basis {
    /// With at most `pivots` pivots.
    pub(super) fn new(instances: &Instances, kernel: Kernel, pivots: usize, seed: u64) -> Result<Self, GeometryError> {
        let settings = FeatureSettings { tolerance: TOLERANCE, ..FeatureSettings::new(kernel, pivots, seed) };
        let features = Features::build(instances, &settings)?;
        let pivots = features.pivots().to_vec();
        let mut psi = features.psi().to_owned();
        let rank = psi.ncols() - 1;
        psi.col_mut(rank).fill(BIAS);
        let (points, factor) = match kernel {
            // x_j is the linear kernel of x and the j-th unit vector.
            Kernel::Linear => {
                let unit = |j: usize| (0..rank).map(|i| f64::from(u8::from(i == j))).collect();
                ((0..rank).map(unit).collect(), Mat::identity(rank, rank))
            }
            _ => (
                pivots.iter().map(|&p| instances.point(p)).collect(),
                Mat::from_fn(rank, rank, |i, j| psi[(pivots[i], j)]),
            ),
        };
        Ok(Self { kernel, points, factor, pivots, psi })
    }

    /// Psi of the training rows, labeled ones first.
    pub(super) fn psi(&self) -> MatRef<'_, f64> {
        self.psi.as_ref()
    }

    /// Frees the training rows' features: scoring other rows does without.
    pub(super) fn forget_rows(&mut self) {
        self.psi = Mat::new();
    }

    /// Coefficients of the pivots' kernels and the bias, for weights on Psi: Omega_B = L_BB^{-T} beta.
    pub(super) fn expand(&self, weights: &[f64]) -> (Vec<f64>, f64) {
        let rank = self.points.len();
        let omega = back_substitution(self.factor.as_ref(), &weights[..rank]);
        (omega, BIAS * weights[rank])
    }

    /// Psi of other row-major rows: L_BB^{-1} k(B, x), and the bias column.
    pub(super) fn psi_of(&self, rows: &[f64]) -> Mat<f64> {
        let values = self.values(rows);
        let rank = self.points.len();
        let mut features = values.transpose().to_owned();
        solve_lower_triangular_in_place(self.factor.as_ref(), features.as_mut(), Par::Seq);
        Mat::from_fn(values.nrows(), rank + 1, |i, j| if j < rank { features[(j, i)] } else { BIAS })
    }

    /// The pivots' kernels at row-major rows, one row for each.
    fn values(&self, rows: &[f64]) -> Mat<f64> {
        let width = self.points.first().map_or(1, Vec::len);
        let kernel = self.kernel;
        let row = |i: usize| &rows[i * width..(i + 1) * width];
        Mat::from_fn(rows.len() / width, self.points.len(), |i, b| kernel.value(row(i), &self.points[b]))
    }

    /// Scores of mapped row-major rows by several weight vectors; one vector of scores each.
    pub(super) fn scores(&self, rows: &[f64], weights: &[&[f64]]) -> Vec<Vec<f64>> {
        let expanded: Vec<_> = weights.iter().map(|weights| self.expand(weights)).collect();
        let values = self.values(rows);
        let omega = Mat::from_fn(self.points.len(), expanded.len(), |b, e| expanded[e].0[b]);
        let out = multiply(values.as_ref(), omega.as_ref());
        expanded
            .iter()
            .enumerate()
            .map(|(e, (_, bias))| out.col_as_slice(e).iter().map(|s| s + bias).collect())
            .collect()
    }
}

/// A basis and where it lives.
#[derive(Debug, Clone)]
pub(super) struct MappedBasis {
    pub map: Map,
    pub basis: Basis,
}

/// The linear basis of each of these maps.
pub(super) fn linear_bases(
    maps: &Maps,
    on: &[Map],
    rows: &[f64],
    positives: usize,
) -> Result<Vec<MappedBasis>, GeometryError> {
    let linear = |&map: &Map| {
        let basis = Basis::new(&maps.instances(map, rows, positives)?, Kernel::Linear, 0, 0)?;
        Ok(MappedBasis { map, basis })
    };
    on.iter().map(linear).collect()
}

/// All bases on these maps, in a fixed order: by map, distance, bandwidth.
pub(super) fn bases(
    maps: &Maps,
    on: &[Map],
    rows: &[f64],
    positives: usize,
    (bandwidths, pivots): (&[f64], usize),
    seed: u64,
) -> Result<Vec<MappedBasis>, GeometryError> {
    let shapes: Vec<(Map, Shape)> = on.iter().flat_map(|&map| [(map, Shape::Rbf), (map, Shape::Laplace)]).collect();
    let nested: Vec<Vec<MappedBasis>> = shapes
        .into_par_iter()
        .map(|(map, shape)| {
            let instances = maps.instances(map, rows, positives)?;
            let median = shape.median_distance(&instances);
            bandwidths
                .par_iter()
                .map(|bandwidth| {
                    let kernel = shape.kernel(bandwidth * median);
                    let basis = Basis::new(&instances, kernel, pivots, seed)?;
                    Ok(MappedBasis { map, basis })
                })
                .collect()
        })
        .collect::<Result<_, GeometryError>>()?;
    Ok(nested.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    #[test]
    fn scores_of_training_rows_are_psi_times_weights() {
        let random = &mut Random::new(4, 0);
        let rows: Vec<f64> = (0..120).map(|_| random.normal()).collect();
        let labeled: Vec<bool> = (0..60).map(|i| i < 20).collect();
        let instances = Instances::arrange(&rows, 2, &labeled).unwrap();
        let kernel = |shape: Shape| shape.kernel(0.6 * shape.median_distance(&instances));
        for kernel in [kernel(Shape::Rbf), kernel(Shape::Laplace), Kernel::Linear] {
            let basis = Basis::new(&instances, kernel, 25, 1).unwrap();
            let weights: Vec<f64> = (0..basis.psi().ncols()).map(|j| libm::cos(j as f64)).collect();
            let scores = &basis.scores(&rows, &[&weights])[0];
            let again = basis.psi_of(&rows);
            assert!((&again - basis.psi()).norm_max() < 1e-6);
            for i in [0, 31, 59] {
                let exact: f64 = (0..weights.len()).map(|j| basis.psi()[(i, j)] * weights[j]).sum();
                assert!((scores[i] - exact).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn medians_are_of_the_right_distance() {
        let rows = [0.0, 0.0, 3.0, 4.0, 0.0, 0.0];
        let instances = Instances::arrange(&rows, 2, &[true, false, false]).unwrap();
        assert_eq!(Shape::Rbf.median_distance(&instances), 5.0);
        assert_eq!(Shape::Laplace.median_distance(&instances), 7.0);
        let same = Instances::arrange(&[1.0; 4], 1, &[true, false, false, false]).unwrap();
        assert_eq!(Shape::Rbf.median_distance(&same), 1.0);
    }
}

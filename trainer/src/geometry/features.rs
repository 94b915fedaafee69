//! Kernel features by randomly pivoted Cholesky: K ~ F F' without ever forming the n x n matrix K.
//!
//! With pivots B (r instances) and L_BB L_BB' = K_BB, the features are F = K_{:,B} L_BB^{-T}, n x r. A linear model on F
//! *is* a kernel model restricted to the span of the pivots' kernels:
//!
//!   F_x beta = sum_{b in B} Omega_b k(x, x_b),   Omega_B = L_BB^{-T} beta,
//!
//! so the pivots, which `pivoted_cholesky` chooses, are the support instances the chip will store, and r is the model's
//! size. With r the numerical rank of K, F F' = K.
//!
//! The linear kernel needs no pivots: F is the scaled rows themselves.

use faer::{Mat, MatRef};

use crate::base::dense::back_substitution;
use crate::geometry::instances::{GeometryError, Instances};
use crate::geometry::kernel::Kernel;
use crate::geometry::pivots::{PivotedFactor, pivoted_cholesky};

/// How the features are built.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FeatureSettings {
    /// The kernel.
    pub kernel: Kernel,
    /// The most pivots to take; the linear kernel takes none.
    pub max_pivots: usize,
    /// What is left of k(x, x) counts as nothing below this share of it. 1e-12 stops at the numerical rank; larger
    /// values stop earlier, with a better conditioned expansion.
    pub tolerance: f64,
    /// Seed of the pivots' draw.
    pub seed: u64,
}

impl FeatureSettings {
    /// At most `max_pivots` pivots, to the numerical rank.
    pub fn new(kernel: Kernel, max_pivots: usize, seed: u64) -> Self {
        Self { kernel, max_pivots, tolerance: 1e-12, seed }
    }
}

/// Psi = [F 1], and how to turn a weight vector on F into an expansion over instances.
#[derive(Debug, Clone)]
pub struct Features {
    kernel: Kernel,
    positives: usize,
    psi: Mat<f64>,
    pivots: Vec<usize>,
    l_bb: Mat<f64>,
    unexplained: f64,
}

impl Features {
    /// Builds the features of all instances.
    pub fn build(instances: &Instances, settings: &FeatureSettings) -> Result<Self, GeometryError> {
        let kernel = settings.kernel.check()?;
        if !(settings.tolerance >= 0.0 && settings.tolerance < 1.0) {
            return Err(GeometryError::Setting {
                name: "tolerance",
                value: settings.tolerance,
                expected: "at least 0 and below 1",
            });
        }
        let mut features = match kernel {
            Kernel::Linear => Self::linear(instances),
            _ if settings.max_pivots == 0 => {
                return Err(GeometryError::Setting { name: "max_pivots", value: 0.0, expected: "at least 1" });
            }
            _ => Self::pivoted(instances, settings),
        };
        let last = features.psi.ncols() - 1;
        features.psi.col_mut(last).fill(1.0);
        Ok(features)
    }

    fn linear(instances: &Instances) -> Self {
        let (n, m) = (instances.len(), instances.features());
        let mut psi = Mat::zeros(n, m + 1);
        for feature in 0..m {
            psi.col_as_slice_mut(feature).copy_from_slice(instances.column(feature, 0..n));
        }
        Self { positives: instances.positives(), ..Self::of_positives(Kernel::Linear, psi, Mat::new()) }
    }

    fn pivoted(instances: &Instances, settings: &FeatureSettings) -> Self {
        let PivotedFactor { mut f, pivots, unexplained } =
            pivoted_cholesky(instances, settings.kernel, settings.max_pivots, settings.tolerance, settings.seed);
        let rank = pivots.len();
        let l_bb = Mat::from_fn(rank, rank, |i, j| if j <= i { f[(pivots[i], j)] } else { 0.0 });
        f.truncate(instances.len(), rank + 1);
        Self { kernel: settings.kernel, positives: instances.positives(), psi: f, pivots, l_bb, unexplained }
    }

    /// Psi of the positives only, for landmarks with this factor L_BB and a design that has only sums of the other rows.
    pub(crate) fn of_positives(kernel: Kernel, psi_p: Mat<f64>, l_bb: Mat<f64>) -> Self {
        Self { kernel, positives: psi_p.nrows(), psi: psi_p, pivots: Vec::new(), l_bb, unexplained: 0.0 }
    }

    /// L_BB, the lower triangular factor of the pivots' kernel matrix.
    pub(crate) fn factor(&self) -> MatRef<'_, f64> {
        self.l_bb.as_ref()
    }

    /// The kernel.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// r, the number of features: pivots, or the columns of the data for the linear kernel.
    pub fn rank(&self) -> usize {
        self.psi.ncols() - 1
    }

    /// n_p: the first rows of Psi.
    pub fn positives(&self) -> usize {
        self.positives
    }

    /// Psi = [F 1], n x (r + 1).
    pub fn psi(&self) -> MatRef<'_, f64> {
        self.psi.as_ref()
    }

    /// The positives' rows of Psi.
    pub fn psi_p(&self) -> MatRef<'_, f64> {
        self.psi.subrows(0, self.positives)
    }

    /// The unlabeled rows of Psi.
    pub fn psi_u(&self) -> MatRef<'_, f64> {
        self.psi.subrows(self.positives, self.psi.nrows() - self.positives)
    }

    /// The pivots' positions among the arranged instances; empty for the linear kernel.
    pub fn pivots(&self) -> &[usize] {
        &self.pivots
    }

    /// trace(K - F F') / trace(K): 0 when the features are exact.
    pub fn unexplained(&self) -> f64 {
        self.unexplained
    }

    /// Omega_B = L_BB^{-T} beta for a kernel; beta itself, the weights of the features, for the linear kernel.
    pub fn expansion(&self, beta: &[f64]) -> Vec<f64> {
        match self.kernel {
            Kernel::Linear => beta.to_vec(),
            _ => back_substitution(self.l_bb.as_ref(), beta),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    fn instances(n: usize, m: usize, copies: usize) -> Instances {
        let mut random = Random::new(6, 2);
        let rows: Vec<f64> = (0..n * m).map(|_| random.normal()).collect();
        let rows = rows.repeat(copies);
        let labeled: Vec<bool> = (0..n * copies).map(|i| i % 3 == 0).collect();
        Instances::arrange(&rows, m, &labeled).unwrap()
    }

    fn largest_error(instances: &Instances, features: &Features) -> f64 {
        let f = features.psi().subcols(0, features.rank());
        let product = f * f.transpose();
        let mut worst: f64 = 0.0;
        for i in 0..instances.len() {
            for j in 0..instances.len() {
                let exact = features.kernel().value(&instances.point(i), &instances.point(j));
                worst = worst.max((product[(i, j)] - exact).abs());
            }
        }
        worst
    }

    #[test]
    fn at_the_numerical_rank_the_features_are_the_kernel() {
        for (bandwidth, m) in [(0.3, 2), (1.0, 3), (5.0, 1), (50.0, 2)] {
            let instances = instances(250, m, 1);
            let settings = FeatureSettings::new(Kernel::Rbf { bandwidth }, 250, 1);
            let features = Features::build(&instances, &settings).unwrap();
            assert!(largest_error(&instances, &features) < 1e-11);
            assert!(features.unexplained() < 1e-12);
            if bandwidth > 1.0 {
                assert!(features.rank() < 60, "stops early: {}", features.rank());
            }
        }
        let instances = instances(50, 3, 1);
        let settings = FeatureSettings::new(Kernel::Linear, 0, 1);
        let features = Features::build(&instances, &settings).unwrap();
        assert_eq!((features.rank(), features.pivots().len()), (3, 0));
        assert!(largest_error(&instances, &features) < 1e-14);
    }

    #[test]
    fn duplicated_rows_add_no_pivots() {
        let kernel = Kernel::Rbf { bandwidth: 0.5 };
        let settings = FeatureSettings::new(kernel, 300, 1);
        let once = Features::build(&instances(40, 2, 1), &settings).unwrap();
        let thrice = Features::build(&instances(40, 2, 3), &settings).unwrap();
        assert_eq!(once.rank(), thrice.rank());
        let mut points: Vec<Vec<u64>> = (thrice.pivots().iter())
            .map(|&pivot| instances(40, 2, 3).point(pivot))
            .map(|point| point.iter().map(|x| x.to_bits()).collect())
            .collect();
        points.sort();
        points.dedup();
        assert_eq!(points.len(), thrice.rank());
        // Nothing but copies of one row: one pivot.
        let same = Instances::arrange(&[1.0; 30], 1, &[[true; 10], [false; 10], [false; 10]].concat());
        let one = Features::build(&same.unwrap(), &settings).unwrap();
        assert_eq!(one.rank(), 1);
    }

    #[test]
    fn an_expansion_gives_the_features_scores() {
        let instances = instances(400, 4, 1);
        let kernel = Kernel::Rbf { bandwidth: 1.5 };
        let features = Features::build(&instances, &FeatureSettings::new(kernel, 60, 5)).unwrap();
        assert_eq!(features.rank(), 60);
        let beta: Vec<f64> = (0..60).map(|j| libm::cos(j as f64)).collect();
        let omega = features.expansion(&beta);
        for i in [0, 57, 399] {
            let x = instances.point(i);
            let by_features: f64 = (0..60).map(|j| features.psi()[(i, j)] * beta[j]).sum();
            let pivots = features.pivots().iter().zip(&omega);
            let by_kernel: f64 = pivots.map(|(&pivot, omega)| omega * kernel.value(&x, &instances.point(pivot))).sum();
            assert!((by_features - by_kernel).abs() < 1e-10);
        }
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        let instances = instances(10, 1, 1);
        let kernel = Kernel::Rbf { bandwidth: 1.0 };
        assert!(Features::build(&instances, &FeatureSettings::new(kernel, 0, 1)).is_err());
        let mut settings = FeatureSettings::new(kernel, 5, 1);
        settings.tolerance = f64::NAN;
        assert!(Features::build(&instances, &settings).is_err());
    }
}

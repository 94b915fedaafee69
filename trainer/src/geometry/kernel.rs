//! Kernels between instances, evaluated a column at a time.
//!
//! | kernel | k(x, z)                         |
//! |--------|---------------------------------|
//! | linear | x'z                             |
//! | RBF    | exp(-||x - z||^2 / (2 l^2)), l the bandwidth |
//! | Laplace | exp(-||x - z||_1 / l)          |
//!
//! Squared distances are sums of squared *differences*: the dot-product form loses digits when features carry an
//! offset. Nothing here contracts to a fused multiply-add or reorders a sum, so a kernel value has the same bits on
//! every processor, whatever the vector width.

use crate::geometry::instances::{GeometryError, Instances};

/// Instances handled at a time: their partial sums stay in the first-level cache.
const BLOCK: usize = 512;

/// A kernel with its parameter.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub enum Kernel {
    /// k(x, z) = x'z.
    Linear,
    /// k(x, z) = exp(-||x - z||^2 / (2 l^2)).
    Rbf {
        /// l > 0, in units of the scaled features.
        bandwidth: f64,
    },
    /// k(x, z) = exp(-||x - z||_1 / l), the distance being the sum of absolute differences. On the workstation only.
    Laplace {
        /// l > 0, in units of the scaled features.
        bandwidth: f64,
    },
}

impl Kernel {
    /// Its bandwidth; the linear kernel has none.
    pub fn bandwidth(self) -> Option<f64> {
        match self {
            Self::Rbf { bandwidth } | Self::Laplace { bandwidth } => Some(bandwidth),
            Self::Linear => None,
        }
    }

    /// Refuses a bandwidth that is not a positive finite number.
    pub fn check(self) -> Result<Self, GeometryError> {
        match self {
            Self::Rbf { bandwidth } | Self::Laplace { bandwidth } if !(bandwidth > 0.0 && bandwidth.is_finite()) => {
                Err(GeometryError::Setting { name: "bandwidth", value: bandwidth, expected: "a positive number" })
            }
            _ => Ok(self),
        }
    }

    /// `out[i] = k(x_i, z)` for every instance i.
    pub fn column(self, instances: &Instances, z: &[f64], out: &mut [f64]) {
        self.values(instances.columns(), z, out);
    }

    /// `out[i] = k(x_i, z)` for rows given feature by feature.
    pub(crate) fn values(self, columns: &[f64], z: &[f64], out: &mut [f64]) {
        pulp::Arch::new().dispatch(ColumnTask { kernel: self, columns, z, out });
    }

    /// k(x, x) of every instance.
    pub fn diagonal(self, instances: &Instances) -> Vec<f64> {
        match self {
            Self::Linear => (0..instances.len()).map(|i| instances.point(i).iter().map(|x| x * x).sum()).collect(),
            Self::Rbf { .. } | Self::Laplace { .. } => vec![1.0; instances.len()],
        }
    }

    /// The kernel of one pair.
    pub fn value(self, x: &[f64], z: &[f64]) -> f64 {
        let mut out = [0.0];
        self.block(x.iter().map(std::slice::from_ref).zip(z.iter().copied()), &mut out);
        out[0]
    }

    /// One block of a column, from pairs (feature of the block's instances, the same feature of z).
    #[inline(always)]
    fn block<'a>(self, features: impl Iterator<Item = (&'a [f64], f64)>, out: &mut [f64]) {
        let rate = match self {
            Self::Linear => return sum_terms(features, out, |x, z| x * z),
            Self::Rbf { bandwidth } => {
                sum_terms(features, out, |x, z| (x - z) * (x - z));
                -0.5 / (bandwidth * bandwidth)
            }
            Self::Laplace { bandwidth } => {
                sum_terms(features, out, |x, z| (x - z).abs());
                -1.0 / bandwidth
            }
        };
        for out in out {
            *out = exp_of_nonpositive(*out * rate);
        }
    }
}

/// For each instance of a block, the sum of `term` over the features.
#[inline(always)]
fn sum_terms<'a>(features: impl Iterator<Item = (&'a [f64], f64)>, out: &mut [f64], term: impl Fn(f64, f64) -> f64) {
    out.fill(0.0);
    for (column, z) in features {
        for (out, &x) in out.iter_mut().zip(column) {
            *out += term(x, z);
        }
    }
}

/// A column evaluated with the widest vectors the processor has. (A closure this large would not be inlined into the
/// function that has them enabled.)
struct ColumnTask<'a> {
    kernel: Kernel,
    /// Feature by feature, `out.len()` rows each.
    columns: &'a [f64],
    z: &'a [f64],
    out: &'a mut [f64],
}

impl pulp::NullaryFnOnce for ColumnTask<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let rows = self.out.len();
        for (block, out) in self.out.chunks_mut(BLOCK).enumerate() {
            let range = block * BLOCK..block * BLOCK + out.len();
            let columns = self.columns.chunks_exact(rows).map(|column| &column[range.clone()]);
            self.kernel.block(columns.zip(self.z.iter().copied()), out);
        }
    }
}

/// e^x for x <= 0, in plain arithmetic that the compiler vectorises.
///
/// x = k ln 2 + r with |r| <= ln 2 / 2; e^r by its series to r^13 (truncation below 5e-18), 2^k put into the exponent
/// bits. Relative error below 4e-16 down to x = -100; beyond, where e^x < 4e-44, zero: a score of order 1 cannot see it,
/// and products of such numbers would be subnormal, a hundred times slower to compute with.
#[inline(always)]
pub(crate) fn exp_of_nonpositive(x: f64) -> f64 {
    /// Adding it leaves the nearest integer in the low bits of the sum.
    const ROUND: f64 = 1.5 * (1u64 << 52) as f64;
    // ln 2 in two parts: k times the first is exact.
    const LN_2_HIGH: f64 = 0.693_147_180_369_123_8;
    const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    const SERIES: [f64; 14] = [
        1.0 / 6_227_020_800.0,
        1.0 / 479_001_600.0,
        1.0 / 39_916_800.0,
        1.0 / 3_628_800.0,
        1.0 / 362_880.0,
        1.0 / 40_320.0,
        1.0 / 5_040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
        1.0,
        1.0,
    ];
    let seen = x >= -100.0;
    let x = if seen { x } else { -100.0 };
    let shifted = x * std::f64::consts::LOG2_E + ROUND;
    let k = shifted - ROUND;
    let r = (x - k * LN_2_HIGH) - k * LN_2_LOW;
    let mut sum = SERIES[0];
    for coefficient in &SERIES[1..] {
        sum = sum * r + coefficient;
    }
    let value = sum * f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    if seen { value } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponential_keeps_its_stated_error() {
        let mut worst: f64 = 0.0;
        for step in 0..2_000_000 {
            let x = -100.0 * (f64::from(step) / 2e6) * (f64::from(step) / 2e6);
            let exact = libm::exp(x);
            worst = worst.max(((exp_of_nonpositive(x) - exact) / exact).abs());
        }
        // libm's own error (half a unit in the last place) comes on top of ours.
        assert!(worst < 4e-16 + 1.2e-16, "{worst:e}");
        assert_eq!(exp_of_nonpositive(0.0), 1.0);
        assert_eq!(exp_of_nonpositive(-100.1), 0.0);
        assert_eq!(exp_of_nonpositive(-1e300), 0.0);
    }

    #[test]
    fn a_column_is_the_pairwise_kernel_whatever_the_block() {
        let rows: Vec<f64> = (0..3 * 1300).map(|i| libm::sin(f64::from(i) * 0.37)).collect();
        let labeled: Vec<bool> = (0..1300).map(|i| i % 3 == 0).collect();
        let instances = Instances::arrange(&rows, 3, &labeled).unwrap();
        for kernel in [Kernel::Linear, Kernel::Rbf { bandwidth: 0.7 }, Kernel::Laplace { bandwidth: 0.9 }] {
            let z = instances.point(777);
            let mut column = vec![0.0; 1300];
            kernel.column(&instances, &z, &mut column);
            let diagonal = kernel.diagonal(&instances);
            for (i, value) in column.iter().enumerate() {
                let x = instances.point(i);
                assert_eq!(value.to_bits(), kernel.value(&x, &z).to_bits());
                let exact = match kernel {
                    Kernel::Linear => x.iter().zip(&z).map(|(a, b)| a * b).sum::<f64>(),
                    Kernel::Rbf { bandwidth } => {
                        let d: f64 = x.iter().zip(&z).map(|(a, b)| (a - b) * (a - b)).sum();
                        libm::exp(-d / (2.0 * bandwidth * bandwidth))
                    }
                    Kernel::Laplace { bandwidth } => {
                        let d: f64 = x.iter().zip(&z).map(|(a, b)| (a - b).abs()).sum();
                        libm::exp(-d / bandwidth)
                    }
                };
                assert!((value - exact).abs() <= 1e-15 * exact.abs().max(1.0));
                assert!((kernel.value(&x, &x) - diagonal[i]).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn a_bandwidth_must_be_positive() {
        for bandwidth in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Kernel::Rbf { bandwidth }.check().is_err());
            assert!(Kernel::Laplace { bandwidth }.check().is_err());
        }
        assert!(Kernel::Rbf { bandwidth: 1e-3 }.check().is_ok());
    }
}

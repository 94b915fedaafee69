//! Sums over rows with the same bits in any order and on any number of machines.
//!
//! ```text
//! G = sum_i x_i x_i',      every entry of x_i a multiple of 2^-20, at most sqrt(2) in size
//! ```
//!
//! A product of two entries is a multiple of 2^-40, and the sum of 4096 of them is below 2^13: 53 bits, exactly what a double holds.
//! So the product of a block with itself, by any matrix multiplication, with or without fused operations, has no rounding error.
//! Blocks are then added as 128-bit integers: without rounding, the order does not matter.

use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, Mat, MatRef, Par};
use serde::{Deserialize, Serialize};

/// The most rows of a block.
pub(super) const BLOCK: usize = 4096;
/// Entries are multiples of one over this.
const GRID: f64 = (1u64 << 20) as f64;
/// Adding and subtracting it rounds to the grid: around 2^32 doubles are 2^-20 apart.
const ROUNDER: f64 = 1.5 * (1u64 << 32) as f64;
/// No sum is larger: as many rows as 64 bits count, and a product of at most 2 each. Sums of such sums do not overflow.
const LARGEST: u128 = 1 << (64 + 41);

/// The nearest multiple of 2^-20; ties go to the even one.
#[inline(always)]
pub(super) fn to_grid(value: f64) -> f64 {
    (value + ROUNDER) - ROUNDER
}

/// The lower triangle of sum_i x_i x_i', in units of 2^-40.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct GramSum {
    /// How long a row is.
    pub width: usize,
    /// Column after column, from the diagonal down.
    lower: Vec<i128>,
}

impl GramSum {
    /// Of no rows, each `width` long.
    pub(super) fn new(width: usize) -> Self {
        Self { width, lower: vec![0; width * (width + 1) / 2] }
    }

    /// Adds the rows of a block, whose entries lie on the grid.
    pub(super) fn add(&mut self, block: MatRef<'_, f64>) {
        assert!(block.nrows() <= BLOCK && block.ncols() == self.width);
        let mut gram = Mat::<f64>::zeros(self.width, self.width);
        triangular::matmul(
            gram.as_mut(),
            BlockStructure::TriangularLower,
            Accum::Replace,
            block.transpose(),
            BlockStructure::Rectangular,
            block,
            BlockStructure::Rectangular,
            1.0,
            Par::Seq,
        );
        let mut sums = self.lower.iter_mut();
        for j in 0..self.width {
            for (value, sum) in gram.col_as_slice(j)[j..].iter().zip(sums.by_ref()) {
                // Below 2^53, and whole: the conversion is exact.
                *sum += i128::from((value * (GRID * GRID)) as i64);
            }
        }
    }

    /// The sum of both.
    pub(super) fn merged(mut self, other: &Self) -> Self {
        assert_eq!(self.width, other.width);
        for (sum, other) in self.lower.iter_mut().zip(&other.lower) {
            *sum += other;
        }
        self
    }

    /// Whether the number of sums fits the width, and all are possible: files may be corrupt.
    pub(super) fn is_sound(&self) -> bool {
        self.width <= usize::from(u16::MAX)
            && self.lower.len() == self.width * (self.width + 1) / 2
            && self.lower.iter().all(|sum| sum.unsigned_abs() <= LARGEST)
    }

    /// The lower triangle as doubles.
    pub(super) fn to_matrix(&self) -> Mat<f64> {
        let mut matrix = Mat::zeros(self.width, self.width);
        let mut sums = self.lower.iter();
        for j in 0..self.width {
            for (value, &sum) in matrix.col_as_slice_mut(j)[j..].iter_mut().zip(sums.by_ref()) {
                *value = sum as f64 / (GRID * GRID);
            }
        }
        matrix
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    fn rows(count: usize, width: usize) -> Mat<f64> {
        let mut random = Random::new(3, 0);
        Mat::from_fn(count, width, |_, _| to_grid(random.between(-1.4, 1.4)))
    }

    #[test]
    fn the_grid_is_2_to_the_minus_20() {
        assert_eq!(to_grid(0.3) * GRID, (0.3 * GRID).round());
        assert_eq!(to_grid(-1.4) * GRID, (-1.4 * GRID).round());
        assert_eq!(to_grid(0.5 / GRID), 0.0);
        assert_eq!(to_grid(1.5 / GRID), 2.0 / GRID);
    }

    #[test]
    fn sums_are_exact_and_have_no_order() {
        // The largest block of the largest entries, where rounding would begin.
        let largest = Mat::from_fn(BLOCK, 3, |_, _| to_grid(std::f64::consts::SQRT_2));
        let mut sum = GramSum::new(3);
        sum.add(largest.as_ref());
        let entry = i128::from((largest[(0, 0)] * GRID) as i64);
        assert!(sum.lower.iter().all(|&s| s == BLOCK as i128 * entry * entry));

        let x = rows(5000, 7);
        let whole = x.as_ref().subrows(0, 4096);
        let rest = x.as_ref().subrows(4096, 904);
        let mut in_order = GramSum::new(7);
        in_order.add(whole);
        in_order.add(rest);
        let mut pieces = Vec::new();
        for (first, count) in [(4000, 1000), (17, 3983), (0, 17)] {
            let mut piece = GramSum::new(7);
            piece.add(x.as_ref().subrows(first, count));
            pieces.push(piece);
        }
        let merged = (pieces.iter()).fold(GramSum::new(7), |sum, piece| sum.merged(piece));
        assert_eq!(merged, in_order);
        let by_hand: i128 = (0..5000).map(|i| (x[(i, 4)] * GRID) as i128 * (x[(i, 2)] * GRID) as i128).sum();
        assert_eq!(in_order.to_matrix()[(4, 2)], by_hand as f64 / (GRID * GRID));
        assert!(in_order.is_sound());
        for impossible in [i128::MAX, i128::MIN] {
            in_order.lower[3] = impossible;
            assert!(!in_order.is_sound());
        }
    }
}

//! The score f(x) = sum_b Omega_b k(x, x_b) + beta_0, over f32 payloads.
//!
//! The order of the additions is part of the format: features in order, the instances of a block in order, the
//! blocks in order, then the bias. No fused multiply-add, so that all cores and the host give the same bits.

use crate::error::ReadingError;
use crate::exp::exp2_neg;
use crate::keep_rolled;
use crate::wire::{LANES, MAX_SCALED};

/// Scales a raw reading: z = (x - offset) * scale, clamped to [`MAX_SCALED`].
#[inline(always)]
pub(crate) fn scaled(
    reading: &[f32],
    offsets: &[f32],
    scales: &[f32],
) -> impl Iterator<Item = Result<f32, ReadingError>> {
    let tables = offsets.iter().zip(scales);
    reading.iter().zip(tables).enumerate().map(|(feature, (x, (offset, scale)))| {
        if x.is_finite() {
            Ok(((x - offset) * scale).clamp(-MAX_SCALED, MAX_SCALED))
        } else {
            Err(ReadingError::NotFinite { feature })
        }
    })
}

/// The RBF sum. A block is one row of coefficients, then one row per feature; lane i of each belongs to instance i.
/// `rolled` is for callers whose number of features is unknown at compile time.
#[inline(always)]
pub(crate) fn rbf(scaled: &[f32], blocks: &[[f32; LANES]], bias: f32, rolled: bool) -> f32 {
    let Some((first, others)) = scaled.split_first() else {
        return bias;
    };
    let mut sum = 0.0_f32;
    let mut rest = blocks;
    while let [coefficients, row, after @ ..] = rest {
        let Some((rows, next)) = after.split_at_checked(others.len()) else {
            break;
        };
        let mut squared = row.map(|support| (support - first) * (support - first));
        // Two features per iteration. More would cost flash for little gain.
        let ((pairs, last), (row_pairs, last_row)) = (others.as_chunks::<2>(), rows.as_chunks::<2>());
        for ([y, z], [row, next_row]) in pairs.iter().zip(row_pairs) {
            add_squares(&mut squared, row, *y);
            add_squares(&mut squared, next_row, *z);
            if rolled {
                keep_rolled();
            }
        }
        if let ([z], [row]) = (last, last_row) {
            add_squares(&mut squared, row, *z);
        }
        let mut block = coefficients[0] * exp2_neg(squared[0]);
        for lane in 1..LANES {
            block += coefficients[lane] * exp2_neg(squared[lane]);
        }
        sum += block;
        rest = next;
    }
    sum + bias
}

/// Adds a feature's squared differences.
#[inline(always)]
fn add_squares(squared: &mut [f32; LANES], row: &[f32; LANES], z: f32) {
    for (sum, support) in squared.iter_mut().zip(row) {
        *sum += (support - z) * (support - z);
    }
}

/// The linear sum: each instance is its coefficient, then its features.
#[inline(always)]
pub(crate) fn linear(scaled: &[f32], instances: &[f32], bias: f32) -> f32 {
    let mut sum = 0.0_f32;
    let mut rest = instances;
    while let Some((&coefficient, after)) = rest.split_first() {
        let Some((support, next)) = after.split_at_checked(scaled.len()) else {
            break;
        };
        let mut product = 0.0_f32;
        for (z, s) in scaled.iter().zip(support) {
            product += z * s;
            keep_rolled();
        }
        sum += coefficient * product;
        rest = next;
        keep_rolled();
    }
    sum + bias
}

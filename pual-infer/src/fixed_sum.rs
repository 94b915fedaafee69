//! The sum of an integer model: squared distances, kernels, coefficients.
//!
//! ```text
//! t = sum_j (q_j - s_j)^2                        exact, in 32 bits: the units are checked to leave room
//! y = t >> distance_shift                        the exponent |z - s|^2 with 15 fractional bits
//! e = 2^-y ~ p(f) >> n,  y = n + f               14 fractional bits; p is a cubic
//! sum = sum_b c_b e_b                            exact, in 64 bits, so its order is free
//! ```

use crate::fixed::FixedParts;
use crate::keep_rolled;
use crate::wire::FIXED_LANES;

/// Largest relative error of the integer exponential, excluding the rounding of its result to 2^-14.
pub const FIXED_EXP_ERROR: f64 = 1.1e-4;

/// sum_b c_b 2^-(t_b >> distance_shift).
#[inline(never)]
pub(crate) fn sum(quantised: &[i16], parts: &FixedParts<'_>) -> i64 {
    let shift = parts.units.distance_shift & 31;
    let mut sum = 0_i64;
    let mut rest = parts.blocks;
    while let [first, second, after @ ..] = rest {
        let mut squared = [0; FIXED_LANES];
        let next = if parts.shifts.is_empty() {
            distances_i16(quantised, after, &mut squared)
        } else {
            distances_i8(quantised, parts.shifts, after, &mut squared)
        };
        let Some(next) = next else { break };
        let coefficients = lanes_of_i16(&[*first, *second]);
        // Four products of 15 and 14 bits fit 32.
        let mut block_sum = 0_i32;
        for lane in 0..FIXED_LANES {
            let kernel = exp2_neg(squared[lane] >> shift);
            block_sum = block_sum.wrapping_add(coefficients[lane].wrapping_mul(kernel as i32));
        }
        sum = sum.wrapping_add(i64::from(block_sum));
        rest = next;
    }
    sum
}

/// Adds the squared distances to the instances of a block of i16; returns what follows the block.
#[inline(always)]
fn distances_i16<'a>(quantised: &[i16], rows: &'a [u32], squared: &mut [u32; FIXED_LANES]) -> Option<&'a [u32]> {
    let (rows, next) = rows.split_at_checked(2 * quantised.len())?;
    for (q, row) in quantised.iter().zip(rows.as_chunks().0) {
        add_squares(squared, lanes_of_i16(row), *q);
        keep_rolled();
    }
    Some(next)
}

/// As [`distances_i16`], of i8.
#[inline(always)]
fn distances_i8<'a>(
    quantised: &[i16],
    shifts: &[u8],
    rows: &'a [u32],
    squared: &mut [u32; FIXED_LANES],
) -> Option<&'a [u32]> {
    let (rows, next) = rows.split_at_checked(quantised.len())?;
    for ((q, shift), row) in quantised.iter().zip(shifts).zip(rows) {
        add_squares(squared, lanes_of_i8(*row, *shift), *q);
        keep_rolled();
    }
    Some(next)
}

/// Adds a feature's squared differences. The instances are stored negated: a core with DSP instructions extends and adds
/// in one.
#[inline(always)]
fn add_squares(squared: &mut [u32; FIXED_LANES], negated: [i32; FIXED_LANES], q: i16) {
    for (sum, negated) in squared.iter_mut().zip(negated) {
        let difference = negated.wrapping_add(i32::from(q));
        *sum = sum.wrapping_add(difference.wrapping_mul(difference) as u32);
    }
}

/// A row of i16.
#[inline(always)]
pub(crate) fn lanes_of_i16(row: &[u32; 2]) -> [i32; FIXED_LANES] {
    let [a, b] = *row;
    let low = |word: u32| i32::from(word as i16);
    let high = |word: u32| word as i32 >> 16;
    [low(a), high(a), low(b), high(b)]
}

/// A row of i8, shifted.
#[inline(always)]
pub(crate) fn lanes_of_i8(row: u32, shift: u8) -> [i32; FIXED_LANES] {
    row.to_le_bytes().map(|byte| i32::from(byte as i8) << (shift & 15))
}

/// 2^-y with 14 fractional bits, for y with 15.
#[inline(always)]
fn exp2_neg(y: u32) -> u32 {
    // From y = 15 on the result is below 2^-14, that is 0. Clamping to 19 bits is one instruction on ARMv7-M.
    let y = (y as i32).clamp(0, (1 << 19) - 1) as u32;
    let (n, f) = (y >> 15, y & 0x7FFF);
    // The cubic of least maximal relative error on [0, 1), by Horner's scheme; every product is below 2^31.
    let p = 16_383 - (((45_287 - (((15_078 - ((2_557 * f) >> 15)) * f) >> 15)) * f) >> 17);
    p >> n
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_as_good_as_stated() {
        let mut worst = 0.0_f64;
        for y in 0..1 << 19 {
            let truth = libm::exp2(-f64::from(y) / 32_768.0);
            let error = (f64::from(exp2_neg(y)) / 16_384.0 - truth).abs();
            worst = worst.max((error - 1.0 / 16_384.0) / truth);
        }
        assert!(worst <= FIXED_EXP_ERROR, "{worst:e}");
        assert!(worst > FIXED_EXP_ERROR / 3.0, "the stated bound is needlessly loose: {worst:e}");
        assert_eq!(exp2_neg(u32::MAX >> 1), 0);
    }
}

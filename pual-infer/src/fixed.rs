//! Integer models: fixed-point arithmetic from the quantised reading to the score, the same bits on every core.
//!
//! A reading becomes integers q_j = (x_j - offset_j) * scale_j, rounded and clamped to +-limit. With the unit 2^-k that the
//! encoder has put into the scales, and support instances in that unit,
//!
//! ```text
//! t = sum_j (q_j - s_j)^2                        exact, in 32 bits: decoding checks that it fits
//! y = t >> distance_shift                        the exponent |z - s|^2 with 15 fractional bits
//! e = 2^-y ~ p(f) >> n,  y = n + f               14 fractional bits; p is a cubic
//! score = (sum_b c_b e_b + bias) 2^-(14 + coefficient_shift)          exact, in 64 bits
//! ```
//!
//! The sum is exact, so its order is free. Errors come from rounding readings, instances and coefficients to integers and from
//! `exp2_neg`, whose relative error is at most [`FIXED_EXP_ERROR`] plus 2^-14.

use crate::check;
use crate::description::{Class, Description, Envelope};
use crate::error::{DecodeError, ReadingError};
use crate::keep_rolled;
use crate::model::MAX_FEATURES_ON_STACK;
use crate::wire::{FIXED_LANES, FixedUnits};
use core::ops::Deref;

/// Largest relative error of the integer exponential, beside the rounding of its result to 2^-14.
pub const FIXED_EXP_ERROR: f64 = 1.1e-4;

/// A model stored as integers, borrowed from its bytes (in flash, usually): for cores without an FPU, and for models
/// of hundreds of bytes.
#[derive(Clone, Copy, Debug)]
pub struct FixedModel<'a> {
    about: Description<'a>,
    parts: FixedParts<'a>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct FixedParts<'a> {
    pub units: FixedUnits,
    /// i8 only: how far to shift each feature's support values left.
    pub shifts: &'a [u8],
    /// Blocks of four instances: their coefficients as i16, then a row of four values a feature, as i16 or i8.
    pub blocks: &'a [u32],
}

impl<'a> Deref for FixedModel<'a> {
    type Target = Description<'a>;

    fn deref(&self) -> &Description<'a> {
        &self.about
    }
}

impl<'a> FixedModel<'a> {
    /// Reads an integer model in place, as [`Model::decode`](crate::Model::decode) does f32 models.
    ///
    /// # Errors
    /// Whatever is wrong with the bytes; for a model of f32, [`DecodeError::Encoding`].
    #[inline(never)]
    pub fn decode(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        let units = FixedUnits {
            distance_shift: 0,
            coefficient_shift: 0,
            limit: 0,
        };
        let parts = FixedParts {
            units,
            shifts: &[],
            blocks: &[],
        };
        let mut model = Self {
            about: Description::NONE,
            parts,
        };
        check::fixed(bytes, &mut model.about, &mut model.parts)?;
        Ok(model)
    }

    /// The score of a reading in raw units.
    ///
    /// # Errors
    /// A reading of another length, or with a NaN or an infinity in it, or a model with more than
    /// [`MAX_FEATURES_ON_STACK`] features.
    pub fn score(&self, reading: &[f32]) -> Result<f32, ReadingError> {
        self.score_with_scratch(reading, &mut [0; MAX_FEATURES_ON_STACK])
    }

    /// As [`score`](Self::score), for any number of features: `scratch` holds at least as many i16.
    ///
    /// # Errors
    /// As [`score`](Self::score), or scratch space that is too small.
    pub fn score_with_scratch(
        &self,
        reading: &[f32],
        scratch: &mut [i16],
    ) -> Result<f32, ReadingError> {
        let total = self.sum(self.quantise(reading, scratch)?);
        let exponent = -SUM_BITS - i32::from(self.parts.units.coefficient_shift);
        Ok(total as f32 * power_of_two(exponent))
    }

    /// The class of a reading in raw units.
    ///
    /// # Errors
    /// As [`score`](Self::score).
    pub fn classify(&self, reading: &[f32]) -> Result<Class, ReadingError> {
        let mut scratch = [0; MAX_FEATURES_ON_STACK];
        Ok(self.class_of_sum(self.sum(self.quantise(reading, &mut scratch)?)))
    }

    /// The score of raw integer readings, as an analog-to-digital converter gives them, in 1/65,536: no floating-point
    /// operation from here to there. The model must have been trained on the same counts.
    ///
    /// # Errors
    /// As [`score`](Self::score).
    pub fn score_counts(&self, counts: &[i16]) -> Result<i32, ReadingError> {
        let mut scratch = [0; MAX_FEATURES_ON_STACK];
        let total = self.sum(self.quantise_counts(counts, &mut scratch)?);
        let shift = 16 - SUM_BITS - i32::from(self.parts.units.coefficient_shift);
        Ok(shifted(total, shift).clamp(i32::MIN.into(), i32::MAX.into()) as i32)
    }

    /// The class of raw integer readings: see [`score_counts`](Self::score_counts).
    ///
    /// # Errors
    /// As [`score`](Self::score).
    pub fn classify_counts(&self, counts: &[i16]) -> Result<Class, ReadingError> {
        let mut scratch = [0; MAX_FEATURES_ON_STACK];
        Ok(self.class_of_sum(self.sum(self.quantise_counts(counts, &mut scratch)?)))
    }

    /// As [`Description::envelope`], for raw integer readings.
    ///
    /// # Errors
    /// A reading of another length.
    pub fn envelope_counts(&self, counts: &[i16]) -> Result<Envelope, ReadingError> {
        self.check_length(counts.len())?;
        let Some((minima, maxima)) = self.envelope_bounds() else {
            return Ok(Envelope::Unknown);
        };
        for (feature, (&count, (minimum, maximum))) in
            counts.iter().zip(minima.iter().zip(maxima)).enumerate()
        {
            let count = i64::from(count) << COUNT_BITS;
            if count < to_fixed(*minimum, COUNT_BITS) || to_fixed(*maximum, COUNT_BITS) < count {
                return Ok(Envelope::Outside { feature });
            }
        }
        Ok(Envelope::Inside)
    }

    /// The sum in units of 2^-(14 + coefficient_shift).
    fn class_of_sum(&self, total: i64) -> Class {
        Class::positive_if(total > self.in_sum_units(self.about.threshold))
    }

    fn in_sum_units(&self, number: f32) -> i64 {
        to_fixed(
            number,
            SUM_BITS + i32::from(self.parts.units.coefficient_shift),
        )
    }

    fn quantise<'s>(
        &self,
        reading: &[f32],
        scratch: &'s mut [i16],
    ) -> Result<&'s [i16], ReadingError> {
        /// 1.5 * 2^23: adding it rounds to an integer and leaves that integer in the low bits of the sum.
        const ROUND: f32 = 12_582_912.0;
        let quantised = self.room(reading.len(), scratch)?;
        let limit = f32::from(self.parts.units.limit);
        let tables = self.about.offsets.iter().zip(self.about.scales);
        let places = quantised.iter_mut().zip(reading);
        for (feature, ((q, x), (offset, scale))) in places.zip(tables).enumerate() {
            if !x.is_finite() {
                return Err(ReadingError::NotFinite { feature });
            }
            let z = ((x - offset) * scale).clamp(-limit, limit);
            *q = (z + ROUND).to_bits().wrapping_sub(ROUND.to_bits()) as i16;
        }
        Ok(quantised)
    }

    fn quantise_counts<'s>(
        &self,
        counts: &[i16],
        scratch: &'s mut [i16],
    ) -> Result<&'s [i16], ReadingError> {
        let quantised = self.room(counts.len(), scratch)?;
        let limit = i64::from(self.parts.units.limit);
        let tables = self.about.offsets.iter().zip(self.about.scales);
        for ((q, &count), (offset, scale)) in quantised.iter_mut().zip(counts).zip(tables) {
            let difference =
                (i64::from(count) << COUNT_BITS).saturating_sub(to_fixed(*offset, COUNT_BITS));
            let z = times(difference, *scale).clamp(-limit, limit);
            *q = z as i16;
        }
        Ok(quantised)
    }

    /// As much of the scratch space as a reading takes, if it has the right length.
    fn room<'s>(
        &self,
        found: usize,
        scratch: &'s mut [i16],
    ) -> Result<&'s mut [i16], ReadingError> {
        self.check_length(found)?;
        let needed = found;
        { scratch.get_mut(..needed) }.ok_or(ReadingError::ScratchTooSmall { needed })
    }

    /// Coefficient of support instance `index`.
    #[must_use]
    pub fn coefficient(&self, index: usize) -> Option<f32> {
        let shift = -i32::from(self.parts.units.coefficient_shift);
        let block = self.block_of(index)?;
        let lanes = lanes_of_i16(block.first_chunk()?);
        Some(lanes.get(index % FIXED_LANES).map(|&c| c as f32)? * power_of_two(shift))
    }

    /// Feature `feature` of support instance `index`, in the units of the scales: the raw value is
    /// `s / scale + offset`.
    #[must_use]
    pub fn support(&self, index: usize, feature: usize) -> Option<f32> {
        let rows = self.block_of(index)?.get(2..)?;
        let lanes = match self.parts.shifts.get(feature) {
            Some(shift) => lanes_of_i8(rows.as_chunks().0.get(feature)?).map(|s| s << (shift & 15)),
            None => lanes_of_i16(rows.as_chunks().0.get(feature)?),
        };
        lanes
            .get(index % FIXED_LANES)
            .map(|&negated| -negated as f32)
    }

    /// The block of a support instance that is none of those that only fill it.
    fn block_of(&self, index: usize) -> Option<&'a [u32]> {
        if index >= self.supports() {
            return None;
        }
        let words = if self.parts.shifts.is_empty() { 2 } else { 1 };
        let block = 2 + words * self.features();
        self.parts
            .blocks
            .get(index / FIXED_LANES * block..)?
            .get(..block)
    }

    #[inline(never)] // one copy of each loop
    fn sum(&self, quantised: &[i16]) -> i64 {
        let FixedParts {
            units,
            shifts,
            blocks,
        } = self.parts;
        let shift = u32::from(units.distance_shift & 31);
        let sum = if shifts.is_empty() {
            sum::<2>(quantised.len(), blocks, shift, |rows| {
                distances_i16(quantised, rows)
            })
        } else {
            sum::<1>(quantised.len(), blocks, shift, |rows| {
                distances_i8(quantised, shifts, rows)
            })
        };
        sum + self.in_sum_units(self.about.bias)
    }
}

/// 2^exponent, which every coefficient_shift keeps within f32's.
fn power_of_two(exponent: i32) -> f32 {
    f32::from_bits(((127 + exponent) as u32) << 23)
}

/// sum_b c_b 2^-(t_b >> shift), with the squared distances t of a block's instances from its rows of W words.
#[inline(always)]
fn sum<const W: usize>(
    features: usize,
    blocks: &[u32],
    shift: u32,
    distances: impl Fn(&[[u32; W]]) -> [u32; FIXED_LANES],
) -> i64 {
    let mut sum = 0_i64;
    let mut rest = blocks;
    while let [first, second, after @ ..] = rest {
        let Some((rows, next)) = after.split_at_checked(features * W) else {
            break;
        };
        let squared = distances(rows.as_chunks().0);
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

/// Squared distances to the instances of a block of i16.
#[inline(always)]
fn distances_i16(quantised: &[i16], block: &[[u32; 2]]) -> [u32; FIXED_LANES] {
    let mut squared = [0; FIXED_LANES];
    for (q, row) in quantised.iter().zip(block) {
        add_squares(&mut squared, lanes_of_i16(row), *q);
        keep_rolled();
    }
    squared
}

/// Squared distances to the instances of a block of i8.
#[inline(always)]
fn distances_i8(quantised: &[i16], shifts: &[u8], block: &[[u32; 1]]) -> [u32; FIXED_LANES] {
    let mut squared = [0; FIXED_LANES];
    for ((q, shift), row) in quantised.iter().zip(shifts).zip(block) {
        add_squares(
            &mut squared,
            lanes_of_i8(row).map(|s| s << (shift & 15)),
            *q,
        );
        keep_rolled();
    }
    squared
}

/// Adds a feature's squared differences; that nothing overflows was checked when the model was decoded. The
/// instances are stored negated: on a core with DSP instructions, extending and adding are one.
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

/// A row of i8.
#[inline(always)]
pub(crate) fn lanes_of_i8(row: &[u32; 1]) -> [i32; FIXED_LANES] {
    row[0].to_le_bytes().map(|byte| i32::from(byte as i8))
}

/// 2^-y with 14 fractional bits, for y with 15.
#[inline(always)]
fn exp2_neg(y: u32) -> u32 {
    // From 15 on the result is below 2^-14, that is 0. Clamping to 19 bits is one instruction on ARMv7-M.
    let y = (y as i32).clamp(0, (1 << 19) - 1) as u32;
    let (n, f) = (y >> 15, y & 0x7FFF);
    // The cubic of least maximal relative error on [0, 1), by Horner's scheme; every product is below 2^31.
    let p = 16_383 - (((45_287 - (((15_078 - ((2_557 * f) >> 15)) * f) >> 15)) * f) >> 17);
    p >> n
}

/// Fractional bits of a kernel, and so, beside the coefficients', of a sum.
const SUM_BITS: i32 = 14;

/// Fractional bits of counts when offsets are subtracted from them.
const COUNT_BITS: i32 = 16;

/// An f32 as an integer with that many fractional bits, rounded down, by integer operations alone; saturates.
fn to_fixed(number: f32, fractional_bits: i32) -> i64 {
    let (mantissa, exponent) = parts_of(number);
    shifted(mantissa, exponent + fractional_bits)
}

/// A number with [`COUNT_BITS`] fractional bits times a positive f32, rounded to the nearest integer; saturates.
fn times(number: i64, factor: f32) -> i64 {
    const LARGEST: i64 = 1 << 38;
    let (mantissa, exponent) = parts_of(factor);
    // One bit more than wanted, for rounding.
    let product = number.clamp(-LARGEST, LARGEST).wrapping_mul(mantissa);
    (shifted(product, exponent - COUNT_BITS + 1) + 1) >> 1
}

/// number = mantissa * 2^exponent, the mantissa with its sign.
fn parts_of(number: f32) -> (i64, i32) {
    let bits = number.to_bits();
    let exponent = (bits >> 23) & 0xFF;
    let fraction = i64::from(bits & 0x007F_FFFF);
    let (mantissa, exponent) = match exponent {
        0 => (fraction, -149),
        _ => (fraction | 0x0080_0000, exponent as i32 - 150),
    };
    (if bits >> 31 == 1 { -mantissa } else { mantissa }, exponent)
}

/// number * 2^by, rounded down; saturates at +-2^62.
fn shifted(number: i64, by: i32) -> i64 {
    const LARGEST: i64 = 1 << 62;
    if by <= 0 {
        return number >> by.unsigned_abs().min(63);
    }
    let by = by.unsigned_abs().min(62);
    if number.unsigned_abs() > (LARGEST as u64) >> by {
        return if number < 0 { -LARGEST } else { LARGEST };
    }
    number << by
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
        assert!(
            worst > FIXED_EXP_ERROR / 3.0,
            "the stated bound is needlessly loose: {worst:e}"
        );
        assert_eq!(exp2_neg(u32::MAX >> 1), 0);
    }

    #[test]
    fn integers_read_floats_as_floats_do() {
        let numbers = [
            0.0, -0.0, 1.0, -1.0, 0.1, -0.1, 3.75, 12_345.678, 1e-20, -1e-20, 1e-45, 65_504.0, -1e9,
        ];
        for number in numbers {
            for bits in [0, 8, 16, 30] {
                let expected = libm::floor(f64::from(number) * libm::exp2(f64::from(bits)));
                assert_eq!(to_fixed(number, bits) as f64, expected, "{number}, {bits}");
            }
        }
        assert_eq!(to_fixed(f32::MAX, 16), 1 << 62);
        assert_eq!(to_fixed(f32::MIN, 16), -(1 << 62));
        for factor in [1.0_f32, 0.3, 123.4, 1e-4, 2048.0, 1e-30] {
            for number in [0.0, 1.0, -1.0, 17.25, -300.5, 32_767.0] {
                let exact = number * f64::from(factor);
                let found = times((number * 65_536.0) as i64, factor) as f64;
                assert!((found - exact).abs() <= 0.5, "{number} * {factor}: {found}");
            }
        }
        assert_eq!(times(i64::MAX, f32::MAX), 1 << 61);
        assert_eq!(times(i64::MIN, 1e30), -(1 << 61));
    }
}

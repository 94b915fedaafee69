//! Integer models: fixed-point arithmetic from the quantised reading to the score, the same bits on every core.
//!
//! A reading is quantised to the units of the support instances (`quantise.rs`); coefficients times kernels are summed
//! (`fixed_sum.rs`); the sum and the bias make the score:
//!
//! ```text
//! score = (sum_b c_b e_b + bias) 2^-(14 + coefficient_shift)
//! ```
//!
//! Errors come from rounding readings, instances and coefficients to integers, and from the exponential: FORMAT.md has
//! the bound.

use crate::error::{DecodeError, ReadingError};
use crate::format::wire::FIXED_LANES;
use crate::model::MAX_FEATURES_ON_STACK;
use crate::read::check_fixed;
use crate::read::check_fixed::FixedParts;
use crate::read::description::Description;
use crate::read::verdict::{Class, CountsVerdict, Envelope, Verdict};
use crate::score::fixed_sum::{lanes_of_i8, lanes_of_i16, sum};
use crate::score::quantise;

/// A model stored as integers, borrowed from its bytes (usually in flash): for cores without an FPU, and for models
/// of a few hundred bytes.
#[derive(Clone, Copy, Debug)]
pub struct FixedModel<'a> {
    about: Description<'a>,
    parts: FixedParts<'a>,
}

forward_to_description!(FixedModel);

/// A reading in the units of the support instances.
type Quantised = heapless::Vec<i16, MAX_FEATURES_ON_STACK>;

impl<'a> FixedModel<'a> {
    /// Reads an integer model in place, as [`Model::decode`](crate::Model::decode) does.
    ///
    /// # Errors
    /// Whatever is wrong with the bytes; for an f32 model, [`DecodeError::Encoding`].
    #[inline(never)] // one copy, however the caller is optimised
    pub fn decode(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        let (about, parts) = check_fixed::fixed(bytes)?;
        Ok(Self { about, parts })
    }

    /// What the model states about itself.
    #[must_use]
    pub fn description(&self) -> &Description<'a> {
        &self.about
    }

    /// Score, class and envelope of a reading in raw units, in one pass.
    ///
    /// # Errors
    /// As [`Model::judge`](crate::Model::judge).
    #[inline(never)] // one copy, however the caller is optimised; the same below
    pub fn judge(&self, reading: &[f32]) -> Result<Verdict, ReadingError> {
        let mut quantised = Quantised::new();
        self.fill(&mut quantised, reading)?;
        Ok(self.verdict(&quantised))
    }

    /// As [`judge`](Self::judge), with the class by this threshold instead of the model's.
    ///
    /// # Errors
    /// As [`judge`](Self::judge).
    pub fn judge_at(&self, reading: &[f32], threshold: f32) -> Result<Verdict, ReadingError> {
        self.judge(reading).map(|verdict| verdict.at(threshold))
    }

    /// As [`judge`](Self::judge), for any number of features: `scratch` holds at least as many i16.
    ///
    /// # Errors
    /// As [`judge`](Self::judge), or scratch space that is too small.
    pub fn judge_with_scratch(&self, reading: &[f32], scratch: &mut [i16]) -> Result<Verdict, ReadingError> {
        let needed = self.features();
        let scratch = scratch.get_mut(..needed).ok_or(ReadingError::ScratchTooSmall { needed })?;
        for (place, q) in scratch.iter_mut().zip(self.quantised(reading)?) {
            *place = q?;
        }
        Ok(self.verdict(scratch))
    }

    /// The score alone.
    ///
    /// # Errors
    /// As [`judge`](Self::judge).
    #[inline(never)]
    pub fn score(&self, reading: &[f32]) -> Result<f32, ReadingError> {
        let mut quantised = Quantised::new();
        self.fill(&mut quantised, reading)?;
        Ok(self.score_of(self.total(&quantised)))
    }

    /// The class alone.
    ///
    /// # Errors
    /// As [`judge`](Self::judge).
    pub fn classify(&self, reading: &[f32]) -> Result<Class, ReadingError> {
        self.score(reading).map(|score| self.about.class_of(score))
    }

    /// The envelope alone. A NaN lies outside.
    ///
    /// # Errors
    /// A reading of another length.
    pub fn envelope(&self, reading: &[f32]) -> Result<Envelope, ReadingError> {
        Ok(self.first_outside(self.quantised(reading)?.map(Result::ok)))
    }

    /// Score, class and envelope of raw counts, as an analog-to-digital converter gives them, in one pass and without
    /// a floating-point operation. The model must have been trained on the same counts.
    ///
    /// # Errors
    /// A reading of another length, or a model with more than [`MAX_FEATURES_ON_STACK`] features.
    #[inline(never)]
    pub fn judge_counts(&self, counts: &[i16]) -> Result<CountsVerdict, ReadingError> {
        let mut quantised = Quantised::new();
        self.fill_counts(&mut quantised, counts)?;
        let total = self.total(&quantised);
        Ok(CountsVerdict {
            score: self.score_of_counts(total),
            class: self.class_of_total(total),
            envelope: self.first_outside(quantised.iter().copied().map(Some)),
        })
    }

    /// The score of counts alone, in units of 1/65,536 (rounded down, saturating).
    ///
    /// # Errors
    /// As [`judge_counts`](Self::judge_counts).
    #[inline(never)]
    pub fn score_counts(&self, counts: &[i16]) -> Result<i32, ReadingError> {
        Ok(self.score_of_counts(self.total_of_counts(counts)?))
    }

    /// The class of counts alone.
    ///
    /// # Errors
    /// As [`judge_counts`](Self::judge_counts).
    #[inline(never)]
    pub fn classify_counts(&self, counts: &[i16]) -> Result<Class, ReadingError> {
        Ok(self.class_of_total(self.total_of_counts(counts)?))
    }

    /// The envelope of counts alone.
    ///
    /// # Errors
    /// A reading of another length.
    pub fn envelope_counts(&self, counts: &[i16]) -> Result<Envelope, ReadingError> {
        Ok(self.first_outside(self.quantised_counts(counts)?.map(Some)))
    }

    /// Smallest and largest training value of a feature, in raw units, to the resolution of the model's integers.
    #[must_use]
    pub fn range(&self, feature: usize) -> Option<(f32, f32)> {
        let &[minimum, maximum] = self.parts.envelope.get(feature)?;
        let (offset, scale) = (self.about.offsets.get(feature)?, self.about.scales.get(feature)?);
        let raw = |q: i16| f32::from(q) / scale + offset;
        Some((raw(minimum), raw(maximum)))
    }

    /// The distance, in units of scaled readings, at which the kernel is 1/2: 2^k of FORMAT.md.
    #[must_use]
    pub fn reach(&self) -> f32 {
        // k = (shift + 15) / 2, which need not be whole.
        let twice = u32::from(self.parts.units.distance_shift) + 15;
        let whole = (1_u32 << ((twice / 2) & 31)) as f32;
        if twice.is_multiple_of(2) { whole } else { whole * core::f32::consts::SQRT_2 }
    }

    /// Coefficient of support instance `index`.
    #[must_use]
    pub fn coefficient(&self, index: usize) -> Option<f32> {
        let lanes = lanes_of_i16(self.block_of(index)?.first_chunk()?);
        let coefficient = *lanes.get(index % FIXED_LANES)?;
        Some(coefficient as f32 * power_of_two_below_1(self.parts.units.coefficient_shift))
    }

    /// Feature `feature` of support instance `index`, scaled: the raw value is `s / scale + offset`.
    #[must_use]
    pub fn support(&self, index: usize, feature: usize) -> Option<f32> {
        let rows = self.block_of(index)?.get(2..)?;
        let lanes = match self.parts.shifts.get(feature) {
            Some(shift) => lanes_of_i8(*rows.get(feature)?, *shift),
            None => lanes_of_i16(rows.as_chunks().0.get(feature)?),
        };
        let negated = *lanes.get(index % FIXED_LANES)?;
        Some(-negated as f32)
    }

    /// The block that holds a support instance; none for padding.
    fn block_of(&self, index: usize) -> Option<&'a [u32]> {
        if index >= self.supports() {
            return None;
        }
        let row = if self.parts.shifts.is_empty() { 2 } else { 1 };
        let block = 2 + row * self.features();
        let after = self.parts.blocks.get(index / FIXED_LANES * block..)?;
        after.get(..block)
    }

    #[inline(always)]
    fn quantised(&self, reading: &[f32]) -> Result<impl Iterator<Item = Result<i16, ReadingError>>, ReadingError> {
        self.about.check_length(reading.len())?;
        let limit = f32::from(self.parts.units.limit).to_bits();
        let tables = self.about.offsets.iter().zip(self.about.scales);
        let features = reading.iter().zip(tables).enumerate();
        Ok(features.map(move |(feature, (&x, (&offset, &scale)))| {
            if x.is_finite() {
                Ok(quantise::reading(x, offset, scale, limit))
            } else {
                Err(ReadingError::NotFinite { feature })
            }
        }))
    }

    #[inline(always)]
    fn quantised_counts(&self, counts: &[i16]) -> Result<impl Iterator<Item = i16>, ReadingError> {
        self.about.check_length(counts.len())?;
        let limit = self.parts.units.limit;
        let tables = self.about.offsets.iter().zip(self.about.scales);
        let features = counts.iter().zip(tables);
        Ok(features.map(move |(&x, (&offset, &scale))| quantise::count(x, offset, scale, limit)))
    }

    #[inline(always)] // less stack
    fn total_of_counts(&self, counts: &[i16]) -> Result<i64, ReadingError> {
        let mut quantised = Quantised::new();
        self.fill_counts(&mut quantised, counts)?;
        Ok(self.total(&quantised))
    }

    #[inline(always)]
    fn fill(&self, quantised: &mut Quantised, reading: &[f32]) -> Result<(), ReadingError> {
        for q in self.quantised(reading)? {
            self.push(quantised, q?)?;
        }
        Ok(())
    }

    #[inline(never)] // so that its stack is free again when the sum is computed
    fn fill_counts(&self, quantised: &mut Quantised, counts: &[i16]) -> Result<(), ReadingError> {
        for q in self.quantised_counts(counts)? {
            self.push(quantised, q)?;
        }
        Ok(())
    }

    #[inline(always)]
    fn push(&self, quantised: &mut Quantised, q: i16) -> Result<(), ReadingError> {
        { quantised.push(q) }.map_err(|_| ReadingError::ScratchTooSmall { needed: self.features() })
    }

    /// The score in units of 2^-(14 + coefficient_shift).
    fn total(&self, quantised: &[i16]) -> i64 {
        let bias = self.in_sum_units(self.about.head.bias_bits());
        sum(quantised, &self.parts).wrapping_add(bias)
    }

    fn in_sum_units(&self, bits: u32) -> i64 {
        quantise::fixed(bits, self.parts.units.sum_shift())
    }

    fn class_of_total(&self, total: i64) -> Class {
        Class::positive_if(total > self.in_sum_units(self.about.head.threshold_bits()))
    }

    fn score_of(&self, total: i64) -> f32 {
        total as f32 * power_of_two_below_1(self.parts.units.sum_shift())
    }

    /// In units of 1/65,536: from 14 + shift fractional bits to 16, with at most 48 bits in between.
    fn score_of_counts(&self, total: i64) -> i32 {
        let score = (total << 2) >> (self.parts.units.coefficient_shift & 63);
        score.clamp(i32::MIN.into(), i32::MAX.into()) as i32
    }

    #[inline(always)]
    fn verdict(&self, quantised: &[i16]) -> Verdict {
        let score = self.score_of(self.total(quantised));
        Verdict {
            score,
            class: self.about.class_of(score),
            envelope: self.first_outside(quantised.iter().copied().map(Some)),
        }
    }

    #[inline(always)]
    fn first_outside(&self, quantised: impl Iterator<Item = Option<i16>>) -> Envelope {
        if self.parts.envelope.is_empty() {
            return Envelope::Unknown;
        }
        for (feature, (q, &[minimum, maximum])) in quantised.zip(self.parts.envelope).enumerate() {
            if !q.is_some_and(|q| minimum <= q && q <= maximum) {
                return Envelope::Outside { feature };
            }
        }
        Envelope::Inside
    }
}

/// 2^-exponent. Every valid coefficient_shift keeps it a normal f32.
fn power_of_two_below_1(exponent: u8) -> f32 {
    f32::from_bits((127 - u32::from(exponent)) << 23)
}

//! Samples as integers: what all sums are made of.
//!
//! A sample of i16 is the integer q itself. A value x in a channel's unit becomes
//!
//! ```text
//! q = (x - offset) 2^-exponent, clamped to -32767 .. 32767, rounded to the nearest integer, halves to even
//! ```
//!
//! in f32; the multiplication is exact but for overflow, which clamping takes care of. A magnitude of the raw channels
//! i in M is
//!
//! ```text
//! q = min(floor(sqrt(sum_M q_i^2)), 32767)
//! ```

use crate::format::recipe::ROUND;

/// The largest magnitude of an integer made from a value in units, or from several channels.
const LIMIT: i16 = i16::MAX;

mod sealed {
    pub trait SampleValue: Copy {
        fn is_usable(self) -> bool;
        /// The same slice, if its values are integers.
        fn counts(sample: &[Self]) -> Option<&[i16]>;
        /// Of a channel with that offset and those steps per unit.
        fn steps(self, channel: impl FnOnce() -> (f32, f32)) -> i16;
    }
}

/// A channel's value in a sample: i16 in steps, or f32 in the channel's unit.
pub trait Sample: sealed::SampleValue {}

impl Sample for i16 {}
impl Sample for f32 {}

impl sealed::SampleValue for i16 {
    #[inline(always)]
    fn is_usable(self) -> bool {
        true
    }

    #[inline(always)]
    fn counts(sample: &[Self]) -> Option<&[i16]> {
        Some(sample)
    }

    #[inline(always)]
    fn steps(self, _: impl FnOnce() -> (f32, f32)) -> i16 {
        self
    }
}

impl sealed::SampleValue for f32 {
    #[inline(always)]
    fn is_usable(self) -> bool {
        self.is_finite()
    }

    #[inline(always)]
    fn counts(_: &[Self]) -> Option<&[i16]> {
        None
    }

    #[inline(always)]
    fn steps(self, channel: impl FnOnce() -> (f32, f32)) -> i16 {
        let (offset, steps_per_unit) = channel();
        let limit = f32::from(LIMIT);
        let steps = ((self - offset) * steps_per_unit).clamp(-limit, limit);
        (steps + ROUND).to_bits().wrapping_sub(ROUND.to_bits()) as i16
    }
}

/// The magnitude of the values whose bits are set in `mask`.
pub(super) fn magnitude(mask: u32, value: impl Fn(usize) -> i16) -> i16 {
    let mut sum = 0_u32;
    let mut left = mask;
    while left != 0 {
        let q = i32::from(value(left.trailing_zeros() as usize));
        sum = sum.saturating_add((q * q) as u32);
        left &= left - 1;
    }
    root(sum)
}

/// The integer square root, at most 32,767, bit by bit.
pub(super) fn root(square: u32) -> i16 {
    let mut root = 0_u32;
    let mut bit = 1 << 14;
    while bit != 0 {
        let more = root | bit;
        if more * more <= square {
            root = more;
        }
        bit >>= 1;
    }
    root as i16
}

#[cfg(test)]
mod tests {
    use super::sealed::SampleValue;
    use super::*;

    #[test]
    fn roots_are_floors() {
        for n in 0..32_767_u32 {
            assert_eq!(root(n * n) as u32, n);
            assert_eq!(root((n + 1) * (n + 1) - 1) as u32, n);
        }
        assert_eq!((root(32_767 * 32_767), root(1 << 30), root(u32::MAX)), (LIMIT, LIMIT, LIMIT));
        let sample = [i16::MIN; 32];
        assert_eq!(magnitude(u32::MAX, |i| sample[i]), LIMIT);
        assert_eq!(magnitude(0b101, |i| [3, 1000, -4][i]), 5);
    }

    #[test]
    fn values_are_rounded_halves_to_even_and_clamped() {
        let channel = |offset, exponent: i32| (offset, libm::exp2f(-exponent as f32));
        let plain = || channel(0.0, 0);
        let ties = [0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 32766.5, 1e30, f32::MAX, f32::MIN, -0.0];
        let steps = ties.map(|x: f32| x.steps(plain));
        assert_eq!(steps, [0, 2, 2, 0, -2, -2, 32766, 32767, 32767, -32767, 0]);
        let fine = || channel(20.0, -8);
        assert_eq!([20.0, 20.25, 19.0, 1000.0].map(|x: f32| x.steps(fine)), [0, 64, -256, 32767]);
        let finest = || channel(0.0, -60);
        assert_eq!([f32::MAX, f32::MIN_POSITIVE, 1e-40].map(|x: f32| x.steps(finest)), [32767, 0, 0]);
        assert!(!f32::NAN.is_usable() && !f32::INFINITY.is_usable());
    }
}

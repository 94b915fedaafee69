//! The exponential of the RBF kernel, as 2^-t.
//!
//! The encoder scales readings and support instances so that the kernel is exactly `2^-t`, with `t` the squared
//! distance. With `n` the integer nearest to `t` and `f = t - n` in [-1/2, 1/2],
//!
//! ```text
//! 2^-t = 2^-n * 2^-f,    2^-f ~ p(f) = 1 + c1 f + c2 f^2 + c3 f^3 + c4 f^4 + c5 f^5
//! ```
//!
//! `p` is the degree-5 polynomial of least maximal relative error with p(0) = 1, so that an instance compared with
//! itself gives exactly 1. Evaluated in f32 the relative error is at most [`MAX_RELATIVE_ERROR`] for t <= 126;
//! from t = 126.5 on the result is 0 (the true value is below 2^-126, the smallest normal f32).
//!
//! Only +, -, * and integer operations are used, each rounded on its own (no fused multiply-add), so the result has
//! the same bits on every core, with or without an FPU. FORMAT.md has the same steps.

/// Largest relative error of the RBF kernel's 2^-t for 0 <= t <= 126.
pub const MAX_RELATIVE_ERROR: f64 = 2.3e-7;

#[allow(clippy::approx_constant)] // not -ln 2: the polynomial is optimal on its whole interval
const C1: f32 = -0.693_147;
const C2: f32 = 0.240_222_42;
const C3: f32 = -0.055_507_336;
const C4: f32 = 0.009_671_513;
const C5: f32 = -0.001_326_472_7;

/// 1.5 * 2^23: adding it rounds to an integer and leaves that integer in the low bits of the sum.
const ROUND: f32 = 12_582_912.0;

/// 2^-t for t from 0 to 2^100; for large t the result is 0, and nothing overflows.
#[inline(always)]
pub(crate) fn exp2_neg(t: f32) -> f32 {
    let shifted = t + ROUND;
    let f = t - (shifted - ROUND);
    // Estrin's scheme: one instruction fewer than Horner's, and shorter dependencies.
    let f2 = f * f;
    let p = (1.0 + C1 * f) + f2 * ((C2 + C3 * f) + f2 * (C4 + C5 * f));
    // The biased exponent of 2^-n. Clamping at 0 makes the factor exactly zero for everything too small; 255 is
    // never reached, but clamping to 8 bits is one instruction on ARMv7-M.
    let exponent = (ROUND.to_bits() as i32 + 127 - shifted.to_bits() as i32).clamp(0, 255);
    p * f32::from_bits((exponent as u32) << 23)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_stays_below_the_stated_bound() {
        let mut worst = 0.0_f64;
        // Every 61st float from the smallest to 126: some 18 million values over all exponents.
        for bits in (0..=126.0_f32.to_bits()).step_by(61) {
            let t = f32::from_bits(bits);
            let truth = libm::exp2(-f64::from(t));
            worst = worst.max((f64::from(exp2_neg(t)) / truth - 1.0).abs());
        }
        assert!(worst <= MAX_RELATIVE_ERROR, "{worst:e}");
        assert!(worst > MAX_RELATIVE_ERROR / 2.0, "the stated bound is needlessly loose: {worst:e}");
    }

    #[test]
    fn zero_is_one_and_large_is_zero() {
        assert_eq!(exp2_neg(0.0), 1.0);
        assert_eq!(exp2_neg(1.0), 0.5);
        assert_eq!(exp2_neg(126.0), f32::MIN_POSITIVE);
        for bits in (126.6_f32.to_bits()..=1e30_f32.to_bits()).step_by(101) {
            let t = f32::from_bits(bits);
            assert_eq!(exp2_neg(t), 0.0, "t = {t:e}");
        }
    }
}

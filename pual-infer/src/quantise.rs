//! From a reading to the integers of a model: q = (x - offset) * scale, rounded to the nearest, clamped to +-limit.
//!
//! Counts take integer operations only, on the bits of offset and scale: the difference has [`COUNT_BITS`] fractional
//! bits (further bits of the offset are dropped, and one beyond 2^16 is taken as 2^16), its product with the scale's
//! 24-bit mantissa is exact, halves are rounded up.

/// Fractional bits of counts when offsets are subtracted from them.
const COUNT_BITS: u32 = 14;

/// A reading in f32; halves are rounded to even. `limit` are the bits of an f32.
#[inline(always)]
pub(crate) fn reading(x: f32, offset: f32, scale: f32, limit: u32) -> i16 {
    /// 1.5 * 2^23: adding it rounds to an integer and leaves that integer in the low bits of the sum.
    const ROUND: f32 = 12_582_912.0;
    let z = (x - offset) * scale;
    // Magnitudes are ordered like their bits, so clamping needs no comparison of floats, which is slow without an FPU.
    let magnitude = (z.to_bits() & (u32::MAX >> 1)).min(limit);
    let z = f32::from_bits(z.to_bits() & (1 << 31) | magnitude);
    (z + ROUND).to_bits().wrapping_sub(ROUND.to_bits()) as i16
}

/// A count.
#[inline(never)] // one copy, and little stack
pub(crate) fn count(count: i16, offset: f32, scale: f32, limit: u16) -> i16 {
    // 2^30 and 2^29 at most.
    let difference = (i32::from(count) << COUNT_BITS).wrapping_sub(fixed_offset(offset));
    let (mantissa, exponent) = parts(scale);
    let product = i64::from(difference).wrapping_mul(mantissa.into());
    // The scale is mantissa * 2^(exponent - 150). Below 1 the shift does not matter: the result is far above the limit.
    let shift = (COUNT_BITS as i32 + 150 - exponent).clamp(1, 63);
    let twice = product >> (shift - 1);
    let limit = i32::from(limit);
    let twice = twice.clamp((-2 * limit).into(), (2 * limit).into()) as i32;
    ((twice + 1) >> 1) as i16
}

/// An offset with [`COUNT_BITS`] fractional bits, towards zero.
#[inline(always)]
fn fixed_offset(offset: f32) -> i32 {
    let (mantissa, exponent) = parts(offset);
    let magnitude = match 142 - exponent {
        shift @ 0.. => (mantissa << 6) >> shift.min(31),
        _ => 1 << (16 + COUNT_BITS),
    } as i32;
    if offset.to_bits() >> 31 == 1 { -magnitude } else { magnitude }
}

/// The number with these f32 bits, as an integer with that many fractional bits, rounded towards zero. Decoding has
/// checked that it is below 2^45.
#[inline(never)]
pub(crate) fn fixed(bits: u32, fractional_bits: u8) -> i64 {
    let number = f32::from_bits(bits);
    let (mantissa, exponent) = parts(number);
    // Shifted up by 32 bits first, so that the second shift always goes down.
    let shift = (32 + 150 - exponent - i32::from(fractional_bits)).clamp(11, 63);
    let magnitude = (i64::from(mantissa) << 32) >> shift;
    if bits >> 31 == 1 { -magnitude } else { magnitude }
}

/// |number| = mantissa * 2^(exponent - 150), except for subnormal numbers, which every caller rounds to 0.
#[inline(always)]
fn parts(number: f32) -> (u32, i32) {
    let bits = number.to_bits();
    let exponent = (bits >> 23) & 0xFF;
    (bits & 0x007F_FFFF | 0x0080_0000, exponent as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_read_floats_as_floats_do() {
        let numbers = [0.0_f32, -0.0, 1.0, -1.0, 0.1, -0.1, 3.75, 12_345.678, 1e-20, -1e-20, 1e-45, 65_504.0, -1e9];
        for number in numbers {
            for bits in [0, 8, 14] {
                let expected = libm::trunc(f64::from(number) * libm::exp2(f64::from(bits)));
                assert_eq!(fixed(number.to_bits(), bits) as f64, expected, "{number}, {bits}");
            }
            if number.abs() < 65_536.0 {
                let expected = libm::trunc(f64::from(number) * 16_384.0);
                assert_eq!(f64::from(fixed_offset(number)), expected, "{number}");
            }
        }
        assert_eq!(fixed_offset(f32::MAX), 1 << 30);
        assert_eq!(fixed_offset(f32::MIN), -(1 << 30));
    }

    #[test]
    fn counts_become_the_nearest_integer() {
        let limit = 30_000;
        for scale in [1.0_f32, 0.3, 123.4, 1e-4, 2048.0, 1e-30, 1e30, f32::MIN_POSITIVE, f32::MAX] {
            for offset in [0.0_f32, 0.5, -17.25, 1234.567, -32_768.0, 65_000.0] {
                for x in [0, 1, -1, 17, -300, i16::MAX, i16::MIN] {
                    let exact = (f64::from(x) - f64::from(offset)) * f64::from(scale);
                    let exact = exact.clamp(-f64::from(limit), f64::from(limit));
                    let found = f64::from(count(x, offset, scale, limit));
                    // The offset's dropped bits, and half a unit.
                    let most = (0.5 + f64::from(scale) / 16_384.0).min(2.0 * f64::from(limit));
                    assert!((found - exact).abs() <= most, "({x} - {offset}) * {scale}: {found}");
                }
            }
        }
        assert_eq!([3, 4, 5, 6].map(|x| count(x, 4.0, 0.5, 9)), [0, 0, 1, 1]);
    }

    #[test]
    fn readings_become_the_nearest_integer() {
        let of = |x| reading(x, 4.0, 0.5, 9.0_f32.to_bits());
        assert_eq!([3.0, 4.0, 5.0, 5.1, 7.0, 1e9, f32::MIN].map(of), [0, 0, 0, 1, 2, 9, -9]);
    }
}

//! What can be wrong with integer models alone: `bad_models.rs` has what all encodings share.

mod common;
mod forged;

use common::GOLDEN_FIXED;
use pual_infer::{DecodeError, Field};

/// Offsets in the header and after it: see FORMAT.md.
const KERNEL: usize = 5;
const FEATURES: usize = 8;
const BIAS: usize = 16;
const THRESHOLD: usize = 20;
const DISTANCE_SHIFT: usize = 28;
const COEFFICIENT_SHIFT: usize = 29;
const LIMIT: usize = 30;
const OFFSETS: usize = 32;

const OUT_OF_RANGE: Result<(), DecodeError> = Err(DecodeError::OutOfRange(Field::Expansion));

fn forged(original: &[u8], at: usize, with: &[u8]) -> Result<(), DecodeError> {
    forged::forged(original, at, with).decode_fixed().map(drop)
}

#[test]
fn a_linear_integer_model_is_refused() {
    for golden in GOLDEN_FIXED {
        assert_eq!(forged(golden.bytes, KERNEL, &[1]), Err(DecodeError::Kernel(1)));
    }
}

#[test]
fn numbers_must_be_finite_and_in_range() {
    for golden in GOLDEN_FIXED {
        let golden = golden.bytes;
        let features = usize::from(golden[FEATURES]);
        let scales = OFFSETS + 4 * features;
        for at in (BIAS..28).chain(OFFSETS..scales + 4 * features).step_by(4) {
            for bad in [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
                assert_eq!(forged(golden, at, &bad.to_le_bytes()), Err(DecodeError::NotFinite), "{at}");
            }
        }
        for bad in [0.0_f32, -0.0, -1.0, f32::from_bits(1)] {
            assert_eq!(forged(golden, scales, &bad.to_le_bytes()), Err(DecodeError::OutOfRange(Field::Scale)));
        }
        // With coefficient shift 14, sums hold numbers below 2^17.
        for (number, expected) in [(131_071.9_f32, Ok(())), (131_072.0, OUT_OF_RANGE), (-2e9, OUT_OF_RANGE)] {
            for at in [BIAS, THRESHOLD] {
                assert_eq!(forged(golden, at, &number.to_le_bytes()), expected, "{number}");
            }
        }
    }
}

#[test]
fn units_out_of_range_are_refused() {
    for golden in GOLDEN_FIXED {
        let golden = golden.bytes;
        for shift in [0, 17, 32, 255] {
            assert_eq!(forged(golden, DISTANCE_SHIFT, &[shift]), OUT_OF_RANGE);
        }
        for shift in [41, 64, 128, 255] {
            assert_eq!(forged(golden, COEFFICIENT_SHIFT, &[shift]), OUT_OF_RANGE);
        }
        // Too large for squared distances or for 16 bits, and smaller than a support value.
        for limit in [30_000_u16, 0x7FFF, 0x8000, 0xFFFF, 1, 0] {
            assert_eq!(forged(golden, LIMIT, &limit.to_le_bytes()), OUT_OF_RANGE, "{limit}");
        }
    }
}

#[test]
fn support_values_and_shifts_out_of_range_are_refused() {
    // The last value of the last row of the first block, in every encoding: the check reaches all of them.
    let [wide, enveloped, _] = GOLDEN_FIXED;
    let block = OFFSETS + 3 * 4 * 2;
    for value in 4..8 {
        for extreme in [i16::MIN, i16::MAX] {
            assert_eq!(forged(wide.bytes, block + 8 + 2 * value, &extreme.to_le_bytes()), OUT_OF_RANGE);
        }
    }
    let shifts = OFFSETS + 3 * 4 * 3;
    for shift in [8, 9, 15, 16, 32, 255] {
        for feature in 0..3 {
            assert_eq!(forged(enveloped.bytes, shifts + feature, &[shift]), OUT_OF_RANGE);
        }
    }
    // The padding is ignored.
    assert_eq!(forged(enveloped.bytes, shifts + 3, &[1]), Ok(()));
}

#[test]
fn a_reversed_envelope_is_refused() {
    let enveloped = &GOLDEN_FIXED[1];
    let envelope = OFFSETS + 2 * 4 * 3;
    let reversed = [1_i16.to_le_bytes(), 0_i16.to_le_bytes()].concat();
    for feature in 0..3 {
        let found = forged(enveloped.bytes, envelope + 4 * feature, &reversed);
        assert_eq!(found, Err(DecodeError::OutOfRange(Field::Envelope)));
    }
}

//! Whatever is wrong with an integer model, decoding says so, and what: never a panic, never a score.

mod common;

use common::{GOLDEN, GOLDEN_FIXED};
use pual_infer::{Aligned, AnyModel, DecodeError, Field, FixedModel, ModelBytes};

/// Offsets in the head and behind it: see FORMAT.md.
const KERNEL: usize = 5;
const ENCODING: usize = 6;
const FLAGS: usize = 7;
const FEATURES: usize = 8;
const SUPPORTS: usize = 10;
const LENGTH: usize = 12;
const BIAS: usize = 16;
const THRESHOLD: usize = 20;
const DISTANCE_SHIFT: usize = 28;
const COEFFICIENT_SHIFT: usize = 29;
const LIMIT: usize = 30;
const OFFSETS: usize = 32;

const OUT_OF_RANGE: Result<(), DecodeError> = Err(DecodeError::OutOfRange(Field::Expansion));

fn decode(bytes: &[u8]) -> Result<(), DecodeError> {
    let bytes = ModelBytes::new(bytes);
    let result = bytes.decode_fixed().map(|_| ());
    // However it is decoded, the verdict is the same.
    assert_eq!(
        AnyModel::decode(&bytes).is_ok(),
        result.is_ok() || bytes.decode().is_ok()
    );
    result
}

/// Changes some bytes, makes the checksum right again, so that the other checks are reached, and decodes.
fn forged(original: &[u8], at: usize, with: &[u8]) -> Result<(), DecodeError> {
    let mut bytes = original.to_vec();
    bytes[at..at + with.len()].copy_from_slice(with);
    seal(&mut bytes);
    decode(&bytes)
}

fn seal(bytes: &mut [u8]) {
    let (body, checksum) = bytes.split_last_chunk_mut::<4>().unwrap();
    *checksum = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC)
        .checksum(body)
        .to_le_bytes();
}

fn features(bytes: &[u8]) -> usize {
    bytes[FEATURES].into()
}

#[test]
fn every_truncation_is_refused() {
    for golden in GOLDEN_FIXED {
        for length in 0..golden.bytes.len() {
            assert_eq!(
                decode(&golden.bytes[..length]),
                Err(DecodeError::Truncated),
                "{}, {length} bytes",
                golden.name
            );
        }
    }
}

#[test]
fn every_flipped_bit_is_noticed() {
    for golden in GOLDEN_FIXED {
        for bit in 0..8 * golden.bytes.len() {
            let mut bytes = golden.bytes.to_vec();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(decode(&bytes).is_err(), "{}, bit {bit}", golden.name);
            bytes.resize(bytes.len() + 64, 0xFF);
            assert!(
                decode(&bytes).is_err(),
                "{}, bit {bit}, padded",
                golden.name
            );
        }
    }
}

#[test]
fn erased_flash_may_follow_and_nothing_else() {
    for golden in GOLDEN_FIXED {
        for padding in [1, 2, 3, 4, 100, 4096] {
            let mut bytes = golden.bytes.to_vec();
            bytes.resize(bytes.len() + padding, 0xFF);
            assert_eq!(decode(&bytes), Ok(()));
            let last = bytes.len() - 1;
            bytes[last] = 0xFE;
            assert_eq!(decode(&bytes), Err(DecodeError::TrailingBytes));
        }
    }
}

#[test]
fn unknown_tags_are_refused_and_other_encodings_are_not_misread() {
    for golden in GOLDEN_FIXED {
        for kernel in [1, 2, 255] {
            assert_eq!(
                forged(golden.bytes, KERNEL, &[kernel]),
                Err(DecodeError::Kernel(kernel))
            );
        }
        for encoding in [0, 3, 255] {
            let expected = Err(DecodeError::Encoding(encoding));
            assert_eq!(forged(golden.bytes, ENCODING, &[encoding]), expected);
        }
        for flags in [4, 0x83] {
            assert_eq!(
                forged(golden.bytes, FLAGS, &[flags]),
                Err(DecodeError::Flags(flags))
            );
        }
        // i16 taken for i8, and the other way: the lengths do not fit.
        let other = 3 - golden.bytes[ENCODING];
        assert!(
            forged(golden.bytes, ENCODING, &[other]).is_err(),
            "{}",
            golden.name
        );
        assert_eq!(
            golden.aligned().decode().unwrap_err(),
            DecodeError::Encoding(golden.bytes[ENCODING])
        );
    }
    assert_eq!(decode(GOLDEN[0].bytes), Err(DecodeError::Encoding(0)));
}

#[test]
fn counts_must_fit_the_length() {
    for golden in GOLDEN_FIXED {
        let golden = golden.bytes;
        assert_eq!(
            forged(golden, FEATURES, &[0, 0]),
            Err(DecodeError::NoFeatures)
        );
        assert_eq!(
            forged(golden, SUPPORTS, &[0, 0]),
            Err(DecodeError::NoSupports)
        );
        // 65,535 of each overflows 32 bits; every other wrong count is just too long or too short.
        assert_eq!(
            forged(golden, FEATURES, &[0xFF; 4]),
            Err(DecodeError::Length)
        );
        for count in [
            64, 255, 256, 1000, 0x3FFF, 0x7FFF, 0x8000, 0xFFFC, 0xFFFF_u16,
        ] {
            for at in [FEATURES, SUPPORTS] {
                let result = forged(golden, at, &count.to_le_bytes());
                assert_eq!(result, Err(DecodeError::Length), "{count}");
            }
        }
        for length in [0_u32, 3, 4, 31, 32] {
            assert!(matches!(
                forged(golden, LENGTH, &length.to_le_bytes()),
                Err(DecodeError::Length | DecodeError::Checksum)
            ));
        }
        for length in [golden.len() as u32 + 1, u32::MAX] {
            let result = forged(golden, LENGTH, &length.to_le_bytes());
            assert_eq!(result, Err(DecodeError::Truncated));
        }
    }
}

#[test]
fn numbers_must_be_finite_and_in_range() {
    for golden in GOLDEN_FIXED {
        let golden = golden.bytes;
        let scales = OFFSETS + 4 * features(golden);
        for at in (BIAS..28)
            .chain(OFFSETS..scales + 4 * features(golden))
            .step_by(4)
        {
            for bad in [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
                let result = forged(golden, at, &bad.to_le_bytes());
                assert_eq!(result, Err(DecodeError::NotFinite), "{at}");
            }
        }
        for bad in [0.0_f32, -0.0, -1.0, f32::from_bits(1)] {
            let result = forged(golden, scales, &bad.to_le_bytes());
            assert_eq!(result, Err(DecodeError::OutOfRange(Field::Scale)));
        }
        // With coefficient shift 14, sums hold numbers below 2^17.
        for (number, expected) in [
            (131_071.9_f32, Ok(())),
            (131_072.0, OUT_OF_RANGE),
            (-2e9, OUT_OF_RANGE),
        ] {
            for at in [BIAS, THRESHOLD] {
                assert_eq!(
                    forged(golden, at, &number.to_le_bytes()),
                    expected,
                    "{number}"
                );
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
            assert_eq!(
                forged(golden, LIMIT, &limit.to_le_bytes()),
                OUT_OF_RANGE,
                "{limit}"
            );
        }
    }
}

#[test]
fn support_values_and_shifts_out_of_range_are_refused() {
    // The last value of the last row of the first block, whatever the encoding: the check reaches every one of them.
    let [wide, enveloped, _] = GOLDEN_FIXED;
    let block = OFFSETS + 3 * 4 * 2;
    for value in 4..8 {
        let at = block + 8 + 2 * value;
        assert_eq!(
            forged(wide.bytes, at, &i16::MIN.to_le_bytes()),
            OUT_OF_RANGE
        );
        assert_eq!(
            forged(wide.bytes, at, &i16::MAX.to_le_bytes()),
            OUT_OF_RANGE
        );
    }
    let shifts = OFFSETS + 3 * 4 * 3;
    for shift in [8, 9, 15, 16, 32, 255] {
        for feature in 0..3 {
            assert_eq!(
                forged(enveloped.bytes, shifts + feature, &[shift]),
                OUT_OF_RANGE
            );
        }
    }
    // The filling means nothing.
    assert_eq!(forged(enveloped.bytes, shifts + 3, &[1]), Ok(()));
}

#[test]
fn envelope_and_names_are_checked() {
    let [named, enveloped, plain] = GOLDEN_FIXED;
    let envelope = OFFSETS + 2 * 4 * 3;
    let reversed = [1_i16.to_le_bytes(), 0_i16.to_le_bytes()].concat();
    for feature in 0..3 {
        assert_eq!(
            forged(enveloped.bytes, envelope + 4 * feature, &reversed),
            Err(DecodeError::OutOfRange(Field::Envelope))
        );
    }
    let first = named.bytes.len() - 4 - (1 + "temperature °C".len()) - (1 + "slope".len());
    for length in [0, 14, 16, 255] {
        let result = forged(named.bytes, first, &[length]);
        assert_eq!(result, Err(DecodeError::Names), "{length}");
    }
    // Names without the flag, and the flag without names.
    assert_eq!(forged(named.bytes, FLAGS, &[1]), Err(DecodeError::Names));
    assert_eq!(forged(plain.bytes, FLAGS, &[2]), Err(DecodeError::Names));
}

#[test]
fn a_misaligned_model_is_refused() {
    for golden in GOLDEN_FIXED {
        for shift in 1..4 {
            let mut space = Aligned([0xFF_u8; 1024]);
            space.0[shift..shift + golden.bytes.len()].copy_from_slice(golden.bytes);
            assert_eq!(
                FixedModel::decode(&space.0[shift..]).unwrap_err(),
                DecodeError::Misaligned
            );
        }
    }
}

#[test]
fn damage_of_any_kind_never_panics() {
    use proptest::prelude::*;
    let strategy = (
        0..3_usize,
        prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        any::<bool>(),
    );
    proptest!(ProptestConfig::with_cases(20_000), |((which, edits, sealed) in strategy)| {
        let mut bytes = GOLDEN_FIXED[which].bytes.to_vec();
        for (index, value) in edits {
            let at = index.index(bytes.len());
            bytes[at] = value;
        }
        if sealed {
            seal(&mut bytes);
        }
        // If it decodes after all, every score it gives is finite, and so are its answers about itself.
        if let Ok(model) = ModelBytes::new(&bytes).decode_fixed() {
            for x in [0.0, 1e-40, 1e9, f32::MAX, f32::MIN] {
                let reading = vec![x; model.features()];
                prop_assert!(model.score(&reading).is_ok_and(f32::is_finite));
                prop_assert!(model.envelope(&reading).is_ok());
            }
            for count in [0, i16::MIN, i16::MAX] {
                let counts = vec![count; model.features()];
                prop_assert!(model.score_counts(&counts).is_ok());
                prop_assert!(model.classify_counts(&counts).is_ok());
                prop_assert!(model.envelope_counts(&counts).is_ok());
            }
            prop_assert!(model.coefficient(model.supports() - 1).is_some());
            prop_assert!(model.support(model.supports() - 1, model.features() - 1).is_some());
        }
    });
}

//! Decoding refuses every damaged model and says what is wrong: never a panic, never a score.

mod common;
mod forged;

use common::{GOLDEN, Golden, all};
use forged::{forged, seal};
use pual_infer::{Aligned, DecodeError, Field, Model, ModelBytes};

/// Offsets in the header: see FORMAT.md.
const VERSION: usize = 4;
const KERNEL: usize = 5;
const ENCODING: usize = 6;
const FLAGS: usize = 7;
const FEATURES: usize = 8;
const SUPPORTS: usize = 10;
const LENGTH: usize = 12;
const NUMBERS: usize = 16;

fn decode(bytes: &[u8]) -> Result<(), DecodeError> {
    ModelBytes::new(bytes).decode().map(drop)
}

fn refusal(original: &[u8], at: usize, with: &[u8]) -> Option<DecodeError> {
    forged(original, at, with).decode().err()
}

#[track_caller]
fn refused(original: &[u8], at: usize, with: &[u8], why: DecodeError) {
    assert_eq!(refusal(original, at, with), Some(why), "{with:?} at {at}");
}

/// Where the names begin.
fn names_offset(golden: &Golden) -> usize {
    let bytes = golden.aligned();
    let model = bytes.decode().unwrap();
    model.description().sections().find(|section| section.name == "names").unwrap().offset
}

#[test]
fn every_truncation_is_refused() {
    for golden in all() {
        for length in 0..golden.bytes.len() {
            let found = decode(&golden.bytes[..length]);
            assert_eq!(found, Err(DecodeError::Truncated), "{}, {length} bytes", golden.name);
        }
    }
}

#[test]
fn every_flipped_bit_is_noticed() {
    for golden in all() {
        for bit in 0..8 * golden.bytes.len() {
            let mut bytes = golden.bytes.to_vec();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(decode(&bytes).is_err(), "{}, bit {bit}", golden.name);
            // The same in a flash region that is larger than the model.
            bytes.resize(bytes.len() + 64, 0xFF);
            assert!(decode(&bytes).is_err(), "{}, bit {bit}", golden.name);
        }
    }
}

#[test]
fn erased_flash_may_follow_and_nothing_else() {
    for golden in all() {
        for padding in [1, 2, 3, 4, 100, 4096] {
            let mut bytes = golden.bytes.to_vec();
            bytes.resize(bytes.len() + padding, 0xFF);
            assert_eq!(decode(&bytes), Ok(()));
            for at in [golden.bytes.len(), bytes.len() - 1] {
                let mut garbage = bytes.clone();
                garbage[at] = 0xFE;
                assert_eq!(decode(&garbage), Err(DecodeError::TrailingBytes));
            }
        }
    }
}

#[test]
fn erased_flash_and_foreign_bytes_are_no_model() {
    assert_eq!(decode(&[]), Err(DecodeError::Truncated));
    assert_eq!(decode(&[0xFF; 512]), Err(DecodeError::NotAModel));
    assert_eq!(decode(&[0; 512]), Err(DecodeError::NotAModel));
}

#[test]
fn unknown_tags_are_refused() {
    for golden in all() {
        let golden = golden.bytes;
        for tag in [0, 3, 255] {
            refused(golden, VERSION, &[tag], DecodeError::Version(tag));
        }
        // Version 2 has a recipe, which is missing.
        assert!(refusal(golden, VERSION, &[2]).is_some());
        for tag in [2, 255] {
            refused(golden, KERNEL, &[tag], DecodeError::Kernel(tag));
        }
        for tag in [3, 255] {
            refused(golden, ENCODING, &[tag], DecodeError::Encoding(tag));
        }
        for bits in [4, 0x83] {
            refused(golden, FLAGS, &[bits], DecodeError::Flags(bits));
        }
        // Another encoding's tag: the length does not fit.
        for tag in (0..3).filter(|&tag| tag != golden[ENCODING]) {
            assert!(refusal(golden, ENCODING, &[tag]).is_some());
        }
    }
}

#[test]
fn the_wrong_type_of_model_names_the_right_one() {
    for golden in all() {
        let bytes = golden.aligned();
        let error = match bytes.decode().unwrap() {
            Model::Float(_) => bytes.decode_fixed().unwrap_err(),
            Model::Fixed(_) => bytes.decode_float().unwrap_err(),
        };
        let tag = golden.bytes[ENCODING];
        assert_eq!(error, DecodeError::Encoding(tag));
        let expected = match tag {
            0 => "an f32 model: decode it with Model or FloatModel",
            1 => "an integer model (i16): decode it with Model or FixedModel",
            _ => "an integer model (i8): decode it with Model or FixedModel",
        };
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn counts_must_fit_the_length() {
    for golden in all() {
        let golden = golden.bytes;
        refused(golden, FEATURES, &[0, 0], DecodeError::NoFeatures);
        refused(golden, SUPPORTS, &[0, 0], DecodeError::NoSupports);
        // 65,535 of each overflows 32 bits; every other wrong count is just too long or too short.
        refused(golden, FEATURES, &[0xFF; 4], DecodeError::Length);
        for count in [64, 255, 256, 1000, 0x3FFF, 0x7FFF, 0x8000, 0xFFFC, 0xFFFF_u16] {
            for at in [FEATURES, SUPPORTS] {
                refused(golden, at, &count.to_le_bytes(), DecodeError::Length);
            }
        }
        for length in [0_u32, 3, 4, 31, 32] {
            let found = refusal(golden, LENGTH, &length.to_le_bytes());
            assert!(matches!(found, Some(DecodeError::Length | DecodeError::Checksum)));
        }
        for length in [golden.len() as u32 + 1, u32::MAX] {
            refused(golden, LENGTH, &length.to_le_bytes(), DecodeError::Truncated);
        }
    }
}

#[test]
fn not_a_single_number_may_be_nan_or_infinite() {
    for golden in GOLDEN {
        let end = names_offset(&golden);
        assert_eq!((end - NUMBERS) % 4, 0);
        for at in (NUMBERS..end).step_by(4) {
            for bad in [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::from_bits(0x7F80_0001)] {
                refused(golden.bytes, at, &bad.to_le_bytes(), DecodeError::NotFinite);
            }
        }
    }
}

#[test]
fn numbers_out_of_range_are_refused() {
    let out_of_range =
        |at, bad: f32, field| refused(GOLDEN[0].bytes, at, &bad.to_le_bytes(), DecodeError::OutOfRange(field));
    let features = 2;
    let scale = NUMBERS + 12 + 4 * features;
    for bad in [0.0, -0.0, -1.0, f32::from_bits(1)] {
        out_of_range(scale, bad, Field::Scale);
    }
    let minimum = scale + 4 * features;
    out_of_range(minimum, 1e9, Field::Envelope);
    let coefficient = minimum + 8 * features;
    let support = coefficient + 4 * 8;
    for at in [NUMBERS, coefficient, support] {
        for bad in [1.1e9, f32::MIN] {
            out_of_range(at, bad, Field::Expansion);
        }
    }
}

#[test]
fn names_must_fill_their_section() {
    for golden in all() {
        let flags = golden.bytes[FLAGS];
        // The flag without names, or names without the flag.
        refused(golden.bytes, FLAGS, &[flags ^ 2], DecodeError::Names);
        if flags & 2 != 0 {
            for length in [0, 14, 16, 255] {
                refused(golden.bytes, names_offset(&golden), &[length], DecodeError::Names);
            }
        }
    }
}

#[test]
fn a_misaligned_model_is_refused() {
    for golden in all() {
        for shift in 1..4 {
            let mut space = Aligned([0xFF_u8; 1024]);
            space.0[shift..shift + golden.bytes.len()].copy_from_slice(golden.bytes);
            assert_eq!(Model::decode(&space.0[shift..]).unwrap_err(), DecodeError::Misaligned);
        }
    }
}

#[test]
fn damage_of_any_kind_never_panics() {
    use proptest::prelude::*;
    let strategy =
        (0..6_usize, prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12), any::<bool>());
    let models: Vec<_> = all().collect();
    proptest!(ProptestConfig::with_cases(40_000), |((which, edits, sealed) in strategy)| {
        let mut bytes = models[which].bytes.to_vec();
        for (index, value) in edits {
            *index.get_mut(&mut bytes) = value;
        }
        if sealed {
            seal(&mut bytes);
        }
        // If it decodes after all, every score is finite, and everything else has an answer.
        let bytes = ModelBytes::new(&bytes);
        if let Ok(model) = bytes.decode() {
            let (supports, features) = (model.supports(), model.features());
            for x in [0.0, 1e-40, 1e9, f32::MAX, f32::MIN] {
                let verdict = model.judge(&vec![x; features]);
                prop_assert!(verdict.is_ok_and(|verdict| verdict.score.is_finite()));
            }
            if let Model::Fixed(model) = model {
                for count in [0, i16::MIN, i16::MAX] {
                    prop_assert!(model.judge_counts(&vec![count; features]).is_ok());
                }
            }
            prop_assert!(model.coefficient(supports - 1).is_some());
            prop_assert!(model.support(supports - 1, features - 1).is_some());
        }
    });
}

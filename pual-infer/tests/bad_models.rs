//! Decoding refuses every damaged model and says what is wrong: never a panic, never a score.

mod common;
mod forged;

use common::{GOLDEN, all};
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

#[test]
fn every_truncation_is_refused() {
    for golden in all() {
        for length in 0..golden.bytes.len() {
            let error = decode(&golden.bytes[..length]).unwrap_err();
            let name = golden.name;
            assert_eq!(error, DecodeError::Truncated, "{name}, {length} bytes");
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
        for tag in [0, 2, 255] {
            let version = Some(DecodeError::Version(tag));
            assert_eq!(refusal(golden, VERSION, &[tag]), version);
        }
        for tag in [2, 255] {
            let kernel = Some(DecodeError::Kernel(tag));
            assert_eq!(refusal(golden, KERNEL, &[tag]), kernel);
        }
        for tag in [3, 255] {
            let encoding = Some(DecodeError::Encoding(tag));
            assert_eq!(refusal(golden, ENCODING, &[tag]), encoding);
        }
        for bits in [4, 0x83] {
            let flags = Some(DecodeError::Flags(bits));
            assert_eq!(refusal(golden, FLAGS, &[bits]), flags);
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
        let no_features = Some(DecodeError::NoFeatures);
        assert_eq!(refusal(golden, FEATURES, &[0, 0]), no_features);
        let no_supports = Some(DecodeError::NoSupports);
        assert_eq!(refusal(golden, SUPPORTS, &[0, 0]), no_supports);
        // 65,535 of each overflows 32 bits; every other wrong count is just too long or too short.
        let length = Some(DecodeError::Length);
        assert_eq!(refusal(golden, FEATURES, &[0xFF; 4]), length);
        for count in [64, 255, 256, 1000, 0x3FFF, 0x7FFF, 0x8000, 0xFFFC, 0xFFFF_u16] {
            for at in [FEATURES, SUPPORTS] {
                let found = refusal(golden, at, &count.to_le_bytes());
                assert_eq!(found, length, "{count}");
            }
        }
        for length in [0_u32, 3, 4, 31, 32] {
            assert!(matches!(
                refusal(golden, LENGTH, &length.to_le_bytes()),
                Some(DecodeError::Length | DecodeError::Checksum)
            ));
        }
        for length in [golden.len() as u32 + 1, u32::MAX] {
            let found = refusal(golden, LENGTH, &length.to_le_bytes());
            assert_eq!(found, Some(DecodeError::Truncated));
        }
    }
}

#[test]
fn not_a_single_number_may_be_nan_or_infinite() {
    for golden in GOLDEN {
        let bytes = golden.aligned();
        let model = bytes.decode().unwrap();
        let mut sections = model.description().sections();
        let end = sections.find(|section| section.name == "names");
        let end = end.unwrap().offset;
        assert_eq!((end - NUMBERS) % 4, 0);
        for at in (NUMBERS..end).step_by(4) {
            for bad in [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::from_bits(0x7F80_0001)] {
                let found = refusal(golden.bytes, at, &bad.to_le_bytes());
                let name = golden.name;
                assert_eq!(found, Some(DecodeError::NotFinite), "{name}, {at}: {bad}");
            }
        }
    }
}

#[test]
fn numbers_out_of_range_are_refused() {
    let golden = &GOLDEN[0];
    let features = 2;
    let scale = NUMBERS + 12 + 4 * features;
    for bad in [0.0_f32, -0.0, -1.0, f32::from_bits(1)] {
        let found = refusal(golden.bytes, scale, &bad.to_le_bytes());
        assert_eq!(found, Some(DecodeError::OutOfRange(Field::Scale)));
    }
    let minimum = scale + 4 * features;
    let found = refusal(golden.bytes, minimum, &1e9_f32.to_le_bytes());
    assert_eq!(found, Some(DecodeError::OutOfRange(Field::Envelope)));
    let coefficient = minimum + 8 * features;
    let support = coefficient + 4 * 8;
    for at in [NUMBERS, coefficient, support] {
        for bad in [1.1e9_f32, f32::MIN] {
            let found = refusal(golden.bytes, at, &bad.to_le_bytes());
            assert_eq!(found, Some(DecodeError::OutOfRange(Field::Expansion)));
        }
    }
}

#[test]
fn names_must_fill_their_section() {
    for golden in all() {
        let (golden, name) = (golden.bytes, golden.name);
        let names = Some(DecodeError::Names);
        if golden[FLAGS] & 2 == 0 {
            // The flag without names.
            assert_eq!(refusal(golden, FLAGS, &[golden[FLAGS] | 2]), names);
            continue;
        }
        // Names without the flag.
        assert_eq!(refusal(golden, FLAGS, &[golden[FLAGS] & !2]), names);
        let bytes = ModelBytes::new(golden);
        let model = bytes.decode().unwrap();
        let mut sections = model.description().sections();
        let first = sections.find(|section| section.name == "names").unwrap();
        for length in [0, 14, 16, 255] {
            let found = refusal(golden, first.offset, &[length]);
            assert_eq!(found, names, "{name}: {length}");
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
            let at = index.index(bytes.len());
            bytes[at] = value;
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

//! Whatever is wrong with a model, decoding says so, and what: never a panic, never a score.

mod common;

use common::GOLDEN;
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
    ModelBytes::new(bytes).decode().map(|_| ())
}

/// Changes some bytes and makes the checksum right again, so that the other checks are reached.
fn forged(original: &[u8], at: usize, with: &[u8]) -> Vec<u8> {
    let mut bytes = original.to_vec();
    bytes[at..at + with.len()].copy_from_slice(with);
    seal(&mut bytes);
    bytes
}

fn seal(bytes: &mut [u8]) {
    let (body, checksum) = bytes.split_last_chunk_mut::<4>().unwrap();
    *checksum = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC)
        .checksum(body)
        .to_le_bytes();
}

#[test]
fn every_truncation_is_refused() {
    for golden in GOLDEN {
        for length in 0..golden.bytes.len() {
            let error = decode(&golden.bytes[..length]).unwrap_err();
            assert_eq!(
                error,
                DecodeError::Truncated,
                "{}, {length} bytes",
                golden.name
            );
        }
    }
}

#[test]
fn every_flipped_bit_is_noticed() {
    for golden in GOLDEN {
        for bit in 0..8 * golden.bytes.len() {
            let mut bytes = golden.bytes.to_vec();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(decode(&bytes).is_err(), "{}, bit {bit}", golden.name);
            // The same in a flash region that is larger than the model.
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
    for golden in GOLDEN {
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
    let golden = GOLDEN[0].bytes;
    for tag in [0, 2, 255] {
        assert_eq!(
            decode(&forged(golden, VERSION, &[tag])),
            Err(DecodeError::Version(tag))
        );
    }
    for tag in [2, 255] {
        assert_eq!(
            decode(&forged(golden, KERNEL, &[tag])),
            Err(DecodeError::Kernel(tag))
        );
    }
    for tag in [1, 255] {
        assert_eq!(
            decode(&forged(golden, ENCODING, &[tag])),
            Err(DecodeError::Encoding(tag))
        );
    }
    for bits in [4, 0x83] {
        assert_eq!(
            decode(&forged(golden, FLAGS, &[bits])),
            Err(DecodeError::Flags(bits))
        );
    }
}

#[test]
fn counts_must_fit_the_length() {
    for golden in GOLDEN {
        let golden = golden.bytes;
        assert_eq!(
            decode(&forged(golden, FEATURES, &[0, 0])),
            Err(DecodeError::NoFeatures)
        );
        assert_eq!(
            decode(&forged(golden, SUPPORTS, &[0, 0])),
            Err(DecodeError::NoSupports)
        );
        // 65,535 of each overflows 32 bits; every other wrong count is just too long or too short.
        let both = [0xFF; 4];
        assert_eq!(
            decode(&forged(golden, FEATURES, &both)),
            Err(DecodeError::Length)
        );
        for count in [64, 255, 256, 1000, 0xFFFF_u16] {
            let count = count.to_le_bytes();
            assert_eq!(
                decode(&forged(golden, FEATURES, &count)),
                Err(DecodeError::Length)
            );
            assert_eq!(
                decode(&forged(golden, SUPPORTS, &count)),
                Err(DecodeError::Length)
            );
        }
        for length in [0_u32, 3, 4] {
            let bytes = forged(golden, LENGTH, &length.to_le_bytes());
            assert!(matches!(
                decode(&bytes),
                Err(DecodeError::Length | DecodeError::Checksum)
            ));
        }
        for length in [golden.len() as u32 + 1, u32::MAX] {
            assert_eq!(
                decode(&forged(golden, LENGTH, &length.to_le_bytes())),
                Err(DecodeError::Truncated)
            );
        }
    }
}

#[test]
fn not_a_single_number_may_be_nan_or_infinite() {
    for golden in GOLDEN {
        let model = golden.aligned();
        let model = model.decode().unwrap();
        let names: usize = (0..)
            .map_while(|j| model.name(j))
            .map(|name| 1 + name.len())
            .sum();
        let end = golden.bytes.len() - 4 - names;
        assert_eq!((end - NUMBERS) % 4, 0);
        for at in (NUMBERS..end).step_by(4) {
            for bad in [
                f32::NAN,
                -f32::NAN,
                f32::INFINITY,
                f32::NEG_INFINITY,
                f32::from_bits(0x7F80_0001),
            ] {
                let bytes = forged(golden.bytes, at, &bad.to_le_bytes());
                assert_eq!(
                    decode(&bytes),
                    Err(DecodeError::NotFinite),
                    "{}, {at}: {bad}",
                    golden.name
                );
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
        let bytes = forged(golden.bytes, scale, &bad.to_le_bytes());
        assert_eq!(decode(&bytes), Err(DecodeError::OutOfRange(Field::Scale)));
    }
    let minimum = scale + 4 * features;
    let bytes = forged(golden.bytes, minimum, &1e9_f32.to_le_bytes());
    assert_eq!(
        decode(&bytes),
        Err(DecodeError::OutOfRange(Field::Envelope))
    );
    let coefficient = minimum + 8 * features;
    let support = coefficient + 4 * 8;
    for at in [NUMBERS, coefficient, support] {
        for bad in [1.1e9_f32, f32::MIN] {
            let bytes = forged(golden.bytes, at, &bad.to_le_bytes());
            assert_eq!(
                decode(&bytes),
                Err(DecodeError::OutOfRange(Field::Expansion))
            );
        }
    }
}

#[test]
fn names_must_fill_their_section() {
    let golden = GOLDEN[0].bytes;
    let first = golden.len() - 4 - (1 + "temperature °C".len()) - (1 + "slope".len());
    for length in [0, 14, 16, 255] {
        assert_eq!(
            decode(&forged(golden, first, &[length])),
            Err(DecodeError::Names),
            "{length}"
        );
    }
    // Names without the flag, and the flag without names.
    assert_eq!(
        decode(&forged(golden, FLAGS, &[1])),
        Err(DecodeError::Names)
    );
    assert_eq!(
        decode(&forged(GOLDEN[1].bytes, FLAGS, &[2])),
        Err(DecodeError::Names)
    );
}

#[test]
fn a_misaligned_model_is_refused() {
    for golden in GOLDEN {
        for shift in 1..4 {
            let mut space = Aligned([0xFF_u8; 1024]);
            space.0[shift..shift + golden.bytes.len()].copy_from_slice(golden.bytes);
            assert_eq!(
                Model::decode(&space.0[shift..]).unwrap_err(),
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
        let mut bytes = GOLDEN[which].bytes.to_vec();
        for (index, value) in edits {
            let at = index.index(bytes.len());
            bytes[at] = value;
        }
        if sealed {
            seal(&mut bytes);
        }
        // If it decodes after all, every score it gives is finite.
        if let Ok(model) = ModelBytes::new(&bytes).decode() {
            for x in [0.0, 1e-40, 1e9, f32::MAX, f32::MIN] {
                let reading = vec![x; model.features()];
                prop_assert!(model.score(&reading).is_ok_and(f32::is_finite));
            }
        }
    });
}

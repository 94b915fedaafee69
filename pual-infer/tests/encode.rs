//! What the encoders refuse, and what another threshold changes.

mod common;

use common::all;
use common::random::RandomModel;
use pual_infer::{
    Class, EncodeError, Encoding, ModelBytes, ModelSpec, SpecKernel, encode, encode_fixed, with_threshold,
};

#[test]
fn the_encoder_refuses_what_the_device_would() {
    let truth = RandomModel::new(12, 3, 2);
    let good = truth.spec();
    assert!(encode(&good).is_ok());
    let (long, many) = ("x".repeat(256), vec![0.0; 65_536]);
    let rbf = |bandwidth| SpecKernel::Rbf { bandwidth };
    let refused = [
        (ModelSpec { scales: &truth.scales[..1], ..good }, EncodeError::WrongLength),
        (ModelSpec { supports: &truth.supports[1..], ..good }, EncodeError::WrongLength),
        (ModelSpec { envelope: Some((&[1.0], &[2.0])), ..good }, EncodeError::WrongLength),
        (ModelSpec { bias: f64::NAN, ..good }, EncodeError::NotFinite),
        (ModelSpec { bias: 1e39, ..good }, EncodeError::NotFinite),
        (ModelSpec { kernel: rbf(0.0), ..good }, EncodeError::NotFinite),
        (ModelSpec { names: Some(&["one"]), ..good }, EncodeError::Names),
        (ModelSpec { names: Some(&["x", &long]), ..good }, EncodeError::Names),
        (
            ModelSpec { coefficients: &many, offsets: &[0.0], scales: &[1.0], supports: &many, envelope: None, ..good },
            EncodeError::TooLarge,
        ),
    ];
    for (spec, error) in refused {
        assert_eq!(encode(&spec), Err(error), "{spec:?}");
    }
    let not_decoded = [
        ModelSpec { scales: &[0.0, 1.0], ..good },
        ModelSpec { envelope: Some((&[1.0; 2], &[0.0; 2])), ..good },
        ModelSpec { offsets: &[], scales: &[], supports: &[], envelope: None, ..good },
        ModelSpec { coefficients: &[], supports: &[], ..good },
    ];
    for spec in not_decoded {
        let found = encode(&spec);
        assert!(matches!(found, Err(EncodeError::Refused(_))), "{found:?}");
    }
}

#[test]
fn what_integers_cannot_hold_is_refused() {
    let truth = RandomModel::new(9, 6, 3);
    let spec = truth.spec();
    let huge: Vec<_> = truth.coefficients.iter().map(|c| c * 1e30).collect();
    let sharp = SpecKernel::Rbf { bandwidth: 1e-3 };
    let refused = [
        (ModelSpec { kernel: SpecKernel::Linear, ..spec }, Encoding::I16),
        (ModelSpec { kernel: sharp, ..spec }, Encoding::I8),
        (spec, Encoding::F32),
        (ModelSpec { coefficients: &huge, ..spec }, Encoding::I16),
    ];
    for (spec, encoding) in refused {
        assert_eq!(encode_fixed(&spec, encoding), Err(EncodeError::NotForIntegers));
    }
}

#[test]
fn another_threshold_changes_four_bytes_and_the_checksum() {
    for golden in all() {
        let name = golden.name;
        // Erased flash behind the model stays, too.
        let old = ModelBytes::new(&[golden.bytes, &[0xFF; 9]].concat());
        let threshold = -0.375;
        let new = with_threshold(&old, threshold).unwrap();
        assert_eq!(new.len(), old.len());
        let checksum = golden.bytes.len() - 4..golden.bytes.len();
        let changed: Vec<usize> = (0..old.len()).filter(|&at| old[at] != new[at]).collect();
        assert!(changed.iter().all(|at| (20..24).contains(at) || checksum.contains(at)), "{name}: {changed:?}");
        let (before, after) = (old.decode().unwrap(), new.decode().unwrap());
        assert_eq!(after.threshold(), threshold);
        assert_eq!(after.name(0), before.name(0));
        for (reading, bits) in golden.scores() {
            let verdict = after.judge(&reading).unwrap();
            assert_eq!(verdict.score.to_bits(), bits, "{name}");
            assert_eq!(verdict.class == Class::Positive, verdict.score > threshold, "{name}");
            assert_eq!(verdict, before.judge_at(&reading, threshold).unwrap(), "{name}");
        }
        // And back again: every byte.
        assert_eq!(*with_threshold(&new, before.threshold()).unwrap(), *old, "{name}");
        for wrong in [f32::NAN, f32::INFINITY] {
            assert_eq!(with_threshold(&old, wrong).unwrap_err(), EncodeError::NotFinite);
        }
        // Integer sums have no room for it.
        let huge = with_threshold(&old, 1e30);
        assert_eq!(huge.is_err(), before.encoding() != Encoding::F32, "{name}");
    }
    let found = with_threshold(&ModelBytes::new(b"PUAL"), 0.0);
    assert!(matches!(found, Err(EncodeError::Refused(_))), "{found:?}");
}

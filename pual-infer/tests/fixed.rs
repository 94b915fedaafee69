//! Integer models: the same by floats and by counts.

mod common;

use common::random::{Random, RandomModel, floats};
use pual_infer::{Class, Encoding, Envelope, ModelSpec, ReadingError, encode, encode_fixed, quantised_supports};

#[test]
fn coefficients_fitted_to_the_quantised_instances_lose_nothing_to_them() {
    let truth = RandomModel::new(3, 30, 5);
    let spec = truth.spec();
    let supports = quantised_supports(&spec, Encoding::I8).unwrap();
    assert_ne!(supports, truth.supports);
    // Encoded again, the quantised instances stay where they are.
    let again = ModelSpec { supports: &supports, ..spec };
    for (a, b) in quantised_supports(&again, Encoding::I8).unwrap().iter().zip(&supports) {
        assert!((a - b).abs() < 1e-12);
    }
    let (float, fixed) = (encode(&again).unwrap(), encode_fixed(&again, Encoding::I8).unwrap());
    let (float, fixed) = (float.decode().unwrap(), fixed.decode_fixed().unwrap());
    let mut random = Random(5);
    for _ in 0..200 {
        let reading = floats(&truth.counts(&mut random));
        let difference = float.score(&reading).unwrap() - fixed.score(&reading).unwrap();
        assert!(difference.abs() < 1e-3, "{difference}");
    }
}

#[test]
fn counts_are_scored_as_the_same_numbers_in_f32() {
    for encoding in [Encoding::I16, Encoding::I8] {
        let truth = RandomModel::new(4, 50, 6);
        let bytes = encode_fixed(&truth.spec(), encoding).unwrap();
        let model = bytes.decode_fixed().unwrap();
        let (mut random, mut classes) = (Random(6), [0; 2]);
        for _ in 0..500 {
            let counts = truth.counts(&mut random);
            let reading = floats(&counts);
            let float = f64::from(model.score(&reading).unwrap());
            let integer = f64::from(model.score_counts(&counts).unwrap()) / 65_536.0;
            // At most one unit of a reading apart, where it is rounded.
            assert!((float - integer).abs() < 2e-3, "{float} {integer}");
            assert_eq!(model.envelope(&reading), model.envelope_counts(&counts));
            let class = model.classify_counts(&counts).unwrap();
            classes[usize::from(class == Class::Positive)] += 1;
            if (integer - f64::from(model.threshold())).abs() > 2e-3 {
                assert_eq!(class, model.classify(&reading).unwrap());
            }
        }
        assert!(classes.iter().all(|&count| count > 20), "{classes:?}");
    }
}

#[test]
fn extreme_counts_are_defined() {
    let truth = RandomModel::new(7, 10, 3);
    let bytes = encode_fixed(&truth.spec(), Encoding::I16).unwrap();
    let model = bytes.decode_fixed().unwrap();
    for extreme in [i16::MIN, i16::MAX] {
        // Far from every instance only the bias is left.
        let score = f64::from(model.score_counts(&[extreme; 3]).unwrap()) / 65_536.0;
        assert!((score - 0.1).abs() < 1e-3, "{score}");
        assert_eq!(model.envelope_counts(&[extreme; 3]), Ok(Envelope::Outside { feature: 0 }));
        assert_eq!(model.score(&[f32::MAX; 3]), model.score(&[1e20; 3]));
    }
    assert_eq!(model.score_counts(&[0; 2]), Err(ReadingError::WrongLength { expected: 3, found: 2 }));
    assert_eq!(model.score(&[0.0, f32::NAN, 0.0]), Err(ReadingError::NotFinite { feature: 1 }));
}

#[test]
fn an_integer_model_may_come_in_pieces() {
    let bytes = encode_fixed(&RandomModel::new(10, 5, 2).spec(), Encoding::I8).unwrap();
    let mut buffer = pual_infer::ModelBuffer::<64>::new();
    for piece in bytes.chunks(7) {
        buffer.extend(piece).unwrap();
    }
    let (received, sent) = (buffer.decode_fixed().unwrap(), bytes.decode_fixed().unwrap());
    assert_eq!(received.score_counts(&[3, -4]), sent.score_counts(&[3, -4]));
    assert_eq!(buffer.decode().unwrap().encoding(), Encoding::I8);
}

#[test]
fn a_reading_beyond_a_wide_envelope_is_seen() {
    // The training data goes far beyond the instances, but not absurdly far.
    let mut truth = RandomModel::new(3, 8, 2).with_bandwidth(1.0);
    for (at, scale) in truth.scales.iter().enumerate() {
        truth.minima[at] = truth.offsets[at] - 6.0 / scale;
        truth.maxima[at] = truth.offsets[at] + 9.0 / scale;
    }
    let bytes = encode_fixed(&truth.spec(), Encoding::I8).unwrap();
    let model = bytes.decode_fixed().unwrap();
    let reading = |z: f64| -> [f32; 2] { [0, 1].map(|at| (truth.offsets[at] + z / truth.scales[at]) as f32) };
    assert_eq!(model.envelope(&reading(8.9)), Ok(Envelope::Inside));
    for z in [9.2, -6.2, 50.0, -1e6] {
        assert_eq!(model.envelope(&reading(z)), Ok(Envelope::Outside { feature: 0 }), "{z}");
    }
    // Without the envelope the instances are the same: what was fitted to them stays fitted.
    let instances = quantised_supports(&truth.spec(), Encoding::I8).unwrap();
    let rounded = ModelSpec { supports: &instances, envelope: None, ..truth.spec() };
    let bare = quantised_supports(&rounded, Encoding::I8).unwrap();
    for (a, b) in instances.iter().zip(&bare) {
        assert!((a - b).abs() < 1e-9);
    }
}

#[test]
fn the_kernel_is_one_half_at_its_reach() {
    for (bandwidth, encoding) in [(0.7, Encoding::I16), (1.0, Encoding::I8), (2.0, Encoding::I8)] {
        let one = RandomModel::new(1, 1, 1).with_bandwidth(bandwidth);
        let spec = ModelSpec { offsets: &[1.0], coefficients: &[1.0], supports: &[0.0], bias: 0.0, ..one.spec() };
        for bytes in [encode(&spec).unwrap(), encode_fixed(&spec, encoding).unwrap()] {
            let model = bytes.decode().unwrap();
            let score = model.score(&[1.0 + model.reach() / model.description().scales()[0]]).unwrap();
            assert!((score - 0.5).abs() < 2e-3, "{bandwidth} {encoding:?}: {score}");
        }
    }
}

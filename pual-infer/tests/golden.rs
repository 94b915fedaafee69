//! Golden models of format version 1: the committed bytes decode, score as they always have, and are still what
//! the encoder writes.

mod common;

use common::{GOLDEN, GOLDEN_FIXED, all, golden_counts};
use pual_infer::{Encoding, Envelope, Kernel, Model};

#[test]
fn golden_models_score_as_ever() {
    for golden in all() {
        let bytes = golden.aligned();
        let model = bytes.decode().unwrap();
        let scores = golden.scores();
        assert!(scores.len() >= 20, "{}", golden.name);
        for (reading, bits) in scores {
            let score = model.score(&reading).unwrap();
            assert_eq!(score.to_bits(), bits, "{}: {reading:?} gives {score}", golden.name);
        }
    }
}

#[test]
fn golden_integer_models_score_counts_as_ever() {
    for (golden, counts) in GOLDEN_FIXED.into_iter().zip(golden_counts()) {
        let bytes = golden.aligned();
        let model = bytes.decode_fixed().unwrap();
        assert!(counts.len() >= 20, "{}", golden.name);
        for (counts, score) in counts {
            assert_eq!(model.score_counts(&counts), Ok(score), "{}: {counts:?}", golden.name);
        }
    }
}

#[test]
fn the_encoder_still_writes_the_golden_bytes() {
    all().for_each(|golden| assert_eq!(*golden.spec_bytes(), *golden.bytes, "{}", golden.name));
}

#[test]
fn sections_add_up_to_the_model() {
    for golden in all() {
        let bytes = golden.aligned();
        let model = bytes.decode().unwrap();
        let end = model.description().sections().fold(0, |end, section| {
            assert_eq!(section.offset, end, "{}: {section:?}", golden.name);
            end + section.length
        });
        assert_eq!(end, model.length(), "{}", golden.name);
    }
    let bytes = GOLDEN_FIXED[1].aligned();
    let model = bytes.decode().unwrap();
    assert_eq!((model.encoding().name(), model.kernel().name()), ("i8", "rbf"));
    // As in FORMAT.md's example.
    let lengths: Vec<_> = { model.description().sections() }.map(|section| (section.name, section.length)).collect();
    let expected = [
        ("header", 28),
        ("units", 4),
        ("offsets", 12),
        ("scales", 12),
        ("training range", 12),
        ("shifts", 4),
        ("expansion", 40),
        ("names", 0),
        ("checksum", 4),
    ];
    assert_eq!(lengths, expected);
}

#[test]
fn golden_models_say_what_is_in_them() {
    let outside = |feature| Ok(Envelope::Outside { feature });
    // The same model in both encodings.
    for (golden, encoding) in [(&GOLDEN[0], Encoding::F32), (&GOLDEN_FIXED[0], Encoding::I16)] {
        let bytes = golden.aligned();
        let model = bytes.decode().unwrap();
        let about = model.description();
        assert_eq!((model.kernel(), model.encoding()), (Kernel::Rbf, encoding));
        assert_eq!((model.features(), model.supports(), model.length()), (2, 5, bytes.len()));
        assert_eq!((model.name(0), model.name(1), model.name(2)), (Some("temperature °C"), Some("slope"), None));
        assert_eq!((about.bias(), about.threshold(), about.bandwidth()), (0.25, 0.125, 0.75));
        assert_eq!((model.coefficient(1), model.coefficient(5)), (Some(-0.125), None));
        assert_eq!((model.support(0, 2), model.support(5, 0)), (None, None));
        let raw = model.support(1, 0).unwrap() / about.scales()[0] + about.offsets()[0];
        assert!((raw - (0.25 / 0.25 + 4.5)).abs() < 1e-3, "{raw}");
        let (minimum, maximum) = model.range(1).unwrap();
        assert!((minimum + 5.5).abs() < 1e-3 && (maximum - 10.5).abs() < 1e-3);
        assert_eq!(model.range(2), None);
        assert_eq!(model.envelope(&[4.5, 10.5]), Ok(Envelope::Inside));
        assert_eq!(model.envelope(&[4.5, 10.6]), outside(1));
        assert_eq!(model.envelope(&[f32::NAN, 0.0]), outside(0));
        match model {
            Model::Float(_) => {
                assert_eq!(about.offsets(), [4.5, 2.5]);
                // Supports are stored scaled by sqrt(log2(e) / 2) / bandwidth, like the readings they are compared with.
                let fold = 0.849_321_8 / 0.75;
                assert!((model.support(0, 0).unwrap() + fold).abs() < 1e-6);
            }
            Model::Fixed(model) => {
                assert_eq!(model.envelope_counts(&[12, 10]), Ok(Envelope::Inside));
                assert_eq!(model.envelope_counts(&[12, 11]), outside(1));
            }
        }
    }

    let [_, plain, linear] = GOLDEN.map(|golden| golden.aligned());
    let model = plain.decode().unwrap();
    assert_eq!((model.supports(), model.name(0)), (16, None));
    assert_eq!(model.envelope(&[0.0; 3]), Ok(Envelope::Unknown));
    let model = linear.decode().unwrap();
    assert_eq!((model.kernel(), model.features(), model.supports()), (Kernel::Linear, 4, 1));
    assert_eq!(model.description().bandwidth(), 0.0);

    let [_, enveloped, plain] = GOLDEN_FIXED.map(|golden| golden.aligned());
    let model = enveloped.decode_fixed().unwrap();
    assert_eq!((model.encoding(), model.name(0)), (Encoding::I8, None));
    let about = model.description();
    let raw = model.support(5, 2).unwrap() / about.scales()[2] + about.offsets()[2];
    // Feature 2 of instance 5 is 17 * 5 mod 17 = 0, that is -1, in eighths.
    assert!((raw - (-1.0 / 0.75 + 0.5)).abs() < 2e-2, "{raw}");
    assert!(model.range(2).is_some());
    let model = plain.decode_fixed().unwrap();
    assert_eq!((model.supports(), model.features()), (20, 4));
    assert_eq!(model.envelope(&[0.0; 4]), Ok(Envelope::Unknown));
    assert_eq!(model.envelope_counts(&[0; 4]), Ok(Envelope::Unknown));
    assert_eq!(model.range(0), None);
}

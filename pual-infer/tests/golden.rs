//! Golden models of format version 1: the committed bytes decode, score as they always have, and are still what
//! the encoder writes.

mod common;

use common::GOLDEN;
use pual_infer::{Envelope, Kernel};

#[test]
fn golden_models_score_as_ever() {
    for golden in GOLDEN {
        let bytes = golden.aligned();
        let model = bytes.decode().unwrap();
        let scores = golden.scores();
        assert!(scores.len() >= 20, "{}", golden.name);
        for (reading, bits) in scores {
            let score = model.score(&reading).unwrap();
            assert_eq!(
                score.to_bits(),
                bits,
                "{}: {reading:?} gives {score}",
                golden.name
            );
        }
    }
}

#[test]
fn the_encoder_still_writes_the_golden_bytes() {
    for golden in GOLDEN {
        assert_eq!(*golden.spec_bytes(), *golden.bytes, "{}", golden.name);
    }
}

#[test]
fn golden_models_say_what_is_in_them() {
    let [named, plain, linear] = GOLDEN.map(|golden| golden.aligned());
    let model = named.decode().unwrap();
    assert_eq!(
        (model.kernel(), model.features(), model.supports()),
        (Kernel::Rbf, 2, 5)
    );
    assert_eq!(
        (model.name(0), model.name(1), model.name(2)),
        (Some("temperature °C"), Some("slope"), None)
    );
    assert_eq!(
        (model.bias(), model.threshold(), model.bandwidth()),
        (0.25, 0.125, 0.75)
    );
    assert_eq!(model.offsets(), [4.5, 2.5]);
    assert_eq!(
        (model.coefficient(1), model.coefficient(5)),
        (Some(-0.125), None)
    );
    // Supports are stored scaled by sqrt(log2(e) / 2) / bandwidth, like the readings they are compared with.
    let fold = 0.849_321_8 / 0.75;
    assert!((model.support(0, 0).unwrap() + fold).abs() < 1e-6);
    assert_eq!((model.support(0, 2), model.support(5, 0)), (None, None));
    assert_eq!(model.length(), named.len());
    assert_eq!(model.envelope(&[4.5, 10.5]), Ok(Envelope::Inside));
    assert_eq!(
        model.envelope(&[4.5, 10.6]),
        Ok(Envelope::Outside { feature: 1 })
    );
    assert_eq!(
        model.envelope(&[f32::NAN, 0.0]),
        Ok(Envelope::Outside { feature: 0 })
    );

    let model = plain.decode().unwrap();
    assert_eq!((model.supports(), model.name(0)), (16, None));
    assert_eq!(model.envelope(&[0.0; 3]), Ok(Envelope::Unknown));

    let model = linear.decode().unwrap();
    assert_eq!(
        (model.kernel(), model.features(), model.bandwidth()),
        (Kernel::Linear, 4, 0.0)
    );
}

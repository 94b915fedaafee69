//! Scores are close to the f64 formula and the same by every path, and a bad reading never gets one.

mod common;

use common::random::{Random, RandomModel};
use common::{GOLDEN, all};
use pual_infer::{
    Class, Encoding, Envelope, FixedModel, MAX_FEATURES_ON_STACK, Model, ModelBuffer, ModelBytes, ModelSpec,
    ReadingError, Verdict, encode, encode_fixed,
};

#[test]
fn scores_of_order_one_are_within_1e_minus_5_of_f64() {
    let mut random = Random(7);
    let (mut worst, mut largest) = (0.0_f64, 0.0_f64);
    for (supports, features) in [(1, 1), (20, 2), (64, 4), (256, 7), (700, 7), (256, 16), (700, 16)] {
        for bandwidth in [0.3, 1.0, 3.0] {
            let truth = RandomModel::new(supports as u64, supports, features)
                .with_bandwidth(bandwidth * (features as f64).sqrt());
            let bytes = encode(&truth.spec()).unwrap();
            let model = bytes.decode().unwrap();
            for _ in 0..200 {
                let reading = truth.reading(&mut random);
                let expected = truth.score(&reading);
                worst = worst.max((f64::from(model.score(&reading).unwrap()) - expected).abs());
                largest = largest.max(expected.abs());
            }
        }
    }
    println!("largest error {worst:.1e} on scores up to {largest:.1}");
    assert!(largest > 1.0 && largest < 10.0, "not scores of order 1: {largest}");
    assert!(worst <= 1e-5, "{worst:e}");
}

#[test]
fn linear_scores_are_close_to_f64() {
    let mut random = Random(8);
    for features in [1, 3, 16] {
        let truth = RandomModel::linear(8, features);
        let bytes = encode(&truth.spec()).unwrap();
        let model = bytes.decode().unwrap();
        for _ in 0..100 {
            let reading = truth.reading(&mut random);
            let difference = f64::from(model.score(&reading).unwrap()) - truth.score(&reading);
            assert!(difference.abs() < 3e-5, "{difference:e}");
        }
    }
}

/// Models of every encoding, with readings for each.
fn models() -> Vec<(ModelBytes, Vec<Vec<f32>>)> {
    let mut random = Random(12);
    let mut models = Vec::new();
    let mut add = |bytes: Result<ModelBytes, _>, truth: &RandomModel| {
        models.push((bytes.unwrap(), (0..200).map(|_| truth.reading(&mut random)).collect()));
    };
    for (seed, (supports, features)) in [(1, 1), (9, 2), (37, 5), (20, 64)].into_iter().enumerate() {
        let linear = RandomModel::linear(seed as u64, features);
        add(encode(&linear.spec()), &linear);
        let truth = RandomModel::new(seed as u64, supports, features);
        let spec = truth.spec();
        for envelope in [None, spec.envelope] {
            let spec = ModelSpec { envelope, ..spec };
            add(encode(&spec), &truth);
            add(encode_fixed(&spec, Encoding::I16), &truth);
            add(encode_fixed(&spec, Encoding::I8), &truth);
        }
    }
    models.extend(all().map(|golden| {
        let readings = golden.scores().into_iter().map(|(reading, _)| reading);
        (golden.aligned(), readings.collect())
    }));
    models
}

#[test]
fn judging_is_scoring_classifying_and_looking_at_the_envelope() {
    let mut seen = [0; 3];
    for (bytes, readings) in models() {
        let model = bytes.decode().unwrap();
        for mut reading in readings {
            let verdict = Verdict {
                score: model.score(&reading).unwrap(),
                class: model.classify(&reading).unwrap(),
                envelope: model.envelope(&reading).unwrap(),
            };
            for found in [
                model.judge(&reading),
                model.judge_with_scratch(&reading, &mut vec![0.0; model.features()]),
                match model {
                    Model::Float(model) => model.judge(&reading),
                    Model::Fixed(model) => model.judge(&reading),
                },
            ] {
                let found = found.unwrap();
                assert_eq!(found.score.to_bits(), verdict.score.to_bits());
                assert_eq!(found, verdict);
            }
            seen[match verdict.envelope {
                Envelope::Inside => 0,
                Envelope::Outside { .. } => 1,
                Envelope::Unknown => 2,
            }] += 1;
            if let Model::Fixed(model) = model {
                judge_counts(&model, &reading);
            }
            let feature = reading.len() - 1;
            for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
                reading[feature] = bad;
                refuses(&model, &reading, ReadingError::NotFinite { feature });
            }
            reading.push(0.0);
            refuses(&model, &reading, ReadingError::WrongLength { expected: feature + 1, found: feature + 2 });
        }
    }
    assert!(seen.iter().all(|&count| count > 100), "{seen:?}");
}

/// Every path refuses it with the same error; the envelope needs no finite numbers.
#[track_caller]
fn refuses(model: &Model<'_>, reading: &[f32], error: ReadingError) {
    let scratch = &mut vec![0.0; model.features()];
    assert_eq!(model.score(reading), Err(error));
    assert_eq!(model.classify(reading), Err(error));
    assert_eq!(model.judge(reading), Err(error));
    assert_eq!(model.judge_with_scratch(reading, scratch), Err(error));
    if let ReadingError::WrongLength { .. } = error {
        assert_eq!(model.envelope(reading), Err(error));
    }
}

fn judge_counts(model: &FixedModel<'_>, reading: &[f32]) {
    let counts: Vec<_> = reading.iter().map(|&value| value as i16).collect();
    let verdict = model.judge_counts(&counts).unwrap();
    assert_eq!(Ok(verdict.score), model.score_counts(&counts));
    assert_eq!(Ok(verdict.class), model.classify_counts(&counts));
    assert_eq!(Ok(verdict.envelope), model.envelope_counts(&counts));
    assert_eq!(model.judge_counts(&counts[1..]).unwrap_err(), model.score_counts(&counts[1..]).unwrap_err());
}

#[test]
fn every_path_gives_the_same_bits() {
    let mut random = Random(9);
    let truth = RandomModel::new(9, 37, 5);
    let bytes = encode(&truth.spec()).unwrap();
    let model = bytes.decode_float().unwrap();
    let mut buffer = ModelBuffer::<1024>::new();
    for piece in bytes.chunks(7) {
        buffer.extend(piece).unwrap();
    }
    let received = buffer.decode().unwrap();
    for _ in 0..200 {
        let reading: [f32; 5] = truth.reading(&mut random).try_into().unwrap();
        let expected = model.score(&reading).unwrap().to_bits();
        assert_eq!(model.score_array(&reading).unwrap().to_bits(), expected);
        assert_eq!(received.score(&reading).unwrap().to_bits(), expected);
        #[cfg(feature = "nalgebra")]
        assert_eq!(model.score_vector(&nalgebra::SVector::from(reading)).unwrap().to_bits(), expected);
    }
}

#[test]
fn an_instance_compared_with_itself_gives_its_coefficient() {
    let truth = RandomModel {
        offsets: vec![0.0; 2],
        coefficients: vec![0.75],
        supports: vec![0.0; 2],
        bias: 0.25,
        ..RandomModel::new(1, 1, 2)
    };
    let bytes = encode(&truth.spec()).unwrap();
    assert_eq!(bytes.decode().unwrap().score(&[0.0, 0.0]), Ok(1.0));
}

#[test]
fn a_bad_reading_gets_an_error_and_no_class() {
    for golden in all() {
        let bytes = golden.aligned();
        let model = bytes.decode().unwrap();
        let expected = model.features();
        for found in (0..2 * expected).filter(|&found| found != expected) {
            refuses(&model, &vec![1.0; found], ReadingError::WrongLength { expected, found });
        }
        if let Model::Float(model) = model {
            let error = ReadingError::WrongLength { expected, found: 9 };
            assert_eq!(model.score_array(&[0.0; 9]), Err(error));
            let found = model.judge_with_scratch(&vec![1.0; expected], &mut vec![0.0; expected - 1]);
            assert_eq!(found, Err(ReadingError::ScratchTooSmall { needed: expected }));
        }
        for feature in 0..expected {
            for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
                let mut reading = vec![1.0; expected];
                reading[feature] = bad;
                refuses(&model, &reading, ReadingError::NotFinite { feature });
            }
        }
    }
}

#[test]
fn many_features_need_scratch_space() {
    let features = MAX_FEATURES_ON_STACK + 1;
    let truth = RandomModel::new(11, 9, features);
    let reading = truth.reading(&mut Random(10));
    let needed = ReadingError::ScratchTooSmall { needed: features };
    for (bytes, most) in [(encode(&truth.spec()), 1e-5), (encode_fixed(&truth.spec(), Encoding::I16), 5e-3)] {
        let bytes = bytes.unwrap();
        let model = bytes.decode().unwrap();
        assert_eq!(model.score(&reading), Err(needed));
        assert_eq!(model.judge(&reading), Err(needed));
        let verdict = model.judge_with_scratch(&reading, &mut [0.0; 100]).unwrap();
        assert!((f64::from(verdict.score) - truth.score(&reading)).abs() < most);
        if let Model::Fixed(model) = model {
            assert_eq!(model.score_counts(&[0; 65]), Err(needed));
            assert_eq!(model.judge_with_scratch(&reading, &mut [0; MAX_FEATURES_ON_STACK]), Err(needed));
        }
    }
}

#[test]
fn readings_far_away_score_the_bias() {
    let truth = RandomModel::new(11, 12, 3).with_bandwidth(1e-4);
    let bytes = encode(&truth.spec()).unwrap();
    let model = bytes.decode().unwrap();
    for far in [1e5, 1e10, 1e20, 1e30, f32::MAX] {
        let bias = model.description().bias();
        assert_eq!(model.score(&[far, -far, far]), Ok(bias), "{far}");
    }
}

#[test]
fn the_threshold_decides_the_class() {
    let bytes = GOLDEN[0].aligned();
    let model = bytes.decode().unwrap();
    let class_of = |score| model.description().class_of(score);
    assert_eq!(class_of(model.threshold()), Class::Negative);
    assert_eq!(class_of(model.threshold() + 1e-6), Class::Positive);
    let classes: Vec<_> = GOLDEN[0].scores().iter().map(|(reading, _)| model.classify(reading).unwrap()).collect();
    assert!(classes.contains(&Class::Positive) && classes.contains(&Class::Negative));
}

#[test]
fn another_threshold_changes_the_class_alone() {
    for golden in all() {
        let bytes = golden.aligned();
        let model = bytes.decode().unwrap();
        let mut seen = Vec::new();
        for (reading, _) in golden.scores() {
            let own = model.judge(&reading).unwrap();
            assert_eq!(model.judge_at(&reading, model.threshold()), Ok(own));
            // A score at the threshold is not above it.
            for threshold in [own.score, own.score.next_down(), 0.5, -0.5, f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
                let verdict = model.judge_at(&reading, threshold).unwrap();
                assert_eq!(verdict.score.to_bits(), own.score.to_bits(), "{}", golden.name);
                assert_eq!(verdict.envelope, own.envelope, "{}", golden.name);
                assert_eq!(verdict.class == Class::Positive, own.score > threshold, "{}: {threshold}", golden.name);
                let alone = match model {
                    Model::Float(model) => model.judge_at(&reading, threshold),
                    Model::Fixed(model) => model.judge_at(&reading, threshold),
                };
                assert_eq!(alone, Ok(verdict));
                seen.push(verdict.class == own.class);
            }
        }
        assert!(seen.contains(&true) && seen.contains(&false), "{}", golden.name);
        assert!(model.judge_at(&[], 0.0).is_err());
    }
}

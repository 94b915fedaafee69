//! What a score is: close to the f64 formula, the same by every path, and never given for a bad reading.

mod common;

use common::GOLDEN;
use pual_infer::{
    Class, EncodeError, MAX_FEATURES_ON_STACK, ModelBuffer, ModelBytes, ModelSpec, ReadingError,
    SpecKernel, Window, encode,
};

/// A small generator, so that these tests need no other crate.
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }
}

/// A model in f64, from which both the bytes and the truth come.
struct Truth {
    kernel: SpecKernel,
    features: usize,
    offsets: Vec<f64>,
    scales: Vec<f64>,
    coefficients: Vec<f64>,
    supports: Vec<f64>,
    bias: f64,
}

impl Truth {
    fn random(random: &mut Random, kernel: SpecKernel, supports: usize, features: usize) -> Self {
        let size = 2.0 / (supports as f64).sqrt();
        Self {
            kernel,
            features,
            offsets: (0..features).map(|_| random.between(-50.0, 50.0)).collect(),
            scales: (0..features).map(|_| random.between(0.05, 2.0)).collect(),
            coefficients: (0..supports).map(|_| random.between(-size, size)).collect(),
            supports: (0..supports * features)
                .map(|_| random.between(-2.0, 2.0))
                .collect(),
            bias: random.between(-0.5, 0.5),
        }
    }

    fn encode(&self) -> ModelBytes {
        encode(&self.spec()).unwrap()
    }

    fn spec(&self) -> ModelSpec<'_> {
        ModelSpec {
            kernel: self.kernel,
            offsets: &self.offsets,
            scales: &self.scales,
            coefficients: &self.coefficients,
            supports: &self.supports,
            bias: self.bias,
            threshold: 0.0,
            envelope: None,
            names: None,
        }
    }

    fn score(&self, reading: &[f32]) -> f64 {
        let z: Vec<_> = (0..self.features)
            .map(|j| (f64::from(reading[j]) - self.offsets[j]) * self.scales[j])
            .collect();
        let rows = self.supports.chunks(self.features);
        let sum: f64 = rows
            .zip(&self.coefficients)
            .map(|(support, coefficient)| {
                let pairs = || z.iter().zip(support);
                coefficient
                    * match self.kernel {
                        SpecKernel::Rbf { bandwidth } => {
                            let squared: f64 = pairs().map(|(z, s)| (z - s) * (z - s)).sum();
                            libm::exp(-squared / (2.0 * bandwidth * bandwidth))
                        }
                        SpecKernel::Linear => pairs().map(|(z, s)| z * s).sum(),
                    }
            })
            .sum();
        sum + self.bias
    }

    fn reading(&self, random: &mut Random) -> Vec<f32> {
        (0..self.features)
            .map(|j| (self.offsets[j] + random.between(-2.2, 2.2) / self.scales[j]) as f32)
            .collect()
    }
}

#[test]
fn scores_of_order_one_are_within_1e_minus_5_of_f64() {
    let mut random = Random(7);
    let mut worst = 0.0_f64;
    let mut largest = 0.0_f64;
    for (supports, features) in [
        (1, 1),
        (20, 2),
        (64, 4),
        (256, 7),
        (700, 7),
        (256, 16),
        (700, 16),
    ] {
        for bandwidth in [0.3, 1.0, 3.0] {
            let kernel = SpecKernel::Rbf {
                bandwidth: bandwidth * (features as f64).sqrt(),
            };
            let truth = Truth::random(&mut random, kernel, supports, features);
            let bytes = truth.encode();
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
    assert!(
        largest > 1.0 && largest < 10.0,
        "not scores of order 1: {largest}"
    );
    assert!(worst <= 1e-5, "{worst:e}");
}

#[test]
fn linear_scores_are_close_to_f64() {
    let mut random = Random(8);
    for features in [1, 3, 16] {
        let truth = Truth::random(&mut random, SpecKernel::Linear, 1, features);
        let bytes = truth.encode();
        let model = bytes.decode().unwrap();
        for _ in 0..100 {
            let reading = truth.reading(&mut random);
            let difference = f64::from(model.score(&reading).unwrap()) - truth.score(&reading);
            assert!(difference.abs() < 3e-5, "{difference:e}");
        }
    }
}

#[test]
fn every_path_gives_the_same_bits() {
    let mut random = Random(9);
    let truth = Truth::random(&mut random, SpecKernel::Rbf { bandwidth: 1.0 }, 37, 5);
    let bytes = truth.encode();
    let model = bytes.decode().unwrap();
    let mut buffer = ModelBuffer::<1024>::new();
    for piece in bytes.chunks(7) {
        buffer.extend(piece).unwrap();
    }
    let received = buffer.decode().unwrap();
    for _ in 0..200 {
        let reading: [f32; 5] = truth.reading(&mut random).try_into().unwrap();
        let expected = model.score(&reading).unwrap().to_bits();
        assert_eq!(model.score_array(&reading).unwrap().to_bits(), expected);
        assert_eq!(
            model
                .score_with_scratch(&reading, &mut [0.0; 5])
                .unwrap()
                .to_bits(),
            expected
        );
        assert_eq!(received.score(&reading).unwrap().to_bits(), expected);
        #[cfg(feature = "nalgebra")]
        assert_eq!(
            model
                .score_vector(&nalgebra::SVector::from(reading))
                .unwrap()
                .to_bits(),
            expected
        );
    }
}

#[test]
fn an_instance_compared_with_itself_gives_its_coefficient() {
    let truth = Truth {
        kernel: SpecKernel::Rbf { bandwidth: 0.5 },
        features: 2,
        offsets: vec![0.0; 2],
        scales: vec![1.0; 2],
        coefficients: vec![0.75],
        supports: vec![0.0, 0.0],
        bias: 0.25,
    };
    assert_eq!(truth.encode().decode().unwrap().score(&[0.0, 0.0]), Ok(1.0));
}

#[test]
fn a_bad_reading_gets_an_error_and_no_class() {
    for golden in GOLDEN {
        let bytes = golden.aligned();
        let model = bytes.decode().unwrap();
        let expected = model.features();
        for found in (0..2 * expected).filter(|&found| found != expected) {
            let reading = vec![1.0; found];
            let error = ReadingError::WrongLength { expected, found };
            assert_eq!(model.score(&reading), Err(error));
            assert_eq!(model.classify(&reading), Err(error));
            assert_eq!(model.envelope(&reading), Err(error));
            assert_eq!(
                model.score_with_scratch(&reading, &mut [0.0; 16]),
                Err(error)
            );
        }
        assert_eq!(
            model.score_array(&[0.0; 9]),
            Err(ReadingError::WrongLength { expected, found: 9 })
        );
        for feature in 0..expected {
            for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
                let mut reading = vec![1.0; expected];
                reading[feature] = bad;
                let error = ReadingError::NotFinite { feature };
                assert_eq!(model.score(&reading), Err(error));
                assert_eq!(model.classify(&reading), Err(error));
            }
        }
        let needed = expected;
        let short = &mut vec![0.0; expected - 1];
        assert_eq!(
            model.score_with_scratch(&vec![1.0; expected], short),
            Err(ReadingError::ScratchTooSmall { needed })
        );
    }
}

#[test]
fn many_features_need_scratch_space() {
    let mut random = Random(10);
    let features = MAX_FEATURES_ON_STACK + 1;
    let truth = Truth::random(&mut random, SpecKernel::Rbf { bandwidth: 8.0 }, 9, features);
    let bytes = truth.encode();
    let model = bytes.decode().unwrap();
    let reading = truth.reading(&mut random);
    assert_eq!(
        model.score(&reading),
        Err(ReadingError::ScratchTooSmall { needed: features })
    );
    let score = model.score_with_scratch(&reading, &mut [0.0; 100]).unwrap();
    assert!((f64::from(score) - truth.score(&reading)).abs() < 1e-5);
}

#[test]
fn readings_far_away_score_the_bias() {
    let mut random = Random(11);
    let truth = Truth::random(&mut random, SpecKernel::Rbf { bandwidth: 1e-4 }, 12, 3);
    let bytes = truth.encode();
    let model = bytes.decode().unwrap();
    for far in [1e3, 1e10, 1e20, 1e30, f32::MAX] {
        assert_eq!(model.score(&[far, -far, far]), Ok(model.bias()), "{far}");
    }
}

#[test]
fn the_threshold_decides_the_class() {
    let bytes = GOLDEN[0].aligned();
    let model = bytes.decode().unwrap();
    assert_eq!(model.class_of(model.threshold()), Class::Negative);
    assert_eq!(model.class_of(model.threshold() + 1e-6), Class::Positive);
    let classes: Vec<_> = GOLDEN[0]
        .scores()
        .iter()
        .map(|(reading, _)| model.classify(reading).unwrap())
        .collect();
    assert!(classes.contains(&Class::Positive) && classes.contains(&Class::Negative));
}

#[test]
fn the_encoder_refuses_what_the_device_would() {
    let mut random = Random(12);
    let truth = Truth::random(&mut random, SpecKernel::Rbf { bandwidth: 1.0 }, 3, 2);
    let good = truth.spec();
    assert!(encode(&good).is_ok());
    let short = &truth.scales[..1];
    assert_eq!(
        encode(&ModelSpec {
            scales: short,
            ..good
        }),
        Err(EncodeError::WrongLength)
    );
    assert_eq!(
        encode(&ModelSpec {
            supports: &truth.supports[1..],
            ..good
        }),
        Err(EncodeError::WrongLength)
    );
    assert_eq!(
        encode(&ModelSpec {
            bias: f64::NAN,
            ..good
        }),
        Err(EncodeError::NotFinite)
    );
    assert_eq!(
        encode(&ModelSpec { bias: 1e39, ..good }),
        Err(EncodeError::NotFinite)
    );
    assert_eq!(
        encode(&ModelSpec {
            kernel: SpecKernel::Rbf { bandwidth: 0.0 },
            ..good
        }),
        Err(EncodeError::NotFinite)
    );
    assert!(matches!(
        encode(&ModelSpec {
            scales: &[0.0, 1.0],
            ..good
        }),
        Err(EncodeError::Refused(_))
    ));
    assert!(matches!(
        encode(&ModelSpec {
            envelope: Some((&[1.0; 2], &[0.0; 2])),
            ..good
        }),
        Err(EncodeError::Refused(_))
    ));
    assert_eq!(
        encode(&ModelSpec {
            envelope: Some((&[1.0], &[2.0])),
            ..good
        }),
        Err(EncodeError::WrongLength)
    );
    assert_eq!(
        encode(&ModelSpec {
            names: Some(&["one"]),
            ..good
        }),
        Err(EncodeError::Names)
    );
    let long = "x".repeat(256);
    assert_eq!(
        encode(&ModelSpec {
            names: Some(&["x", &long]),
            ..good
        }),
        Err(EncodeError::Names)
    );
    assert!(matches!(
        encode(&ModelSpec {
            offsets: &[],
            scales: &[],
            supports: &[],
            ..good
        }),
        Err(EncodeError::Refused(_))
    ));
    assert!(matches!(
        encode(&ModelSpec {
            coefficients: &[],
            supports: &[],
            ..good
        }),
        Err(EncodeError::Refused(_))
    ));
    let many = vec![0.0; 65_536];
    assert_eq!(
        encode(&ModelSpec {
            coefficients: &many,
            offsets: &[0.0],
            scales: &[1.0],
            supports: &many,
            ..good
        }),
        Err(EncodeError::TooLarge)
    );
}

#[test]
fn a_buffer_takes_what_fits() {
    let mut buffer = ModelBuffer::<4>::new();
    assert!(buffer.is_empty());
    buffer.extend(&[1; 15]).unwrap();
    assert!(buffer.extend(&[2; 2]).is_err());
    assert_eq!(buffer.len(), 15);
    buffer.extend(&[3]).unwrap();
    assert!(buffer.extend(&[4]).is_err());
    buffer.clear();
    assert!(buffer.is_empty() && buffer.extend(&[5; 16]).is_ok());
}

#[test]
fn a_window_slides() {
    let mut window = Window::<2, 4>::new();
    assert_eq!(window.level(0), None);
    for k in 0..10 {
        window.push([k as f32, -3.0]).unwrap();
        assert_eq!(window.len(), (k + 1).min(4));
    }
    assert_eq!(
        window.iter().map(|reading| reading[0]).collect::<Vec<_>>(),
        [6.0, 7.0, 8.0, 9.0]
    );
    assert_eq!((window.level(0), window.slope(0)), (Some(7.5), Some(1.0)));
    assert_eq!(window.spread(0), Some(1.25_f32.sqrt()));
    assert_eq!(
        (window.level(1), window.slope(1), window.spread(1)),
        (Some(-3.0), Some(0.0), Some(0.0))
    );
    assert_eq!(
        (window.level(2), window.slope(2), window.spread(2)),
        (None, None, None)
    );
    assert_eq!(
        window.push([0.0, f32::NAN]),
        Err(ReadingError::NotFinite { feature: 1 })
    );
    assert_eq!(window.level(0), Some(7.5));
    assert_eq!(Window::<1, 1>::new().slope(0), None);
}

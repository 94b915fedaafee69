//! Integer models: the same by floats and by counts, and what they cannot hold.

use pual_infer::{
    Class, DecodeError, EncodeError, Encoding, Envelope, ModelSpec, ReadingError, SpecKernel,
    encode, encode_fixed, quantised_supports,
};

struct Random(u64);

impl Random {
    fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        low + (high - low) * ((self.0 >> 11) as f64 / (1_u64 << 53) as f64)
    }
}

/// A model whose raw readings are counts of an analog-to-digital converter.
struct Truth {
    bandwidth: f64,
    offsets: Vec<f64>,
    scales: Vec<f64>,
    coefficients: Vec<f64>,
    supports: Vec<f64>,
    minima: Vec<f64>,
    maxima: Vec<f64>,
}

impl Truth {
    fn new(seed: u64, supports: usize, features: usize) -> Self {
        let mut random = Random(seed);
        let size = 2.0 / (supports as f64).sqrt();
        let offsets: Vec<_> = (0..features)
            .map(|_| random.between(-2000.0, 2000.0))
            .collect();
        Self {
            bandwidth: (features as f64).sqrt() * random.between(0.4, 1.0),
            scales: (0..features)
                .map(|_| 1.0 / random.between(100.0, 500.0))
                .collect(),
            coefficients: (0..supports).map(|_| random.between(-size, size)).collect(),
            supports: (0..supports * features)
                .map(|_| random.between(-2.0, 2.0))
                .collect(),
            minima: offsets.iter().map(|offset| offset - 1000.0).collect(),
            maxima: offsets.iter().map(|offset| offset + 1000.0).collect(),
            offsets,
        }
    }

    fn spec(&self) -> ModelSpec<'_> {
        ModelSpec {
            kernel: SpecKernel::Rbf {
                bandwidth: self.bandwidth,
            },
            offsets: &self.offsets,
            scales: &self.scales,
            coefficients: &self.coefficients,
            supports: &self.supports,
            bias: 0.1,
            threshold: 0.05,
            envelope: Some((&self.minima, &self.maxima)),
            names: None,
        }
    }

    fn counts(&self, random: &mut Random) -> Vec<i16> {
        let count = |j: usize, random: &mut Random| {
            self.offsets[j] + random.between(-2.5, 2.5) / self.scales[j]
        };
        (0..self.offsets.len())
            .map(|j| count(j, random) as i16)
            .collect()
    }
}

const ENCODINGS: [Encoding; 2] = [Encoding::I16, Encoding::I8];

#[test]
fn coefficients_fitted_to_the_quantised_instances_lose_nothing_to_them() {
    let truth = Truth::new(3, 30, 5);
    let spec = truth.spec();
    let supports = quantised_supports(&spec, Encoding::I8).unwrap();
    assert_ne!(supports, truth.supports);
    // Encoded again, the quantised instances stay where they are.
    let again = ModelSpec {
        supports: &supports,
        ..spec
    };
    for (a, b) in quantised_supports(&again, Encoding::I8)
        .unwrap()
        .iter()
        .zip(&supports)
    {
        assert!((a - b).abs() < 1e-12);
    }
    let (float, fixed) = (
        encode(&again).unwrap(),
        encode_fixed(&again, Encoding::I8).unwrap(),
    );
    let (float, fixed) = (float.decode().unwrap(), fixed.decode_fixed().unwrap());
    let mut random = Random(5);
    for _ in 0..200 {
        let reading: Vec<_> = truth
            .counts(&mut random)
            .into_iter()
            .map(f32::from)
            .collect();
        let difference = float.score(&reading).unwrap() - fixed.score(&reading).unwrap();
        assert!(difference.abs() < 1e-3, "{difference}");
    }
}

#[test]
fn counts_are_scored_as_the_same_numbers_in_f32() {
    for encoding in ENCODINGS {
        let truth = Truth::new(4, 50, 6);
        let bytes = encode_fixed(&truth.spec(), encoding).unwrap();
        let model = bytes.decode_fixed().unwrap();
        let mut random = Random(6);
        let mut classes = [0; 2];
        for _ in 0..500 {
            let counts = truth.counts(&mut random);
            let reading: Vec<_> = counts.iter().copied().map(f32::from).collect();
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
    let truth = Truth::new(7, 10, 3);
    let bytes = encode_fixed(&truth.spec(), Encoding::I16).unwrap();
    let model = bytes.decode_fixed().unwrap();
    for extreme in [i16::MIN, i16::MAX] {
        // Far from every instance only the bias is left.
        let score = f64::from(model.score_counts(&[extreme; 3]).unwrap()) / 65_536.0;
        assert!((score - 0.1).abs() < 1e-3, "{score}");
        assert_eq!(
            model.envelope_counts(&[extreme; 3]),
            Ok(Envelope::Outside { feature: 0 })
        );
        assert_eq!(model.score(&[f32::MAX; 3]), model.score(&[1e20; 3]));
    }
    assert_eq!(
        model.score_counts(&[0; 2]),
        Err(ReadingError::WrongLength {
            expected: 3,
            found: 2
        })
    );
    assert_eq!(
        model.score(&[0.0, f32::NAN, 0.0]),
        Err(ReadingError::NotFinite { feature: 1 })
    );
}

#[test]
fn what_integers_cannot_hold_is_said() {
    let truth = Truth::new(9, 6, 3);
    let spec = truth.spec();
    let linear = ModelSpec {
        kernel: SpecKernel::Linear,
        ..spec
    };
    assert_eq!(
        encode_fixed(&linear, Encoding::I16),
        Err(EncodeError::NotForIntegers)
    );
    let sharp = ModelSpec {
        kernel: SpecKernel::Rbf { bandwidth: 1e-3 },
        ..spec
    };
    assert_eq!(
        encode_fixed(&sharp, Encoding::I8),
        Err(EncodeError::NotForIntegers)
    );
    assert_eq!(
        encode_fixed(&spec, Encoding::F32),
        Err(EncodeError::NotForIntegers)
    );
    let huge: Vec<_> = truth.coefficients.iter().map(|c| c * 1e30).collect();
    assert_eq!(
        encode_fixed(
            &ModelSpec {
                coefficients: &huge,
                ..spec
            },
            Encoding::I16
        ),
        Err(EncodeError::NotForIntegers)
    );
}

#[test]
fn an_integer_model_may_come_in_pieces() {
    let bytes = encode_fixed(&Truth::new(10, 5, 2).spec(), Encoding::I8).unwrap();
    let mut buffer = pual_infer::ModelBuffer::<64>::new();
    for piece in bytes.chunks(7) {
        buffer.extend(piece).unwrap();
    }
    let (received, sent) = (
        buffer.decode_fixed().unwrap(),
        bytes.decode_fixed().unwrap(),
    );
    assert_eq!(received.score_counts(&[3, -4]), sent.score_counts(&[3, -4]));
    assert_eq!(buffer.decode_any().unwrap().encoding(), Encoding::I8);
    assert_eq!(buffer.decode().unwrap_err(), DecodeError::Encoding(2));
}

#[test]
fn more_features_than_fit_the_stack_take_scratch_space() {
    let truth = Truth::new(11, 4, 65);
    let bytes = encode_fixed(&truth.spec(), Encoding::I16).unwrap();
    let model = bytes.decode_fixed().unwrap();
    let reading: Vec<f32> = truth.offsets.iter().map(|offset| *offset as f32).collect();
    let needed = ReadingError::ScratchTooSmall { needed: 65 };
    assert_eq!(model.score(&reading), Err(needed));
    assert_eq!(model.score_counts(&[0; 65]), Err(needed));
    assert_eq!(
        model.score_with_scratch(&reading, &mut [0; 64]),
        Err(needed)
    );
    let score = model.score_with_scratch(&reading, &mut [0; 65]).unwrap();
    let any = bytes.decode_any().unwrap();
    assert_eq!(any.score_with_scratch(&reading, &mut [0.0; 65]), Ok(score));
    let float = encode(&truth.spec()).unwrap();
    let exact = float
        .decode()
        .unwrap()
        .score_with_scratch(&reading, &mut [0.0; 65]);
    assert!((score - exact.unwrap()).abs() < 5e-3);
}

//! Integer models: close to f64, refused when damaged, the same by floats and by counts.

use pual_infer::{
    AnyModel, Class, DecodeError, EncodeError, Encoding, Envelope, Field, FixedModel, ModelBytes,
    ModelSpec, ReadingError, SpecKernel, encode, encode_fixed, quantised_supports,
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

/// The encodings, and the largest error on scores of order 1 from rounding readings and instances (16 features or
/// fewer; more features leave fewer bits for each).
const ENCODINGS: [(Encoding, f64); 2] = [(Encoding::I16, 5e-4), (Encoding::I8, 2e-2)];

#[test]
fn scores_are_close_to_f32s() {
    let sizes = [
        (1, 1),
        (20, 2),
        (64, 4),
        (256, 7),
        (700, 7),
        (256, 16),
        (40, 64),
    ];
    for (encoding, most) in ENCODINGS {
        for (seed, (supports, features)) in sizes.into_iter().enumerate() {
            let truth = Truth::new(seed as u64, supports, features);
            let (float, fixed) = (
                encode(&truth.spec()).unwrap(),
                encode_fixed(&truth.spec(), encoding).unwrap(),
            );
            let (float, fixed) = (float.decode().unwrap(), fixed.decode_fixed().unwrap());
            let mut random = Random(99);
            let mut error = 0.0_f32;
            for _ in 0..300 {
                let reading: Vec<_> = truth
                    .counts(&mut random)
                    .into_iter()
                    .map(f32::from)
                    .collect();
                error = error
                    .max((float.score(&reading).unwrap() - fixed.score(&reading).unwrap()).abs());
            }
            println!("{encoding:?} {supports} x {features}: largest error {error:.1e}");
            let most = if features > 16 { 4.0 * most } else { most };
            assert!(
                f64::from(error) <= most,
                "{encoding:?} {supports} x {features}: {error:e}"
            );
        }
    }
}

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
    for (encoding, _) in ENCODINGS {
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

/// Small models of both encodings.
fn small() -> [ModelBytes; 2] {
    let truth = Truth::new(8, 6, 3);
    ENCODINGS.map(|(encoding, _)| {
        encode_fixed(
            &ModelSpec {
                names: Some(&["a", "bc", "d"]),
                ..truth.spec()
            },
            encoding,
        )
        .unwrap()
    })
}

fn seal(bytes: &mut [u8]) {
    let (body, checksum) = bytes.split_last_chunk_mut::<4>().unwrap();
    *checksum = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC)
        .checksum(body)
        .to_le_bytes();
}

fn decode(bytes: &[u8]) -> Result<(), DecodeError> {
    ModelBytes::new(bytes).decode_fixed().map(|_| ())
}

#[test]
fn every_truncation_and_every_flipped_bit_is_refused() {
    for model in small() {
        for length in 0..model.len() {
            assert_eq!(decode(&model[..length]), Err(DecodeError::Truncated));
        }
        for bit in 0..8 * model.len() {
            let mut bytes = model.to_vec();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(decode(&bytes).is_err(), "bit {bit}");
            assert!(
                AnyModel::decode(&ModelBytes::new(&bytes)).is_err(),
                "bit {bit}"
            );
        }
    }
}

#[test]
fn forged_models_are_refused_by_what_is_wrong_with_them() {
    let [wide, narrow] = small();
    let forged = |model: &[u8], at: usize, with: &[u8]| {
        let mut bytes = model.to_vec();
        bytes[at..at + with.len()].copy_from_slice(with);
        seal(&mut bytes);
        decode(&bytes)
    };
    let out_of_range = Err(DecodeError::OutOfRange(Field::Expansion));
    for model in [&wide, &narrow] {
        assert_eq!(forged(model, 5, &[1]), Err(DecodeError::Kernel(1)));
        assert_eq!(forged(model, 6, &[0]), Err(DecodeError::Encoding(0)));
        assert_eq!(forged(model, 6, &[3]), Err(DecodeError::Encoding(3)));
        assert_eq!(forged(model, 8, &[0, 0]), Err(DecodeError::NoFeatures));
        assert_eq!(forged(model, 8, &[0xFF; 4]), Err(DecodeError::Length));
        for at in (16..28).chain(32..32 + 6 * 4).step_by(4) {
            for bad in [f32::NAN, f32::INFINITY] {
                assert_eq!(
                    forged(model, at, &bad.to_le_bytes()),
                    Err(DecodeError::NotFinite),
                    "{at}"
                );
            }
        }
        for shift in [0, 17, 255] {
            assert_eq!(forged(model, 28, &[shift]), out_of_range); // distance shift
        }
        for shift in [41, 128, 255] {
            assert_eq!(forged(model, 29, &[shift]), out_of_range); // coefficient shift
        }
        assert_eq!(forged(model, 30, &[0xFF, 0xFF]), out_of_range); // limit: distances overflow
        assert_eq!(forged(model, 30, &[1, 0]), out_of_range); // limit: instances beyond it
        assert_eq!(
            forged(model, 44, &0.0_f32.to_le_bytes()),
            Err(DecodeError::OutOfRange(Field::Scale))
        );
    }
    let shifts = 32 + 9 * 4;
    assert_eq!(forged(&narrow, shifts, &[9]), out_of_range);
    assert_eq!(forged(&narrow, shifts + 3, &[1]), Ok(())); // the filling means nothing
    assert_eq!(
        decode(&encode(&Truth::new(8, 6, 3).spec()).unwrap()),
        Err(DecodeError::Encoding(0))
    );
    assert_eq!(wide.decode().unwrap_err(), DecodeError::Encoding(1));
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
fn damage_of_any_kind_never_panics() {
    let models = small();
    let mut random = Random(10);
    for _ in 0..30_000 {
        let mut bytes = models[random.between(0.0, 2.0) as usize].to_vec();
        for _ in 0..random.between(1.0, 8.0) as usize {
            let at = random.between(0.0, bytes.len() as f64) as usize;
            bytes[at] = random.between(0.0, 256.0) as u8;
        }
        seal(&mut bytes);
        if let Ok(model) = FixedModel::decode(&ModelBytes::new(&bytes)) {
            for x in [0.0, 1e9, f32::MAX, f32::MIN] {
                assert!(
                    model
                        .score(&vec![x; model.features()])
                        .is_ok_and(f32::is_finite)
                );
            }
            assert!(
                model
                    .score_counts(&vec![i16::MIN; model.features()])
                    .is_ok()
            );
        }
    }
}

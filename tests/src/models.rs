//! Random models and readings, the same on every machine for one seed.

use pual_infer::{Encoding, ModelBytes, ModelSpec, SpecKernel, encode, encode_fixed};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A random model and where its readings come from.
#[derive(Debug)]
pub struct RandomModel {
    /// The encoded model.
    pub bytes: ModelBytes,
    /// Each feature's raw offset and spread.
    pub ranges: Vec<(f64, f64)>,
    rng: ChaCha8Rng,
}

impl RandomModel {
    /// An RBF model (or a linear one) with scores of order 1: coefficients of random sign, readings in raw
    /// units of very different magnitude from feature to feature.
    #[must_use]
    pub fn new(seed: u64, kernel: Shape, supports: usize, features: usize) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let ranges: Vec<_> = (0..features)
            .map(|_| {
                let spread = libm::pow(10.0, kernel.magnitude(uniform(&mut rng)));
                (spread * (10.0 * uniform(&mut rng) - 5.0), spread)
            })
            .collect();
        let offsets: Vec<_> = ranges.iter().map(|range| range.0).collect();
        let scales: Vec<_> = ranges.iter().map(|range| 1.0 / range.1).collect();
        let points: Vec<_> = (0..supports * features)
            .map(|_| 2.0 * uniform(&mut rng) - 1.0)
            .collect();
        // Squared distances grow with the number of features; kernels of order 1/2 do not then.
        let bandwidth = (features as f64).sqrt() * (0.3 + 0.7 * uniform(&mut rng));
        let size = 2.0 / (supports as f64).sqrt();
        let coefficients: Vec<_> = (0..supports)
            .map(|_| size * (2.0 * uniform(&mut rng) - 1.0))
            .collect();
        let minima: Vec<_> = ranges
            .iter()
            .map(|(offset, spread)| offset - spread)
            .collect();
        let maxima: Vec<_> = ranges
            .iter()
            .map(|(offset, spread)| offset + spread)
            .collect();
        let names: Vec<_> = (0..features).map(|feature| format!("f{feature}")).collect();
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        let spec = ModelSpec {
            kernel: match kernel {
                Shape::Linear => SpecKernel::Linear,
                _ => SpecKernel::Rbf { bandwidth },
            },
            offsets: &offsets,
            scales: &scales,
            coefficients: &coefficients,
            supports: &points,
            bias: uniform(&mut rng) - 0.5,
            threshold: 0.2 * (uniform(&mut rng) - 0.5),
            envelope: Some((&minima, &maxima)),
            names: seed.is_multiple_of(2).then_some(&names),
        };
        let bytes = match kernel {
            Shape::Rbf | Shape::Linear => encode(&spec),
            Shape::RbfI16 => encode_fixed(&spec, Encoding::I16),
            Shape::RbfI8 => encode_fixed(&spec, Encoding::I8),
        }
        .expect("a random model is a valid model");
        Self { bytes, ranges, rng }
    }

    /// A reading from about 1.2 times the range of the training data: some lie outside the envelope.
    pub fn reading(&mut self) -> Vec<f32> {
        let rng = &mut self.rng;
        self.ranges
            .iter()
            .map(|(offset, spread)| (offset + spread * 1.2 * (2.0 * uniform(rng) - 1.0)) as f32)
            .collect()
    }

    /// A reading in counts, for a model of integers.
    pub fn counts(&mut self) -> Vec<i16> {
        self.reading().into_iter().map(|x| x as i16).collect()
    }

    /// Counts that arithmetic is most likely to trip over.
    #[must_use]
    pub fn edge_counts(&self) -> Vec<Vec<i16>> {
        let model = { self.bytes.decode_any() }.expect("it was decoded when it was made");
        let extremes = [0, 1, -1, i16::MAX, i16::MIN];
        let mut readings: Vec<_> = extremes.map(|x| vec![x; model.features()]).into();
        for feature in 0..model.features() {
            for extreme in [i16::MAX, i16::MIN] {
                let offsets = model.offsets().iter();
                let mut reading: Vec<_> = offsets.map(|offset| *offset as i16).collect();
                reading[feature] = extreme;
                readings.push(reading);
            }
        }
        readings
    }

    /// Readings that arithmetic is most likely to trip over.
    #[must_use]
    pub fn edge_readings(&self) -> Vec<Vec<f32>> {
        let model = self
            .bytes
            .decode_any()
            .expect("it was decoded when it was made");
        let features = model.features();
        let mut readings: Vec<Vec<f32>> = [
            0.0,
            -0.0,
            f32::MAX,
            f32::MIN,
            f32::MIN_POSITIVE,
            f32::from_bits(1),
            -f32::from_bits(0x007F_FFFF),
            f32::EPSILON,
            1e30,
        ]
        .into_iter()
        .map(|x| vec![x; features])
        .collect();
        // One feature extreme, the others ordinary; and the support instances themselves.
        for feature in 0..features {
            for extreme in [f32::MAX, f32::MIN, f32::from_bits(1)] {
                let mut reading = model.offsets().to_vec();
                reading[feature] = extreme;
                readings.push(reading);
            }
        }
        for index in 0..model.supports().min(16) {
            let raw = |feature: usize| {
                let scaled = model.support(index, feature);
                scaled.expect("in range") / model.scales()[feature] + model.offsets()[feature]
            };
            readings.push((0..features).map(raw).collect());
        }
        readings
    }
}

/// Which kernel a random model has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// RBF.
    Rbf,
    /// Linear.
    Linear,
    /// RBF, stored as i16.
    RbfI16,
    /// RBF, stored as i8.
    RbfI8,
}

impl Shape {
    /// How its numbers are stored.
    #[must_use]
    pub fn encoding(self) -> Encoding {
        match self {
            Self::Rbf | Self::Linear => Encoding::F32,
            Self::RbfI16 => Encoding::I16,
            Self::RbfI8 => Encoding::I8,
        }
    }

    /// The magnitude of a feature's spread, as a power of ten: whatever f32 hold, or what counts do.
    fn magnitude(self, uniform: f64) -> f64 {
        match self.encoding() {
            Encoding::F32 => 6.0 * uniform - 3.0,
            _ => 2.0 * uniform + 1.5,
        }
    }
}

fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

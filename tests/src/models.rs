//! Random models: the same on every machine for one seed.

use pual_infer::{Encoding, ModelBytes, ModelSpec, SpecKernel, encode, encode_fixed};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// An RBF model (or a linear one) with scores of order 1: coefficients of random sign, readings in raw units of very
/// different magnitude from feature to feature.
pub fn seeded_model(seed: u64, kernel: Shape, supports: usize, features: usize) -> ModelBytes {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    // Powers of ten of the features' spreads: whatever f32 hold, or what counts do.
    let (width, least) = if kernel.encoding() == Encoding::F32 { (6.0, -3.0) } else { (2.0, 1.5) };
    let ranges: Vec<_> = (0..features)
        .map(|_| {
            let spread = libm::pow(10.0, width * uniform(&mut rng) + least);
            (spread * (10.0 * uniform(&mut rng) - 5.0), spread)
        })
        .collect();
    let offsets: Vec<_> = ranges.iter().map(|range| range.0).collect();
    let scales: Vec<_> = ranges.iter().map(|range| 1.0 / range.1).collect();
    let points: Vec<_> = (0..supports * features).map(|_| 2.0 * uniform(&mut rng) - 1.0).collect();
    // Squared distances grow with the number of features; kernels of order 1/2 do not then.
    let bandwidth = (features as f64).sqrt() * (0.3 + 0.7 * uniform(&mut rng));
    let size = 2.0 / (supports as f64).sqrt();
    let coefficients: Vec<_> = (0..supports).map(|_| size * (2.0 * uniform(&mut rng) - 1.0)).collect();
    let at = |side: f64| -> Vec<_> { ranges.iter().map(|range| range.0 + side * range.1).collect() };
    let (minima, maxima) = (at(-1.0), at(1.0));
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
        recipe: None,
    };
    match kernel.encoding() {
        Encoding::F32 => encode(&spec),
        fixed => encode_fixed(&spec, fixed),
    }
    .expect("a random model is a valid model")
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
    pub fn encoding(self) -> Encoding {
        match self {
            Self::Rbf | Self::Linear => Encoding::F32,
            Self::RbfI16 => Encoding::I16,
            Self::RbfI8 => Encoding::I8,
        }
    }
}

fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

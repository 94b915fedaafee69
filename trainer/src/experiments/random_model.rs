//! A random model of any size and encoding, for measurements and tests: the same on every machine.

use crate::base::random::Random;
use pual_infer::{EncodeError, Encoding, ModelBytes, ModelSpec, SpecKernel, encode, encode_fixed};

/// A model of counts with scores of order 1, with a training range and without names.
///
/// # Errors
/// If the encoding cannot hold it.
pub fn random_model(supports: usize, features: usize, encoding: Encoding) -> Result<ModelBytes, EncodeError> {
    let mut random = Random::new(supports as u64, features as u64);
    let mut numbers =
        |count: usize, low: f64, high: f64| -> Vec<f64> { (0..count).map(|_| random.between(low, high)).collect() };
    let size = 2.0 / (supports as f64).sqrt();
    let offsets = numbers(features, -2000.0, 2000.0);
    let scales = numbers(features, 1.0 / 500.0, 1.0 / 100.0);
    let minima: Vec<f64> = offsets.iter().map(|offset| offset - 1000.0).collect();
    let maxima: Vec<f64> = offsets.iter().map(|offset| offset + 1000.0).collect();
    let spec = ModelSpec {
        // Squared distances grow with the number of features; kernels do not shrink with it then.
        kernel: SpecKernel::Rbf { bandwidth: 0.7 * (features as f64).sqrt() },
        offsets: &offsets,
        scales: &scales,
        coefficients: &numbers(supports, -size, size),
        supports: &numbers(supports * features, -2.0, 2.0),
        bias: 0.1,
        threshold: 0.05,
        envelope: Some((&minima, &maxima)),
        names: None,
        recipe: None,
    };
    match encoding {
        Encoding::F32 => encode(&spec),
        integers => encode_fixed(&spec, integers),
    }
}

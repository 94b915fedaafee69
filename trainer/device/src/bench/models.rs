//! The models that are measured: random ones, the same on every machine, or the user's own in every encoding.

use pual_infer::{EncodeError, Encoding, Kernel, Model, ModelBytes, ModelSpec, SpecKernel, encode_fixed};
use pual_trainer::experiments::random_model;

/// Support instances and features: small, ordinary, large, wide.
pub const SIZES: [(usize, usize); 4] = [(64, 4), (256, 7), (700, 7), (256, 16)];

/// Random models of these sizes in every encoding, with names.
pub fn random_models(sizes: &[(usize, usize)]) -> Result<Vec<(String, ModelBytes)>, EncodeError> {
    let mut models = Vec::new();
    for &(supports, features) in sizes {
        for encoding in [Encoding::F32, Encoding::I16, Encoding::I8] {
            let name = format!("{supports}x{features}");
            models.push((name, random_model(supports, features, encoding)?));
        }
    }
    Ok(models)
}

/// The model itself and, if it is an RBF model in f32, its rounding to i16 and i8 where those can hold it. What rounding costs in
/// accuracy is not considered.
#[must_use]
pub fn in_every_encoding(bytes: &ModelBytes, model: &Model<'_>) -> Vec<ModelBytes> {
    let mut models = vec![bytes.clone()];
    if model.encoding() != Encoding::F32 || model.kernel() != Kernel::Rbf {
        return models;
    }
    // For readings scaled as on the device the kernel is 2^-|z - s|^2: an RBF with this bandwidth.
    let bandwidth = (0.5 / std::f64::consts::LN_2).sqrt();
    let wide = |numbers: &[f32]| -> Vec<f64> { numbers.iter().map(|&x| x.into()).collect() };
    let features = model.features();
    let supports = (0..model.supports()).flat_map(|index| (0..features).filter_map(move |at| model.support(index, at)));
    let coefficients = (0..model.supports()).filter_map(|index| model.coefficient(index));
    let ranges: Vec<(f32, f32)> = (0..features).filter_map(|at| model.range(at)).collect();
    let minima: Vec<f64> = ranges.iter().map(|range| range.0.into()).collect();
    let maxima: Vec<f64> = ranges.iter().map(|range| range.1.into()).collect();
    let names: Vec<&str> = (0..features).filter_map(|at| model.name(at)).collect();
    let spec = ModelSpec {
        kernel: SpecKernel::Rbf { bandwidth },
        offsets: &wide(model.description().offsets()),
        scales: &wide(model.description().scales()),
        coefficients: &coefficients.map(f64::from).collect::<Vec<_>>(),
        supports: &supports.map(f64::from).collect::<Vec<_>>(),
        bias: model.description().bias().into(),
        threshold: model.threshold().into(),
        envelope: (!ranges.is_empty()).then_some((&minima, &maxima)),
        names: (!names.is_empty()).then_some(&names),
        recipe: None,
    };
    let integers = [Encoding::I16, Encoding::I8];
    models.extend({ integers.iter() }.filter_map(|&encoding| encode_fixed(&spec, encoding).ok()));
    models
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_in_every_encoding_is_the_same_model() {
        let bytes = random_model(13, 3, Encoding::F32).unwrap();
        let model = bytes.decode().unwrap();
        let models = in_every_encoding(&bytes, &model);
        assert_eq!(models.len(), 3);
        for other in &models {
            let other = other.decode().unwrap();
            for index in 0..13 {
                let raw = |at: usize| {
                    let scaled = model.support(index, at).unwrap();
                    scaled / model.description().scales()[at] + model.description().offsets()[at]
                };
                let reading = [raw(0), raw(1), raw(2)];
                let (a, b) = (model.score(&reading).unwrap(), other.score(&reading).unwrap());
                assert!((a - b).abs() < 2e-2, "{a} {b}");
            }
        }
        let integers = random_model(13, 3, Encoding::I8).unwrap();
        assert_eq!(in_every_encoding(&integers, &integers.decode().unwrap()).len(), 1);
    }
}

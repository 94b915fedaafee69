//! The models that are measured: random ones, the same on every machine, and the user's own in every encoding.

use pual_infer::{Encoding, Kernel, Model, ModelBytes, ModelSpec, SpecKernel, encode_fixed};

/// Support instances and features: small, ordinary, large, wide.
pub const SIZES: [(usize, usize); 4] = [(64, 4), (256, 7), (700, 7), (256, 16)];

/// The model itself and, of an RBF model in f32, what it would be as integers, where those can hold it. Its numbers are only
/// rounded: what that costs in accuracy is another question.
#[must_use]
pub fn in_every_encoding(bytes: &ModelBytes, model: &Model<'_>) -> Vec<ModelBytes> {
    let mut models = vec![bytes.clone()];
    if model.encoding() != Encoding::F32 || model.kernel() != Kernel::Rbf {
        return models;
    }
    // Of readings scaled as the device has them the kernel is 2^-|z - s|^2: an RBF with this bandwidth.
    let bandwidth = (0.5 / std::f64::consts::LN_2).sqrt();
    let wide = |numbers: &[f32]| -> Vec<f64> { numbers.iter().map(|&x| x.into()).collect() };
    let features = model.features();
    let supports = (0..model.supports())
        .flat_map(|index| (0..features).filter_map(move |at| model.support(index, at)));
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
    };
    let integers = [Encoding::I16, Encoding::I8];
    models.extend({ integers.iter() }.filter_map(|&encoding| encode_fixed(&spec, encoding).ok()));
    models
}

#[cfg(test)]
mod tests {
    use super::*;
    use pual_trainer::experiments::random_model;

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
                let (a, b) = (
                    model.score(&reading).unwrap(),
                    other.score(&reading).unwrap(),
                );
                assert!((a - b).abs() < 2e-2, "{a} {b}");
            }
        }
        let integers = random_model(13, 3, Encoding::I8).unwrap();
        assert_eq!(
            in_every_encoding(&integers, &integers.decode().unwrap()).len(),
            1
        );
    }
}

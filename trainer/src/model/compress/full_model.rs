//! The full model: a classifier just trained, or a model file in any encoding.
//!
//! A file's scales and support instances are folded, z' = z sqrt(log2(e) / 2) / bandwidth * reach, so that its kernel is
//! 2^-(|z' - s'| / reach)^2; unfolded they are the trainer's again.
//!
//! Without rows, readings around the support instances stand in for them: z = s_b + 0.7 bandwidth * normal, within the envelope.

use pual_infer::{Kernel, Model, ModelBytes, ModelSpec, RecipeSpec, SpecKernel, encode};

use super::{CompressError, CompressOptions, FullModel, Ladder, Readings, Step, compress};
use crate::base::random::Random;
use crate::model::classifier::Classifier;
use crate::model::export::{self, device_scores};

/// sqrt(log2(e) / 2).
const FOLD: f64 = 0.849_321_800_288_019_1;
/// Readings that stand in for rows, and how far they lie from a support instance, in bandwidths.
const STAND_INS: usize = 800;
const SPREAD: f64 = 0.7;
/// Keeps these draws apart from those of the fit.
const STREAM: u64 = 3 << 40;

/// Makes a trained classifier small: see `compress`.
pub fn compress_classifier(
    classifier: &Classifier,
    readings: &Readings<'_>,
    options: &CompressOptions,
    step: Step<'_>,
) -> Result<Ladder, CompressError> {
    let names: Vec<&str> = classifier.names.iter().map(String::as_str).collect();
    let spec = export::spec(classifier, &names)?;
    let bytes = encode(&spec).map_err(CompressError::Encode)?;
    let large = FullModel { spec, bytes: &bytes, scores: &|rows| Ok(classifier.scores(rows)) };
    compress(&large, readings, options, step)
}

/// Makes the model in `bytes` small: see [`compress`].
pub(crate) fn compress_model(
    bytes: &ModelBytes,
    readings: &Readings<'_>,
    options: &CompressOptions,
    step: Step<'_>,
) -> Result<Ladder, CompressError> {
    let model = decode(bytes)?;
    let unfolded = Unfolded::new(&model);
    let names: Option<Vec<&str>> = (0..model.features()).map(|at| model.name(at)).collect();
    let large = FullModel {
        spec: ModelSpec { names: names.as_deref(), ..unfolded.spec() },
        bytes,
        scores: &|rows| {
            let scores = device_scores(&model, rows)?;
            Ok(scores.into_iter().map(f64::from).collect())
        },
    };
    compress(&large, readings, options, step)
}

/// Raw row-major readings that stand in for the training rows of the model in `bytes`.
pub(crate) fn stand_ins(bytes: &ModelBytes, seed: u64) -> Result<Vec<f64>, CompressError> {
    let unfolded = Unfolded::new(&decode(bytes)?);
    let features = unfolded.offsets.len();
    // A linear model has no instance to stay near; one unit of the scaled features around their middle will do.
    let (supports, spread) = match unfolded.kernel {
        SpecKernel::Rbf { bandwidth } => (unfolded.supports, SPREAD * bandwidth),
        SpecKernel::Linear => (vec![0.0; features], 1.0),
    };
    let random = &mut Random::new(seed, STREAM);
    let mut rows = Vec::with_capacity(STAND_INS * features);
    for support in supports.chunks_exact(features).cycle().take(STAND_INS) {
        for (at, s) in support.iter().enumerate() {
            let z = s + spread * random.normal();
            let raw = z / unfolded.scales[at] + unfolded.offsets[at];
            rows.push(match &unfolded.envelope {
                Some((minima, maxima)) => raw.clamp(minima[at], maxima[at]),
                None => raw,
            });
        }
    }
    Ok(rows)
}

fn decode(bytes: &ModelBytes) -> Result<Model<'_>, CompressError> {
    bytes.decode().map_err(CompressError::Decode)
}

/// The numbers of a model in the trainer's units.
struct Unfolded {
    kernel: SpecKernel,
    offsets: Vec<f64>,
    scales: Vec<f64>,
    coefficients: Vec<f64>,
    supports: Vec<f64>,
    bias: f64,
    threshold: f64,
    envelope: Option<(Vec<f64>, Vec<f64>)>,
    recipe: Option<RecipeSpec>,
}

impl Unfolded {
    fn new(model: &Model<'_>) -> Self {
        let features = model.features();
        let (kernel, unfold) = match model.kernel() {
            Kernel::Linear => (SpecKernel::Linear, 1.0),
            // There is no third.
            _ => {
                // It is in the file for people, so it may be anything.
                let bandwidth = f64::from(model.description().bandwidth());
                let bandwidth = if bandwidth > 0.0 { bandwidth } else { 1.0 };
                let unfold = bandwidth / FOLD / f64::from(model.reach());
                (SpecKernel::Rbf { bandwidth }, unfold)
            }
        };
        let number = |number: Option<f32>| f64::from(number.unwrap_or_default());
        let each = 0..model.supports();
        let support = |b: usize| (0..features).map(move |at| unfold * number(model.support(b, at)));
        let ranges: Option<Vec<(f32, f32)>> = (0..features).map(|at| model.range(at)).collect();
        Self {
            kernel,
            offsets: model.description().offsets().iter().copied().map(f64::from).collect(),
            scales: (model.description().scales().iter()).map(|&scale| unfold * f64::from(scale)).collect(),
            coefficients: each.clone().map(|b| number(model.coefficient(b))).collect(),
            supports: each.flat_map(support).collect(),
            bias: model.description().bias().into(),
            threshold: model.threshold().into(),
            envelope: ranges.map(|ranges| {
                let bounds = ranges.into_iter();
                bounds.map(|(low, high)| (f64::from(low), f64::from(high))).unzip()
            }),
            recipe: model.recipe().as_ref().map(RecipeSpec::from),
        }
    }

    /// Without names.
    fn spec(&self) -> ModelSpec<'_> {
        ModelSpec {
            kernel: self.kernel,
            offsets: &self.offsets,
            scales: &self.scales,
            coefficients: &self.coefficients,
            supports: &self.supports,
            bias: self.bias,
            threshold: self.threshold,
            envelope: (self.envelope.as_ref()).map(|(minima, maxima)| (&minima[..], &maxima[..])),
            names: None,
            recipe: self.recipe.as_ref(),
        }
    }
}

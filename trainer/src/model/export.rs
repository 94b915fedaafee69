//! From a trained score to the bytes the chip runs, and the proof that they agree.
//!
//! The bytes are decoded back and score the training rows through `pual-infer`, the code of the device: what was compared is
//! what is flashed.

use pual_infer::{EncodeError, Model, ModelBytes, ModelSpec, ReadingError, SpecKernel, Verdict};
use rayon::prelude::*;
use serde::Serialize;

use crate::geometry::kernel::Kernel;
use crate::learner::Expansion;
use crate::model::classifier::Classifier;

/// Scores above this are positive. The learners put the border at 0.
const THRESHOLD: f64 = 0.0;
/// Share of rows whose class may change: beyond it the f32 model is another model.
const MAX_CHANGED_SHARE: f64 = 0.01;

/// The bytes of a model, and how they compare with what was trained.
#[derive(Debug, Clone)]
pub struct Exported {
    /// The model as the device reads it.
    pub bytes: ModelBytes,
    /// How its scores differ from the trained ones.
    pub agreement: Agreement,
}

/// Device scores against trained scores, over the training rows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Agreement {
    /// Rows compared.
    pub rows: usize,
    /// Largest |f32 score - f64 score|.
    pub largest_difference: f64,
    /// Rows on the other side of the threshold.
    pub changed_classes: usize,
    /// Their share of the rows.
    pub changed_share: f64,
}

/// Why a model was not exported, or its file not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The format has no place for this model.
    #[error("the model cannot be written: {0}")]
    Encode(EncodeError),
    /// The device's code has no such kernel.
    #[error("the device computes linear and RBF kernels, not {0:?}")]
    Kernel(Kernel),
    /// A training row got no score from the device's code.
    #[error("the exported model refuses a training row: {0}")]
    Reading(ReadingError),
    /// In f32 it is another classifier.
    #[error(
        "in the device's 32-bit floats {} of {} rows ({:.1} %) change their class: the coefficients are too large",
        .0.changed_classes, .0.rows, 100.0 * .0.changed_share
    )]
    Differs(Agreement),
}

/// Encodes `classifier`, and compares the result with it on `rows`, raw readings row after row.
pub fn export(classifier: &Classifier, rows: &[f64]) -> Result<Exported, ExportError> {
    let names: Vec<&str> = classifier.names.iter().map(String::as_str).collect();
    let bytes = pual_infer::encode(&spec(classifier, &names)?).map_err(ExportError::Encode)?;
    let agreement = compare(classifier, &bytes, rows)?;
    if agreement.changed_share > MAX_CHANGED_SHARE {
        return Err(ExportError::Differs(agreement));
    }
    Ok(Exported { bytes, agreement })
}

/// What the encoder is given; `names` are the classifier's.
pub(crate) fn spec<'a>(classifier: &'a Classifier, names: &'a [&'a str]) -> Result<ModelSpec<'a>, ExportError> {
    let (kernel, coefficients, supports) = device_terms(&classifier.expansion)?;
    let (minima, maxima) = &classifier.envelope;
    Ok(ModelSpec {
        kernel,
        offsets: classifier.scaler.offset(),
        scales: classifier.scaler.scale(),
        coefficients,
        supports,
        bias: classifier.expansion.bias,
        threshold: THRESHOLD,
        envelope: Some((minima, maxima)),
        names: Some(names),
        recipe: classifier.recipe.as_ref(),
    })
}

/// Kernel, coefficients and support instances as the device sums them. A linear model is one support instance, the weights.
fn device_terms(expansion: &Expansion) -> Result<(SpecKernel, &[f64], &[f64]), ExportError> {
    match expansion.kernel {
        Kernel::Rbf { bandwidth } => Ok((SpecKernel::Rbf { bandwidth }, &expansion.coefficients, &expansion.supports)),
        Kernel::Linear => Ok((SpecKernel::Linear, &[1.0], &expansion.coefficients)),
        other => Err(ExportError::Kernel(other)),
    }
}

fn compare(classifier: &Classifier, bytes: &ModelBytes, rows: &[f64]) -> Result<Agreement, ExportError> {
    let refused = |error| ExportError::Encode(EncodeError::Refused(error));
    let model = bytes.decode().map_err(refused)?;
    let deployed = device_scores(&model, rows).map_err(ExportError::Reading)?;
    let exact = classifier.scores(rows);
    let pairs = || exact.iter().zip(&deployed);
    let changed_classes =
        pairs().filter(|(exact, deployed)| (**exact > THRESHOLD) != (**deployed > model.threshold())).count();
    Ok(Agreement {
        rows: exact.len(),
        largest_difference: pairs().map(|(exact, deployed)| (f64::from(*deployed) - exact).abs()).fold(0.0, f64::max),
        changed_classes,
        changed_share: changed_classes as f64 / exact.len().max(1) as f64,
    })
}

/// The device's verdicts on raw readings, row after row, by the device's own code.
pub(crate) fn device_verdicts(model: &Model<'_>, rows: &[f64]) -> Result<Vec<Verdict>, ReadingError> {
    let features = model.features();
    rows.par_chunks(features)
        .map_init(
            || (vec![0.0; features], vec![0.0; features]),
            |(reading, scratch), row| {
                reading.clear();
                reading.extend(row.iter().map(|&value| value as f32));
                model.judge_with_scratch(reading, scratch)
            },
        )
        .collect()
}

/// The scores alone.
pub fn device_scores(model: &Model<'_>, rows: &[f64]) -> Result<Vec<f32>, ReadingError> {
    let verdicts = device_verdicts(model, rows)?;
    Ok(verdicts.iter().map(|verdict| verdict.score).collect())
}

//! What the fits of a search and the final fit have in common: the features they are given, and what counts as fitted.

use crate::choose::options::TrainOptions;
use crate::geometry::features::FeatureSettings;
use crate::geometry::kernel::Kernel;
use crate::learner::{Certificate, FitReport};
use crate::solver::Status;

/// Pivots stop once less than this share of k(x, x) is left of every instance: further ones would cost the device flash
/// and change no score that matters. (On 16 data sets the scores classify as at the numerical rank, 1e-12.)
const PIVOT_TOLERANCE: f64 = 1e-6;
/// Duality gap, relative to the objective, at which a fit that double precision stopped still counts as certified.
const CERTIFIED_GAP: f64 = 1e-4;
/// The same for a residual of the optimality equations.
const CERTIFIED_RESIDUAL: f64 = 1e-6;

/// Features of one kernel, as many as the model may have supports.
pub(crate) fn feature_settings(kernel: Kernel, options: &TrainOptions) -> FeatureSettings {
    FeatureSettings { kernel, max_pivots: options.supports, tolerance: PIVOT_TOLERANCE, seed: options.seed }
}

/// The solver met its tolerance, or double precision ended it within what matters to a classifier.
pub(crate) fn is_certified(report: &FitReport) -> bool {
    let close = match report.certificate {
        Certificate::DualityGap(gap) => gap <= CERTIFIED_GAP * report.objective.abs(),
        Certificate::KktResidual(residual) => residual <= CERTIFIED_RESIDUAL,
        _ => false,
    };
    match report.status {
        Status::Converged => true,
        Status::PrecisionLimit => close,
        Status::IterationLimit => false,
    }
}

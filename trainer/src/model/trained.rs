//! A certified fit, and why there may be none.

use crate::choose::options::Method;
use crate::choose::settings::Settings;
use crate::choose::tune::TuneError;
use crate::ensemble::EnsembleError;
use crate::geometry::instances::GeometryError;
use crate::learner::prior::Prior;
use crate::learner::{FitError, FitReport};
use crate::model::classifier::Classifier;

/// A certified fit.
#[derive(Debug, Clone)]
pub struct Trained {
    /// The classifier.
    pub method: Method,
    /// The numbers it was trained with.
    pub settings: Settings,
    /// What is deployed.
    pub classifier: Classifier,
    /// How the fit went, with its certificate.
    pub report: FitReport,
    /// Share of the kernel matrix that the support instances do not explain: 0 when the model is exact.
    pub unexplained: f64,
    /// The class prior with its interval, where it was needed and not given.
    pub prior: Option<Prior>,
}

/// Why nothing was trained.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// The rows or a setting of the geometry.
    #[error(transparent)]
    Geometry(#[from] GeometryError),
    /// A weight, or equations without a solution.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// The solver ended without having shown that it is at the optimum.
    #[error("the fit is not certified: {0}")]
    NotCertified(FitReport),
    /// The search for settings.
    #[error(transparent)]
    Tune(#[from] TuneError),
    /// The ensemble.
    #[error(transparent)]
    Ensemble(#[from] EnsembleError),
    /// The operating system gave no threads.
    #[error("cannot start threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

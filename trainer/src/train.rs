//! From rows to a certified score: scaling, geometry, one fit.
//!
//! ```text
//! Dataset -> Scaler -> Instances -> Settings -> Features, Graph -> Design -> Learner -> Trained
//! ```
//!
//! [`Settings`] is the one place where numbers the user did not give come from: choosing them better is a matter of that step
//! alone. A fit without a certificate of its optimum is an error here, so nothing after this file ever sees one.

mod settings;

pub use settings::{LocalTerm, Settings};

use crate::dataset::Dataset;
use crate::features::{FeatureSettings, Features};
use crate::graph::Graph;
use crate::instances::{GeometryError, Instances};
use crate::learner::{
    BlsSvm, Bsvm, Certificate, Design, Expansion, FitError, Gllc, Learner, Pual, PualSolver, Report,
};
use crate::scale::{Scaler, Scaling};
use crate::solver::Status;

/// Pivots stop once less than this share of k(x, x) is left of every instance: further ones would cost the device flash
/// and change no score that matters. (On 16 data sets the scores classify as at the numerical rank, 1e-12.)
const PIVOT_TOLERANCE: f64 = 1e-6;
/// Duality gap, relative to the objective, at which a fit that double precision stopped still counts as certified.
const CERTIFIED_GAP: f64 = 1e-4;
/// The same for a residual of the optimality equations.
const CERTIFIED_RESIDUAL: f64 = 1e-6;

/// What to train. Numbers left at `None` are chosen from the data.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainOptions {
    /// The classifier.
    pub method: Method,
    /// The kernel.
    pub kernel: KernelChoice,
    /// Ridge.
    pub lambda: Option<f64>,
    /// Weight of the positives' loss.
    pub c_p: Option<f64>,
    /// Weight of the unlabeled loss.
    pub c_u: Option<f64>,
    /// Width of the graph's weights, exp(-distance^2 / sigma).
    pub sigma: Option<f64>,
    /// K, the neighbours of an instance in the graph.
    pub neighbours: usize,
    /// The most support instances an RBF model may have: its size on the device.
    pub supports: usize,
    /// How features are scaled.
    pub scaling: Scaling,
    /// Seed of the pivots' draw.
    pub seed: u64,
    /// Threads; 0 takes as many as there are processors. The result does not depend on it.
    pub threads: usize,
}

impl Default for TrainOptions {
    fn default() -> Self {
        Self {
            method: Method::Pual(PualSolver::Exact),
            kernel: KernelChoice::Rbf { bandwidth: None },
            lambda: None,
            c_p: None,
            c_u: None,
            sigma: None,
            neighbours: 5,
            supports: 64,
            scaling: Scaling::ZScore,
            seed: 0,
            threads: 0,
        }
    }
}

/// The classifiers.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Method {
    /// Hinge on positives, squares on unlabeled, local term: the paper's.
    Pual(PualSolver),
    /// Squares on both, local term.
    Gllc,
    /// Squares on both.
    BlsSvm,
    /// Hinge on both.
    Bsvm,
}

impl Method {
    /// The name, as the paper writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pual(_) => "PUAL",
            Self::Gllc => "GLLC",
            Self::BlsSvm => "BLS-SVM",
            Self::Bsvm => "BSVM",
        }
    }

    /// Whether the graph acts. (In the paper's Algorithm 2, and in its limit, it drops out.)
    pub fn has_local_term(self) -> bool {
        matches!(
            self,
            Self::Gllc | Self::Pual(PualSolver::Exact | PualSolver::Admm { .. })
        )
    }

    fn learner(self, settings: &Settings) -> Box<dyn Learner> {
        let Settings {
            lambda, c_p, c_u, ..
        } = *settings;
        match self {
            Self::Pual(solver) => Box::new(Pual::new(lambda, c_p, c_u).with_solver(solver)),
            Self::Gllc => Box::new(Gllc { lambda, c_p, c_u }),
            Self::BlsSvm => Box::new(BlsSvm { lambda, c_p, c_u }),
            Self::Bsvm => Box::new(Bsvm::new(lambda, c_p, c_u)),
        }
    }
}

/// The kernels, with what the user may leave open.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum KernelChoice {
    /// exp(-distance^2 / (2 bandwidth^2)).
    Rbf {
        /// In units of the scaled features.
        bandwidth: Option<f64>,
    },
    /// The inner product.
    Linear,
}

/// A certified score, in double precision, with all that the device needs to know.
#[derive(Debug, Clone)]
pub struct Trained {
    /// The classifier.
    pub method: Method,
    /// The numbers it was trained with.
    pub settings: Settings,
    /// Raw readings to scaled ones.
    pub scaler: Scaler,
    /// Scaled readings to scores; a score above 0 is positive.
    pub expansion: Expansion,
    /// How the fit went, with its certificate.
    pub report: Report,
    /// Share of the kernel matrix that the support instances do not explain: 0 when the model is exact.
    pub unexplained: f64,
    /// The features' names.
    pub names: Vec<String>,
    /// Smallest and largest raw value of each feature in the training rows.
    pub envelope: (Vec<f64>, Vec<f64>),
}

impl Trained {
    /// Scores of raw readings, row after row, in double precision.
    pub fn scores(&self, rows: &[f64]) -> Vec<f64> {
        self.expansion.scores(&self.scaler.apply(rows))
    }
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
    #[error("the fit is not certified: {0}; raise lambda, lower C_p or C_u, or use another solver")]
    NotCertified(Report),
    /// The operating system gave no threads.
    #[error("cannot start threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

/// Trains on `data`.
pub fn train(data: &Dataset, options: &TrainOptions) -> Result<Trained, TrainError> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.threads)
        .build()?;
    pool.install(|| train_in_pool(data, options))
}

fn train_in_pool(data: &Dataset, options: &TrainOptions) -> Result<Trained, TrainError> {
    let scaler = Scaler::fit(options.scaling, data.rows(), data.features());
    let scaled = scaler.apply(data.rows());
    let instances = Instances::arrange(&scaled, data.features(), data.labeled())?;
    let settings = Settings::choose(&instances, options);

    let features = Features::build(
        &instances,
        &FeatureSettings {
            kernel: settings.kernel,
            max_pivots: options.supports,
            tolerance: PIVOT_TOLERANCE,
            seed: options.seed,
        },
    )?;
    let mut design = Design::new(features);
    if let Some(LocalTerm { sigma, neighbours }) = settings.local {
        let graph = Graph::mutual(&instances, neighbours);
        design = design.with_local(graph.laplacian(sigma)?);
    }
    let fit = options.method.learner(&settings).fit(&design)?;
    if !is_certified(&fit.report) {
        return Err(TrainError::NotCertified(fit.report));
    }
    Ok(Trained {
        method: options.method,
        settings,
        scaler,
        expansion: fit.expansion(&instances, design.features()),
        report: fit.report,
        unexplained: design.features().unexplained(),
        names: data.names().to_vec(),
        envelope: envelope(data),
    })
}

/// The solver met its tolerance, or double precision ended it within what matters to a classifier.
fn is_certified(report: &Report) -> bool {
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

fn envelope(data: &Dataset) -> (Vec<f64>, Vec<f64>) {
    let mut minima = vec![f64::INFINITY; data.features()];
    let mut maxima = vec![f64::NEG_INFINITY; data.features()];
    for row in data.rows().chunks_exact(data.features()) {
        for (at, &value) in row.iter().enumerate() {
            minima[at] = minima[at].min(value);
            maxima[at] = maxima[at].max(value);
        }
    }
    (minima, maxima)
}

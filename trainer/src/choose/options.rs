//! What to train: a method, a kernel, and the numbers a user may give or leave open.

use crate::data::scale::Scaling;
pub(crate) use crate::learner::Method;
use crate::learner::PualSolver;

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
    /// P(y = 1) in the population, for the methods that need it; estimated when it is not given.
    pub prior: Option<f64>,
    /// Width of the graph's weights, exp(-distance^2 / sigma).
    pub sigma: Option<f64>,
    /// K, the neighbours of an instance in the graph.
    pub neighbours: usize,
    /// The most support instances an RBF model may have: its size on the device.
    pub supports: usize,
    /// The same for the student of an ensemble.
    pub student_supports: usize,
    /// How many members of an ensemble are averaged: the N best.
    pub ensemble: usize,
    /// How features are scaled.
    pub scaling: Scaling,
    /// Seed of the pivots' draw, and of the folds'.
    pub seed: u64,
    /// Threads; 0 takes one per core. The result does not depend on it.
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
            prior: None,
            sigma: None,
            neighbours: 5,
            supports: 64,
            student_supports: 160,
            ensemble: 80,
            scaling: Scaling::ZScore,
            seed: 0,
            threads: 0,
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

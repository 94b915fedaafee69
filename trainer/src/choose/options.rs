//! What to train: a method, a kernel, and the numbers a user may give or leave open.

use crate::base::scenario::Scenario;
use crate::data::scale::Scaling;
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

/// The classifiers.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
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
    /// The unbiased risk estimate with the logistic loss, for rows that came about like this.
    Upu(Scenario),
    /// The non-negative risk estimate with the sigmoid loss, for rows that came about like this.
    NnPu(Scenario),
}

impl Method {
    /// The methods among which `auto` chooses: the ones that need no class prior.
    pub const MARGIN: [Self; 4] = [
        Self::Pual(PualSolver::Exact),
        Self::Gllc,
        Self::BlsSvm,
        Self::Bsvm,
    ];

    /// Every method there is, for a comparison.
    pub fn all(scenario: Scenario) -> Vec<Self> {
        let mut methods = Self::MARGIN.to_vec();
        methods.extend([Self::Upu(scenario), Self::NnPu(scenario)]);
        methods
    }

    /// The name, as the paper writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pual(_) => "PUAL",
            Self::Gllc => "GLLC",
            Self::BlsSvm => "BLS-SVM",
            Self::Bsvm => "BSVM",
            Self::Upu(_) => "uPU",
            Self::NnPu(_) => "nnPU",
        }
    }

    /// Method and solver in one word, the step included: two fits are alike only when this is.
    pub fn key(self) -> String {
        let step = |mu_1: Option<f64>| mu_1.map_or(String::new(), |mu_1| format!(" mu_1 {mu_1}"));
        match self {
            Self::Pual(PualSolver::Exact) => "pual".to_owned(),
            Self::Pual(PualSolver::Admm { mu_1 }) => format!("pual admm{}", step(Some(mu_1))),
            Self::Pual(PualSolver::Algorithm2 { mu_1 }) => {
                format!("pual algorithm2{}", step(mu_1))
            }
            Self::Pual(PualSolver::Algorithm2Iteration { mu_1 }) => {
                format!("pual algorithm2-iteration{}", step(mu_1))
            }
            Self::Pual(PualSolver::Mean) => "pual mean".to_owned(),
            Self::Gllc => "gllc".to_owned(),
            Self::BlsSvm => "bls-svm".to_owned(),
            Self::Bsvm => "bsvm".to_owned(),
            Self::Upu(scenario) => format!("upu {}", scenario_key(scenario)),
            Self::NnPu(scenario) => format!("nnpu {}", scenario_key(scenario)),
        }
    }

    /// Whether the graph acts. (In the paper's Algorithm 2, and in its limit, it drops out.)
    pub fn has_local_term(self) -> bool {
        matches!(
            self,
            Self::Gllc | Self::Pual(PualSolver::Exact | PualSolver::Admm { .. })
        )
    }

    /// What the rows are a sample of, for a method that estimates a risk and hence needs the class prior.
    pub fn risk_scenario(self) -> Option<Scenario> {
        match self {
            Self::Upu(scenario) | Self::NnPu(scenario) => Some(scenario),
            _ => None,
        }
    }

    /// Whether the ridge lambda acts. Algorithm 2 has none.
    pub fn has_ridge(self) -> bool {
        !matches!(
            self,
            Self::Pual(PualSolver::Algorithm2 { .. } | PualSolver::Algorithm2Iteration { .. })
        )
    }
}

fn scenario_key(scenario: Scenario) -> &'static str {
    match scenario {
        Scenario::SingleTrainingSet => "single-training-set",
        Scenario::CaseControl => "case-control",
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

//! The learners. One frame holds the four margin methods: with Psi = [F 1] and z = (beta, beta_0), minimise
//!
//!   lambda/2 ||beta||^2 + sum over positives loss_p(f_i) + sum over unlabeled loss_u(f_i) + f'Rf,   f = Psi z,
//!
//! | method  | loss_p            | loss_u          | local term f'Rf |
//! |---------|-------------------|-----------------|-----------------|
//! | PUAL    | C_p [1 - f]_+     | C_u (1 + f)^2   | yes |
//! | GLLC    | C_p (1 - f)^2     | C_u (1 + f)^2   | yes |
//! | BLS-SVM | C_p (1 - f)^2     | C_u (1 + f)^2   | no  |
//! | BSVM    | C_p [1 - f]_+     | C_u [1 + f]_+   | no  |
//!
//! [`Upu`] and [`NnPu`] minimise an estimate of the risk instead, which needs the class prior; their files open with it. [`Mlp`] is
//! a network for comparison, on the workstation only.
//!
//! A [`Design`] holds what does not depend on the weights, a [`Learner`] the weights; a grid builds few designs and
//! fits many learners on each. Every [`Fit`] carries a [`FitReport`] with a certificate of how good it is.

mod bls_svm;
mod bsvm;
mod design;
mod expansion;
mod gllc;
mod llsvm;
mod method;
pub(crate) mod prior;
mod pual;
mod risk;
mod spy_svm;
mod wus_svm;

pub(crate) use bls_svm::BlsSvm;
pub(crate) use bsvm::Bsvm;
pub use design::Design;
pub(crate) use expansion::Expansion;
pub(crate) use gllc::Gllc;
pub(crate) use llsvm::Llsvm;
pub(crate) use method::LearnerWeights;
pub use method::Method;
pub use pual::{Pual, PualSolver};
pub(crate) use risk::{ImbalancedNnPu, Mlp, NnPu, Upu, sigmoid, softplus};
pub(crate) use spy_svm::SpySvm;
pub(crate) use wus_svm::WusSvm;

use std::fmt;

use thiserror::Error;

use crate::geometry::features::Features;
use crate::geometry::instances::Instances;
use crate::solver::linear::NotPositiveDefinite;
use crate::solver::{Solution, Status};

/// Something that fits a score to a design.
pub trait Learner: Send + Sync {
    /// The method's name, as the paper writes it.
    fn name(&self) -> &'static str;

    /// Fits. What cannot be certified is an error, or says so in the report's status.
    fn fit(&self, design: &Design) -> Result<Fit, FitError>;
}

/// A fitted score f = F beta + beta_0.
#[derive(Debug, Clone)]
pub struct Fit {
    /// Weights of the features.
    pub beta: Vec<f64>,
    /// Intercept.
    pub beta_0: f64,
    /// Its certificate.
    pub report: FitReport,
}

impl Fit {
    /// The fit as a function of scaled readings: support instances, coefficients, bias.
    pub fn expansion(&self, instances: &Instances, features: &Features) -> Expansion {
        Expansion::new(instances, features, &self.beta, self.beta_0)
    }

    /// From a solver's z = (beta, beta_0) with its duality gap.
    fn with_gap(solution: Solution) -> Self {
        let report = FitReport {
            status: solution.status,
            iterations: solution.iterations,
            objective: solution.objective,
            certificate: Certificate::DualityGap(solution.gap),
        };
        Self::from_z(solution.z, report)
    }

    /// From z = (beta, beta_0).
    fn from_z(mut z: Vec<f64>, report: FitReport) -> Self {
        let beta_0 = z.pop().unwrap_or(0.0);
        Self { beta: z, beta_0, report }
    }
}

/// How a fit went.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FitReport {
    /// Whether the certificate met the tolerance.
    pub status: Status,
    /// Sweeps, steps or iterations, as the solver counts.
    pub iterations: usize,
    /// The objective at the fit.
    pub objective: f64,
    /// How far from the optimum it can be.
    pub certificate: Certificate,
}

/// Evidence of optimality.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Certificate {
    /// Objective minus a lower bound of the optimum.
    DualityGap(f64),
    /// The optimality equations' residual, relative to their right-hand side.
    KktResidual(f64),
    /// How much the last step of an iteration moved a score.
    StepResidual(f64),
}

impl Certificate {
    /// What the number is.
    pub fn name(&self) -> &'static str {
        match self {
            Self::DualityGap(_) => "duality gap",
            Self::KktResidual(_) => "KKT residual",
            Self::StepResidual(_) => "step residual",
        }
    }

    /// The number.
    pub fn value(&self) -> f64 {
        match *self {
            Self::DualityGap(value) | Self::KktResidual(value) | Self::StepResidual(value) => value,
        }
    }
}

impl fmt::Display for FitReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let status = match self.status {
            Status::Converged => "converged",
            Status::IterationLimit => "stopped at its iteration limit",
            Status::PrecisionLimit => "stopped at the limit of double precision",
        };
        let (name, value) = (self.certificate.name(), self.certificate.value());
        let (iterations, objective) = (self.iterations, self.objective);
        write!(f, "{status} after {iterations} iterations, objective {objective:.6}, {name} {value:.1e}")
    }
}

/// Why there is no fit.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[non_exhaustive]
pub enum FitError {
    /// A weight is outside its range.
    #[error("{name} = {value} must be {expected}")]
    Setting {
        /// The weight's name, as in the paper.
        name: &'static str,
        /// What was given.
        value: f64,
        /// What would have been accepted.
        expected: &'static str,
    },
    /// The equations are singular in double precision.
    #[error("the equations are singular in double precision")]
    Singular,
    /// Algorithm 2's step is too large for it to converge.
    #[error("mu_1 = {mu_1:e} is too large: Algorithm 2 would diverge")]
    UnsafeMu1 {
        /// What was given.
        mu_1: f64,
        /// A value that is safe for any data of this size.
        safe: f64,
    },
}

impl From<NotPositiveDefinite> for FitError {
    fn from(_: NotPositiveDefinite) -> Self {
        Self::Singular
    }
}

/// Refuses settings that are not positive finite numbers.
fn check_positive(settings: &[(&'static str, f64)]) -> Result<(), FitError> {
    let bad = settings.iter().find(|(_, value)| !(*value > 0.0 && value.is_finite()));
    bad.map_or(Ok(()), |&(name, value)| Err(FitError::Setting { name, value, expected: "a positive number" }))
}

//! PUAL, the classifier with asymmetric loss:                                                     Equation (opt)
//!
//!   minimise lambda/2 ||beta||^2 + C_p sum_p [1 - f]_+ + C_u sum_u (1 + f)^2 + f'Rf
//!
//! The unlabeled loss, the local term and the ridge are one quadratic, 1/2 (z - z_0)'H(z - z_0) with z_0 = (0, -1)
//! (see [`Design`]), so this is a quadratic plus a hinge over the positives: exactly solvable through a box QP in n_p
//! unknowns, or by the paper's ADMM. The paper's kernel Algorithm 2 is a *different* model (it has no lambda and no
//! graph), offered as such, and so is its limit, the mean form.

use super::{Design, Fit, FitError, Learner, check_positive};
use crate::geometry::kernel::Kernel;
use crate::solver::algorithm2::{self, Algorithm2};
use crate::solver::hinge::{self, HingeProblem};
use crate::solver::mean_form::{self, MeanForm};
use crate::solver::{Stopping, admm};

/// PUAL's weights, and which solver finds the optimum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pual {
    /// Ridge. Algorithm 2 has none.
    pub lambda: f64,
    /// Weight of the positives' loss.
    pub c_p: f64,
    /// Weight of the unlabeled loss.
    pub c_u: f64,
    /// The solver.
    pub solver: PualSolver,
    /// When it stops.
    pub stopping: Stopping,
}

/// The solvers.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(into = "StoredSolver", try_from = "StoredSolver")]
pub enum PualSolver {
    /// The objective above, by its dual; certified by a duality gap.
    Exact,
    /// The objective above, by the paper's Algorithm 1.
    Admm {
        /// Penalty; 1 is a good value.
        mu_1: f64,
    },
    /// The model of the paper's Algorithm 2, as the fixed point it converges to; certified by a duality gap.
    Algorithm2 {
        /// Step; none takes the largest that is safe for any data.
        mu_1: Option<f64>,
    },
    /// Penalises only the mean unlabeled score: no factorisation, no graph.
    Mean,
}

impl Pual {
    /// The exact solver with its default stopping rule.
    pub fn new(lambda: f64, c_p: f64, c_u: f64) -> Self {
        Self {
            lambda,
            c_p,
            c_u,
            solver: PualSolver::Exact,
            stopping: Stopping { tolerance: 1e-6, max_iterations: 20_000 },
        }
    }

    /// Another solver.
    pub fn with_solver(self, solver: PualSolver) -> Self {
        Self { solver, ..self }
    }

    /// Another stopping rule.
    pub fn with_stopping(self, stopping: Stopping) -> Self {
        Self { stopping, ..self }
    }

    fn exact(&self, design: &Design) -> Result<Fit, FitError> {
        let (hessian, centre) = (design.hessian(self.lambda, self.c_u), design.centre());
        let rows = design.features().psi_p();
        let problem = HingeProblem { hessian: hessian.as_ref(), centre: &centre, rows, c: self.c_p };
        let mut solution = match self.solver {
            PualSolver::Admm { mu_1 } => {
                check_positive(&[("mu_1", mu_1)])?;
                admm::solve(&problem, mu_1, self.stopping)?
            }
            _ => hinge::solve(&problem, self.stopping)?,
        };
        solution.objective = self.objective(design, &solution.z);
        Ok(Fit::with_gap(solution))
    }

    fn objective(&self, design: &Design, z: &[f64]) -> f64 {
        design.objective(z, self.lambda, self.c_u, |f| self.c_p * (1.0 - f).max(0.0))
    }

    fn algorithm2(&self, design: &Design, mu_1: Option<f64>) -> Result<Fit, FitError> {
        let features = design.features();
        let spread = match features.kernel() {
            Kernel::Rbf { .. } => 2.0,
            _ => 4.0 * largest_square(design),
        };
        let safe = algorithm2::safe_mu_1(design.positives(), design.unlabeled_weight(), self.c_u, spread);
        let mu_1 = mu_1.unwrap_or(safe);
        check_positive(&[("mu_1", mu_1)])?;
        let sum_u = design.sum_u();
        let r = features.rank();
        let problem = Algorithm2 {
            f_p: features.psi_p().subcols(0, r),
            sum_u: &sum_u[..r],
            unlabeled: design.unlabeled_weight(),
            c_p: self.c_p,
            c_u: self.c_u,
            mu_1,
        };
        // The fixed point exists exactly when the paper's iteration converges.
        let fixed = algorithm2::fixed_point(&problem, self.stopping);
        let fixed = fixed.map_err(|_| FitError::UnsafeMu1 { mu_1, safe })?;
        Ok(Fit::with_gap(fixed))
    }

    fn mean(&self, design: &Design) -> Fit {
        let r = design.features().rank();
        let unlabeled = design.unlabeled_weight();
        let mean_u: Vec<f64> = design.sum_u()[..r].iter().map(|sum| sum / unlabeled).collect();
        let problem = MeanForm {
            f_p: design.features().psi_p().subcols(0, r),
            mean_u: &mean_u,
            unlabeled,
            lambda: self.lambda,
            c_p: self.c_p,
            c_u: self.c_u,
        };
        Fit::with_gap(mean_form::solve(&problem, self.stopping))
    }
}

impl Learner for Pual {
    fn name(&self) -> &'static str {
        "PUAL"
    }

    fn fit(&self, design: &Design) -> Result<Fit, FitError> {
        check_positive(&[("lambda", self.lambda), ("C_p", self.c_p), ("C_u", self.c_u)])?;
        match self.solver {
            PualSolver::Exact | PualSolver::Admm { .. } => self.exact(design),
            PualSolver::Algorithm2 { mu_1 } => self.algorithm2(design, mu_1),
            PualSolver::Mean => Ok(self.mean(design)),
        }
    }
}

impl PualSolver {
    /// Whether the neighbour graph acts.
    pub(super) fn has_local_term(self) -> bool {
        matches!(self, Self::Exact | Self::Admm { .. })
    }

    /// Whether the ridge lambda acts.
    pub(super) fn has_ridge(self) -> bool {
        !matches!(self, Self::Algorithm2 { .. })
    }

    /// What [`Method::full_key`](super::Method::full_key) ends in.
    pub(super) fn key(self) -> String {
        match self {
            Self::Exact => String::new(),
            Self::Admm { mu_1 } => format!(" admm mu_1 {mu_1}"),
            Self::Algorithm2 { mu_1: None } => " algorithm2".to_owned(),
            Self::Algorithm2 { mu_1: Some(mu_1) } => format!(" algorithm2 mu_1 {mu_1}"),
            Self::Mean => " mean".to_owned(),
        }
    }
}

/// A solver as plans store it, by its number.
#[derive(serde::Serialize, serde::Deserialize)]
enum StoredSolver {
    Exact,
    Admm { mu_1: f64 },
    Algorithm2 { mu_1: Option<f64> },
    Retired,
    Mean,
}

impl From<PualSolver> for StoredSolver {
    fn from(solver: PualSolver) -> Self {
        match solver {
            PualSolver::Exact => Self::Exact,
            PualSolver::Admm { mu_1 } => Self::Admm { mu_1 },
            PualSolver::Algorithm2 { mu_1 } => Self::Algorithm2 { mu_1 },
            PualSolver::Mean => Self::Mean,
        }
    }
}

impl TryFrom<StoredSolver> for PualSolver {
    type Error = &'static str;

    fn try_from(stored: StoredSolver) -> Result<Self, Self::Error> {
        Ok(match stored {
            StoredSolver::Exact => Self::Exact,
            StoredSolver::Admm { mu_1 } => Self::Admm { mu_1 },
            StoredSolver::Algorithm2 { mu_1 } => Self::Algorithm2 { mu_1 },
            StoredSolver::Retired => return Err("a solver that no longer exists"),
            StoredSolver::Mean => Self::Mean,
        })
    }
}

/// max ||F_i||^2, a bound of the kernel's diagonal for kernels that are not 1 there.
fn largest_square(design: &Design) -> f64 {
    let psi = design.features().psi();
    (0..psi.nrows()).map(|i| (0..psi.ncols() - 1).map(|j| psi[(i, j)] * psi[(i, j)]).sum()).fold(0.0, f64::max)
}

//! PUAL, the classifier with asymmetric loss:                                                     Equation (opt)
//!
//!   minimise lambda/2 ||beta||^2 + C_p sum_p [1 - f]_+ + C_u sum_u (1 + f)^2 + f'Rf
//!
//! The unlabeled loss, the local term and the ridge are one quadratic, 1/2 (z - z_0)'H(z - z_0) with z_0 = (0, -1)
//! (see [`Design`]), so this is a quadratic plus a hinge over the positives: exactly solvable through a box QP in n_p
//! unknowns, or by the paper's ADMM. The paper's kernel Algorithm 2 is a *different* model (it has no lambda and no
//! graph), offered as such, and so is its limit, the mean form.

use super::{Certificate, Design, Fit, FitError, Learner, Report, check_positive};
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
    /// The same, by the paper's own iteration, which may take thousands of steps.
    Algorithm2Iteration {
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
            stopping: PualSolver::Exact.stopping(),
        }
    }

    /// Another solver, with that solver's default stopping rule.
    pub fn with_solver(self, solver: PualSolver) -> Self {
        Self {
            solver,
            stopping: solver.stopping(),
            ..self
        }
    }

    /// Another stopping rule.
    pub fn with_stopping(self, stopping: Stopping) -> Self {
        Self { stopping, ..self }
    }

    fn exact(&self, design: &Design) -> Result<Fit, FitError> {
        let (hessian, centre) = (design.hessian(self.lambda, self.c_u), design.centre());
        let rows = design.features().psi_p();
        let problem = HingeProblem {
            hessian: hessian.as_ref(),
            centre: &centre,
            rows,
            c: self.c_p,
        };
        let (z, status, iterations, gap) = match self.solver {
            PualSolver::Admm { mu_1 } => {
                check_positive(&[("mu_1", mu_1)])?;
                let found = admm::solve(&problem, mu_1, self.stopping)?;
                (found.z, found.status, found.iterations, found.gap)
            }
            _ => {
                let found = hinge::solve(&problem, self.stopping)?;
                (found.z, found.status, found.iterations, found.gap)
            }
        };
        let report = Report {
            status,
            iterations,
            objective: self.objective(design, &z),
            certificate: Certificate::DualityGap(gap),
        };
        Ok(Fit::from_z(z, report))
    }

    fn objective(&self, design: &Design, z: &[f64]) -> f64 {
        design.objective(z, self.lambda, self.c_u, |f| self.c_p * (1.0 - f).max(0.0))
    }

    fn algorithm2(
        &self,
        design: &Design,
        mu_1: Option<f64>,
        iterate: bool,
    ) -> Result<Fit, FitError> {
        let features = design.features();
        let spread = match features.kernel() {
            Kernel::Rbf { .. } => 2.0,
            _ => 4.0 * largest_square(design),
        };
        let safe = algorithm2::safe_mu_1(design.positives(), design.unlabeled(), self.c_u, spread);
        let mu_1 = mu_1.unwrap_or(safe);
        check_positive(&[("mu_1", mu_1)])?;
        let (sum_u, local_sum) = (design.sum_u(), design.local_sum());
        let r = features.rank();
        let problem = Algorithm2 {
            f_p: features.psi_p().subcols(0, r),
            sum_u: &sum_u[..r],
            unlabeled: design.unlabeled(),
            local_sum: &local_sum[..r],
            local_total: local_sum[r],
            c_p: self.c_p,
            c_u: self.c_u,
            mu_1,
        };
        // The fixed point exists exactly when the iteration converges: it is asked first, and refuses.
        let fixed = algorithm2::fixed_point(&problem, self.stopping)
            .map_err(|_| FitError::UnsafeMu1 { mu_1, safe })?;
        if !iterate {
            let report = Report {
                status: fixed.hinge.status,
                iterations: fixed.hinge.iterations,
                objective: fixed.objective,
                certificate: Certificate::DualityGap(fixed.hinge.gap),
            };
            return Ok(Fit {
                beta: fixed.beta,
                beta_0: fixed.beta_0,
                report,
            });
        }
        let last = algorithm2::iterate(&problem, self.stopping)?;
        let report = Report {
            status: last.status,
            iterations: last.iterations,
            objective: fixed.objective,
            certificate: Certificate::StepResidual(last.residual),
        };
        Ok(Fit {
            beta: last.beta,
            beta_0: last.beta_0,
            report,
        })
    }

    fn mean(&self, design: &Design) -> Fit {
        let r = design.features().rank();
        let unlabeled = design.unlabeled();
        let mean_u: Vec<f64> = design.sum_u()[..r]
            .iter()
            .map(|sum| sum / unlabeled as f64)
            .collect();
        let problem = MeanForm {
            f_p: design.features().psi_p().subcols(0, r),
            mean_u: &mean_u,
            unlabeled,
            lambda: self.lambda,
            c_p: self.c_p,
            c_u: self.c_u,
        };
        let found = mean_form::solve(&problem, self.stopping);
        let report = Report {
            status: found.dual.status,
            iterations: found.dual.iterations,
            objective: found.dual.primal,
            certificate: Certificate::DualityGap(found.dual.gap),
        };
        Fit {
            beta: found.beta,
            beta_0: found.beta_0,
            report,
        }
    }
}

impl Learner for Pual {
    fn name(&self) -> &'static str {
        "PUAL"
    }

    fn fit(&self, design: &Design) -> Result<Fit, FitError> {
        check_positive(&[
            ("lambda", self.lambda),
            ("C_p", self.c_p),
            ("C_u", self.c_u),
        ])?;
        match self.solver {
            PualSolver::Exact | PualSolver::Admm { .. } => self.exact(design),
            PualSolver::Algorithm2 { mu_1 } => self.algorithm2(design, mu_1, false),
            PualSolver::Algorithm2Iteration { mu_1 } => self.algorithm2(design, mu_1, true),
            PualSolver::Mean => Ok(self.mean(design)),
        }
    }
}

impl PualSolver {
    /// The default stopping rule.
    fn stopping(self) -> Stopping {
        let (tolerance, max_iterations) = match self {
            Self::Exact | Self::Algorithm2 { .. } | Self::Mean => (1e-6, 20_000),
            Self::Admm { .. } => (1e-6, 20_000),
            Self::Algorithm2Iteration { .. } => (1e-9, 200_000),
        };
        Stopping {
            tolerance,
            max_iterations,
        }
    }
}

/// max ||F_i||^2, a bound of the kernel's diagonal for kernels that are not 1 there.
fn largest_square(design: &Design) -> f64 {
    let psi = design.features().psi();
    (0..psi.nrows())
        .map(|i| {
            (0..psi.ncols() - 1)
                .map(|j| psi[(i, j)] * psi[(i, j)])
                .sum()
        })
        .fold(0.0, f64::max)
}

//! GLLC, the global and local learning classifier:                                           Equation (objgllc)
//!
//!   minimise lambda/2 ||beta||^2 + C_p sum_p (1 - f)^2 + C_u sum_u (1 + f)^2 + f'Rf
//!
//! One symmetric positive definite solve: (H + 2 C_p Psi_p'Psi_p) z = H z_0 + 2 C_p Psi_p'1.

use super::{Certificate, Design, Fit, FitError, FitReport, Learner, check_positive};
use crate::solver::Status;
use crate::solver::linear::{self, symmetric_product};

/// Relative residual that counts as solved; refinement leaves about 1e-15.
const RESIDUAL: f64 = 1e-9;

/// GLLC's weights.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Gllc {
    /// Ridge.
    pub lambda: f64,
    /// Weight of the positives' loss.
    pub c_p: f64,
    /// Weight of the unlabeled loss.
    pub c_u: f64,
}

impl Learner for Gllc {
    fn name(&self) -> &'static str {
        "GLLC"
    }

    fn fit(&self, design: &Design) -> Result<Fit, FitError> {
        let Self { lambda, c_p, c_u } = *self;
        check_positive(&[("lambda", lambda), ("C_p", c_p), ("C_u", c_u)])?;
        let mut matrix = design.hessian(lambda, c_u);
        let mut right = symmetric_product(matrix.as_ref(), &design.centre());
        let gram_p = design.gram_p();
        let last = matrix.ncols() - 1;
        for j in 0..=last {
            for i in j..=last {
                matrix[(i, j)] += 2.0 * c_p * gram_p[(i, j)];
            }
            // The last row of Psi_p'Psi_p is Psi_p'1.
            right[j] += 2.0 * c_p * gram_p[(last, j)];
        }
        let solution = linear::solve(matrix.as_ref(), &right)?;
        let square = |x: f64| x * x;
        let report = FitReport {
            status: if solution.residual <= RESIDUAL { Status::Converged } else { Status::PrecisionLimit },
            iterations: 1,
            objective: design.objective(&solution.z, lambda, c_u, |f| c_p * square(1.0 - f)),
            certificate: Certificate::KktResidual(solution.residual),
        };
        Ok(Fit::from_z(solution.z, report))
    }
}

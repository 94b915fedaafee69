//! BLS-SVM, the biased least squares support vector machine:                                   Equation (blsvm)
//!
//!   minimise lambda/2 ||beta||^2 + C_p sum_p (1 - f)^2 + C_u sum_u (1 + f)^2
//!
//! That is GLLC without the local term.

use super::{Design, Fit, FitError, Gllc, Learner};

/// BLS-SVM's weights.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BlsSvm {
    /// Ridge.
    pub lambda: f64,
    /// Weight of the positives' loss.
    pub c_p: f64,
    /// Weight of the unlabeled loss.
    pub c_u: f64,
}

impl Learner for BlsSvm {
    fn name(&self) -> &'static str {
        "BLS-SVM"
    }

    fn fit(&self, design: &Design) -> Result<Fit, FitError> {
        let Self { lambda, c_p, c_u } = *self;
        Gllc { lambda, c_p, c_u }.fit(&design.without_local())
    }
}

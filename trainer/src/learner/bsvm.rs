//! BSVM, the biased support vector machine:                                                     Equation (bsvm)
//!
//!   minimise lambda/2 ||beta||^2 + C_p sum_p [1 - f]_+ + C_u sum_u [1 + f]_+
//!
//! It is scikit-learn's SVC with class weights C_p/lambda and C_u/lambda and gamma = 1 / (2 bandwidth^2). Where unlabeled rows have weights
//! of their own, C_u is C_u w_j.

use faer::Mat;

use super::{Design, Fit, FitError, Learner, check_positive};
use crate::solver::Stopping;
use crate::solver::interior::{self, Interior};

/// BSVM's weights.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bsvm {
    /// Ridge.
    pub lambda: f64,
    /// Weight of the positives' loss.
    pub c_p: f64,
    /// Weight of the unlabeled loss.
    pub c_u: f64,
    /// When the interior-point method stops.
    pub stopping: Stopping,
}

impl Bsvm {
    /// With the default stopping rule: a duality gap of 1e-9 of the objective. The method gains a
    /// digit or two per step, and scores are only as good as the gap's square root.
    pub(crate) fn new(lambda: f64, c_p: f64, c_u: f64) -> Self {
        let stopping = Stopping { tolerance: 1e-9, max_iterations: 100 };
        Self { lambda, c_p, c_u, stopping }
    }
}

impl Learner for Bsvm {
    fn name(&self) -> &'static str {
        "BSVM"
    }

    fn fit(&self, design: &Design) -> Result<Fit, FitError> {
        let Self { lambda, c_p, c_u, stopping } = *self;
        check_positive(&[("lambda", lambda), ("C_p", c_p), ("C_u", c_u)])?;
        let (n_p, psi) = (design.positives(), design.features().psi());
        let weight = |row: usize| design.weights().map_or(1.0, |w| w[row - n_p]);
        // The interior-point method has no use for a row without weight.
        let rows: Vec<usize> = (0..psi.nrows()).filter(|&row| row < n_p || weight(row) > 0.0).collect();
        let counted =
            (rows.len() < psi.nrows()).then(|| Mat::from_fn(rows.len(), psi.ncols(), |i, j| psi[(rows[i], j)]));
        let signs: Vec<f64> = rows.iter().map(|&row| if row < n_p { 1.0 } else { -1.0 }).collect();
        let upper: Vec<f64> = rows.iter().map(|&row| if row < n_p { c_p } else { c_u * weight(row) }).collect();
        let mut ridge = vec![lambda; design.features().rank() + 1];
        // The intercept is free.
        ridge[design.features().rank()] = 0.0;
        let problem = Interior {
            x: counted.as_ref().map_or(psi, Mat::as_ref),
            y: &signs,
            c: &vec![1.0; rows.len()],
            upper: &upper,
            ridge: &ridge,
        };
        Ok(Fit::with_gap(interior::solve(&problem, stopping)))
    }
}

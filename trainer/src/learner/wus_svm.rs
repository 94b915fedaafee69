//! WUS-SVM, the weighted unlabeled samples SVM (Liu, Shi, Li and Qin, 2005):
//!
//!   minimise lambda/2 ||beta||^2 + C_p sum_p [1 - f]_+ + C_u sum_u w_j [1 + f_j]_+
//!
//! BSVM in which an unlabeled row counts as a negative only as far as it is likely to be one. The paper leaves open how that is
//! estimated. Here it is the distance to the nearest labeled row in feature space,
//!
//!   d_j = min over labeled i of ||F_j - F_i||^2,   v_j = 1 - exp(-d_j / mean of d),   w_j = v_j / mean of v,
//!
//! so a copy of a labeled row weighs nothing, and C_u means what it means in BSVM. (With the RBF kernel ||F_j - F_i||^2 is
//! 2 - 2 k(x_j, x_i), up to what the pivots leave out.) Where no row differs from the labeled ones, all weigh 1.

use rayon::prelude::*;

use super::{Bsvm, Design, Fit, FitError, Learner};

/// WUS-SVM's weights.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct WusSvm {
    /// Ridge.
    pub lambda: f64,
    /// Weight of the positives' loss.
    pub c_p: f64,
    /// Mean weight of an unlabeled row's loss.
    pub c_u: f64,
}

impl WusSvm {
    /// w, one per unlabeled row.
    pub(crate) fn row_weights(design: &Design) -> Vec<f64> {
        let distances = distances_to_labeled(design);
        let typical = mean(&distances);
        if typical <= 0.0 {
            return vec![1.0; distances.len()];
        }
        let likelihoods: Vec<f64> = distances.iter().map(|d| 1.0 - libm::exp(-d / typical)).collect();
        let scale = mean(&likelihoods);
        likelihoods.iter().map(|v| v / scale).collect()
    }
}

impl Learner for WusSvm {
    fn name(&self) -> &'static str {
        "WUS-SVM"
    }

    fn fit(&self, design: &Design) -> Result<Fit, FitError> {
        let weighted = design.with_weights(&Self::row_weights(design))?;
        Bsvm::new(self.lambda, self.c_p, self.c_u).fit(&weighted)
    }
}

/// d, one per unlabeled row.
fn distances_to_labeled(design: &Design) -> Vec<f64> {
    let psi = design.features().psi();
    // The intercept's column is the same everywhere.
    let row = |i: usize| -> Vec<f64> { (0..psi.ncols() - 1).map(|j| psi[(i, j)]).collect() };
    let labeled: Vec<Vec<f64>> = (0..design.positives()).map(row).collect();
    let square = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum() };
    let nearest = |i: usize| {
        let x = row(i);
        labeled.iter().map(|z| square(&x, z)).fold(f64::INFINITY, f64::min)
    };
    (design.positives()..psi.nrows()).into_par_iter().map(nearest).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

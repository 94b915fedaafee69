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
        let variant = std::env::var("WUS").unwrap_or_default();
        let psi = design.features().psi();
        let (n, r, n_p) = (psi.nrows(), psi.ncols() - 1, design.positives());
        if variant == "one" {
            return vec![1.0; distances.len()];
        }
        let likelihoods: Vec<f64> = if variant == "ratio" {
            let row = |i: usize| -> Vec<f64> { (0..r).map(|j| psi[(i, j)]).collect() };
            let rows: Vec<Vec<f64>> = (0..n).map(row).collect();
            let mean_of = |s: &[Vec<f64>]| -> Vec<f64> {
                (0..r).map(|j| s.iter().map(|x| x[j]).sum::<f64>() / s.len() as f64).collect()
            };
            let (mp, mu) = (mean_of(&rows[..n_p]), mean_of(&rows[n_p..]));
            rows[n_p..]
                .iter()
                .map(|x| {
                    let d = |m: &[f64]| x.iter().zip(m).map(|(a, b)| a * b).sum::<f64>().max(1e-9);
                    d(&mu) / (d(&mu) + d(&mp))
                })
                .collect()
        } else if variant == "nn2" {
            distances.iter().map(|d| 1.0 - libm::exp(-d / (0.5 * typical))).collect()
        } else {
            distances.iter().map(|d| 1.0 - libm::exp(-d / typical)).collect()
        };
        if typical <= 0.0 {
            return vec![1.0; distances.len()];
        }
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

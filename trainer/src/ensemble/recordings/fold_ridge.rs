//! Weighted ridge regression with scores of rows held out by folds, for recordings and blocks of time:
//!
//!   min_z  sum_i w_i (y_i - psi_i'z)^2 + lambda ||z||^2,        f_i  by the z of the rows that are learned from without fold(i)
//!
//! The sums A = sum_i w_i psi_i psi_i' are kept for each class of rows (labeled, unlabeled, known normal) and for what each fold leaves
//! out, so that a weight is a multiple of a class's sum, and a fold is one small Cholesky factorisation.

use faer::{Mat, MatRef};

use crate::base::dense::transposed_product;
use crate::data::units::UnitFolds;
use crate::ensemble::EnsembleError;
use crate::ensemble::ridge::{RidgeFit, multiply};
use crate::solver::linear::Cholesky;

/// The sums of one basis.
pub(in crate::ensemble) struct FoldSums<'a> {
    psi: MatRef<'a, f64>,
    folds: &'a UnitFolds,
    class_of: &'a [usize],
    /// By class: over all rows.
    all: Vec<Mat<f64>>,
    /// By fold, then by class: over the rows that are not learned from.
    left_out: Vec<Vec<Mat<f64>>>,
}

impl<'a> FoldSums<'a> {
    /// Sums of psi's rows, whose classes are below `classes`.
    pub(in crate::ensemble) fn new(
        psi: MatRef<'a, f64>,
        folds: &'a UnitFolds,
        class_of: &'a [usize],
        classes: usize,
    ) -> Self {
        let sum = |is_in: &dyn Fn(usize) -> bool| {
            let rows: Vec<usize> = (0..psi.nrows()).filter(|&row| is_in(row)).collect();
            let part = Mat::from_fn(rows.len(), psi.ncols(), |i, j| psi[(rows[i], j)]);
            multiply(part.transpose(), part.as_ref())
        };
        let by_class = |is_in: &dyn Fn(usize) -> bool| {
            (0..classes).map(|c| sum(&|row| class_of[row] == c && is_in(row))).collect()
        };
        Self {
            all: by_class(&|_| true),
            left_out: folds.learned.iter().map(|learned| by_class(&|row| !learned[row])).collect(),
            psi,
            folds,
            class_of,
        }
    }

    /// The solutions for all `lambdas`, in their order, where rows of class c weigh `weights[c]`.
    pub(in crate::ensemble) fn fit(
        &self,
        weights: &[f64],
        target: &[f64],
        lambdas: &[f64],
    ) -> Result<Vec<RidgeFit>, EnsembleError> {
        let (n, q) = (self.psi.nrows(), self.psi.ncols());
        let whole =
            Mat::from_fn(q, q, |i, j| weights.iter().zip(&self.all).map(|(w, sum)| w * sum[(i, j)]).sum::<f64>());
        let pull = self.pull(weights, target, None);
        let mut fits = lambdas
            .iter()
            .map(|&lambda| Ok(RidgeFit { weights: solve(&whole, lambda, &pull)?, left_out: vec![0.0; n] }))
            .collect::<Result<Vec<_>, EnsembleError>>()?;
        for (fold, left_out) in self.left_out.iter().enumerate() {
            let less = |i, j| weights.iter().zip(left_out).map(|(w, sum)| w * sum[(i, j)]).sum::<f64>();
            let rest = Mat::from_fn(q, q, |i, j| whole[(i, j)] - less(i, j));
            let pull = self.pull(weights, target, Some(&self.folds.learned[fold]));
            let held_out: Vec<usize> = (0..n).filter(|&row| self.folds.fold_of[row] == fold).collect();
            for (fit, &lambda) in fits.iter_mut().zip(lambdas) {
                let z = solve(&rest, lambda, &pull)?;
                for &row in &held_out {
                    fit.left_out[row] = (0..q).map(|j| self.psi[(row, j)] * z[j]).sum();
                }
            }
        }
        Ok(fits)
    }

    /// sum_i w_i y_i psi_i, over all rows or those that are learned from.
    fn pull(&self, weights: &[f64], target: &[f64], learned: Option<&[bool]>) -> Vec<f64> {
        let weighed = |(row, y): (usize, &f64)| match learned {
            Some(learned) if !learned[row] => 0.0,
            _ => weights[self.class_of[row]] * y,
        };
        let weighed: Vec<f64> = target.iter().enumerate().map(weighed).collect();
        transposed_product(self.psi, &weighed)
    }
}

/// (A + lambda I)^{-1} b.
fn solve(a: &Mat<f64>, lambda: f64, b: &[f64]) -> Result<Vec<f64>, EnsembleError> {
    let mut ridged = a.clone();
    for j in 0..b.len() {
        // Subtracted sums may be below zero by a rounding error.
        ridged[(j, j)] = ridged[(j, j)].max(0.0) + lambda;
    }
    Ok(Cholesky::new(ridged.as_ref()).map_err(|_| EnsembleError::Decomposition)?.solve(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;
    use crate::ensemble::ridge::ridge;

    #[test]
    fn scores_held_out_are_those_of_refits_without_the_fold_and_its_gap() {
        let random = &mut Random::new(3, 0);
        let (n, q) = (30, 5);
        let psi = Mat::from_fn(n, q, |_, _| random.normal());
        let target: Vec<f64> = (0..n).map(|_| random.normal()).collect();
        let class_of: Vec<usize> = (0..n).map(|row| usize::from(row >= 8)).collect();
        let fold_of: Vec<usize> = (0..n).map(|row| row / 10).collect();
        // The first row of each fold is in the gap of the fold before it.
        let learned = (0..3).map(|fold| (0..n).map(|row| fold_of[row] != fold && row != 10 * (fold + 1)).collect());
        let folds = UnitFolds { learned: learned.collect(), fold_of };
        let sums = FoldSums::new(psi.as_ref(), &folds, &class_of, 2);
        let weights = [0.3, 0.05];
        let fits = sums.fit(&weights, &target, &[1e-3, 0.5]).unwrap();
        let weigh = |learned: &dyn Fn(usize) -> bool| -> Vec<f64> {
            (0..n).map(|row| if learned(row) { weights[class_of[row]] } else { 0.0 }).collect()
        };
        let whole = ridge(psi.as_ref(), &weigh(&|_| true), &target, &[1e-3, 0.5]).unwrap();
        for fold in 0..3 {
            let without = weigh(&|row| folds.learned[fold][row]);
            let refits = ridge(psi.as_ref(), &without, &target, &[1e-3, 0.5]).unwrap();
            for (fit, refit) in fits.iter().zip(&refits) {
                for row in 10 * fold..10 * (fold + 1) {
                    let score: f64 = (0..q).map(|j| psi[(row, j)] * refit.weights[j]).sum();
                    assert!((fit.left_out[row] - score).abs() < 1e-9);
                }
            }
        }
        for (fit, whole) in fits.iter().zip(&whole) {
            assert!(fit.weights.iter().zip(&whole.weights).all(|(a, b)| (a - b).abs() < 1e-9));
        }
    }
}

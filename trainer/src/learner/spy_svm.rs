//! The two-step method with spies (Liu, Lee, Yu and Li, 2002), on our kernel machines:
//!
//! 1. Some labeled rows, the *spies*, are put among the unlabeled ones, and BLS-SVM is fitted to the rest:
//!
//!      minimise lambda/2 ||beta||^2 + C_p sum_(p without S) (1 - f)^2 + C_u sum_(u and S) (1 + f)^2.
//!
//!    Spies score as the unlabeled positives do. Unlabeled rows that score below nearly all of them are *reliable negatives*.
//! 2. BSVM of the labeled rows against the reliable negatives:
//!
//!      minimise lambda/2 ||beta||^2 + C_p sum_p [1 - f]_+ + C_u sum_u w_j [1 + f_j]_+ ,
//!
//!    w_j the same for all reliable negatives, 0 for other rows, 1 on average: C_u means what it means in BSVM.
//!
//! The paper draws 15 % of the labeled rows as spies, once. Here every labeled row is a spy once, in one of seven rounds, so that
//! neither luck nor the order of rows plays a part: a round's spies are every seventh labeled row in the order of their scores in a
//! first fit without spies. A spy's score is that of its round, an unlabeled row's the mean over the rounds.

use faer::Mat;

use super::{BlsSvm, Bsvm, Design, Fit, FitError, Learner, check_positive};
use crate::base::dense::{lower_gram, product};
use crate::base::statistics::quantile;
use crate::solver::linear;

/// Rounds, in each of which one in seven labeled rows is a spy: the paper's 15 %.
const ROUNDS: usize = 7;

/// The spy method's weights.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SpySvm {
    /// Ridge, in both steps.
    pub lambda: f64,
    /// Weight of the positives' loss, in both steps.
    pub c_p: f64,
    /// Weight of the unlabeled loss, on average.
    pub c_u: f64,
    /// Share of the spies that may score below a reliable negative, in [0, 1].
    pub noise: f64,
}

impl SpySvm {
    /// A twentieth of the spies may score below a reliable negative: some labels are wrong.
    pub(crate) fn new(lambda: f64, c_p: f64, c_u: f64) -> Self {
        Self { lambda, c_p, c_u, noise: 0.05 }
    }

    /// Whether each unlabeled row is a reliable negative; at least one is.
    pub(crate) fn reliable_negatives(&self, design: &Design) -> Result<Vec<bool>, FitError> {
        let Self { lambda, c_p, c_u, noise } = *self;
        check_positive(&[("lambda", lambda), ("C_p", c_p), ("C_u", c_u)])?;
        if !(0.0..=1.0).contains(&noise) {
            return Err(FitError::Setting { name: "noise", value: noise, expected: "between 0 and 1" });
        }
        let n_p = design.positives();
        if n_p < 2 {
            return Err(FitError::Setting { name: "labeled rows", value: n_p as f64, expected: "at least 2" });
        }
        let first = BlsSvm { lambda, c_p, c_u }.fit(design)?;
        let z: Vec<f64> = first.beta.iter().copied().chain([first.beta_0]).collect();
        let scores = product(design.features().psi_p(), &z);
        let mut order: Vec<usize> = (0..n_p).collect();
        order.sort_by(|&a, &b| scores[a].total_cmp(&scores[b]));
        let rounds = ROUNDS.min(n_p);
        let mut of_spies = Vec::with_capacity(n_p);
        let mut of_unlabeled = vec![0.0; design.unlabeled()];
        for round in 0..rounds {
            let spies: Vec<usize> = order.iter().copied().skip(round).step_by(rounds).collect();
            let f = self.scores_with_spies(design, &spies)?;
            of_spies.extend(spies.iter().map(|&spy| f[spy]));
            for (sum, f) in of_unlabeled.iter_mut().zip(&f[n_p..]) {
                *sum += f / rounds as f64;
            }
        }
        of_spies.sort_by(f64::total_cmp);
        let lowest = of_unlabeled.iter().fold(f64::INFINITY, |min: f64, f| min.min(*f));
        let threshold = quantile(&of_spies, noise).max(lowest);
        Ok(of_unlabeled.iter().map(|&f| f <= threshold).collect())
    }

    /// The scores of all rows by BLS-SVM with these labeled rows among the unlabeled ones.
    fn scores_with_spies(&self, design: &Design, spies: &[usize]) -> Result<Vec<f64>, FitError> {
        let psi = design.features().psi();
        let of_spies = Mat::from_fn(spies.len(), psi.ncols(), |i, j| psi[(spies[i], j)]);
        let (gram_p, gram_s) = (design.gram_p(), lower_gram(of_spies.as_ref(), of_spies.as_ref()));
        let mut matrix = design.without_local().hessian(self.lambda, self.c_u);
        let sum_u = design.sum_u();
        let last = matrix.ncols() - 1;
        let mut right = vec![0.0; last + 1];
        for j in 0..=last {
            for i in j..=last {
                let labeled = gram_p[(i, j)] - gram_s[(i, j)];
                matrix[(i, j)] += 2.0 * (self.c_p * labeled + self.c_u * gram_s[(i, j)]);
            }
            // The last rows of the sums are Psi'1.
            let (labeled, spies) = (gram_p[(last, j)] - gram_s[(last, j)], gram_s[(last, j)]);
            right[j] = 2.0 * (self.c_p * labeled - self.c_u * (sum_u[j] + spies));
        }
        Ok(product(psi, &linear::solve(matrix.as_ref(), &right)?.z))
    }
}

impl Learner for SpySvm {
    fn name(&self) -> &'static str {
        "Spy-SVM"
    }

    fn fit(&self, design: &Design) -> Result<Fit, FitError> {
        let reliable = self.reliable_negatives(design)?;
        let count = reliable.iter().filter(|&&reliable| reliable).count();
        let weight = reliable.len() as f64 / count as f64;
        let weights: Vec<f64> = reliable.iter().map(|&reliable| if reliable { weight } else { 0.0 }).collect();
        Bsvm::new(self.lambda, self.c_p, self.c_u).fit(&design.with_weights(&weights)?)
    }
}

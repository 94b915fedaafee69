//! PUAL members: one kernel, sixteen settings, with approximate leave-one-out scores.
//!
//!   min_z  lambda/2 ||z||^2 + (1/n_p) sum_p [1 - f]_+ + (c/n_u) sum_u (1 + f)^2,     c in {1/4, 1/2, 1, 2}
//!
//! With Psi_u'Psi_u / n_u = V diag(e) V' and G = Psi V the Hessian is diagonal, D_j = lambda + 2 c e_j, for every (c, lambda), and
//! the dual is the box QP of `solver::box_qp` with v_i = D^{-1/2} G_i over the labeled rows.
//!
//! Leaving a row out with the set M of labeled rows at the margin (0 < a_i < 1/n_p) held fixed: let s_i be the response of f_i to
//! a unit pull on row i under the constraint f_M = 1,
//!
//!   s_i = G_i'D^{-1}G_i - Q_iM Q_MM^{-1} Q_Mi,      Q = G D^{-1} G'
//!
//! | row | score without it |
//! |---|---|
//! | unlabeled | -1 + (1 + f_i) / (1 - (2c/n_u) s_i) |
//! | labeled, inside the margin (a_i = 1/n_p) | f_i - a_i s_i |
//! | labeled, at the margin (i in M) | 1 - a_i / (Q_MM^{-1})_ii |
//! | labeled, beyond the margin (a_i = 0) | f_i |

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltRegularization, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Mat, MatRef, Par};

use super::EnsembleError;
use super::ridge::{RidgeFit, eigen, multiply};
use crate::solver::box_qp::{self, BoxQp};
use crate::solver::{Status, Stopping};

pub(super) const WEIGHTS_OF_UNLABELED: [f64; 4] = [0.25, 0.5, 1.0, 2.0];
/// The left-out scores need multipliers that are accurate, not just a good objective. Members that stop short are counted.
const STOPPING: Stopping = Stopping { tolerance: 1e-6, max_iterations: 200 };
/// Shares of the upper bound below and above which a multiplier counts as at a bound.
const AT_BOUND: (f64, f64) = (1e-3, 0.999);
const LEAST_FREEDOM: f64 = 1e-3;

/// The members of one kernel, and how many ended at the iteration limit.
pub(super) struct PualMembers {
    pub fits: Vec<RidgeFit>,
    pub at_limit: usize,
}

/// The members with every c and lambda, in that order, on the features `psi`, of which the first `positives` rows are labeled.
pub(super) fn pual_members(
    psi: MatRef<'_, f64>,
    positives: usize,
    weights_of_unlabeled: &[f64],
    lambdas: &[f64],
) -> Result<PualMembers, EnsembleError> {
    let (n, q) = (psi.nrows(), psi.ncols());
    let unlabeled = n - positives;
    let psi_u = psi.subrows(positives, unlabeled);
    let mut gram = multiply(psi_u.transpose(), psi_u);
    gram *= faer::Scale(1.0 / unlabeled as f64);
    let (e, v) = eigen(gram.as_ref())?;
    let g = multiply(psi, v.as_ref());
    let mean_u: Vec<f64> =
        (0..q).map(|j| g.col_as_slice(j)[positives..].iter().sum::<f64>() / unlabeled as f64).collect();
    let mut members = PualMembers { fits: Vec::new(), at_limit: 0 };
    for (c, lambda) in weights_of_unlabeled.iter().flat_map(|&c| lambdas.iter().map(move |&lambda| (c, lambda))) {
        let root: Vec<f64> = e.iter().map(|e| 1.0 / (lambda + 2.0 * c * e).sqrt()).collect();
        let problem = ScaledProblem {
            // Rows of G D^{-1/2} as columns.
            rows: Mat::from_fn(q, n, |j, i| root[j] * g[(i, j)]),
            // D^{-1/2} times the pull of the unlabeled rows towards -1.
            pull: (0..q).map(|j| -2.0 * c * mean_u[j] * root[j]).collect(),
            positives,
            c_u: c / unlabeled as f64,
        };
        let (w, left_out, status) = problem.solve()?;
        members.at_limit += usize::from(status != Status::Converged);
        let t = Mat::from_fn(q, 1, |j, _| root[j] * w[j]);
        members.fits.push(RidgeFit { weights: multiply(v.as_ref(), t.as_ref()).col_as_slice(0).to_vec(), left_out });
    }
    Ok(members)
}

/// One setting, in coordinates in which the Hessian is the identity.
struct ScaledProblem {
    rows: Mat<f64>,
    pull: Vec<f64>,
    positives: usize,
    c_u: f64,
}

impl ScaledProblem {
    /// The minimiser in these coordinates, and the scores of rows left out.
    fn solve(&self) -> Result<(Vec<f64>, Vec<f64>, Status), EnsembleError> {
        let n = self.rows.ncols();
        let upper = 1.0 / self.positives as f64;
        let dot = |i: usize, w: &[f64]| crate::base::dense::dot(self.rows.col_as_slice(i), w);
        let slack: Vec<f64> = (0..self.positives).map(|i| 1.0 - dot(i, &self.pull)).collect();
        let v = self.rows.as_ref().subcols(0, self.positives);
        let problem = BoxQp { v, c: &slack, upper: &vec![upper; self.positives] };
        let solution = box_qp::solve(&problem, STOPPING);
        let w: Vec<f64> = self.pull.iter().zip(&solution.z).map(|(p, w)| p + w).collect();
        let a = &solution.multipliers;
        let f: Vec<f64> = (0..n).map(|i| dot(i, &w)).collect();
        let mut response: Vec<f64> = (0..n).map(|i| dot(i, self.rows.col_as_slice(i))).collect();
        let mut left_out = f.clone();
        let margin: Vec<usize> =
            (0..self.positives).filter(|&i| a[i] > AT_BOUND.0 * upper && a[i] < AT_BOUND.1 * upper).collect();
        if !margin.is_empty() {
            let held = Mat::from_fn(self.rows.nrows(), margin.len(), |j, m| self.rows[(j, margin[m])]);
            let l = factor(multiply(held.transpose(), held.as_ref()))?;
            let mut b = multiply(held.transpose(), self.rows.as_ref());
            solve_lower_triangular_in_place(l.as_ref(), b.as_mut(), Par::Seq);
            for (i, response) in response.iter_mut().enumerate() {
                let taken: f64 = b.col_as_slice(i).iter().map(|b| b * b).sum();
                *response = (*response - taken).max(0.0);
            }
            let mut inverse = Mat::identity(margin.len(), margin.len());
            solve_lower_triangular_in_place(l.as_ref(), inverse.as_mut(), Par::Seq);
            for (m, &i) in margin.iter().enumerate() {
                let diagonal: f64 = inverse.col_as_slice(m).iter().map(|x| x * x).sum();
                left_out[i] = 1.0 - a[i] / diagonal.max(1e-12);
            }
        }
        for i in 0..self.positives {
            if a[i] >= AT_BOUND.1 * upper {
                left_out[i] = f[i] - a[i] * response[i];
            }
        }
        for i in self.positives..n {
            let freedom = 1.0 - 2.0 * self.c_u * response[i];
            left_out[i] = -1.0 + (1.0 + f[i]) / freedom.max(LEAST_FREEDOM);
        }
        Ok((w, left_out, solution.status))
    }
}

/// The Cholesky factor of Q_MM with a millionth of its mean diagonal added: rows of M may be copies of each other.
fn factor(mut q: Mat<f64>) -> Result<Mat<f64>, EnsembleError> {
    let size = q.nrows();
    let trace: f64 = (0..size).map(|i| q[(i, i)]).sum();
    for i in 0..size {
        q[(i, i)] += 1e-6 * trace / size as f64;
    }
    let scratch = cholesky_in_place_scratch::<f64>(size, Par::Seq, Default::default());
    cholesky_in_place(
        q.as_mut(),
        LltRegularization::default(),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Default::default(),
    )
    .map_err(|_| EnsembleError::Decomposition)?;
    Ok(q)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    fn problem(n: usize, positives: usize) -> Mat<f64> {
        let random = &mut Random::new(12, 0);
        Mat::from_fn(n, 5, |i, j| match (i < positives, j) {
            (_, 4) => 10.0,
            (true, 0) => 1.0 + random.normal(),
            _ => random.normal(),
        })
    }

    fn objective(psi: MatRef<'_, f64>, positives: usize, lambda: f64, c: f64, z: &[f64]) -> f64 {
        let n = psi.nrows();
        let f = |i: usize| (0..z.len()).map(|j| psi[(i, j)] * z[j]).sum::<f64>();
        let p: f64 = (0..positives).map(|i| (1.0 - f(i)).max(0.0)).sum();
        let u: f64 = (positives..n).map(|i| (1.0 + f(i)).powi(2)).sum();
        let ridge: f64 = z.iter().map(|z| z * z).sum();
        0.5 * lambda * ridge + p / positives as f64 + c * u / (n - positives) as f64
    }

    #[test]
    fn members_minimise_their_objective() {
        let psi = problem(60, 20);
        let members = pual_members(psi.as_ref(), 20, &WEIGHTS_OF_UNLABELED, &[1e-2, 1.0]).unwrap();
        assert_eq!(members.fits.len(), 8);
        let mut fits = members.fits.iter();
        let random = &mut Random::new(1, 0);
        for c in WEIGHTS_OF_UNLABELED {
            for lambda in [1e-2, 1.0] {
                let z = &fits.next().unwrap().weights;
                let here = objective(psi.as_ref(), 20, lambda, c, z);
                for _ in 0..200 {
                    let near: Vec<f64> = z.iter().map(|z| z + 0.05 * random.normal()).collect();
                    let there = objective(psi.as_ref(), 20, lambda, c, &near);
                    assert!(there > here * (1.0 - 1e-6));
                }
            }
        }
    }

    #[test]
    fn scores_left_out_are_near_those_of_refits() {
        let (n, positives) = (90, 30);
        let psi = problem(n, positives);
        let (c, lambda) = (0.5, 0.1);
        let fit = &pual_members(psi.as_ref(), positives, &[c], &[lambda]).unwrap().fits[0];
        let (mut error, mut naive) = (0.0, 0.0);
        for out in 0..n {
            let rest = Mat::from_fn(n - 1, 5, |i, j| psi[(i + usize::from(i >= out), j)]);
            let labeled = out < positives;
            let left = positives - usize::from(labeled);
            // Means over one row less weigh the other rows more: undone here.
            let (c, lambda) = if labeled {
                let more = positives as f64 / left as f64;
                (c * more, lambda * more)
            } else {
                (c * (n - positives - 1) as f64 / (n - positives) as f64, lambda)
            };
            let refit = &pual_members(rest.as_ref(), left, &[c], &[lambda]).unwrap().fits[0];
            let score = |z: &[f64]| (0..5).map(|j| psi[(out, j)] * z[j]).sum::<f64>();
            error += (fit.left_out[out] - score(&refit.weights)).abs();
            naive += (score(&fit.weights) - score(&refit.weights)).abs();
        }
        // Not exact: where leaving a row out changes the set M.
        assert!(error < 0.3 * naive, "{error} {naive}");
    }
}

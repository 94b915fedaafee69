//! LLSVM, the large-margin label-calibrated SVM (Gong, Liu, Yang and Tao, 2019): minimise
//!
//!   J = lambda/2 ||beta||^2 + C_p sum_p [1 - f]_+ + C_u sum_u [1 - |f|]_+ + C_c D,   D = (E[s(f)] - (2 pi - 1))^2.
//!
//! The *hat loss* [1 - |f|]_+ keeps unlabeled rows out of the margin, on whichever side: the boundary goes where rows are few. It alone
//! would call every row positive. The *label calibration* D asks that the mean label be that of the population: s(f) is the smooth sign
//! arctan(f) / arctan(infinity), E is over the population as in `risk`, and 2 pi - 1 with pi = P(y = 1) is the mean label. We know the
//! paper's regulariser by its description only (the arctangent of a score without intercept against a threshold); this is our reading of
//! it, with the intercept that all methods here have. C_c is a multiple of C_p n_p, so that one number sets it for any number of rows.
//!
//! For every t > 0, J is a difference g - h with
//!
//!   g = lambda/2 ||beta||^2 + t/2 E[f^2] + C_p sum_p [1 - f]_+ + C_u sum_u ([1 - f]_+ + [1 + f]_+ - 1)
//!   h = t/2 E[f^2] - C_c D + C_u sum_u |f|,
//!
//! g convex, and h too where t is large enough. The convex-concave procedure starts from BLS-SVM and replaces h by its tangent at z, again
//! and again: each time the result is a convex problem that touches J at z, a box QP. Where h is convex it lies above J, so that J falls;
//! t starts small, since steps are then large, and doubles whenever J falls less than half as much as the convex problem does.
//!
//! J is not convex: there is no proof of a global optimum. The certificate is how much the convex problem that touches J at the fit could
//! still be lowered, by its dual: 0 exactly at a stationary point, whatever t is.

use faer::Mat;

use super::risk::RowWeights;
use super::{BlsSvm, Certificate, Design, Fit, FitError, FitReport, Learner, check_positive};
use crate::base::dense::{dot, lower_weighted_gram, product, transposed_product};
use crate::base::scenario::Scenario;
use crate::solver::box_qp::{self, BoxQp};
use crate::solver::linear::{Cholesky, symmetric_product};
use crate::solver::{Solution, Status, Stopping};

/// t / C_c at the start.
const FIRST_CURVATURE: f64 = 0.1;
/// t / C_c for which h is convex on any data: above 2 (max s'^2 + 2 max |s''|) = 2.47.
const SAFE_CURVATURE: f64 = 2.5;
/// When the box QP of a step is solved.
const OF_STEP: Stopping = Stopping { tolerance: 1e-7, max_iterations: 2000 };

/// LLSVM's settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Llsvm {
    /// Ridge.
    pub lambda: f64,
    /// Weight of the positives' loss.
    pub c_p: f64,
    /// Weight of the hat loss.
    pub c_u: f64,
    /// C_c / (C_p n_p), the weight of the calibration.
    pub calibration: f64,
    /// pi = P(y = 1) in the population.
    pub prior: f64,
    /// What the training rows are a sample of.
    pub scenario: Scenario,
    /// Steps of the procedure, and the share of J that its certificate may be.
    pub stopping: Stopping,
}

/// Share of J at z = 0 that the certificate may be at the last step.
const CLOSE: f64 = 1e-5;

impl Llsvm {
    /// With the default calibration and stopping rule.
    pub(crate) fn new(lambda: f64, c_p: f64, c_u: f64, prior: f64, scenario: Scenario) -> Self {
        let calibration = 1.0;
        let stopping = Stopping { tolerance: 1e-4, max_iterations: 300 };
        Self { lambda, c_p, c_u, calibration, prior, scenario, stopping }
    }
}

/// s, and its slope.
fn smooth_sign(f: f64) -> (f64, f64) {
    use std::f64::consts::FRAC_2_PI;
    (FRAC_2_PI * libm::atan(f), FRAC_2_PI / (1.0 + f * f))
}

/// J.
struct Objective<'a> {
    learner: &'a Llsvm,
    design: &'a Design,
    /// What each row counts in E.
    population: Vec<f64>,
    /// C_c.
    c_c: f64,
}

impl<'a> Objective<'a> {
    fn new(learner: &'a Llsvm, design: &'a Design) -> Result<Self, FitError> {
        let (n_p, n_u) = (design.positives(), design.unlabeled());
        let weights = RowWeights::new(learner.prior, learner.scenario, n_p, n_u)?;
        let population = (0..n_p + n_u).map(|row| weights.of(row).1).collect();
        Ok(Self { learner, design, population, c_c: learner.calibration * learner.c_p * n_p as f64 })
    }

    /// E[s(f)] - (2 pi - 1).
    fn excess(&self, f: &[f64]) -> f64 {
        let mean: f64 = f.iter().zip(&self.population).map(|(&f, w)| w * smooth_sign(f).0).sum();
        mean - (2.0 * self.learner.prior - 1.0)
    }

    fn value(&self, z: &[f64], f: &[f64]) -> f64 {
        let (f_p, f_u) = f.split_at(self.design.positives());
        let Llsvm { lambda, c_p, c_u, .. } = *self.learner;
        let beta = &z[..z.len() - 1];
        let hinges: f64 = f_p.iter().map(|f| (1.0 - f).max(0.0)).sum();
        let hats: f64 = f_u.iter().map(|f| (1.0 - f.abs()).max(0.0)).sum();
        0.5 * lambda * dot(beta, beta) + c_p * hinges + c_u * hats + self.c_c * self.excess(f).powi(2)
    }

    /// The slopes of h in every score.
    fn concave_slopes(&self, t: f64, f: &[f64]) -> Vec<f64> {
        let excess = self.excess(f);
        let slope = |(row, (&f, w)): (usize, (&f64, &f64))| {
            let smooth = w * (t * f - 2.0 * self.c_c * excess * smooth_sign(f).1);
            // 0 is a slope of |f| at 0.
            let side = if f == 0.0 || row < self.design.positives() { 0.0 } else { f.signum() };
            smooth + self.learner.c_u * side
        };
        f.iter().zip(&self.population).enumerate().map(slope).collect()
    }
}

/// What the convex problems of one t share: each is 1/2 (z - c)'H(z - c) plus the hinges of g, with H c = the slopes of h.
struct ConvexProblem {
    t: f64,
    /// The lower triangle of H = lambda E + t Psi'W Psi, W the population's weights.
    hessian: Mat<f64>,
    factor: Cholesky,
    /// L^{-1} psi_i of every hinge: positives, unlabeled rows, unlabeled rows with the sign turned.
    v: Mat<f64>,
    /// C of every hinge.
    upper: Vec<f64>,
}

/// The optimum of a convex problem.
struct Step {
    z: Vec<f64>,
    /// How much lower it is than the point where the problem touches J.
    gain: f64,
    /// The same for the true optimum, at most.
    gap: f64,
}

impl ConvexProblem {
    fn new(objective: &Objective<'_>, t: f64) -> Result<Self, FitError> {
        let Objective { learner, design, population, .. } = objective;
        let (n_p, n_u, psi) = (design.positives(), design.unlabeled(), design.features().psi());
        let mut hessian = lower_weighted_gram(psi, population.iter().map(|w| t * w));
        for j in 0..design.features().rank() {
            hessian[(j, j)] += learner.lambda;
        }
        let factor = Cholesky::new(hessian.as_ref())?;
        let n = n_p + n_u;
        let mut v = Mat::from_fn(psi.ncols(), n + n_u, |j, i| if i < n { psi[(i, j)] } else { -psi[(i - n_u, j)] });
        factor.forward(v.as_mut());
        let mut upper = vec![learner.c_p; n_p];
        upper.resize(n + n_u, learner.c_u);
        Ok(Self { t, hessian, factor, v, upper })
    }

    /// Solves the problem that touches J at z, whose scores are f. `a` are the multipliers of the problem before.
    fn step(&self, objective: &Objective<'_>, z: &[f64], f: &[f64], a: &mut Vec<f64>) -> Step {
        let psi = objective.design.features().psi();
        let n_p = objective.design.positives();
        let centre = self.factor.solve(&transposed_product(psi, &objective.concave_slopes(self.t, f)));
        // 1 - f of the hinges, the last of them with the sign turned.
        let margins =
            |f: &[f64]| -> Vec<f64> { f.iter().map(|f| 1.0 - f).chain(f[n_p..].iter().map(|f| 1.0 + f)).collect() };
        let c = margins(&product(psi, &centre));
        let problem = BoxQp { v: self.v.as_ref(), c: &c, upper: &self.upper };
        let Solution { z: w, multipliers, objective: value, gap, .. } =
            box_qp::solve_from(&problem, std::mem::take(a), OF_STEP);
        *a = multipliers;
        let away: Vec<f64> = z.iter().zip(&centre).map(|(z, c)| z - c).collect();
        let hinges: f64 = margins(f).iter().zip(&self.upper).map(|(margin, c)| c * margin.max(0.0)).sum();
        let here = 0.5 * dot(&away, &symmetric_product(self.hessian.as_ref(), &away)) + hinges;
        let z = centre.iter().zip(self.factor.backward(&w)).map(|(c, step)| c + step).collect();
        Step { z, gain: here - value, gap: here - value + gap }
    }
}

impl Learner for Llsvm {
    fn name(&self) -> &'static str {
        "LLSVM"
    }

    fn fit(&self, design: &Design) -> Result<Fit, FitError> {
        let Self { lambda, c_p, c_u, calibration, .. } = *self;
        check_positive(&[("lambda", lambda), ("C_p", c_p), ("C_u", c_u), ("calibration", calibration)])?;
        let objective = Objective::new(self, design)?;
        let mut convex = ConvexProblem::new(&objective, FIRST_CURVATURE * objective.c_c)?;
        let start = BlsSvm { lambda, c_p, c_u }.fit(design)?;
        let mut z: Vec<f64> = start.beta.into_iter().chain([start.beta_0]).collect();
        let mut f = product(design.features().psi(), &z);
        let mut value = objective.value(&z, &f);
        let mut a = vec![0.0; convex.upper.len()];
        let mut iterations = 0;
        loop {
            let step = convex.step(&objective, &z, &f, &mut a);
            let converged = step.gap <= self.stopping.tolerance * value;
            if converged || iterations >= self.stopping.max_iterations {
                // Where J is close to 0 no share of it is small enough: what counts is what was to be gained.
                let is_close = step.gap <= CLOSE * objective.value(&vec![0.0; z.len()], &vec![0.0; f.len()]);
                let status = if converged || is_close { Status::Converged } else { Status::IterationLimit };
                let certificate = Certificate::DualityGap(step.gap);
                return Ok(Fit::from_z(z, FitReport { status, iterations, objective: value, certificate }));
            }
            iterations += 1;
            let next_f = product(design.features().psi(), &step.z);
            let next = objective.value(&step.z, &next_f);
            if next > value - 0.5 * step.gain && convex.t < SAFE_CURVATURE * objective.c_c {
                convex = ConvexProblem::new(&objective, 2.0 * convex.t)?;
                continue;
            }
            (z, f, value) = (step.z, next_f, next);
        }
    }
}

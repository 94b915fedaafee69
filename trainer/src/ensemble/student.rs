//! The student: the one kernel expansion that repeats the teacher's decisions and fits a chip.
//!
//! Target of row i:  t_i = clip(logit P_i - logit cut, -3, 3) / 3 for unlabeled rows, so that the border is at 0, and what the
//! teacher is sure of costs nothing to be less sure of; 1 for labeled rows, which are known to be positive. Interpolated points
//! have the teacher's posterior as it is. All are regressed by ridge on the kernel features of the scaled rows; bandwidth,
//! ridge, and the scaling are chosen by the left-out squared error. Relevance is part of the scaling:
//!
//!   z_j = (x_j - offset_j) * scale_j,    scale_j = relevance_j^power / spread_j,    power 0, 1 or 2,
//!
//! with the standard deviation or the deciles as spread, so the device needs nothing new. Outliers are not clipped here, because
//! the device does not clip.
//!
//! Rows are left out one by one also where the teacher's members were judged on whole recordings: the student repeats a known function,
//! of which neighbours are honest samples. (On 6 splits of recordings of a pump: F1 68.8, with recordings left out 66.0, the teacher's
//! being 70.7.) A linear student is tried too then.

use faer::Mat;
use rayon::prelude::*;
use serde::{Serialize, Serializer};

use super::basis::{Basis, Shape};
use super::mixture::logit;
use super::ridge::{ridge, squared_error};
use super::{EnsembleError, TrainingRows};
use crate::data::scale::{Scaler, Scaling};
use crate::geometry::instances::{GeometryError, Instances};
use crate::geometry::kernel::Kernel;
use crate::learner::Expansion;

const BANDWIDTHS: [f64; 6] = [0.15, 0.3, 0.6, 1.2, 2.4, 4.8];
const LAMBDAS: [f64; 5] = [1e-5, 1e-4, 1e-3, 1e-2, 1e-1];
/// Certainty beyond this many units of log-odds from the cut is ignored.
const CLIP: f64 = 3.0;
/// Posteriors are kept this far from 0 and 1.
const LEAST_POSTERIOR: f64 = 1e-4;

pub(super) struct Student {
    pub scaler: Scaler,
    /// Its `rows` are positions among the rows it was fitted to.
    pub expansion: Expansion,
    pub choice: StudentChoice,
}

/// What was chosen for the student.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct StudentChoice {
    /// The kernel, with its bandwidth.
    #[serde(rename = "bandwidth", serialize_with = "bandwidth")]
    pub kernel: Kernel,
    /// The ridge.
    pub lambda: f64,
    /// Features are weighted by this power of their relevance to the forests.
    pub relevance_power: i32,
    /// Whether features were scaled by their deciles, not by their standard deviations.
    pub by_deciles: bool,
    /// Mean squared error on rows left out; targets lie in [-1, 1].
    pub left_out_error: f64,
}

fn bandwidth<S: Serializer>(kernel: &Kernel, serializer: S) -> Result<S::Ok, S::Error> {
    kernel.bandwidth().serialize(serializer)
}

/// What the student should say of each row, of which the first `positives` are labeled.
pub(super) fn targets(posterior: &[f64], positives: usize, cut: f64) -> Vec<f64> {
    // A low cut must still have rows below it.
    let least = LEAST_POSTERIOR.min(0.25 * cut).max(1e-9);
    let log_odds = |p: f64| logit(p.clamp(least, 1.0 - LEAST_POSTERIOR));
    let border = log_odds(cut);
    let target = |&p: &f64| (log_odds(p) - border).clamp(-CLIP, CLIP) / CLIP;
    let mut targets: Vec<f64> = posterior.iter().map(target).collect();
    targets[..positives].fill(1.0);
    targets
}

/// A scaling, the rows by it, and a kernel.
struct Candidate<'a> {
    scaled: &'a StudentScaling,
    kernel: Kernel,
}

struct StudentScaling {
    relevance_power: i32,
    by_deciles: bool,
    scaler: Scaler,
    instances: Instances,
    /// Interpolated points, scaled.
    points: Vec<f64>,
}

/// What the teacher says of the training rows, and of interpolated points.
pub(super) struct Lesson<'a> {
    /// Targets of the training rows.
    pub target: &'a [f64],
    /// Row-major raw rows.
    pub points: &'a [f64],
    pub points_target: &'a [f64],
}

/// Fits the student. `relevance` is one weight per feature, if there are any.
pub(super) fn student(
    rows: &TrainingRows<'_>,
    lesson: &Lesson<'_>,
    relevance: Option<&[f64]>,
    supports: usize,
) -> Result<Student, EnsembleError> {
    let scaled = scalings(rows, lesson.points, relevance)?;
    let candidates: Vec<Candidate<'_>> = scaled
        .iter()
        .flat_map(|scaled| {
            // RBF is what the device computes.
            let median = Shape::Rbf.median_distance(&scaled.instances);
            let linear = rows.held_out.map(|_| Kernel::Linear);
            let rbf = BANDWIDTHS.map(|bandwidth| Shape::Rbf.kernel(bandwidth * median));
            rbf.into_iter().chain(linear).map(move |kernel| Candidate { scaled, kernel })
        })
        .collect();
    let target = [lesson.target, lesson.points_target].concat();
    let fitted = candidates
        .par_iter()
        .map(|candidate| candidate.fit(&target, supports, rows.seed))
        .collect::<Result<Vec<_>, _>>()?;
    let best = (fitted.into_iter().zip(&candidates))
        .min_by(|(a, _), (b, _)| a.1.left_out_error.total_cmp(&b.1.left_out_error));
    let ((expansion, choice), candidate) = best.ok_or(EnsembleError::NoStudentKernel)?;
    Ok(Student { scaler: candidate.scaled.scaler.clone(), expansion, choice })
}

/// The rows by every scaling.
fn scalings(
    rows: &TrainingRows<'_>,
    points: &[f64],
    relevance: Option<&[f64]>,
) -> Result<Vec<StudentScaling>, GeometryError> {
    let by_deviation = Scaler::fit(Scaling::ZScore, rows.values, rows.features);
    let powers = if relevance.is_some() { 0..3 } else { 0..1 };
    let labeled: Vec<bool> = (0..rows.len()).map(|at| at < rows.positives).collect();
    let mut scaled = Vec::new();
    for by_deciles in [false, true] {
        let base = if by_deciles { by_deviation.by_deciles(rows.values) } else { by_deviation.clone() };
        for power in powers.clone() {
            let weights: Vec<f64> = relevance.unwrap_or_default().iter().map(|weight| weight.powi(power)).collect();
            let scaler = if power == 0 { base.clone() } else { base.weighed(&weights) };
            let values = scaler.apply(rows.values);
            scaled.push(StudentScaling {
                relevance_power: power,
                by_deciles,
                instances: Instances::arrange(&values, rows.features, &labeled)?,
                points: scaler.apply(points),
                scaler,
            });
        }
    }
    Ok(scaled)
}

impl Candidate<'_> {
    /// The best ridge for this kernel.
    fn fit(&self, target: &[f64], supports: usize, seed: u64) -> Result<(Expansion, StudentChoice), EnsembleError> {
        let instances = &self.scaled.instances;
        let basis = Basis::new(instances, self.kernel, supports, seed)?;
        let (n, n_train) = (target.len(), instances.len());
        let points = basis.psi_of(&self.scaled.points);
        let mut psi = Mat::zeros(n, points.ncols());
        psi.subrows_mut(0, n_train).copy_from(basis.psi());
        psi.subrows_mut(n_train, n - n_train).copy_from(points);
        let fits = ridge(psi.as_ref(), &vec![1.0 / n as f64; n], target, &LAMBDAS)?;
        let errors = fits.iter().map(|fit| squared_error(&fit.left_out, target));
        let best = (errors.zip(&fits).zip(LAMBDAS)).min_by(|((a, _), _), ((b, _), _)| a.total_cmp(b));
        let ((left_out_error, fit), lambda) = best.ok_or(EnsembleError::NoStudentKernel)?;
        let (coefficients, bias) = basis.expand(&fit.weights);
        let expansion = Expansion {
            kernel: basis.kernel,
            features: instances.features(),
            rows: basis.pivots.clone(),
            supports: match basis.kernel {
                Kernel::Linear => Vec::new(),
                _ => basis.points.concat(),
            },
            coefficients,
            bias,
        };
        let choice = StudentChoice {
            kernel: self.kernel,
            lambda,
            relevance_power: self.scaled.relevance_power,
            by_deciles: self.scaled.by_deciles,
            left_out_error,
        };
        Ok((expansion, choice))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    #[test]
    fn targets_part_at_the_cut_and_are_clipped() {
        let targets = targets(&[0.0, 0.3, 0.4, 0.5, 1.0], 0, 0.4);
        assert_eq!((targets[0], targets[2], targets[4]), (-1.0, 0.0, 1.0));
        assert_eq!(super::targets(&[0.1, 0.1], 1, 0.4)[0], 1.0, "labeled");
        assert!(targets[1] < 0.0 && targets[3] > 0.0);
    }

    #[test]
    fn a_smooth_teacher_is_repeated_and_relevance_helps_where_it_is_true() {
        let random = &mut Random::new(9, 0);
        let values: Vec<f64> = (0..300 * 4).map(|_| random.normal()).collect();
        let rows = TrainingRows { values: &values, features: 4, positives: 100, normal: &[], held_out: None, seed: 1 };
        // Only the first feature matters.
        let target: Vec<f64> = values.chunks(4).map(|x| libm::sin(2.0 * x[0])).collect();
        let relevance = [2.0, 0.15, 0.15, 0.15];
        let lesson = Lesson { target: &target, points: &[], points_target: &[] };
        let fit = |relevance: Option<&[f64]>| student(&rows, &lesson, relevance, 40);
        let plain = fit(None).unwrap();
        let weighed = fit(Some(&relevance)).unwrap();
        assert!(weighed.choice.relevance_power > 0 && plain.choice.relevance_power == 0);
        assert!(weighed.choice.left_out_error < 0.2 * plain.choice.left_out_error);
        assert!(weighed.expansion.coefficients.len() <= 40);
        let scores = weighed.expansion.scores(&weighed.scaler.apply(&values));
        assert!(squared_error(&scores, &target) <= weighed.choice.left_out_error);
    }
}

//! Many classifiers distilled into one small one: a teacher ensemble, its probabilities, a guard, and a student.
//!
//! ```text
//! rows -> forests, kernel members -> posterior P(y = 1) -> cut of largest expected F1 -> guard -> one kernel expansion
//!         (scored on rows left out)   (mixture of scores)                              (enough evidence?)   (the student)
//! ```
//!
//! The choice of settings varies more between samples than classifiers do. Averaging over many settings removes that variance
//! and costs the device nothing, because only the student is deployed. No true label is used anywhere: the input is rows and
//! which of them are labeled.
//!
//! Each file opens with its formulas: `maps`, `forest`, `ridge`, `basis`, `pual_members`, `mixture`, `rare`, `evidence`, `teacher`,
//! `rounds`, `student`. Where rows are not independent, `recordings` takes the place of the rounds.

mod basis;
mod evidence;
mod forest;
mod maps;
mod mixture;
mod pual_members;
mod rare;
mod recordings;
mod report;
mod ridge;
mod rounds;
mod rows;
mod student;
mod teacher;

pub(crate) use evidence::{AllPositive, LabelBias, UnlabeledGroup, warning_of_events};
pub use recordings::EventEvidence;
pub(crate) use recordings::{merit_of_features, relevance};
pub use report::EnsembleReport;
use report::Merit;

use recordings::{HeldOut, teach_by_recordings};
use report::judge;
use rounds::{teach, teach_by_pual_only};
use rows::TrainingRows;
use student::{Lesson, student, targets};
use teacher::Teacher;

use crate::base::random::Random;
use crate::base::scenario::Scenario;
use crate::base::watch::Watch;
use crate::data::scale::{Scaler, Scaling};
use crate::data::units::Units;
use crate::geometry::instances::{GeometryError, Instances};
use crate::geometry::interpolate::towards_near;
use crate::geometry::kernel::Kernel;
use crate::learner::Expansion;

/// Keeps the draw of rows apart from the forests' and the pivots' of the same seed.
const STREAM_OF_ROWS: u64 = 1 << 40;
/// The same for interpolated points, and how many of them there are per row.
const STREAM_OF_POINTS: u64 = 1 << 41;
const POINTS_PER_ROW: usize = 2;
/// The most folds that recordings are held out in.
const MOST_FOLDS: usize = 10;
/// What the student costs, in fits of a member.
const STUDENT_UNITS: usize = 600;
/// The most rows a teacher learns from, unless told otherwise.
pub(crate) const MAX_ROWS: usize = 4000;
/// Fewest rows a teacher can learn from.
const LEAST_ROWS: usize = 10;

/// Who teaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Members {
    /// BLS-SVM machines and forests, with a second round on their own beliefs.
    #[default]
    All,
    /// PUAL machines alone.
    PualOnly,
}

/// Row-major rows feature by feature.
fn columns(rows: &[f64], features: usize) -> Vec<Vec<f64>> {
    (0..features).map(|j| rows.iter().skip(j).step_by(features).copied().collect()).collect()
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct EnsembleOptions {
    /// Who teaches.
    pub members: Members,
    /// How many kernel members are averaged: the N best, and half as many of those on features weighted by relevance.
    pub best: usize,
    /// The most support instances of the student.
    pub student_supports: usize,
    /// Share of positives in the population, if it is known.
    pub share: Option<f64>,
    /// How the rows came about: which of them stand for the population whose F1 is to be large.
    pub scenario: Scenario,
    /// The most rows to learn from; of more, a sample is drawn with the same share of labeled rows.
    pub max_rows: usize,
    /// Seed of forests, pivots and rows drawn.
    pub seed: u64,
}

impl Default for EnsembleOptions {
    fn default() -> Self {
        Self {
            members: Members::All,
            best: 80,
            student_supports: 160,
            share: None,
            scenario: Scenario::default(),
            max_rows: MAX_ROWS,
            seed: 0,
        }
    }
}

/// Why nothing was fitted.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EnsembleError {
    /// The rows, or a setting.
    #[error(transparent)]
    Geometry(#[from] GeometryError),
    /// An eigenvalue or Cholesky decomposition failed.
    #[error("a matrix of kernel features could not be decomposed; are values far beyond 1e100?")]
    Decomposition,
    /// There was no kernel for the student to choose from.
    #[error("no kernel is left for the student")]
    NoStudentKernel,
}

/// A fitted ensemble: the student to deploy, the teacher behind it, and how it went.
#[derive(Debug, Clone)]
pub(crate) struct Ensemble {
    /// Raw readings to scaled ones; the features' relevance is in it.
    pub scaler: Scaler,
    /// Scaled readings to scores; a score above 0 is positive.
    pub expansion: Expansion,
    /// How it went.
    pub report: EnsembleReport,
    #[cfg_attr(not(test), expect(dead_code, reason = "the tests compare the student with it"))]
    teacher: Teacher,
}

#[cfg(test)]
impl Ensemble {
    /// The student's scores of raw row-major readings; above 0 is positive.
    pub(crate) fn scores(&self, rows: &[f64]) -> Vec<f64> {
        self.expansion.scores(&self.scaler.apply(rows))
    }

    /// The teacher's scores of raw row-major readings: P(y = 1) minus the cut; above 0 is positive. For research: no device runs it.
    pub(crate) fn teacher_scores(&self, rows: &[f64]) -> Vec<f64> {
        let posterior = self.teacher.posterior(rows);
        posterior.iter().map(|p| p - self.report.cut).collect()
    }
}

/// Fits an ensemble to raw row-major `rows` of `features` values, those with `labeled[i]` known to be positive.
///
/// Where `units` say which rows belong together, nothing is judged by rows whose neighbours were learned from.
///
/// It runs on the current rayon pool; the result does not depend on the number of threads.
pub(crate) fn fit(
    rows: &[f64],
    features: usize,
    labeled: &[bool],
    normal: Option<&[bool]>,
    units: Option<&Units>,
    options: &EnsembleOptions,
    watch: &dyn Watch,
) -> Result<Ensemble, EnsembleError> {
    for (name, value, least) in [
        ("best", options.best, 1),
        ("student_supports", options.student_supports, 1),
        ("max_rows", options.max_rows, LEAST_ROWS),
    ] {
        if value < least {
            return Err(EnsembleError::Geometry(GeometryError::Setting {
                name,
                value: value as f64,
                expected: if least == 1 { "at least 1" } else { "at least 10" },
            }));
        }
    }
    let instances = Instances::arrange(rows, features, labeled)?;
    let drawn = draw(&instances, options);
    let values: Vec<f64> = drawn.iter().flat_map(|&at| instances.point(at)).collect();
    let positives = drawn.iter().filter(|&&at| at < instances.positives()).count();
    let order: Vec<usize> = drawn.iter().map(|&at| instances.row(at)).collect();
    let held_out = units.map(|units| HeldOut::new(units, &order, positives, options.seed));
    let normal: Vec<bool> = normal.map(|normal| order.iter().map(|&row| normal[row]).collect()).unwrap_or_default();
    let learned = TrainingRows {
        values: &values,
        features,
        positives,
        normal: &normal,
        held_out: held_out.as_ref(),
        seed: options.seed,
    };
    watch.planned(STUDENT_UNITS);
    let taught = match (&held_out, options.members) {
        (Some(held_out), members) => teach_by_recordings(&learned, held_out, members, options.best, watch)?,
        (None, Members::All) => teach(&learned, options.best, watch)?,
        (None, Members::PualOnly) => teach_by_pual_only(&learned, options.best, watch)?,
    };
    let mut report = judge(&taught, &learned, options);
    report.left_out_margins =
        order.iter().zip(&taught.posterior).map(|(&row, posterior)| (row, posterior - report.cut)).collect();
    if held_out.is_none() && report.all_positive.is_none() {
        report.label_bias = Some(LabelBias::measure(&learned, &taught.posterior));
        report.unlabeled_group = UnlabeledGroup::find(&learned, &taught.posterior, report.cut);
    }
    let (scaler, expansion) = if report.all_positive.is_some() {
        constant(features)
    } else {
        let has_relevance = options.members == Members::All && held_out.is_none();
        let relevance = has_relevance.then(|| &taught.teacher.maps.relevance[..]);
        let points = interpolated(&learned);
        let mut target = targets(&taught.posterior, learned.positives, report.cut);
        if let Some(held_out) = &held_out {
            let by_teacher = targets(&taught.posterior, 0, report.cut);
            let doubtful = held_out.doubtful(&taught.posterior);
            (0..doubtful.len()).filter(|&row| doubtful[row]).for_each(|row| target[row] = by_teacher[row]);
        }
        learned.set_normals(&mut target, -1.0);
        let lesson = Lesson {
            target: &target,
            points: &points,
            points_target: &targets(&taught.teacher.posterior(&points), 0, report.cut),
        };
        let mut student = student(&learned, &lesson, relevance, options.student_supports)?;
        for row in &mut student.expansion.rows {
            *row = instances.row(drawn[*row]);
        }
        watch.made(STUDENT_UNITS);
        report.student = Some(student.choice);
        (student.scaler, student.expansion)
    };
    Ok(Ensemble { scaler, expansion, report, teacher: taught.teacher })
}

/// Positions of the rows to learn from, labeled ones first, at least one of each.
fn draw(instances: &Instances, options: &EnsembleOptions) -> Vec<usize> {
    let n = instances.len();
    if n <= options.max_rows {
        return (0..n).collect();
    }
    let random = &mut Random::new(options.seed, STREAM_OF_ROWS);
    let share = options.max_rows as f64 / n as f64;
    let labeled = (share * instances.positives() as f64).round() as usize;
    let labeled = labeled.clamp(1, instances.positives());
    let mut pick = |range: std::ops::Range<usize>, count: usize| {
        let mut positions: Vec<usize> = range.collect();
        random.shuffle(&mut positions);
        positions.truncate(count);
        positions.sort_unstable();
        positions
    };
    let mut drawn = pick(0..instances.positives(), labeled);
    drawn.extend(pick(instances.positives()..n, options.max_rows - labeled));
    drawn
}

/// Interpolated points, of which the student hears the teacher's word too.
///
/// A student fitted to the training rows alone repeats the teacher's left-out scores with their noise; points in between show it
/// the function itself. (On 4 splits of 16 data sets x 2 label frequencies this, more bandwidths and more scalings brought the
/// student's F1 from 83.5 to 83.6, within the error, the teacher's being 83.9; on Online Retail it gained one point.)
fn interpolated(rows: &TrainingRows<'_>) -> Vec<f64> {
    let random = &mut Random::new(rows.seed, STREAM_OF_POINTS);
    let scaled = Scaler::fit(Scaling::ZScore, rows.values, rows.features).apply(rows.values);
    towards_near(rows.values, &scaled, rows.features, POINTS_PER_ROW, random)
}

/// f(x) = 1.
fn constant(features: usize) -> (Scaler, Expansion) {
    let expansion = Expansion {
        kernel: Kernel::Linear,
        features,
        rows: Vec::new(),
        supports: Vec::new(),
        coefficients: vec![0.0; features],
        bias: 1.0,
    };
    (Scaler::fit(Scaling::None, &[], features), expansion)
}

//! What is known about a model when it has been trained: plain numbers and names, for JSON and for people.

use pual_infer::Model;
use serde::Serialize;

use super::approach::Learned;
use super::evaluate::TruthQuality;
use super::finish::{TrainingRows, dropped_parts};
use super::many_rows::ManyRows;
use super::named::{Named, SolverChoice};
use super::options::Request;
use crate::choose::options::{Method, TrainOptions};
use crate::choose::tune::{TuneOptions, Tuned};
use crate::ensemble::EnsembleReport;
use crate::geometry::kernel::Kernel;
use crate::learner::PualSolver;
use crate::model::compress::{Ladder, Rung};
use crate::model::export::Agreement;
use crate::model::trained::Trained;
use crate::solver::Status;

/// What is known about a trained model.
#[derive(Debug, Clone, Serialize)]
pub struct Summary {
    /// Bytes of the model file.
    pub bytes: usize,
    /// What was learned: "ensemble", "PUAL", ...
    pub method: &'static str,
    /// "rbf" or "linear".
    pub kernel: &'static str,
    /// The seed.
    pub seed: u64,
    /// Rows learned from.
    pub rows: usize,
    /// Labeled ones among them.
    pub labeled: usize,
    /// The features' names, in the order of a reading.
    pub features: Vec<String>,
    /// Support instances; the weights of a linear model are one.
    pub supports: usize,
    /// How numbers are stored.
    pub encoding: &'static str,
    /// Support instances it was trained with.
    pub trained_supports: usize,
    /// How it came about.
    #[serde(flatten)]
    pub origin: Origin,
    /// The f32 model against the trained one.
    pub export: AgreementSummary,
    /// Against the truth, where that is known: never learned from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub training_truth: Option<TruthQuality>,
    /// What compression did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compression: Option<Compression>,
    /// How many rows were used for what, where they were many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub many_rows: Option<ManyRows>,
}

/// How a model came about.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum Origin {
    /// One fit.
    One(Box<SingleModel>),
    /// The student of an ensemble.
    Ensemble {
        /// Its teachers.
        ensemble: Box<EnsembleSummary>,
    },
}

/// One certified fit.
#[derive(Debug, Clone, Serialize)]
pub struct SingleModel {
    /// How PUAL was solved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solver: Option<&'static str>,
    /// The numbers it was trained with.
    pub settings: SettingsSummary,
    /// How they were found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tuning: Option<TuningSummary>,
    /// Share of the kernel matrix that the support instances do not explain.
    pub unexplained: f64,
    /// The certificate.
    pub fit: FitSummary,
    /// The certificate as a sentence.
    #[serde(skip)]
    pub fit_sentence: String,
}

/// The numbers of a fit.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)] // the options' names
pub struct SettingsSummary {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bandwidth: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lambda: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub c_p: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub c_u: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prior: Option<f64>,
    /// Ends of the interval, where the prior was estimated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prior_interval: Option<(f64, f64)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sigma: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub neighbours: Option<usize>,
    pub scaling: &'static str,
}

/// How settings were found.
#[derive(Debug, Clone, Serialize)]
pub struct TuningSummary {
    /// How folds became one number.
    pub rule: &'static str,
    /// Folds.
    pub folds: usize,
    /// How often they were reshuffled.
    pub repeats: usize,
    /// The same for the best settings.
    pub final_repeats: usize,
    /// Settings tried.
    pub settings_tried: usize,
    /// Of these, settings that could not be fitted on every fold.
    pub settings_failed: usize,
    /// The rule's number for the setting taken.
    pub score: f64,
    /// On held-out rows.
    pub puf: f64,
    /// Its standard error.
    pub puf_standard_error: f64,
    /// Why not to rely on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doubt: Option<String>,
}

/// How a fit ended.
#[derive(Debug, Clone, Serialize)]
pub struct FitSummary {
    /// "converged", "precision-limit".
    pub status: &'static str,
    /// Iterations of the solver.
    pub iterations: usize,
    /// The objective reached.
    pub objective: f64,
    /// What certifies it.
    pub certificate: &'static str,
    /// The certificate's value.
    pub certificate_value: f64,
}

/// The f32 model against the trained one, on the training rows.
#[derive(Debug, Clone, Serialize)]
pub struct AgreementSummary {
    /// Rows compared.
    pub rows: usize,
    /// Of scores.
    pub largest_difference: f64,
    /// Rows whose class changed.
    pub changed_classes: usize,
    /// Their share.
    pub changed_share: f64,
}

/// What is known about an ensemble, and the student that is its model.
#[derive(Debug, Clone, Serialize)]
pub struct EnsembleSummary {
    /// Rows learned from.
    pub rows: usize,
    /// Kernel machines fitted.
    pub members: usize,
    /// The best of them, which are averaged.
    pub averaged: usize,
    /// Whether members were evaluated in two rounds.
    pub second_round: bool,
    /// How many standard errors labeled rows rank above unlabeled ones.
    pub pu_auc_z: f64,
    /// Estimated share of positives among the unlabeled rows.
    pub share_of_positives: f64,
    /// Probability above which a row is called positive.
    pub cut: f64,
    /// On left-out rows.
    pub puf: f64,
    /// Its standard error.
    pub puf_standard_error: f64,
    /// None if every row is called positive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub student: Option<StudentSummary>,
    /// Why every row is called positive, if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all_positive: Option<String>,
}

/// The model that repeats an ensemble.
#[derive(Debug, Clone, Serialize)]
pub struct StudentSummary {
    /// Of its kernel.
    pub bandwidth: f64,
    /// Ridge.
    pub lambda: f64,
    /// Power by which features are weighted by relevance.
    pub relevance_power: i32,
    /// Whether features were scaled by their deciles, not by their standard deviations.
    pub by_deciles: bool,
    /// Mean squared difference from the teacher, whose scores are -1 to 1, on left-out rows.
    pub left_out_error: f64,
}

/// What compression did.
#[derive(Debug, Clone, Serialize)]
pub struct Compression {
    /// Rows compared on.
    pub rows: usize,
    /// Interpolated points compared on.
    pub points: usize,
    /// F1 that may be lost.
    pub tolerance: f64,
    /// Whether no more was lost.
    pub within_tolerance: bool,
    /// Bytes of the model.
    pub bytes: usize,
    /// What had to be left out to meet the budget.
    pub left_out: Vec<&'static str>,
    /// PUF of the large model on the rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub puf: Option<f64>,
    /// Every size, in the order of bytes.
    pub ladder: Vec<SizeStep>,
}

/// One size of the ladder.
#[derive(Debug, Clone, Serialize)]
pub struct SizeStep {
    /// Support instances.
    pub supports: usize,
    /// How numbers are stored.
    pub encoding: &'static str,
    /// With names and envelope.
    pub bytes: usize,
    /// On the rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub puf: Option<f64>,
    /// Root mean square, relative to where scores are clipped.
    pub score_error: f64,
    /// Rows whose class changed.
    pub changed_classes: usize,
    /// F1 lost, with what the large model is sure of as the truth.
    pub loss: f64,
    /// Whether it is the large model itself.
    pub as_trained: bool,
    /// Whether it is the one taken.
    pub taken: bool,
}

impl Summary {
    pub(super) fn new(
        request: &Request,
        learned: &Learned,
        rows: TrainingRows<'_>,
        agreement: &Agreement,
        ladder: Option<&Ladder>,
        model: &Model<'_>,
        called: &[bool],
    ) -> Self {
        let classifier = learned.classifier();
        let tolerance = request.size.unwrap_or_default().tolerance;
        let truth = rows.data.truth();
        Self {
            bytes: model.length(),
            method: learned.approach().name(),
            kernel: match classifier.expansion.kernel {
                Kernel::Linear => "linear",
                _ => "rbf",
            },
            seed: request.train.seed,
            rows: rows.total,
            labeled: rows.labeled,
            features: classifier.names.clone(),
            supports: model.supports(),
            encoding: Named::name(model.encoding()),
            trained_supports: classifier.supports(),
            origin: Origin::new(request, learned),
            export: AgreementSummary {
                rows: agreement.rows,
                largest_difference: agreement.largest_difference,
                changed_classes: agreement.changed,
                changed_share: agreement.changed_share(),
            },
            training_truth: truth.map(|truth| TruthQuality::new(truth, called)),
            compression: ladder.map(|ladder| Compression::new(ladder, tolerance)),
            many_rows: rows.many,
        }
    }
}

impl Origin {
    fn new(request: &Request, learned: &Learned) -> Self {
        let Request { train, tuning, .. } = request;
        match learned {
            Learned::One { trained, tuned } => {
                let tuned = tuned.as_ref().map(|t| TuningSummary::new(t, tuning));
                Self::One(Box::new(SingleModel::new(trained, tuned, train)))
            }
            Learned::Ensemble { report, .. } => Self::Ensemble {
                ensemble: Box::new(EnsembleSummary::new(report, train, tuning)),
            },
        }
    }
}

impl SingleModel {
    fn new(trained: &Trained, tuning: Option<TuningSummary>, train: &TrainOptions) -> Self {
        let chosen = &trained.settings;
        let report = &trained.report;
        let weight = |weight: f64| chosen.prior.is_none().then_some(weight);
        Self {
            solver: solver_name(trained.method),
            settings: SettingsSummary {
                bandwidth: chosen.bandwidth(),
                // Algorithm 2 has no ridge.
                lambda: trained.method.has_ridge().then_some(chosen.lambda),
                // A class prior stands in place of the weights.
                c_p: weight(chosen.c_p),
                c_u: weight(chosen.c_u),
                prior: chosen.prior,
                prior_interval: trained.prior.map(|prior| prior.interval),
                sigma: chosen.local.map(|local| local.sigma),
                neighbours: chosen.local.map(|local| local.neighbours),
                scaling: train.scaling.name(),
            },
            tuning,
            unexplained: trained.unexplained,
            fit: FitSummary {
                status: match report.status {
                    Status::Converged => "converged",
                    Status::PrecisionLimit => "precision-limit",
                    Status::IterationLimit => "iteration-limit",
                },
                iterations: report.iterations,
                objective: report.objective,
                certificate: report.certificate.name(),
                certificate_value: report.certificate.value(),
            },
            fit_sentence: report.to_string(),
        }
    }
}

fn solver_name(method: Method) -> Option<&'static str> {
    let Method::Pual(solver) = method else {
        return None;
    };
    let choice = match solver {
        PualSolver::Exact => SolverChoice::Exact,
        PualSolver::Admm { .. } => SolverChoice::Admm,
        PualSolver::Mean => SolverChoice::Mean,
        _ => SolverChoice::Algorithm2,
    };
    Some(choice.name())
}

impl TuningSummary {
    fn new(tuned: &Tuned, tuning: &TuneOptions) -> Self {
        let failed = tuned.trials.iter().filter(|trial| trial.counts().is_none());
        let deals = &tuned.trials[tuned.choice.trial].deals;
        Self {
            rule: tuning.rule.name(),
            folds: deals.first().map_or(0, Vec::len),
            repeats: tuning.repeats.min(deals.len()),
            final_repeats: deals.len(),
            settings_tried: tuned.trials.len(),
            settings_failed: failed.count(),
            score: tuned.choice.score,
            puf: tuned.choice.puf,
            puf_standard_error: tuned.choice.puf_error,
            doubt: tuned.choice.doubt().map(|doubt| doubt.to_string()),
        }
    }
}

impl EnsembleSummary {
    fn new(report: &EnsembleReport, train: &TrainOptions, tuning: &TuneOptions) -> Self {
        Self {
            rows: report.rows,
            members: report.members,
            averaged: train.ensemble.min(report.members),
            second_round: report.second_round,
            pu_auc_z: report.pu_auc_z,
            share_of_positives: report.share_of_positives,
            cut: report.cut,
            puf: report.left_out.puf(tuning.scenario),
            puf_standard_error: report.left_out.puf_error(tuning.scenario),
            student: report.student.map(|student| StudentSummary {
                bandwidth: match student.kernel {
                    Kernel::Rbf { bandwidth } | Kernel::Laplace { bandwidth } => bandwidth,
                    // A device's student has one.
                    _ => f64::NAN,
                },
                lambda: student.lambda,
                relevance_power: student.relevance_power,
                by_deciles: student.by_deciles,
                left_out_error: student.left_out_error,
            }),
            all_positive: report.all_positive.map(|why| why.to_string()),
        }
    }
}

impl Compression {
    pub(super) fn new(ladder: &Ladder, tolerance: f64) -> Self {
        let step = |(at, rung): (usize, &Rung)| SizeStep {
            supports: rung.supports,
            encoding: Named::name(rung.encoding),
            bytes: rung.bytes,
            puf: rung.measured.puf,
            score_error: rung.measured.score_error,
            changed_classes: rung.measured.changed_rows,
            loss: rung.measured.loss,
            as_trained: rung.is_whole,
            taken: at == ladder.taken,
        };
        Self {
            rows: ladder.rows,
            points: ladder.points,
            tolerance,
            within_tolerance: ladder.taken().measured.loss <= tolerance,
            bytes: ladder.bytes.len(),
            left_out: dropped_parts(ladder),
            puf: ladder.puf,
            ladder: ladder.rungs.iter().enumerate().map(step).collect(),
        }
    }
}

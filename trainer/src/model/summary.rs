//! A fit in the numbers that people and programs read.

use serde::Serialize;

use crate::choose::options::Method;
use crate::choose::tune::{SearchSummary, Tuned};
use crate::data::scale::Scaling;
use crate::learner::PualSolver;
use crate::model::trained::Trained;
use crate::solver::Status;

/// How a single model came about.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModelSummary {
    /// PUAL's solver; other methods have one only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solver: Option<&'static str>,
    /// The numbers it was trained with.
    pub settings: SettingsSummary,
    /// How these were found, if they were searched for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tuning: Option<SearchSummary>,
    /// Share of the kernel matrix that the support instances leave out.
    pub unexplained: f64,
    /// How the fit went.
    pub fit: FitSummary,
}

/// The numbers of a fit that had an effect.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SettingsSummary {
    /// Of the kernel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bandwidth: Option<f64>,
    /// Ridge; Algorithm 2 has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lambda: Option<f64>,
    /// Weight of the positives' loss; methods with a class prior have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub c_p: Option<f64>,
    /// Weight of the unlabeled loss, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub c_u: Option<f64>,
    /// P(y = 1).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prior: Option<f64>,
    /// Its 95 % interval, where it was estimated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prior_interval: Option<(f64, f64)>,
    /// Width of the graph's weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sigma: Option<f64>,
    /// Neighbours in the graph.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub neighbours: Option<usize>,
    /// How features were scaled.
    pub scaling: &'static str,
}

/// How a fit went.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FitSummary {
    /// How the solver ended.
    pub status: &'static str,
    /// Its iterations.
    pub iterations: usize,
    /// The objective at the fit.
    pub objective: f64,
    /// What shows that this is the optimum.
    pub certificate: &'static str,
    /// Its value.
    pub certificate_value: f64,
}

impl Trained {
    /// This fit, how its features were scaled, and the search for its settings if there was one.
    pub fn summary(&self, scaling: Scaling, tuned: Option<&Tuned>) -> ModelSummary {
        let (settings, report) = (&self.settings, &self.report);
        let weights = self.method.has_weights();
        ModelSummary {
            solver: solver_name(self.method),
            settings: SettingsSummary {
                bandwidth: settings.bandwidth(),
                lambda: self.method.has_ridge().then_some(settings.lambda),
                c_p: weights.then_some(settings.c_p),
                c_u: weights.then_some(settings.c_u),
                prior: settings.prior,
                prior_interval: self.prior.map(|prior| prior.interval),
                sigma: settings.local.map(|local| local.sigma),
                neighbours: settings.local.map(|local| local.neighbours),
                scaling: scaling.name(),
            },
            tuning: tuned.map(Tuned::summary),
            unexplained: self.unexplained,
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
        }
    }
}

fn solver_name(method: Method) -> Option<&'static str> {
    match method {
        Method::Pual(PualSolver::Exact) => Some("exact"),
        Method::Pual(PualSolver::Admm { .. }) => Some("admm"),
        Method::Pual(PualSolver::Algorithm2 { .. }) => Some("algorithm2"),
        Method::Pual(PualSolver::Mean) => Some("mean"),
        _ => None,
    }
}

//! What is known about a model when it has been trained and written.

mod ensemble;

use crate::commands::learning::train::finish::Behind;
use crate::commands::models::evaluate::Quality;
use crate::flags::many::Many;
use crate::flags::size::Compression;
use crate::progress::Timing;
use crate::show;
use anyhow::Result;
use ensemble::Ensemble;
use pual_device::bench::encoding_name;
use pual_infer::AnyModel;
use pual_trainer::choose::tune::{Rule, TuneOptions, Tuned};
use pual_trainer::geometry::kernel::Kernel;
use pual_trainer::learner::PualSolver;
use pual_trainer::model::export::Exported;
use pual_trainer::pipeline::learn::Learned;
use pual_trainer::pipeline::train::{Method, TrainOptions, Trained};
use pual_trainer::solver::Status;
use serde::Serialize;
use std::io::Write;
use std::path::Path;

#[derive(Serialize)]
pub struct Report {
    model: String,
    bytes: usize,
    method: &'static str,
    kernel: &'static str,
    seed: u64,
    rows: usize,
    labeled: usize,
    features: Vec<String>,
    /// Support instances; the weights of a linear model are one.
    supports: usize,
    encoding: &'static str,
    /// Support instances it was trained with.
    trained_supports: usize,
    #[serde(flatten)]
    origin: Origin,
    export: Agreement,
    #[serde(skip_serializing_if = "Option::is_none")]
    training_truth: Option<Quality>,
    #[serde(skip_serializing_if = "Option::is_none")]
    compression: Option<Compression>,
    /// How many rows were dealt with, where they were many.
    #[serde(skip_serializing_if = "Option::is_none")]
    many_rows: Option<Many>,
    /// Seconds.
    timing: Timing,
}

/// What was written, and what it says of the training rows.
pub struct Written<'a> {
    pub model: &'a AnyModel<'a>,
    pub called: &'a [bool],
    pub compression: Option<Compression>,
}

/// How the model came about.
#[derive(Serialize)]
#[serde(untagged)]
enum Origin {
    One(Box<OneModel>),
    Ensemble { ensemble: Box<Ensemble> },
}

#[derive(Serialize)]
struct OneModel {
    #[serde(skip_serializing_if = "Option::is_none")]
    solver: Option<&'static str>,
    settings: Settings,
    #[serde(skip_serializing_if = "Option::is_none")]
    tuning: Option<Tuning>,
    /// Share of the kernel matrix that the support instances leave out.
    unexplained: f64,
    fit: Fit,
    #[serde(skip)]
    fit_sentence: String,
}

#[derive(Serialize)]
struct Settings {
    #[serde(skip_serializing_if = "Option::is_none")]
    bandwidth: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lambda: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    c_p: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    c_u: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prior: Option<f64>,
    /// Ends of the interval, where the prior was estimated.
    #[serde(skip_serializing_if = "Option::is_none")]
    prior_interval: Option<(f64, f64)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sigma: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    neighbours: Option<usize>,
    scaling: &'static str,
}

#[derive(Serialize)]
struct Tuning {
    rule: &'static str,
    folds: usize,
    repeats: usize,
    /// For the settings that came out best.
    final_repeats: usize,
    settings_tried: usize,
    settings_failed: usize,
    /// The rule's number for the chosen setting.
    score: f64,
    /// On rows held out.
    puf: f64,
    puf_standard_error: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    doubt: Option<String>,
}

#[derive(Serialize)]
struct Fit {
    status: &'static str,
    iterations: usize,
    objective: f64,
    certificate: &'static str,
    certificate_value: f64,
}

#[derive(Serialize)]
struct Agreement {
    rows: usize,
    largest_difference: f64,
    changed_classes: usize,
    changed_share: f64,
}

impl Report {
    pub fn new(
        output: &Path,
        behind: Behind<'_>,
        (options, tuning): (&TrainOptions, &TuneOptions),
        learned: &Learned,
        exported: &Exported,
        written: Written<'_>,
        timing: Timing,
    ) -> Self {
        let data = behind.data;
        let classifier = learned.classifier();
        let agreement = &exported.agreement;
        Self {
            model: output.display().to_string(),
            bytes: written.model.length(),
            method: learned.approach().name(),
            kernel: match classifier.expansion.kernel {
                Kernel::Linear => "linear",
                _ => "rbf",
            },
            seed: options.seed,
            rows: behind.counts.1,
            labeled: behind.counts.0,
            features: classifier.names.clone(),
            supports: written.model.supports(),
            encoding: encoding_name(written.model.encoding()),
            trained_supports: classifier.supports(),
            origin: match learned {
                Learned::One { trained, tuned } => {
                    let tuned = tuned.as_ref().map(|tuned| Tuning::new(tuned, tuning));
                    Origin::One(Box::new(OneModel::new(trained, tuned, options)))
                }
                Learned::Ensemble { report, .. } => Origin::Ensemble {
                    ensemble: Box::new(Ensemble::new(report, options, tuning)),
                },
            },
            export: Agreement {
                rows: agreement.rows,
                largest_difference: agreement.largest_difference,
                changed_classes: agreement.changed_classes,
                changed_share: agreement.changed_share,
            },
            training_truth: data
                .truth()
                .map(|truth| Quality::new(truth, written.called)),
            compression: written.compression,
            many_rows: behind.many,
            timing,
        }
    }

    /// What is known, as names and sentences.
    pub fn facts(&self) -> Vec<(&'static str, String)> {
        let unlabeled = self.rows - self.labeled;
        let mut facts = vec![(
            "data",
            format!(
                "{} labeled and {} unlabeled rows, {} features",
                show::grouped(self.labeled as u64),
                show::grouped(unlabeled as u64),
                self.features.len()
            ),
        )];
        if let Some(many) = &self.many_rows {
            facts.push(("rows", many.show()));
        }
        match &self.origin {
            Origin::One(one) => facts.extend(one.facts(self)),
            Origin::Ensemble { ensemble } => facts.extend(ensemble.facts(self.trained_supports)),
        }
        facts.push((
            "export",
            format!(
                "in f32 the largest difference from f64 is {:.1e}, {} of {} classes changed",
                self.export.largest_difference,
                self.export.changed_classes,
                show::grouped(self.export.rows as u64)
            ),
        ));
        if let Some(truth) = &self.training_truth {
            facts.push(("F1 on these rows", truth.f1()));
        }
        let bytes = show::grouped(self.bytes as u64);
        facts.push((
            "model",
            format!(
                "{}, {bytes} bytes, {}, {}",
                self.model,
                show::supports(self.supports),
                self.encoding
            ),
        ));
        facts
    }

    pub fn show(&self, out: &mut impl Write) -> Result<()> {
        let mut facts = self.facts();
        if let Some(many) = &self.many_rows {
            facts.extend(many.show_memory().map(|memory| ("memory", memory)));
            facts.push(("time", self.timing.show()));
        }
        show::facts(out, &facts)?;
        match &self.compression {
            Some(compression) => compression.show(out),
            None => Ok(()),
        }
    }
}

impl OneModel {
    fn new(trained: &Trained, tuning: Option<Tuning>, options: &TrainOptions) -> Self {
        let chosen = &trained.settings;
        let solver = solver_name(trained.method);
        let report = &trained.report;
        Self {
            solver,
            settings: Settings {
                bandwidth: chosen.bandwidth(),
                // Algorithm 2 has no ridge.
                lambda: (solver != Some("algorithm2")).then_some(chosen.lambda),
                // A class prior stands in place of the weights.
                c_p: chosen.prior.is_none().then_some(chosen.c_p),
                c_u: chosen.prior.is_none().then_some(chosen.c_u),
                prior: chosen.prior,
                prior_interval: trained.prior.map(|prior| prior.interval),
                sigma: chosen.local.map(|local| local.sigma),
                neighbours: chosen.local.map(|local| local.neighbours),
                scaling: options.scaling.name(),
            },
            tuning,
            unexplained: trained.unexplained,
            fit: Fit {
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

    fn facts(&self, report: &Report) -> Vec<(&'static str, String)> {
        let solver = self
            .solver
            .map_or(String::new(), |solver| format!(", {solver} solver"));
        let mut facts = vec![
            (
                "method",
                format!("{}{solver}, {} kernel", report.method, report.kernel),
            ),
            ("settings", self.settings.show()),
        ];
        if let Some(tuning) = &self.tuning {
            facts.push((
                "tuning",
                format!(
                    "{} settings, {} x {} folds, the best of them {} x {}; PUF {:.3} ± {:.3} on rows held out (calling every row positive: 1)",
                    tuning.settings_tried,
                    tuning.repeats,
                    tuning.folds,
                    tuning.final_repeats,
                    tuning.folds,
                    tuning.puf,
                    tuning.puf_standard_error
                ),
            ));
        }
        facts.push(("fit", self.fit_sentence.clone()));
        if report.kernel == "rbf" {
            facts.push((
                "supports",
                format!(
                    "{}, leaving {:.1e} of the kernel matrix unexplained",
                    report.trained_supports, self.unexplained
                ),
            ));
        }
        facts
    }
}

impl Tuning {
    fn new(tuned: &Tuned, tuning: &TuneOptions) -> Self {
        let failed = tuned.trials.iter().filter(|trial| trial.counts().is_none());
        let deals = &tuned.trials[tuned.choice.trial].deals;
        Self {
            rule: match tuning.rule {
                Rule::A => "a",
                _ => "d",
            },
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

impl Settings {
    fn show(&self) -> String {
        let mut parts = Vec::new();
        let mut add = |name: &str, value: Option<f64>| {
            parts.extend(value.map(|value| format!("{name} {}", show::number(value))));
        };
        add("bandwidth", self.bandwidth);
        add("lambda", self.lambda);
        add("C_p", self.c_p);
        add("C_u", self.c_u);
        add("prior", self.prior);
        add("sigma", self.sigma);
        add("K", self.neighbours.map(|neighbours| neighbours as f64));
        if let Some((low, high)) = self.prior_interval {
            parts.push(format!(
                "estimated, 95 % interval {} to {}",
                show::number(low),
                show::number(high)
            ));
        }
        parts.push(format!("{} scaling", self.scaling));
        parts.join(", ")
    }
}

fn solver_name(method: Method) -> Option<&'static str> {
    match method {
        Method::Pual(PualSolver::Exact) => Some("exact"),
        Method::Pual(PualSolver::Admm { .. }) => Some("admm"),
        Method::Pual(PualSolver::Algorithm2 { .. } | PualSolver::Algorithm2Iteration { .. }) => {
            Some("algorithm2")
        }
        Method::Pual(PualSolver::Mean) => Some("mean"),
        _ => None,
    }
}

//! One way to learn a classifier from a data set, whichever is asked for: one model whose settings are searched for, or an ensemble.

use super::fit::{TrainError, Trained, fit_tuned};
use crate::base::pool::in_pool;
use crate::base::scenario::Scenario;
use crate::base::warnings::Warning;
use crate::base::watch::Watch;
use crate::choose::options::{Method, TrainOptions};
use crate::choose::tune::{JournalFile, TuneOptions, Tuned};
use crate::data::dataset::Dataset;
use crate::ensemble::{self, EnsembleOptions, EnsembleReport, LabelBias, Members, UnlabeledGroup, warning_of_events};
use crate::model::classifier::Classifier;

/// A way to learn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Approach {
    /// Many members, distilled into one expansion.
    Ensemble(Members),
    /// One model.
    One(Method),
}

impl Approach {
    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ensemble(Members::All) => "ensemble",
            Self::Ensemble(Members::PualOnly) => "PUAL ensemble",
            Self::One(method) => method.name(),
        }
    }

    /// What it is expected to cost, in milliseconds of one core: for the progress shown, so rough figures will do.
    pub(crate) fn cost(self, rows: usize, fits: usize) -> f64 {
        let of_fits = |per_fit: f64| rows as f64 * fits as f64 * per_fit;
        match self {
            Self::Ensemble(Members::All) => 3.0 * rows.min(ensemble::MAX_ROWS) as f64,
            Self::Ensemble(Members::PualOnly) => 1.5 * rows.min(ensemble::MAX_ROWS) as f64,
            Self::One(Method::Bsvm) => of_fits(0.008),
            Self::One(Method::Pual(_)) => of_fits(0.002),
            Self::One(_) => of_fits(0.001),
        }
    }

    /// The ones among which `auto` chooses: the ensemble, and single models that need no class prior.
    pub fn auto() -> Vec<Self> {
        let mut approaches = vec![Self::Ensemble(Members::All)];
        approaches.extend(Method::MARGIN.map(Self::One));
        approaches
    }

    /// The same for these rows: where they are not independent, the ensemble alone. A single model would have to lead by four standard
    /// errors, and those of a few events are wide.
    pub(crate) fn auto_for(data: &Dataset) -> Vec<Self> {
        let mut approaches = Self::auto();
        if data.units().is_some() {
            approaches.truncate(1);
        }
        approaches
    }

    /// Every one there is, for a comparison.
    pub fn all(scenario: Scenario) -> Vec<Self> {
        let ensembles = [Members::All, Members::PualOnly].map(Self::Ensemble);
        let single = Method::all(scenario).into_iter().map(Self::One);
        ensembles.into_iter().chain(single).collect()
    }
}

/// What was learned, and how.
#[derive(Debug, Clone)]
pub enum Learned {
    /// One fit, and how its settings were found if they were searched for.
    One {
        /// The fit.
        trained: Trained,
        /// The search.
        tuned: Option<Tuned>,
    },
    /// The student of an ensemble.
    Ensemble {
        /// What is deployed.
        classifier: Classifier,
        /// Who taught.
        members: Members,
        /// How it went.
        report: EnsembleReport,
    },
}

/// How good a classifier seems without any negative: from rows that were held out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    /// The number of the search's rule; for an ensemble that of rule D.
    pub score: f64,
    /// PUF; "all positive" has 1.
    pub puf: f64,
    /// Its standard error.
    pub puf_error: f64,
}

impl Learned {
    /// What is deployed.
    pub fn classifier(&self) -> &Classifier {
        match self {
            Self::One { trained, .. } => &trained.classifier,
            Self::Ensemble { classifier, .. } => classifier,
        }
    }

    pub(crate) fn classifier_mut(&mut self) -> &mut Classifier {
        match self {
            Self::One { trained, .. } => &mut trained.classifier,
            Self::Ensemble { classifier, .. } => classifier,
        }
    }

    /// How it was learned.
    pub fn approach(&self) -> Approach {
        match self {
            Self::One { trained, .. } => Approach::One(trained.method),
            Self::Ensemble { members, .. } => Approach::Ensemble(*members),
        }
    }

    /// What rows held out say, where any were.
    pub fn evidence(&self, scenario: Scenario) -> Option<Evidence> {
        match self {
            Self::One { tuned, .. } => tuned.as_ref().map(|tuned| Evidence {
                score: tuned.choice.score,
                puf: tuned.choice.puf,
                puf_error: tuned.choice.puf_error,
            }),
            Self::Ensemble { report, .. } => Some(match report.events {
                None => Evidence {
                    score: report.left_out.cautious_puf(scenario),
                    puf: report.left_out.puf(scenario),
                    puf_error: report.left_out.puf_error(scenario),
                },
                Some(_) => Evidence {
                    score: report.puf - report.puf_standard_error,
                    puf: report.puf,
                    puf_error: report.puf_standard_error,
                },
            }),
        }
    }

    /// The same with its border where a known share of the population is called. Risk estimates know the share already; what calls every
    /// row for lack of evidence goes on doing so.
    pub(crate) fn calling(mut self, data: &Dataset, share: Option<f64>, scenario: Scenario) -> Self {
        let classifier = match &mut self {
            Self::One { trained, .. } if trained.method.prior_scenario().is_none() => &mut trained.classifier,
            Self::Ensemble { classifier, report, .. } if report.all_positive.is_none() => classifier,
            _ => return self,
        };
        if let Some(share) = share {
            classifier.call_share(data, share, scenario);
        }
        self
    }

    /// What the user must be told before relying on it.
    pub fn doubt(&self) -> Option<Warning> {
        match self {
            Self::One { tuned, .. } => Some(tuned.as_ref()?.choice.doubt()?.into()),
            Self::Ensemble { report, .. } => {
                let of_events = || report.events.as_ref().and_then(warning_of_events);
                report.all_positive.map(Warning::from).or_else(of_events)
            }
        }
    }

    /// What an ensemble found out about the labels: whether they look like a fair sample, and of every kind of positive.
    pub(super) fn of_labels(&self) -> Vec<Warning> {
        let Self::Ensemble { report, .. } = self else { return Vec::new() };
        let bias = report.label_bias.and_then(LabelBias::warning);
        bias.into_iter().chain(report.unlabeled_group.map(UnlabeledGroup::warning)).collect()
    }
}

/// Learns from `data`. The truth is not looked at.
pub fn learn(
    data: &Dataset,
    approach: Approach,
    options: &TrainOptions,
    tuning: &TuneOptions,
    journal: Option<&JournalFile>,
    watch: &dyn Watch,
) -> Result<Learned, TrainError> {
    match approach {
        Approach::One(method) => {
            let options = TrainOptions { method, ..options.clone() };
            let (trained, tuned) = fit_tuned(data, &options, tuning, journal, watch)?;
            Ok(Learned::One { trained, tuned: Some(tuned) }.calling(data, options.prior, tuning.scenario))
        }
        Approach::Ensemble(members) => {
            in_pool(options.threads, || distil(data, members, options, tuning.scenario, watch))
        }
    }
}

/// Fits an ensemble on the current threads, and keeps its student.
pub(crate) fn distil(
    data: &Dataset,
    members: Members,
    options: &TrainOptions,
    scenario: Scenario,
    watch: &dyn Watch,
) -> Result<Learned, TrainError> {
    let options = EnsembleOptions {
        members,
        best: options.ensemble,
        student_supports: options.student_supports,
        scenario,
        share: options.prior,
        seed: options.seed,
        ..EnsembleOptions::default()
    };
    let (rows, features) = (data.rows(), data.features());
    let fitted = ensemble::fit(rows, features, data.labeled(), data.normal(), data.units(), &options, watch)?;
    let learned = Learned::Ensemble {
        classifier: Classifier::new(data, fitted.scaler, fitted.expansion),
        members,
        report: fitted.report,
    };
    Ok(learned.calling(data, options.share, scenario))
}

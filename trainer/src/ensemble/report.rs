//! What an ensemble found: the cut, the evidence for it, and what the user is told.

use serde::Serialize;

use super::recordings::{EventEvidence, mean};
use super::rounds::TeacherFit;
use super::rows::TrainingRows;
use super::student::StudentChoice;
use super::{AllPositive, EnsembleOptions, LabelBias, UnlabeledGroup, evidence, mixture, rare};
use crate::base::scenario::Scenario;
use crate::base::statistics::cut_of_share;
use crate::choose::metrics::PuCounts;

/// How good a kernel machine is on rows left out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Merit {
    /// Its kernel's width, in medians of the distance between rows.
    pub bandwidth: f64,
    /// Weight of all unlabeled rows, that of all labeled ones being 1.
    pub weight_of_unlabeled: f64,
    /// Ridge.
    pub lambda: f64,
    /// [`PuCounts::smoothed_puf`] on left-out rows.
    pub smoothed_puf: f64,
}

/// Left-out rows that are known to be normal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct NormalRows {
    /// All of them.
    pub rows: usize,
    /// Those called positive.
    pub called: usize,
}

/// What an ensemble found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EnsembleReport {
    /// Rows learned from.
    pub rows: usize,
    /// Kernel machines fitted.
    pub members: usize,
    /// How many of these are averaged: the best.
    pub averaged: usize,
    /// Whether there was a second round, on the members' own beliefs.
    pub second_round: bool,
    /// How many standard errors the labeled rows rank above the unlabeled ones.
    pub pu_auc_z: f64,
    /// Estimated share of positives among the unlabeled rows.
    pub share_of_positives: f64,
    /// Probability above which a row is called positive; 0 when all are.
    pub cut: f64,
    /// PUF of the teacher at the cut, on left-out rows.
    pub puf: f64,
    /// Its standard error.
    pub puf_standard_error: f64,
    /// The student, unless every row is called positive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub student: Option<StudentChoice>,
    /// Set when every row is called positive, whatever its readings: the user must be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all_positive: Option<AllPositive>,
    /// Known normal rows, and how many of them are called when left out: false alarms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub normals: Option<NormalRows>,
    /// What events say, where rows are not independent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<EventEvidence>,
    /// Whether labels look like a fair sample of the positives, where rows are independent and not all are called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label_bias: Option<LabelBias>,
    /// Unlabeled rows away from the others and from labeled ones, if there is such a group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unlabeled_group: Option<UnlabeledGroup>,
    /// The teacher's calls at the cut, on left-out rows.
    #[serde(skip)]
    pub left_out: PuCounts,
    /// Rows learned from, with the teacher's posterior minus the cut when left out.
    #[serde(skip)]
    pub left_out_margins: Vec<(usize, f64)>,
    /// How good the members are, by their settings.
    #[serde(skip)]
    pub merits: Vec<Merit>,
    /// Members that ended at the iteration limit and are therefore rough.
    #[serde(skip)]
    pub members_at_limit: usize,
}

/// The cut, and whether there is evidence for it.
pub(super) fn judge(taught: &TeacherFit, rows: &TrainingRows<'_>, options: &EnsembleOptions) -> EnsembleReport {
    let (scenario, positives) = (options.scenario, rows.positives);
    let (of_labeled, of_unlabeled) = taught.posterior.split_at(positives);
    // What stands for the population: with one training set also the labeled rows, which are known to be positive.
    let mut known = taught.posterior.clone();
    rows.set_normals(&mut known, 0.0);
    let mut population = known[positives..].to_vec();
    if scenario == Scenario::SingleTrainingSet {
        population.extend(of_labeled.iter().map(|_| 1.0));
    }
    let counts = |cut: f64| PuCounts::above(&taught.posterior, positives, cut);
    let puf = |cut: f64| counts(cut).puf(scenario);
    let mut events = taught.events.clone();
    let best_cut = match (options.share, rows.held_out) {
        // As many are called as are positive.
        (Some(share), _) => Some(cut_of_share(population, share)),
        (None, Some(held_out)) => {
            let left_out = if scenario == Scenario::SingleTrainingSet { &known[..] } else { &known[positives..] };
            Some(held_out.cut(&taught.posterior, left_out, mean(&population)))
        }
        (None, None) => {
            let cut = mixture::cut(&population);
            let ranks = taught.teacher.ranks.as_ref();
            ranks.map_or(cut, |view| {
                rare::between(rows.labeled_and_unknown(&taught.posterior).1, cut, &view.ranks, scenario)
            })
        }
    };
    let verdict = match &events {
        Some(events) => evidence::guard_by_events(events.p_value, events.events, best_cut),
        None => evidence::guard(taught.z, best_cut, puf),
    };
    let cut = verdict.unwrap_or(0.0);
    let left_out = counts(cut);
    let (mut puf, mut puf_standard_error) = (left_out.puf(scenario), left_out.puf_error(scenario));
    if let (Some(held_out), Some(events)) = (rows.held_out, &mut events) {
        (events.recall, events.recall_standard_error) = held_out.recall(&taught.posterior, cut);
        (puf, puf_standard_error) = events.puf(left_out.positive_rate(scenario));
    }
    EnsembleReport {
        rows: taught.posterior.len(),
        members: taught.members,
        averaged: options.best.min(taught.members),
        second_round: taught.second_round,
        pu_auc_z: taught.z,
        share_of_positives: known[positives..].iter().sum::<f64>() / of_unlabeled.len() as f64,
        normals: (rows.normals() > 0).then(|| {
            let called = |(normal, posterior): &(&bool, &f64)| **normal && **posterior > cut;
            let called = rows.normal.iter().zip(&taught.posterior).filter(called).count();
            NormalRows { rows: rows.normals(), called }
        }),
        cut,
        puf,
        puf_standard_error,
        student: None,
        all_positive: verdict.err(),
        events,
        label_bias: None,
        unlabeled_group: None,
        left_out,
        left_out_margins: Vec::new(),
        merits: taught.merits.clone(),
        members_at_limit: taught.at_limit,
    }
}

//! What the page shows of the search: ways to learn, settings tried, and how to read them.

use super::super::facts::of_events;
use crate::page::{ApproachMark, GridSearch, TrialOutcome};
use crate::show;
use pual_trainer::report::{EnsembleReport, Trial, Tuned};
use pual_trainer::{Comparison, Grid, Learned, Options, Outcome, Scenario};

/// A dot for each way to learn.
pub fn approaches(compared: &Comparison) -> Vec<ApproachMark> {
    (compared.entries.iter().enumerate())
        .map(|(at, (approach, entry))| ApproachMark {
            name: approach.name(),
            puf: (entry.as_ref().ok()).map(|entry| (entry.evidence.puf, entry.evidence.puf_error)),
            taken: at == compared.recommended,
        })
        .collect()
}

const PUF: &str = "PUF is the squared share of labeled rows found, over the share of all rows called positive: it needs no negative \
                   label, follows F1, and is 1 for calling every row positive.";

/// How the model was found, in a few sentences.
pub fn note(outcome: &Outcome) -> String {
    let mut text = match &outcome.comparison {
        Some(compared) => format!(
            "{} ways to learn were judged on rows held out. The ensemble is taken unless a single model leads it by four standard errors. ",
            compared.entries.len()
        ),
        None => String::new(),
    };
    text += &match &outcome.learned {
        Learned::One { tuned: None, .. } => {
            return "Nothing was searched for: settings were given or follow rules of thumb. No row was held out, so nothing here says how good the model is on new rows.".to_owned();
        }
        Learned::One { tuned: Some(tuned), .. } => of_a_search(tuned),
        Learned::Ensemble { report, .. } => of_an_ensemble(report),
    };
    text + PUF
}

fn of_a_search(tuned: &Tuned) -> String {
    let failed = tuned.trials.iter().filter(|trial| trial.counts().is_none()).count();
    let mut text = format!("{} settings were tried, each on folds in turn", show::grouped(tuned.trials.len()));
    let deals = |trial: &Trial| trial.deals.len();
    let least = tuned.trials.iter().map(deals).min();
    if Some(deals(&tuned.trials[tuned.choice.trial])) > least {
        text += ", and the best of them again on further folds";
    }
    if failed > 0 {
        text += &format!("; {} of them could not be fitted on every fold", show::grouped(failed));
    }
    if tuned.trials.len() > tuned.on_grid {
        text +=
            &format!("; {} of them in steps from the best of the grid, not on it", tuned.trials.len() - tuned.on_grid);
    }
    text + ". "
}

fn of_an_ensemble(ensemble: &EnsembleReport) -> String {
    let evidence = match &ensemble.events {
        None => format!("Labeled rows rank {:.1} standard errors above unlabeled ones", ensemble.pu_auc_z),
        Some(events) => format!("The evidence: {}", of_events(events, ensemble)),
    };
    format!(
        "Of {} kernel machines the {} best on left-out rows are averaged{} and teach one small model. \
         {evidence}; an estimated {} of the unlabeled rows are positive. ",
        show::grouped(ensemble.members),
        ensemble.averaged,
        if ensemble.second_round { ", evaluated in two rounds," } else { "" },
        show::percent(ensemble.share_of_positives)
    )
}

/// The grid of the model that was taken: its title, what its squares are, and itself.
pub fn grid(learned: &Learned, options: &Options, scenario: Scenario) -> Option<(String, String, GridSearch)> {
    let (title, squares, search) = match learned {
        Learned::One { tuned, trained } => (
            format!("PUF over the settings of {}", trained.method.name()),
            "Each square is one setting, judged on rows held out.".to_owned(),
            of_trials(tuned.as_ref()?, options.grid, scenario),
        ),
        Learned::Ensemble { report, .. } => {
            let search = of_members(report);
            let squares = format!(
                "Each square is one setting, the best of its {} kernels and scalings on rows left out, by rule D: squared recall over the share of unlabeled rows called, each minus or plus one standard error. It ranks as PUF does, on another scale.",
                report.members / search.trials.len().max(1)
            );
            ("The members by their settings".to_owned(), squares, search)
        }
    };
    (!search.settings.is_empty()).then_some((title, squares, search))
}

fn of_trials(tuned: &Tuned, grid: Option<Grid>, scenario: Scenario) -> GridSearch {
    // Our grid keeps sigma in proportion to the bandwidth: it is no axis of its own.
    let names: &[&str] = match grid {
        None | Some(Grid::Default) => &["bandwidth", "lambda", "C_u"],
        _ => &["bandwidth", "lambda", "C_u", "sigma"],
    };
    let trials = (tuned.trials.iter().take(tuned.on_grid).enumerate())
        .map(|(at, trial)| {
            let s = &trial.settings;
            let mut values = vec![s.bandwidth().unwrap_or(1.0), s.lambda, s.c_u];
            if names.len() > values.len() {
                values.push(s.local.map_or(1.0, |local| local.sigma));
            }
            let puf = trial.puf(scenario);
            let outcome = TrialOutcome {
                score: puf.map(|(puf, _)| puf),
                error: puf.map(|(_, error)| error),
                taken: at == tuned.choice.trial,
            };
            (values, outcome)
        })
        .collect::<Vec<_>>();
    GridSearch::new("PUF", names, &trials)
}

/// Members that differ in kernel or scaling alone are one setting: the best of them.
fn of_members(report: &EnsembleReport) -> GridSearch {
    let mut best: Vec<(Vec<f64>, f64)> = Vec::new();
    for merit in &report.merits {
        let values = vec![merit.bandwidth, merit.lambda, merit.weight_of_unlabeled];
        match best.iter_mut().find(|(known, _)| *known == values) {
            Some((_, puf)) => *puf = puf.max(merit.smoothed_puf),
            None => best.push((values, merit.smoothed_puf)),
        }
    }
    let names = ["bandwidth in medians", "ridge", "weight of unlabeled"];
    let trials: Vec<_> = (best.into_iter())
        .map(|(values, rule_d)| {
            let outcome = TrialOutcome { score: Some(rule_d), error: None, taken: false };
            (values, outcome)
        })
        .collect();
    GridSearch::new("rule D", &names, &trials)
}

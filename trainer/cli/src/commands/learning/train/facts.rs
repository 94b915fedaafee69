//! What is known about a trained model, as names and sentences.

use crate::flags::size::show_ladder;
use crate::progress::show_timing;
use crate::show;
use anyhow::Result;
use pual_trainer::report::{EnsembleReport, EventEvidence, ManyRows, ModelSummary, Origin, SettingsSummary};
use pual_trainer::{Bytes, Learned, Outcome, Timing};
use std::io::Write;

type Facts = Vec<(&'static str, String)>;

/// All of it. `model` is where it was written.
pub fn facts(outcome: &Outcome, model: &str) -> Facts {
    let summary = &outcome.summary;
    let rows = show::rows(summary.labeled, summary.rows - summary.labeled);
    let mut facts = vec![("data", format!("{rows} rows, {} features", summary.features.len()))];
    if let Some(many) = &summary.many_rows {
        facts.push(("rows", of_many_rows(many)));
    }
    facts.extend(match &summary.origin {
        Origin::One(one) => of_one_model(one, outcome),
        Origin::Ensemble { ensemble } => of_ensemble(ensemble, summary.trained_supports),
    });
    let export = &summary.export;
    facts.push((
        "export",
        format!(
            "in f32 the largest difference from f64 is {:.1e}, {} of {} classes changed",
            export.largest_difference,
            export.changed_classes,
            show::grouped(export.rows)
        ),
    ));
    if let Some(truth) = &summary.training_truth {
        facts.push(("F1 on these rows", show::f1(truth)));
    }
    let size = show::model(summary.bytes, summary.supports, summary.encoding);
    facts.push(("model", format!("{model}, {size}")));
    facts
}

/// Prints it, with the ladder of sizes.
pub fn show(outcome: &Outcome, model: &str, timing: &Timing, out: &mut impl Write) -> Result<()> {
    let mut facts = facts(outcome, model);
    if let Some(many) = &outcome.summary.many_rows {
        if let Some(need) = many.memory {
            facts.push(("memory", format!("at most {}", Bytes(need.peak))));
        }
        facts.push(("time", show_timing(timing)));
    }
    show::facts(out, &facts)?;
    match outcome.ladder() {
        Some(ladder) => show_ladder(ladder, out),
        None => Ok(()),
    }
}

fn of_many_rows(many: &ManyRows) -> String {
    let sample = show::grouped(many.sample);
    let mut text = if many.fitted_to == many.sample {
        format!("chosen from and fitted to a sample of {sample} rows")
    } else {
        format!("chosen on a sample of {sample} rows, fitted to all")
    };
    if let Some(rows) = many.graph_rows {
        text += &format!(", neighbours among {}", show::grouped(rows));
    }
    text
}

fn of_one_model(one: &ModelSummary, outcome: &Outcome) -> Facts {
    let summary = &outcome.summary;
    let solver = one.solver;
    let solver = solver.map_or(String::new(), |solver| format!(", {solver} solver"));
    let mut facts = vec![
        ("method", format!("{}{solver}, {} kernel", summary.method, summary.kernel)),
        ("settings", settings(&one.settings)),
    ];
    if let Some(tuning) = &one.tuning {
        facts.push((
            "tuning",
            format!(
                "{} settings, {} x {} folds, the best of them {} x {}; PUF {:.3} ± {:.3} on held-out rows (calling every row positive: 1)",
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
    if let Learned::One { trained, .. } = &outcome.learned {
        facts.push(("fit", trained.report.to_string()));
    }
    if summary.kernel == "rbf" {
        facts.push((
            "supports",
            format!("{}, kernel approximation error {}", summary.trained_supports, small_percent(one.unexplained)),
        ));
    }
    facts
}

/// A share that may be tiny: "0.12 %", "3e-5 %".
fn small_percent(share: f64) -> String {
    match 100.0 * share {
        percent if percent >= 0.01 || percent == 0.0 => format!("{percent:.2} %"),
        percent => format!("{percent:.0e} %"),
    }
}

fn settings(settings: &SettingsSummary) -> String {
    let mut parts = Vec::new();
    for (name, value) in [
        ("bandwidth", settings.bandwidth),
        ("lambda", settings.lambda),
        ("C_p", settings.c_p),
        ("C_u", settings.c_u),
        ("prior", settings.prior),
        ("sigma", settings.sigma),
        ("K", settings.neighbours.map(|neighbours| neighbours as f64)),
    ] {
        parts.extend(value.map(|value| format!("{name} {}", show::number(value))));
    }
    if let Some((low, high)) = settings.prior_interval {
        parts.push(format!("estimated, 95 % interval {} to {}", show::number(low), show::number(high)));
    }
    parts.push(format!("{} scaling", settings.scaling));
    parts.join(", ")
}

fn of_ensemble(ensemble: &EnsembleReport, supports: usize) -> Facts {
    let rounds = if ensemble.second_round { ", evaluated in two rounds" } else { "" };
    let student = match &ensemble.student {
        None => "calls every row positive".to_owned(),
        Some(student) => format!(
            "{supports} supports, bandwidth {}{}; mean squared difference from the ensemble {:.3} on left-out rows",
            student.kernel.bandwidth().map_or("none (linear)".to_owned(), show::number),
            match student.relevance_power {
                0 => "",
                _ => ", features weighted by relevance",
            },
            student.left_out_error
        ),
    };
    let evidence = match &ensemble.events {
        None => format!(
            "labeled rows rank {:.1} standard errors above unlabeled ones; PUF {:.3} ± {:.3} on left-out rows (calling every row positive: 1)",
            ensemble.pu_auc_z, ensemble.puf, ensemble.puf_standard_error
        ),
        Some(events) => of_events(events, ensemble),
    };
    let mut facts = vec![
        (
            "ensemble",
            format!(
                "the {} best of {} models, on {} rows{rounds}",
                ensemble.averaged,
                ensemble.members,
                show::grouped(ensemble.rows)
            ),
        ),
        ("evidence", evidence),
        ("positives", format!("{} (estimated, of unlabeled rows)", show::percent(ensemble.share_of_positives))),
        ("model learned", student),
    ];
    if let Some(normals) = ensemble.normals {
        let share = show::percent(normals.called as f64 / normals.rows.max(1) as f64);
        let text = format!("{share} of {} known normal rows, left out", show::grouped(normals.rows));
        facts.insert(2, ("false alarms", text));
    }
    facts
}

/// What was held out, and what that says.
/// What events say for the model, in one clause.
pub fn of_events(events: &EventEvidence, ensemble: &EnsembleReport) -> String {
    let count = match events.events {
        1 => "1 event".to_owned(),
        count => format!("{} events", show::grouped(count)),
    };
    let held_out = match (events.by_time, events.recordings) {
        (true, _) => "blocks of time held out".to_owned(),
        (false, recordings) => format!("{} recordings, each held out whole", show::grouped(recordings)),
    };
    let rank = events.ranks.iter().sum::<f64>() / events.ranks.len().max(1) as f64;
    let luck = match events.events {
        1 => "one event is no evidence".to_owned(),
        _ => format!("by luck: p = {}", show::number(events.p_value)),
    };
    format!(
        "{count}, {held_out}: an event ranks above {} of its recording ({luck}), {} ± {} of it is called; PUF {:.2} ± {:.2} (calling every row positive: 1)",
        show::percent(rank),
        show::percent(events.recall),
        show::percent(events.recall_standard_error),
        ensemble.puf,
        ensemble.puf_standard_error
    )
}

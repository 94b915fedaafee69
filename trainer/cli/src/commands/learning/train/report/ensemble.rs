//! What is known about an ensemble, and the student that is its model.

use crate::show;
use pual_trainer::choose::tune::TuneOptions;
use pual_trainer::ensemble::EnsembleReport;
use pual_trainer::geometry::kernel::Kernel;
use pual_trainer::pipeline::fit::TrainOptions;
use serde::Serialize;

#[derive(Serialize)]
pub struct Ensemble {
    /// Rows learned from.
    rows: usize,
    /// Kernel machines fitted.
    members: usize,
    /// Of these, the best so many are averaged.
    averaged: usize,
    second_round: bool,
    /// How many standard errors labeled rows rank above unlabeled ones.
    pu_auc_z: f64,
    /// Estimated share of positives among the unlabeled rows.
    share_of_positives: f64,
    /// Probability above which a row is called positive.
    cut: f64,
    /// On rows left out.
    puf: f64,
    puf_standard_error: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    student: Option<Student>,
    #[serde(skip_serializing_if = "Option::is_none")]
    all_positive: Option<String>,
}

#[derive(Serialize)]
struct Student {
    bandwidth: f64,
    lambda: f64,
    /// To which power features are weighed by their relevance.
    relevance_power: i32,
    /// Whether they were scaled by their deciles, not by their standard deviations.
    by_deciles: bool,
    /// Mean squared difference from the teacher on rows left out; the teacher speaks in -1 to 1.
    left_out_error: f64,
}

impl Ensemble {
    pub fn new(report: &EnsembleReport, options: &TrainOptions, tuning: &TuneOptions) -> Self {
        Self {
            rows: report.rows,
            members: report.members,
            averaged: options.ensemble.min(report.members),
            second_round: report.second_round,
            pu_auc_z: report.pu_auc_z,
            share_of_positives: report.share_of_positives,
            cut: report.cut,
            puf: report.left_out.puf(tuning.scenario),
            puf_standard_error: report.left_out.puf_error(tuning.scenario),
            student: report.student.map(|student| Student {
                bandwidth: match student.kernel {
                    Kernel::Rbf { bandwidth } | Kernel::Laplace { bandwidth } => bandwidth,
                    // The student of a device has one.
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

    pub fn facts(&self, supports: usize) -> Vec<(&'static str, String)> {
        let mut facts = vec![
            (
                "ensemble",
                format!(
                    "the best {} of {} models, on {} rows{}",
                    self.averaged,
                    self.members,
                    show::grouped(self.rows as u64),
                    if self.second_round {
                        ", asked twice"
                    } else {
                        ""
                    }
                ),
            ),
            (
                "evidence",
                format!(
                    "labeled rows rank {:.1} standard errors above unlabeled ones; PUF {:.3} ± {:.3} on rows left out (calling every row positive: 1)",
                    self.pu_auc_z, self.puf, self.puf_standard_error
                ),
            ),
            (
                "positives",
                format!(
                    "{} of the unlabeled rows, by estimate",
                    show::percent(self.share_of_positives)
                ),
            ),
        ];
        match &self.student {
            Some(student) => facts.push((
                "model learned",
                format!(
                    "{supports} supports, bandwidth {}{}; mean squared difference from the ensemble {:.3} on rows left out",
                    show::number(student.bandwidth),
                    if student.relevance_power > 0 {
                        ", features weighed by relevance"
                    } else {
                        ""
                    },
                    student.left_out_error
                ),
            )),
            None => facts.push(("model learned", "calls every row positive".to_owned())),
        }
        facts
    }
}

//! The page of `pual calibrate --report`: the trade-off as figure and table.

use super::svg::escape;
use super::table::table;
use super::{beside, document, figured, header, prose, section, tradeoff, warned};
use crate::show::{exact, grouped, with_error};
use pual_trainer::{Calibration, Cut, Warning};

/// Everything on the page.
pub struct CalibrationPage<'a> {
    /// The model file.
    pub model: String,
    /// The file of checked rows.
    pub data: String,
    /// The command that made it.
    pub command: String,
    pub calibration: &'a Calibration,
    /// The table, row by row, and its header.
    pub rows: Vec<Vec<String>>,
    pub columns: &'a [&'a str],
    pub warnings: Vec<Warning>,
}

impl CalibrationPage<'_> {
    /// The page.
    pub fn html(&self) -> String {
        let calibration = self.calibration;
        let lead = format!(
            "Thresholds of the model on {} rows of {}, {} of them positive.",
            grouped(calibration.rows),
            self.data,
            grouped(calibration.positives)
        );
        let title = format!("{}: thresholds", escape(&self.model));
        let body = [
            header(&self.model, &lead),
            warned(&self.warnings, "None: there are enough rows, and they are like those the model was trained on."),
            figured(&self.figures()),
            self.traded(),
            section("Command", &format!("<pre><code>{}</code></pre>\n", escape(&self.command))),
        ]
        .concat();
        document(&title, &body, "pual calibrate --report", "The same model and rows give the same bytes.")
    }

    /// Of the new threshold, or of the model's own.
    fn figures(&self) -> Vec<(String, String)> {
        let (cut, whose) = match &self.calibration.chosen {
            Some(chosen) => (chosen, "the new threshold"),
            None => (&self.calibration.current, "the model's threshold"),
        };
        let Cut { recall, precision, false_alarms, .. } = *cut;
        [
            (exact(cut.threshold), whose),
            (with_error(recall, cut.recall_error), "recall: positive rows called"),
            (with_error(precision, cut.precision_error), "precision: called rows that are positive"),
            (with_error(false_alarms, cut.false_alarms_error), "false alarms: negative rows called"),
        ]
        .map(|(number, what)| (number, what.to_owned()))
        .into()
    }

    fn traded(&self) -> String {
        let text = "Rows with a score above the threshold are called positive. A lower threshold finds more of the positives and raises \
                    more false alarms. Recall and false alarms hold for any mixture of positive and negative rows; precision and F1 \
                    for the mixture in these rows. A threshold chosen on these rows does a little better on them than on others.";
        let marked = self.calibration.chosen.unwrap_or(self.calibration.current).threshold;
        let marked = self.calibration.table.iter().position(|cut| cut.threshold == marked);
        let figure = beside(&tradeoff::draw(self.calibration), &format!("<p>{}</p>\n", prose(text)));
        section("Trade-off", &(figure + &table("Thresholds, from cautious to eager", self.columns, &self.rows, marked)))
    }
}

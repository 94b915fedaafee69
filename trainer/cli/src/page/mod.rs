//! A training run, or a choice of threshold, on one self-contained HTML page.
//!
//! Functions here take plain data and return text; the same data give the same bytes. Every figure has a title and a description for
//! screen readers, uses shape as well as colour (Okabe and Ito's palette, safe for the colour-blind), and takes its colours from
//! `style.css`, light or dark.

mod axis;
mod calibration;
mod command;
mod plots;
mod svg;
mod table;
mod timeline;
mod tradeoff;

pub use calibration::CalibrationPage;
pub use command::line as command_line;
pub use plots::approaches::ApproachMark;
pub use plots::envelope::FeatureRange;
pub use plots::importance::importance;
pub use plots::map::{MapData, MapFigure, Support, draw as draw_map};
pub use plots::scores::Scores;
pub use plots::{GridSearch, TrialOutcome};
pub use timeline::{Timeline, stretches};

use crate::hints::advice::advice;
use crate::show::grouped;
use plots::{approaches, envelope, importance as features, sizes};
use pual_trainer::{Ladder, Warning};
use svg::escape;
use table::{facts, table};

/// Everything on the page.
pub struct Page<'a> {
    /// The model file.
    pub model: String,
    /// One sentence about the model.
    pub lead: String,
    /// Key numbers, each with what it is.
    pub figures: Vec<(String, String)>,
    pub warnings: Vec<Warning>,
    /// The command that made it.
    pub command: String,
    /// Data, settings and versions.
    pub facts: Vec<(String, String)>,
    /// Recordings, where rows are windows of them.
    pub timelines: Vec<Timeline>,
    /// Scores of the training rows.
    pub scores: Scores,
    /// F1 and the like, if the truth is known.
    pub truth: Option<String>,
    /// The approaches that were compared.
    pub approaches: Vec<ApproachMark>,
    /// How the model was found.
    pub search_note: String,
    /// The grid of settings: its title, what its squares are, and the trials.
    pub search: Option<(String, String, GridSearch)>,
    /// Names of the features.
    pub names: Vec<String>,
    /// Of each feature, in the same order.
    pub importance: Vec<f64>,
    /// The decision map.
    pub map: MapFigure,
    /// The sizes that were tried; none if the model was written as trained.
    pub sizes: Option<&'a Ladder>,
    /// Training ranges.
    pub ranges: Vec<FeatureRange>,
    /// Whether the device can tell that a reading is outside them.
    pub has_envelope: bool,
    /// Rows in the figures and all rows, if the figures use a sample.
    pub sampled: Option<(usize, usize)>,
    /// One row per core, in the columns of `COST`.
    pub cores: Vec<Vec<String>>,
}

/// Columns of the table of cores.
pub const COST: [&str; 7] =
    ["core", "flash: code", "code and model", "RAM", "stack", "instructions per score", "of counts"];

/// Nothing outside the file may be loaded, whatever a column's name contains.
const HEAD: &str = "<meta charset=\"utf-8\">\n\
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n\
<meta name=\"color-scheme\" content=\"light dark\">\n\
<link rel=\"icon\" href=\"data:,\">\n";

impl Page<'_> {
    /// The page.
    pub fn html(&self) -> String {
        let title = format!("{}: training report", escape(&self.model));
        let body = [
            self.head(),
            self.warned(),
            self.figured(),
            self.timed(),
            self.scored(),
            self.mapped(),
            self.searched(),
            self.sized(),
            self.ranged(),
            self.cost(),
            self.trained(),
        ]
        .concat();
        document(&title, &body, "pual train --report", "The same data, flags and seed give the same bytes.")
    }

    /// What it is. Warnings come next: figures are read in their light.
    fn head(&self) -> String {
        header(&self.model, &self.lead)
    }

    fn figured(&self) -> String {
        figured(&self.figures)
    }

    fn warned(&self) -> String {
        warned(&self.warnings, "None: nothing in the data, the search or the model needs attention.")
    }

    fn timed(&self) -> String {
        const MOST: usize = 12;
        if self.timelines.is_empty() {
            return String::new();
        }
        let more = match self.timelines.len().saturating_sub(MOST) {
            0 => String::new(),
            more => format!(" {more} more recordings are not drawn."),
        };
        let text = format!(
            "<p>Each recording over time: its channels, the score of its windows when the recording was left out, and bars below: \
             alarms, labeled stretches, and the truth where it is known. Labeled stretches are shaded.{more}</p>\n"
        );
        let figures: String = (self.timelines.iter().take(MOST).enumerate())
            .map(|(at, timeline)| format!("<figure>{}</figure>\n", timeline.draw(at)))
            .collect();
        section("Recordings", &format!("{text}<div class=\"panels\">\n{figures}</div>\n"))
    }

    fn scored(&self) -> String {
        let truth = self.truth.as_ref().map_or(String::new(), |truth| format!(" {}", prose(truth)));
        let text = format!(
            "<p>Each row's score, as the device computes it: labeled rows above the line, unlabeled rows below, each on its own scale. \
             Rows to the right of the cut are called positive. A good model puts the labeled rows there, and of the unlabeled rows only the \
             positives, whose number is unknown.{truth}</p>\n"
        );
        section("Scores", &beside(&self.scores.draw(), &text))
    }

    fn mapped(&self) -> String {
        let sampled = self.sample_note();
        let shown = match self.names.len() {
            all if all > features::MOST_SHOWN => {
                format!(" The top {} of {all} features.", features::MOST_SHOWN)
            }
            _ => String::new(),
        };
        let importance = format!(
            "<h3>Feature importance</h3>\n<figure>{}</figure>\n<p class=\"note\">Share of rows whose class changes when a feature's values are shuffled.{shown}</p>\n",
            features::draw(&self.names, &self.importance)
        );
        let text = format!("<p>{}{sampled}</p>\n{importance}", prose(&self.map.caption));
        section("Decisions", &beside(&self.map.svg, &text))
    }

    fn searched(&self) -> String {
        let note = format!("<p>{}</p>\n", prose(&self.search_note));
        let mut html = match self.approaches.is_empty() {
            false => beside(&approaches::draw(&self.approaches), &note),
            true => note,
        };
        if let Some((title, squares, search)) = &self.search {
            html += &format!(
                "<h3>{}</h3>\n<p class=\"note\">{}</p>\n<figure>{}</figure>\n",
                escape(title),
                prose(squares),
                search.draw()
            );
        }
        section("How it was found", &html)
    }

    fn sized(&self) -> String {
        let Some(ladder) = self.sizes else {
            return section(
                "Size",
                "<p>Written as trained, with <code>--no-compress</code>: no smaller sizes were tried.</p>\n",
            );
        };
        let mut text = "<p>The model was built at several sizes, each compared with the trained model by the device's own code. \
                    The F1 loss takes the rows the trained model is sure of as the truth. The smallest model within the tolerance is \
                    taken, unless a budget or a number of support instances was given.</p>\n".to_owned();
        if let Some(note) = sizes::note(ladder) {
            text += &format!("<p>{}</p>\n", escape(&note));
        }
        section("Size", &(beside(&sizes::draw(ladder), &text) + &sizes::numbers(ladder)))
    }

    fn ranged(&self) -> String {
        let mut text = if self.has_envelope {
            "<p>The model carries the training range of each feature. A reading outside it still gets a score, and the device can tell that it is outside. ".to_owned()
        } else {
            "<p>The model carries no ranges; these are the ranges of the rows. ".to_owned()
        };
        text += "Bars go from the first to the ninth decile, with the median: <b class=\"tl\">labeled</b> above, <b class=\"tu\">unlabeled</b> below.";
        if let Some(count) = envelope::left_out(&self.ranges) {
            text += &format!(" {count} more features are in the table.");
        }
        text += &format!("{}</p>\n", self.sample_note());
        let figure = envelope::draw(&self.ranges);
        section("Training range", &beside(&figure, &text))
    }

    fn cost(&self) -> String {
        let html = "<p>Bytes and instructions (not cycles), as <code>pual inspect</code> shows them, estimated from measurements in QEMU. \
                    Counts are raw integers from an A/D converter, which integer models take directly.</p>\n";
        let table = table("What the model costs on each core", &COST, &self.cores, None);
        section("Cost on a chip", &format!("{html}{table}"))
    }

    fn trained(&self) -> String {
        let command = format!("<pre><code>{}</code></pre>\n", escape(&self.command));
        section("Data and settings", &format!("{command}{}", facts(&self.facts)))
    }

    /// A note for figures that do not show all rows.
    fn sample_note(&self) -> String {
        self.sampled.map_or(String::new(), |(sample, all)| {
            format!(" Drawn from a sample of {} of {} rows.", grouped(sample), grouped(all))
        })
    }
}

/// A whole page, with the command that wrote it and a note at its foot.
fn document(title: &str, body: &str, command: &str, note: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n{HEAD}<title>{title}</title>\n<style>\n{}</style>\n</head>\n<body>\n<main>\n{body}</main>\n\
         <footer><p>Written by <code>{command}</code>. {note}</p></footer>\n</body>\n</html>\n",
        include_str!("style.css")
    )
}

/// Title and a sentence.
fn header(title: &str, lead: &str) -> String {
    format!("<header>\n<h1>{}</h1>\n<p class=\"lead\">{}</p>\n</header>\n", escape(title), escape(lead))
}

/// Key numbers, each with what it is.
fn figured(figures: &[(String, String)]) -> String {
    let figures: String = (figures.iter())
        .map(|(number, what)| format!("<li><strong>{}</strong> <span>{}</span></li>\n", escape(number), escape(what)))
        .collect();
    format!("<ul class=\"figures\">\n{figures}</ul>\n")
}

/// The warnings with what to do, or `none`.
fn warned(warnings: &[Warning], none: &str) -> String {
    if warnings.is_empty() {
        return section("Warnings", &format!("<p class=\"fine\">{none}</p>\n"));
    }
    let warnings: String = (warnings.iter())
        .map(|warning| {
            format!(
                "<li><code>{}</code><p>{}.</p><p><b>What to do.</b> {}</p></li>\n",
                warning.id.name(),
                prose(&sentence(&warning.text)),
                prose(advice(warning.id))
            )
        })
        .collect();
    section("Warnings", &format!("<ul class=\"warnings\">\n{warnings}</ul>\n"))
}

fn section(title: &str, html: &str) -> String {
    format!("<section>\n<h2>{}</h2>\n{html}</section>\n", escape(title))
}

/// A figure, with text beside it where there is room.
fn beside(figure: &str, text: &str) -> String {
    format!("<div class=\"pair\"><figure>{figure}</figure><div>{text}</div></div>\n")
}

/// Text with `code` marked up, and percent signs kept with their numbers.
fn prose(text: &str) -> String {
    let text = text.replace(" %", "\u{a0}%");
    let parts: Vec<String> = text.split('`').map(escape).collect();
    if parts.len().is_multiple_of(2) {
        return escape(&text);
    }
    (parts.iter().enumerate())
        .map(|(at, part)| match at % 2 {
            0 => part.clone(),
            _ => format!("<code>{part}</code>"),
        })
        .collect()
}

/// Capitalized.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

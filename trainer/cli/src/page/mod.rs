//! A training run on one page: HTML that needs nothing but itself.
//!
//! Functions here take plain data and return text; the same data give the same bytes. Each figure is a file of its own and says at its top
//! what it shows. All of them have a name and a description for those who do not see them, differ in shape where they differ in
//! colour (Okabe and Ito's, which the colour-blind tell apart), and take their colours from `style.css`, light or dark.

mod axis;
mod curve;
mod envelope;
mod field;
mod heat;
mod map;
mod plane;
mod scores;
mod sizes;
mod svg;
mod table;
mod telling;
mod trials;
mod ways;

pub use envelope::Range;
pub use map::{Drawn, Mapped, Support, draw as draw_map};
pub use scores::Scores;
pub use sizes::{Rung, Sizes};
pub use telling::telling;
pub use trials::{Outcome, Search};
pub use ways::Way;

use crate::hints::advice::advice;
pub use axis::grouped;
use pual_trainer::base::warnings::Warning;
use svg::escape;
use table::{facts, table};

/// All that is on the page.
pub struct Page {
    /// The model's file.
    pub model: String,
    /// What it is, in a sentence.
    pub lead: String,
    /// A few figures: the number, and what it is.
    pub figures: Vec<(String, String)>,
    /// What the user should know.
    pub warnings: Vec<Warning>,
    /// The command that made it.
    pub command: String,
    /// What was trained on what.
    pub facts: Vec<(String, String)>,
    /// Scores of the training rows.
    pub scores: Scores,
    /// F1 and the like, where a truth was given.
    pub truth: Option<String>,
    /// The ways to learn that were compared.
    pub ways: Vec<Way>,
    /// What there is to say about how the model was found.
    pub search_note: String,
    /// The grid of settings: its title, what its squares are, and itself.
    pub search: Option<(String, String, Search)>,
    /// How telling each feature is, with its name.
    pub names: Vec<String>,
    /// The same order.
    pub telling: Vec<f64>,
    /// The decision map.
    pub map: Drawn,
    /// The ladder of sizes; none where the model was written as trained.
    pub sizes: Option<Sizes>,
    /// Training ranges.
    pub ranges: Vec<Range>,
    /// Whether the device can tell that a reading is outside them.
    pub has_envelope: bool,
    /// Rows the figures are drawn from and all rows, where these are more.
    pub sampled: Option<(usize, usize)>,
    /// A row a core: its name, then what `COST` names.
    pub cores: Vec<Vec<String>>,
}

/// Columns of the table of cores.
pub const COST: [&str; 7] = [
    "core",
    "flash: code",
    "code and model",
    "RAM",
    "stack",
    "instructions a score",
    "of counts",
];

/// Nothing but what is in the file may be loaded, whoever wrote a column's name.
const HEAD: &str = "<meta charset=\"utf-8\">\n\
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n\
<meta name=\"color-scheme\" content=\"light dark\">\n\
<link rel=\"icon\" href=\"data:,\">\n";

impl Page {
    /// The page.
    pub fn html(&self) -> String {
        let title = format!("{}: training report", escape(&self.model));
        let body = [
            self.head(),
            self.warned(),
            self.scored(),
            self.mapped(),
            self.searched(),
            self.sized(),
            self.ranged(),
            self.cost(),
            self.trained(),
        ]
        .concat();
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n{HEAD}<title>{title}</title>\n<style>\n{}</style>\n</head>\n<body>\n<main>\n{body}</main>\n\
             <footer><p>Written by <code>pual train --report</code>. The same data, flags and seed give the same bytes.</p></footer>\n</body>\n</html>\n",
            include_str!("style.css")
        )
    }

    fn head(&self) -> String {
        let figures: String = (self.figures.iter())
            .map(|(number, what)| {
                format!(
                    "<li><strong>{}</strong> <span>{}</span></li>\n",
                    escape(number),
                    escape(what)
                )
            })
            .collect();
        format!(
            "<header>\n<h1>{}</h1>\n<p class=\"lead\">{}</p>\n<ul class=\"figures\">\n{figures}</ul>\n</header>\n",
            escape(&self.model),
            escape(&self.lead)
        )
    }

    fn warned(&self) -> String {
        if self.warnings.is_empty() {
            return section(
                "Warnings",
                "<p class=\"fine\">None: nothing in the data, the search or the model calls for attention.</p>\n",
            );
        }
        let warnings: String = (self.warnings.iter())
            .map(|warning| {
                format!(
                    "<li><code>{}</code><p>{}.</p><p><b>What to do.</b> {}</p></li>\n",
                    warning.id.name(),
                    prose(&sentence(&warning.text)),
                    prose(advice(warning.id))
                )
            })
            .collect();
        section(
            "Warnings",
            &format!("<ul class=\"warnings\">\n{warnings}</ul>\n"),
        )
    }

    fn scored(&self) -> String {
        let truth = self
            .truth
            .as_ref()
            .map_or(String::new(), |truth| format!(" {}", prose(truth)));
        let text = format!(
            "<p>Each row's score, as the device computes it: labeled rows above, unlabeled rows below the line, each kind by its own scale. \
             Rows to the right of the cut are called positive. A good model puts the labeled rows there, and of the unlabeled ones only the \
             positives among them, which nobody has counted.{truth}</p>\n"
        );
        pair("Scores", &self.scores.draw(), &text)
    }

    fn mapped(&self) -> String {
        let sampled = self.sample_note();
        let telling = format!(
            "<h3>What it looks at</h3>\n<figure>{}</figure>\n<p class=\"note\">Share of rows whose class changes when a feature's values are dealt among the rows anew.{}</p>\n",
            telling::draw(&self.names, &self.telling),
            match self.names.len() > telling::MOST_SHOWN {
                true => format!(
                    " The most telling {} of {}.",
                    telling::MOST_SHOWN,
                    self.names.len()
                ),
                false => String::new(),
            }
        );
        let text = format!("<p>{}{sampled}</p>\n{telling}", prose(&self.map.caption));
        pair("Decisions", &self.map.svg, &text)
    }

    fn searched(&self) -> String {
        let mut html = String::new();
        let note = format!("<p>{}</p>\n", prose(&self.search_note));
        html += &match self.ways.is_empty() {
            false => format!(
                "<div class=\"pair\"><figure>{}</figure><div>{note}</div></div>\n",
                ways::draw(&self.ways)
            ),
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
        let Some(sizes) = &self.sizes else {
            return section(
                "Size",
                "<p>Written as trained, with <code>--no-compress</code>: no smaller sizes were tried.</p>\n",
            );
        };
        let mut text = "<p>The model was made at several sizes, and each compared with the one that was trained, by the device's own code. \
                    F1 lost takes what the trained model is sure of for the truth. The smallest within the tolerance is taken, \
                    unless a budget or a number of support instances was given.</p>\n".to_owned();
        if let Some(note) = sizes.note() {
            text += &format!("<p>{}</p>\n", escape(&note));
        }
        let pair = format!(
            "<div class=\"pair\"><figure>{}</figure><div>{text}</div></div>\n{}",
            sizes.draw(),
            sizes.table()
        );
        section("Size", &pair)
    }

    fn ranged(&self) -> String {
        let mut text = match self.has_envelope {
            true => "<p>The model carries the training range of each feature; a reading beyond it gets a score all the same, and the device can say that it is outside. ".to_owned(),
            false => "<p>The model carries no ranges: these are the rows'. ".to_owned(),
        };
        text += "Bars go from the first to the ninth decile, with the median: <b class=\"tl\">labeled</b> above, <b class=\"tu\">unlabeled</b> below.";
        if let Some(count) = envelope::left_out(&self.ranges) {
            text += &format!(" {count} more features are in the table.");
        }
        text += &format!("{}</p>\n", self.sample_note());
        pair("Training range", &envelope::draw(&self.ranges), &text)
    }

    fn cost(&self) -> String {
        let html = "<p>Bytes and instructions, not cycles, as <code>pual inspect</code> shows them: estimated from what was measured in QEMU. \
                    Counts are a converter's integers, which integer models take as they are.</p>\n";
        let table = table(
            "What the model costs on each core",
            &COST,
            &self.cores,
            None,
        );
        section("Cost on a chip", &format!("{html}{table}"))
    }

    fn trained(&self) -> String {
        let command = format!("<pre><code>{}</code></pre>\n", escape(&self.command));
        section(
            "What was trained on what",
            &format!("{command}{}", facts(&self.facts)),
        )
    }

    /// Said where a figure is not drawn from all rows.
    fn sample_note(&self) -> String {
        self.sampled.map_or(String::new(), |(sample, all)| {
            format!(
                " Drawn from a sample of {} of {} rows.",
                grouped(sample as u64),
                grouped(all as u64)
            )
        })
    }
}

fn section(title: &str, html: &str) -> String {
    format!("<section>\n<h2>{}</h2>\n{html}</section>\n", escape(title))
}

/// A figure, with text beside it where there is room.
fn pair(title: &str, figure: &str, text: &str) -> String {
    section(
        title,
        &format!("<div class=\"pair\"><figure>{figure}</figure><div>{text}</div></div>\n"),
    )
}

/// Text in which `code` is marked as it is in messages, and a percent sign stays with its number.
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

/// With a capital at its beginning.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

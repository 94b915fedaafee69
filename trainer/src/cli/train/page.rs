//! `--report DIR`: from what the command knows to the plain data of `pual_trainer::report`, and into a file.

mod command;
mod model;
mod search;

use super::finish::Finish;
use crate::cli::show;
use anyhow::{Context, Result, bail};
use pual_infer::{FORMAT_VERSION, Model, ReadingError};
use pual_trainer::compare::Comparison;
use pual_trainer::compress::Ladder;
use pual_trainer::dataset::Dataset;
use pual_trainer::device::cost;
use pual_trainer::export::{device_scores, write_file};
use pual_trainer::learn::Learned;
use pual_trainer::metrics::{Confusion, PuCounts};
use pual_trainer::report::{Mapped, Page, Scores, draw_map, telling};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

const FILE: &str = "report.html";
/// The core whose cost is among the page's first figures.
const USUAL_CORE: &str = "Cortex-M4F";
/// Names of features listed, at most.
const MOST_NAMES: usize = 40;

#[derive(clap::Args)]
pub struct ReportFlag {
    /// Show it all on one page, DIR/report.html: figures, sizes, costs, warnings and what to do. DIR is created; the page needs no other file
    #[arg(long = "report", value_name = "DIR")]
    directory: Option<PathBuf>,
}

/// What the page is drawn from.
pub struct Drawn<'a> {
    /// All rows.
    pub data: &'a Dataset,
    /// Those of figures that do not need all of them.
    pub sample: &'a Dataset,
    pub learned: &'a Learned,
    pub compared: Option<&'a Comparison>,
    pub ladder: Option<&'a Ladder>,
    /// As written.
    pub model: &'a Model<'a>,
    /// Its scores of all rows.
    pub scores: &'a [f32],
    /// Its bytes.
    pub bytes: &'a [u8],
}

/// A page that is asked for, and where its rows are from.
pub struct Asked<'a> {
    directory: &'a Path,
    data: &'a Path,
    label_column: &'a str,
}

impl ReportFlag {
    pub fn asked<'a>(&'a self, data: &'a Path, label_column: &'a str) -> Option<Asked<'a>> {
        Some(Asked {
            directory: self.directory.as_deref()?,
            data,
            label_column,
        })
    }

    /// Refuses a place where no page can be written, before the work begins.
    pub fn check(&self) -> Result<()> {
        let Some(directory) = &self.directory else {
            return Ok(());
        };
        let is_file = |path: &&Path| path.exists() && !path.is_dir();
        if let Some(file) = directory.ancestors().find(is_file) {
            bail!(
                "--report {}: {} is a file; name a directory",
                directory.display(),
                file.display()
            );
        }
        if directory.join(FILE).is_dir() {
            bail!(
                "--report {}: {FILE} in it is a directory; name another one",
                directory.display()
            );
        }
        Ok(())
    }
}

impl Asked<'_> {
    /// Where the page is.
    pub fn path(&self) -> PathBuf {
        self.directory.join(FILE)
    }

    /// What the rows were read from, for people.
    fn source(&self) -> String {
        match self.data == Path::new("-") {
            true => "standard input".to_owned(),
            false => self.data.display().to_string(),
        }
    }

    /// Writes the page, when the model is written already.
    pub fn write(&self, html: &str) -> Result<()> {
        let directory = self.directory;
        let failed = || {
            let directory = directory.display();
            format!("--report {directory}: the model is written, its report is not")
        };
        std::fs::create_dir_all(directory)
            .with_context(|| format!("cannot create {}", directory.display()))
            .with_context(failed)?;
        write_file(&self.path(), html.as_bytes()).with_context(failed)
    }
}

/// The page, but for the facts that the command prints too.
pub fn draw(finish: &Finish<'_>, asked: &Asked<'_>, drawn: &Drawn<'_>) -> Result<Page> {
    let Drawn {
        data,
        sample,
        model,
        ..
    } = drawn;
    let seed = finish.options.seed;
    let above = |rows: &[f64]| -> Result<Vec<f64>, ReadingError> {
        let scores = device_scores(model, rows)?;
        let threshold = f64::from(model.threshold());
        Ok(scores
            .into_iter()
            .map(|score| f64::from(score) - threshold)
            .collect())
    };
    let telling = telling(
        sample.rows(),
        data.features(),
        model.supports(),
        seed,
        &above,
    )?;
    let map = draw_map(
        &Mapped {
            names: data.names(),
            rows: sample.rows(),
            labeled: sample.labeled(),
            scales: drawn.learned.classifier().scaler.scale(),
            telling: &telling,
            supports: &model::supports(model),
            seed,
        },
        &above,
    )?;
    let scores = Scores::new(drawn.scores, data.labeled(), model.threshold());
    Ok(Page {
        model: finish.output.display().to_string(),
        lead: lead(asked, drawn),
        figures: figures(finish, drawn),
        warnings: show::warnings(),
        command: command::line(std::env::args_os().skip(1)),
        facts: facts(finish, asked, drawn),
        scores,
        truth: truth(drawn),
        ways: drawn.compared.map_or(Vec::new(), search::ways),
        search_note: search::note(drawn, finish),
        search: search::grid(drawn.learned, finish.tuning),
        names: data.names().to_vec(),
        telling,
        map,
        sizes: drawn.ladder.map(|ladder| model::sizes(ladder, finish)),
        ranges: model::ranges(model, sample),
        has_envelope: model.range(0).is_some(),
        sampled: (sample.len() < data.len()).then_some((sample.len(), data.len())),
        cores: model::cores(model),
    })
}

fn lead(asked: &Asked<'_>, drawn: &Drawn<'_>) -> String {
    let Drawn { data, model, .. } = drawn;
    format!(
        "A classifier of {} bytes with {}, trained on {} labeled and {} unlabeled rows of {}.",
        show::grouped(model.length() as u64),
        show::supports(model.supports()),
        show::grouped(data.positives() as u64),
        show::grouped((data.len() - data.positives()) as u64),
        asked.source()
    )
}

/// Held-out answers, where rows were held out.
fn held_out(learned: &Learned) -> Option<PuCounts> {
    match learned {
        Learned::One { tuned, .. } => {
            let tuned = tuned.as_ref()?;
            tuned.trials[tuned.choice.trial].pooled()
        }
        Learned::Ensemble { report, .. } => Some(report.left_out),
    }
}

/// The page's first figures.
fn figures(finish: &Finish<'_>, drawn: &Drawn<'_>) -> Vec<(String, String)> {
    let (learned, model) = (drawn.learned, drawn.model);
    let scenario = finish.tuning.scenario;
    let mut figures = vec![(
        format!("{} bytes", show::grouped(model.length() as u64)),
        format!(
            "{}, {}",
            show::supports(model.supports()),
            model.encoding().name()
        ),
    )];
    if let (Some(evidence), Some(counts)) = (learned.evidence(scenario), held_out(learned)) {
        figures.push((
            format!("{:.2} ± {:.2}", evidence.puf, evidence.puf_error),
            "PUF on rows held out; calling every row positive has 1".to_owned(),
        ));
        figures.push((
            show::percent(counts.recall()),
            "of labeled rows found, on rows held out".to_owned(),
        ));
    }
    let called = drawn
        .scores
        .iter()
        .filter(|&&score| score > model.threshold())
        .count();
    figures.push((
        show::percent(called as f64 / drawn.scores.len().max(1) as f64),
        "of all training rows called positive".to_owned(),
    ));
    let costs = cost::estimate(model);
    if let Some(core) = costs.iter().find(|core| core.core == USUAL_CORE) {
        figures.push((
            show::grouped(core.instructions),
            format!("instructions a score on {USUAL_CORE}"),
        ));
    }
    figures
}

/// What the command does not print.
fn facts(finish: &Finish<'_>, asked: &Asked<'_>, drawn: &Drawn<'_>) -> Vec<(String, String)> {
    let names = drawn.data.names();
    let mut listed = names[..names.len().min(MOST_NAMES)].join(", ");
    if names.len() > MOST_NAMES {
        let _ = write!(listed, " and {} more", names.len() - MOST_NAMES);
    }
    let hash: String = Sha256::digest(drawn.bytes)
        .iter()
        .fold(String::new(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        });
    let fact = |name: &str, value: String| (name.to_owned(), value);
    vec![
        fact(
            "data file",
            format!(
                "{}, labels in column {}",
                asked.source(),
                asked.label_column
            ),
        ),
        fact(
            "rows' fingerprint",
            format!(
                "{:016x} (FNV-1a of features and labels)",
                drawn.data.fingerprint()
            ),
        ),
        fact("features", listed),
        fact("seed", finish.options.seed.to_string()),
        fact("SHA-256 of the model", hash),
        fact(
            "checksum in the model",
            format!("{:08x}", drawn.model.checksum()),
        ),
        fact(
            "versions",
            format!(
                "pual {}, model format {FORMAT_VERSION}",
                env!("CARGO_PKG_VERSION")
            ),
        ),
    ]
}

/// Against the truth, where it was given.
fn truth(drawn: &Drawn<'_>) -> Option<String> {
    let called: Vec<bool> = (drawn.scores.iter())
        .map(|&score| score > drawn.model.threshold())
        .collect();
    let counts = Confusion::count(drawn.data.truth()?, &called);
    Some(format!(
        "Against the truth column, which was not learned from: precision {}, recall {}, F1 {} on these rows; calling every row positive has F1 {}.",
        show::percent(counts.precision()),
        show::percent(counts.recall()),
        show::percent(counts.f1()),
        show::percent(counts.f1_of_all_positive())
    ))
}

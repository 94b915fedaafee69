//! `--report DIR`: from what the command knows to the plain data of `crate::page`, and into a file.

mod model;
mod search;

use super::recordings::of_recordings;
use crate::commands::learning::train;
use crate::files::{check_page, write_page};
use crate::page::{MapData, Page, Scores, Timeline, command_line, draw_map, importance, stretches};
use crate::show;
use anyhow::{Context, Result};
use pual_device::cost;
use pual_infer::{FORMAT_VERSION, Model, ReadingError};
use pual_trainer::internals::Timeline as Windowed;
use pual_trainer::report::EventEvidence;
use pual_trainer::{
    Confusion, Dataset, Learned, Options, Outcome, PuCounts, Recording, Recordings, StreamOutcome, device_scores,
};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
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
struct Material<'a> {
    /// All rows, with the columns that the model uses.
    data: Cow<'a, Dataset>,
    options: &'a Options,
    outcome: &'a Outcome,
    /// As written.
    model: Model<'a>,
}

impl Material<'_> {
    /// The rows of figures that do not need all of them.
    fn sample(&self) -> &Dataset {
        self.outcome.sample.as_ref().unwrap_or(&self.data)
    }
}

/// A page that was asked for, and where its rows are from.
pub struct ReportPage<'a> {
    directory: &'a Path,
    source: &'a str,
    label_column: &'a str,
}

impl ReportFlag {
    pub fn of<'a>(&'a self, source: &'a str, label_column: &'a str) -> Option<ReportPage<'a>> {
        Some(ReportPage { directory: self.directory.as_deref()?, source, label_column })
    }

    /// Refuses a place where no page can be written, before the work begins.
    pub fn check(&self) -> Result<()> {
        self.directory.as_deref().map_or(Ok(()), |directory| check_page(directory, FILE))
    }
}

impl ReportPage<'_> {
    /// Where the page is.
    pub fn path(&self) -> PathBuf {
        self.directory.join(FILE)
    }

    /// Writes the page, when the model is written already.
    pub fn write(&self, html: &str) -> Result<()> {
        let failed = || format!("--report {}: the model is written, its report is not", self.directory.display());
        write_page(self.directory, FILE, html).with_context(failed)
    }
}

/// The page, as HTML.
pub fn draw(
    report: &ReportPage<'_>,
    data: &Dataset,
    options: &Options,
    outcome: &Outcome,
    output: &Path,
    recordings: Option<(&Recordings, &StreamOutcome)>,
) -> Result<String> {
    // Columns that do not vary in a sample are left out of the model.
    let data = if data.names() == outcome.summary.features {
        Cow::Borrowed(data)
    } else {
        Cow::Owned(data.clone().with_features(&outcome.summary.features))
    };
    let material = &Material { data, options, outcome, model: outcome.model.decode()? };
    let (data, sample, model) = (&material.data, material.sample(), &material.model);
    let (seed, learned) = (options.seed, &outcome.learned);
    let above = |rows: &[f64]| -> Result<Vec<f64>, ReadingError> {
        let scores = device_scores(model, rows)?;
        let threshold = f64::from(model.threshold());
        Ok(scores.into_iter().map(|score| f64::from(score) - threshold).collect())
    };
    let importance = importance(sample.rows(), data.features(), model.supports(), seed, &above)?;
    let map = draw_map(
        &MapData {
            names: data.names(),
            rows: sample.rows(),
            labeled: sample.labeled(),
            scales: learned.classifier().scaler.scale(),
            importance: &importance,
            supports: &model::supports(model),
            seed,
        },
        &above,
    )?;
    let scores = Scores::new(&outcome.scores, data.labeled(), model.threshold());
    let model_name = output.display().to_string();
    let known = train::facts::facts(outcome, &model_name).into_iter();
    let known = known.map(|(name, value)| (name.to_owned(), value));
    let of_stream = recordings.map_or(Vec::new(), |(_, trained)| of_recordings(&trained.stream));
    let of_stream = of_stream.into_iter().map(|(name, value)| (name.to_owned(), value));
    let page = Page {
        lead: lead(report, material),
        figures: figures(material),
        warnings: show::warnings(),
        command: command_line(std::env::args_os().skip(1)),
        facts: of_stream.chain(known).chain(facts(report, material)).collect(),
        timelines: recordings.map_or(Vec::new(), |(recordings, trained)| timelines(recordings, trained)),
        model: model_name,
        scores,
        truth: truth(material),
        approaches: (outcome.comparison.as_ref()).map_or(Vec::new(), search::approaches),
        search_note: search::note(outcome),
        search: search::grid(learned, options, outcome.scenario),
        names: data.names().to_vec(),
        importance,
        map,
        sizes: outcome.ladder(),
        ranges: model::ranges(model, sample),
        has_envelope: model.range(0).is_some(),
        sampled: (sample.len() < data.len()).then_some((sample.len(), data.len())),
        cores: cost::estimate(model).iter().map(show::core).collect(),
    };
    Ok(page.html())
}

/// Every recording, as it was when it was left out.
fn timelines(recordings: &Recordings, trained: &StreamOutcome) -> Vec<Timeline> {
    let width = recordings.channels.len();
    let of = |(recording, windows): (&Recording, &Windowed)| {
        let length = recording.times.len().max(1) as f64;
        let share = |sample: usize| (sample + 1) as f64 / length;
        let time = |time: Option<&f64>| time.map_or(String::new(), |&time| recording.clock.text(time));
        let channel = |at: usize| recording.samples.iter().skip(at).step_by(width).copied().collect();
        // From the end of a window to that of the next.
        let mut alarm = vec![false; recording.times.len()];
        for (at, &end) in windows.ends.iter().enumerate().filter(|(at, _)| windows.alarm[*at]) {
            let next = windows.ends.get(at + 1).map_or(end + 1, |&next| next.min(end + trained.stream.hop));
            alarm[end..next.max(end + 1)].fill(true);
        }
        Timeline {
            name: recording.name.clone(),
            ends: (time(recording.times.first()), time(recording.times.last())),
            channels: (0..width).map(|at| (recordings.channels[at].clone(), channel(at))).collect(),
            labeled: stretches(&recording.labeled),
            truth: recording.truth.as_deref().map_or(Vec::new(), stretches),
            scores: windows.ends.iter().zip(&windows.scores).map(|(&end, &score)| (share(end), score)).collect(),
            alarms: stretches(&alarm),
        }
    };
    recordings.all.iter().zip(&trained.timelines).map(of).collect()
}

fn lead(report: &ReportPage<'_>, material: &Material<'_>) -> String {
    let Material { data, model, .. } = material;
    format!(
        "A classifier of {} bytes with {}, trained on {} rows of {}.",
        show::grouped(model.length()),
        show::supports(model.supports()),
        show::rows(data.positives(), data.len() - data.positives()),
        report.source
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

/// What events say, where rows are not independent.
fn events(learned: &Learned) -> Option<&EventEvidence> {
    match learned {
        Learned::Ensemble { report, .. } => report.events.as_ref(),
        Learned::One { .. } => None,
    }
}

/// The page's first figures.
fn figures(material: &Material<'_>) -> Vec<(String, String)> {
    let Material { outcome, model, .. } = material;
    let learned = &outcome.learned;
    let scenario = outcome.scenario;
    let mut figures = vec![(
        format!("{} bytes", show::grouped(model.length())),
        format!("{}, {}", show::supports(model.supports()), model.encoding().name()),
    )];
    if let (Some(evidence), Some(counts)) = (learned.evidence(scenario), held_out(learned)) {
        figures.push((
            format!("{:.2} ± {:.2}", evidence.puf, evidence.puf_error),
            "PUF on held-out rows; calling every row positive has 1".to_owned(),
        ));
        let (recall, what) = match events(learned) {
            Some(events) => (events.recall, "of a held-out event called, on average"),
            None => (counts.recall(), "of labeled rows found, on held-out rows"),
        };
        figures.push((show::percent(recall), what.to_owned()));
    }
    let called = outcome.scores.iter().filter(|&&score| score > model.threshold()).count();
    figures.push((
        show::percent(called as f64 / outcome.scores.len().max(1) as f64),
        "of all training rows called positive".to_owned(),
    ));
    let costs = cost::estimate(model);
    if let Some(core) = costs.iter().find(|core| core.core == USUAL_CORE) {
        figures.push((show::grouped(core.instructions), format!("instructions per score on {USUAL_CORE}")));
    }
    figures
}

/// What the command does not print.
fn facts(report: &ReportPage<'_>, material: &Material<'_>) -> Vec<(String, String)> {
    let names = material.data.names();
    let mut listed = names[..names.len().min(MOST_NAMES)].join(", ");
    if names.len() > MOST_NAMES {
        let _ = write!(listed, " and {} more", names.len() - MOST_NAMES);
    }
    let hash: String =
        Sha256::digest(material.outcome.model.bytes().as_ref() as &[u8]).iter().fold(String::new(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        });
    let fact = |name: &str, value: String| (name.to_owned(), value);
    vec![
        fact("data file", format!("{}, labels in column {}", report.source, report.label_column)),
        fact(
            "rows' fingerprint",
            format!("{:016x} (FNV-1a of features, labels and groups)", material.data.fingerprint()),
        ),
        fact("features", listed),
        fact("seed", material.options.seed.to_string()),
        fact("SHA-256 of the model", hash),
        fact("checksum in the model", format!("{:08x}", material.model.checksum())),
        fact("versions", format!("pual {}, model format {FORMAT_VERSION}", env!("CARGO_PKG_VERSION"))),
    ]
}

/// Against the truth, where it was given.
fn truth(material: &Material<'_>) -> Option<String> {
    let called: Vec<bool> = (material.outcome.scores.iter()).map(|&score| score > material.model.threshold()).collect();
    let counts = Confusion::count(material.data.truth()?, &called);
    Some(format!(
        "Against the truth column, which was not learned from: precision {}, recall {}, F1 {} on these rows; calling every row positive has F1 {}.",
        show::percent(counts.precision()),
        show::percent(counts.recall()),
        show::percent(counts.f1()),
        show::percent(counts.f1_of_all_positive())
    ))
}

//! `pual train --window`: recordings in, a model with its recipe out.

use super::{Args, facts, page};
use crate::flags::explain::explain;
use crate::progress::Progress;
use crate::show;
use anyhow::{Context, Result};
use pual_trainer::internals::{EventQuality, StreamSummary};
use pual_trainer::report::Summary;
use pual_trainer::{Error, Options, Recordings, StreamOptions, StreamOutcome, Timing, Watch, train_recordings};
use serde::Serialize;
use std::io::Write;

/// Names of features listed, at most.
const MOST_NAMES: usize = 24;

#[derive(Serialize)]
struct WrittenStream<'a> {
    model: String,
    #[serde(flatten)]
    summary: &'a Summary,
    stream: &'a StreamSummary,
    #[serde(skip)]
    outcome: &'a StreamOutcome,
    /// Seconds.
    timing: Timing,
}

impl Args {
    pub(super) fn run_recordings(
        &self,
        streams: &StreamOptions,
        options: &Options,
        progress: &Progress,
        out: &mut impl Write,
    ) -> Result<()> {
        let events = self.window.events.as_deref();
        let logs = self.data.log_options(&self.log, events);
        let failed = || format!("cannot train on {}", self.data.source());
        let recordings = Recordings::open(self.data.paths(), &logs).with_context(failed)?;
        let trained = train_recordings(&recordings, streams, options, progress);
        let trained = trained.map_err(|error| match error {
            error @ (Error::Log(_) | Error::Recipe(_)) => error.into(),
            error => explain("train", options, error),
        })?;
        let outcome = &trained.outcome;
        let source = self.data.source();
        let labels = events.map_or(self.data.label_column.clone(), |events| events.display().to_string());
        let report = self.report.of(&source, &labels);
        let page = report.map(|report| {
            progress.phase("report", 0);
            let timelines = Some((&recordings, &trained));
            let page = page::draw(&report, &trained.data, options, outcome, &self.output, timelines);
            (report, page)
        });
        outcome.model.write(&self.output)?;
        if let Some((report, page)) = &page {
            match page {
                Ok(html) => report.write(html)?,
                Err(error) => anyhow::bail!("{error:#}"),
            }
        }
        let written = WrittenStream {
            model: self.output.display().to_string(),
            summary: &outcome.summary,
            stream: &trained.stream,
            outcome: &trained,
            timing: progress.timing(),
        };
        show::result(self.run.json, out, &written, |written, out| {
            show::facts(out, &of_recordings(&written.outcome.stream))?;
            facts::show(&written.outcome.outcome, &written.model, &written.timing, out)
        })?;
        match page {
            Some((report, _)) if !self.run.json => Ok(writeln!(out, "\nreport: {}", report.path().display())?),
            _ => Ok(()),
        }
    }
}

/// What is known of recordings, windows, alarm and drift flag.
pub(super) fn of_recordings(stream: &StreamSummary) -> Vec<(&'static str, String)> {
    let plural =
        |count: usize, noun: &str| format!("{} {noun}{}", show::grouped(count), if count == 1 { "" } else { "s" });
    let seconds = |samples: usize| show::duration(samples as f64 / stream.rate);
    let mut of_samples = format!(
        "{}, {} of {} at {} Hz, {}",
        plural(stream.recordings, "recording"),
        plural(stream.samples, "sample"),
        plural(stream.channels.len(), "channel"),
        show::number(stream.rate),
        plural(stream.gaps, "gap")
    );
    if stream.empty_cells > 0 {
        of_samples += &format!(", {} without a value", plural(stream.empty_cells, "sample"));
    }
    let mut windows = format!(
        "{} samples ({}), every {} ({})",
        stream.window,
        seconds(stream.window),
        stream.hop,
        seconds(stream.hop)
    );
    if stream.baseline > 0 {
        windows += &format!("; features count from the first {}", plural(stream.baseline, "window"));
    }
    let mut names = stream.features[..stream.features.len().min(MOST_NAMES)].join(", ");
    if stream.features.len() > MOST_NAMES {
        names += &format!(" and {} more", stream.features.len() - MOST_NAMES);
    }
    let mut facts = vec![("recordings", of_samples), ("windows", windows), ("features", names)];
    if !stream.tried.is_empty() {
        let tried = stream
            .tried
            .iter()
            .map(|tried| format!("{} of {}: {:.3}", tried.features.join(" + "), seconds(tried.window), tried.merit));
        facts.push((
            "tried",
            format!("{} (1 is perfect, 0.5 chance, on left-out events)", tried.collect::<Vec<_>>().join("; ")),
        ));
    }
    let alarm = &stream.alarm;
    let left_out = if stream.left_out { "left-out windows" } else { "windows learned from" };
    let time = match alarm.known_normal {
        true => "time known to be normal",
        false => "unlabeled time, an upper bound",
    };
    facts.push((
        "alarm",
        format!(
            "on at {} of {}, off after {}; on {left_out}: {}; {} false alarms in {} of {time}: {} per day (wanted: {})",
            alarm.rule.on,
            plural(alarm.rule.of.into(), "window"),
            alarm.rule.off,
            of_events(&alarm.left_out),
            alarm.left_out.false_alarms,
            show::duration(3600.0 * alarm.left_out.quiet_hours),
            show::number(alarm.per_day()),
            show::number(alarm.wanted_per_day)
        ),
    ));
    facts.push((
        "drift flag",
        format!(
            "raised when more than {} of windows are outside the training range, or other than {} are called positive; at most once in {} windows by chance",
            show::percent(stream.drift.outside_share),
            show::percent(stream.drift.positive_share),
            show::grouped(stream.drift.windows_between_false_flags as u64)
        ),
    ));
    facts.push(("on a chip", of_type(stream.stream_type, stream.ram_bytes)));
    facts
}

/// "3 of 4 events found, after 20 s (median)".
pub fn of_events(quality: &EventQuality) -> String {
    let delay =
        quality.median_delay().map_or(String::new(), |delay| format!(", after {} (median)", show::duration(delay)));
    format!("{} of {} events found{delay}", quality.found, quality.events)
}

/// The stream's type and its RAM.
pub fn of_type([channels, blocks, words]: [usize; 3], ram_bytes: usize) -> String {
    format!("Stream::<{channels}, {blocks}, {words}>, {} bytes of RAM", show::grouped(ram_bytes))
}

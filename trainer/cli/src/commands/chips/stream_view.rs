//! A stream model at work: a chart of channels, score and alarm on a terminal, else a line whenever the alarm switches.

use super::chart::{Chart, Point, Quantity, size_of_terminal};
use anyhow::Result;
use pual_infer::Model;
use pual_protocol::{ALARM, DRIFT, WindowVerdict};
use pual_trainer::{Recording, Recordings};
use std::io::Write;
use std::ops::Range;
use std::time::Duration;

/// Rows of the chart that all channels have together.
const CHANNEL_ROWS: usize = 9;
const SCORE_ROWS: usize = 4;
/// Panels for this many channels at most.
const MOST_CHANNELS: usize = 4;
/// Lines without a chart are at most this wide.
const WIDTH: usize = 79;

/// How a stream is shown.
pub struct StreamView {
    mode: Mode,
    channels: Vec<String>,
    hop: usize,
    chart: Chart,
    alarm: bool,
    begun: bool,
}

enum Mode {
    Nothing,
    Lines,
    /// With a pause after each window.
    Chart(Duration),
}

impl StreamView {
    /// The view that suits standard output.
    pub fn new(model: &Model<'_>, recordings: &Recordings, json: bool, pause: u64) -> Self {
        let channels = recordings.channels.clone();
        let shown = channels.len().min(MOST_CHANNELS);
        let rows = (CHANNEL_ROWS / shown.max(1)).max(2);
        let panel = |channel: usize| Quantity {
            title: channels[channel].clone(),
            rows,
            range: range(recordings, channel),
            marks: Vec::new(),
        };
        let score = Quantity::score("score; dashed: the model's threshold", SCORE_ROWS, model.threshold());
        let chart = Chart::new((0..shown).map(panel).chain([score]).collect());
        let mode = match size_of_terminal() {
            _ if json => Mode::Nothing,
            Some((_, height)) if height > chart.height() => Mode::Chart(Duration::from_millis(pause)),
            _ => Mode::Lines,
        };
        let hop = model.recipe().map_or(1, |recipe| recipe.hop());
        Self { mode, channels, hop, chart, alarm: false, begun: false }
    }

    /// Is the alarm on?
    pub fn alarm(&self) -> bool {
        self.alarm
    }

    /// Shows a window that ends with this sample of the recording; the chart has the note below it.
    pub fn window(
        &mut self,
        recording: &Recording,
        sample: usize,
        verdict: &WindowVerdict,
        note: &str,
        out: &mut impl Write,
    ) -> Result<()> {
        let alarm = verdict.is(ALARM);
        let switched = alarm != std::mem::replace(&mut self.alarm, alarm);
        let first = (sample + 1).saturating_sub(self.hop);
        let means = means(recording, self.channels.len(), first..sample + 1);
        let time = recording.clock.text(recording.times.get(sample).copied().unwrap_or_default());
        let drift = if verdict.is(DRIFT) { "  DRIFT" } else { "" };
        match self.mode {
            Mode::Nothing => {}
            Mode::Lines if !switched => {}
            Mode::Lines => {
                if !std::mem::replace(&mut self.begun, true) {
                    let names = self.channels.iter().map(|name| format!("  {:>9}", brief(name)));
                    line(out, &format!("{:<20}  alarm    score{}", "time", names.collect::<String>()))?;
                }
                let values = means.iter().zip(&self.channels).map(|(mean, name)| {
                    let width = brief(name).chars().count().max(9);
                    format!("  {mean:>width$.2}")
                });
                let on = if alarm { "on" } else { "off" };
                let values: String = values.collect();
                line(out, &format!("{time:<20}  {on:<5} {:>8.3}{values}{drift}", verdict.score))?;
            }
            Mode::Chart(pause) => {
                let shown = means.iter().take(MOST_CHANNELS).map(|&mean| Some(mean));
                let values = shown.chain([Some(f64::from(verdict.score))]).collect();
                let status = format!("{time}  score {:>7.3}{drift}  {note}", verdict.score);
                let width = size_of_terminal().map_or(80, |(width, _)| width);
                self.chart.push(Point { values, alarm }, &status, width, out)?;
                std::thread::sleep(pause);
            }
        }
        Ok(())
    }
}

fn line(out: &mut impl Write, text: &str) -> Result<()> {
    let cut: String = text.chars().take(WIDTH).collect();
    Ok(writeln!(out, "{}", cut.trim_end())?)
}

/// The name without its unit.
fn brief(name: &str) -> &str {
    name.split(" [").next().unwrap_or(name)
}

/// The means of the channels over some samples.
fn means(recording: &Recording, channels: usize, samples: Range<usize>) -> Vec<f64> {
    let count = samples.len().max(1) as f64;
    let mut sums = vec![0.0; channels];
    for sample in samples {
        let values = recording.samples.get(sample * channels..(sample + 1) * channels).unwrap_or_default();
        sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += f64::from(*value));
    }
    sums.into_iter().map(|sum| sum / count).collect()
}

/// Of the middle 96 % of a channel's samples.
fn range(recordings: &Recordings, channel: usize) -> [f64; 2] {
    let width = recordings.channels.len();
    let samples = recordings.all.iter().flat_map(|recording| recording.samples.iter().skip(channel).step_by(width));
    let mut values: Vec<f32> = samples.copied().collect();
    values.sort_by(f32::total_cmp);
    let at = |share: f64| {
        let index = (share * values.len().saturating_sub(1) as f64) as usize;
        values.get(index).copied().map_or(0.0, f64::from)
    };
    [at(0.02), at(0.98)]
}

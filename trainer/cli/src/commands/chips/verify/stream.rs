//! A model with a recipe: raw samples go to the device, and every window is compared.

use super::{Args, Spread};
use crate::commands::chips::line::{Line, unit_of};
use crate::commands::chips::recorded::{check_support, push_stretches, samples_of};
use crate::show;
use anyhow::{Context, Result};
use pual_device::samples::{ComparedWindow, StreamComparison};
use pual_device::verify::Asker;
use pual_infer::Model;
use pual_protocol::{ALARM, DRIFT, Hello, OUTSIDE, POSITIVE, WindowVerdict};
use pual_trainer::{Recording, Recordings};
use serde::Serialize;
use std::io::Write;

#[derive(Serialize)]
pub struct StreamReport {
    device: String,
    model_bytes: usize,
    model_checksum: String,
    recordings: usize,
    samples: usize,
    windows: usize,
    identical: usize,
    positive: usize,
    /// Windows with the alarm on.
    alarm: usize,
    drift: bool,
    /// Instructions in QEMU, cycles on a real board.
    cost_unit: &'static str,
    /// Mean over the samples that complete no window.
    cost_of_a_sample: Option<f64>,
    /// Of the samples that complete a window: features, score and alarm.
    cost_of_a_window: Spread,
    /// Batches that had to be sent again.
    repeated: u32,
    first_difference: Option<WindowDifference>,
}

#[derive(Serialize)]
struct WindowDifference {
    recording: String,
    /// When the window ends, as the recording writes times.
    time: String,
    /// What differs: a feature, `score`, `class`, `envelope`, `alarm`, `drift`, or `window` if only one side completed it.
    what: String,
    workstation: Option<String>,
    device: Option<String>,
}

impl Args {
    pub(super) fn compare_streams(
        &self,
        asker: &mut Asker<Line>,
        hello: &Hello,
        model: &Model<'_>,
        recordings: &Recordings,
    ) -> Result<StreamReport> {
        check_support(hello.stream)?;
        let recipe = model.description().recipe().context("the model has no recipe")?;
        let mut report = StreamReport::new(self.line.name(), hello, model, recordings);
        let mut costs = Vec::new();
        let bar = show::rows_bar("verify", report.samples as u64);
        let mut comparison = StreamComparison::new(asker, model)?;
        for recording in &recordings.all {
            push_stretches(&mut comparison, &recipe, recording, &mut |window| {
                costs.extend(window.there.as_ref().map(|there| f64::from(there.cost)));
                report.add(&window, model, recording);
                bar.set_position(bar.position().max(window.sample as u64));
                Ok(())
            })?;
        }
        bar.finish_and_clear();
        let (cost, samples) = comparison.samples_cost;
        report.cost_of_a_sample = (samples > 0).then(|| cost as f64 / samples as f64);
        report.repeated = asker.repeated;
        report.cost_of_a_window = Spread::of(costs);
        Ok(report)
    }
}

impl StreamReport {
    fn new(device: String, hello: &Hello, model: &Model<'_>, recordings: &Recordings) -> Self {
        Self {
            device,
            model_bytes: model.length(),
            model_checksum: format!("{:08x}", model.checksum()),
            recordings: recordings.all.len(),
            samples: samples_of(recordings),
            windows: 0,
            identical: 0,
            positive: 0,
            alarm: 0,
            drift: false,
            cost_unit: unit_of(hello),
            cost_of_a_sample: None,
            cost_of_a_window: Spread::of(Vec::new()),
            repeated: 0,
            first_difference: None,
        }
    }

    pub(super) fn different(&self) -> usize {
        self.windows - self.identical
    }

    pub(super) fn windows(&self) -> usize {
        self.windows
    }

    fn add(&mut self, window: &ComparedWindow, model: &Model<'_>, recording: &Recording) {
        self.windows += 1;
        if let Some(here) = &window.here {
            self.positive += usize::from(here.is(POSITIVE));
            self.alarm += usize::from(here.is(ALARM));
            self.drift |= here.is(DRIFT);
        }
        if window.is_identical() {
            self.identical += 1;
        } else if self.first_difference.is_none() {
            let time = recording.times.get(window.sample).copied().unwrap_or_default();
            let (what, [workstation, device]) = difference(model, window.here.as_ref(), window.there.as_ref());
            let (recording, time) = (recording.name.clone(), recording.clock.text(time));
            self.first_difference = Some(WindowDifference { recording, time, what, workstation, device });
        }
    }

    pub(super) fn show(&self, out: &mut impl Write) -> Result<()> {
        let (bytes, checksum) = (show::grouped(self.model_bytes), &self.model_checksum);
        let count = |count: usize| show::grouped(count);
        let unit = self.cost_unit;
        let mut facts = vec![
            ("device", self.device.clone()),
            ("model", format!("{bytes} bytes, checksum {checksum}")),
            ("recordings", format!("{}, {} samples", count(self.recordings), count(self.samples))),
            ("identical", format!("{} of {} windows, to the bit", count(self.identical), count(self.windows))),
            ("alarm", format!("on in {} windows, of which {} are positive", count(self.alarm), count(self.positive))),
            ("drift", if self.drift { "flag raised" } else { "no flag" }.to_owned()),
        ];
        if let Some(cost) = self.cost_of_a_sample {
            facts.push(("cost per sample", format!("{} {unit} (mean)", show::grouped(cost as u64))));
        }
        facts.push(("cost per window", self.cost_of_a_window.show(unit, &|cost| show::grouped(cost as u64))));
        if self.repeated > 0 {
            facts.push(("sent again", format!("{} times", self.repeated)));
        }
        if let Some(difference) = &self.first_difference {
            let nothing = || "no window".to_owned();
            let WindowDifference { recording, time, what, workstation, device } = difference;
            facts.push(("first difference", format!("{recording}, window that ends at {time}: {what}")));
            facts.push(("on the workstation", workstation.clone().unwrap_or_else(nothing)));
            facts.push(("on the device", device.clone().unwrap_or_else(nothing)));
        }
        show::facts(out, &facts)
    }
}

/// The first part that differs, and both sides of it.
fn difference(
    model: &Model<'_>,
    here: Option<&WindowVerdict>,
    there: Option<&WindowVerdict>,
) -> (String, [Option<String>; 2]) {
    let (Some(here), Some(there)) = (here, there) else {
        let shown = |side: Option<&WindowVerdict>| side.map(|window| bits(window.score));
        return ("window".to_owned(), [shown(here), shown(there)]);
    };
    let features = here.features.iter().zip(&there.features).enumerate();
    let mut different = features.filter(|(_, (here, there))| here.to_bits() != there.to_bits());
    if let Some((feature, (here, there))) = different.next() {
        let name =
            model.name(feature).map_or_else(|| format!("feature {}", feature + 1), |name| format!("feature {name}"));
        return (name, [Some(bits(*here)), Some(bits(*there))]);
    }
    if here.score.to_bits() != there.score.to_bits() {
        return ("score".to_owned(), [Some(bits(here.score)), Some(bits(there.score))]);
    }
    let flags = [(POSITIVE, "class"), (OUTSIDE, "envelope"), (ALARM, "alarm"), (DRIFT, "drift")];
    let flag = flags.into_iter().find(|(flag, _)| here.is(*flag) != there.is(*flag));
    let (flag, name) = flag.unwrap_or((0, "number of features"));
    let shown = |side: &WindowVerdict| Some(if side.is(flag) { "yes" } else { "no" }.to_owned());
    (name.to_owned(), [shown(here), shown(there)])
}

fn bits(value: f32) -> String {
    format!("{:#010x} = {value}", value.to_bits())
}

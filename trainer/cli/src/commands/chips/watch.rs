//! `pual watch`: a stream model at work on a device.

use super::line::LineFlags;
use super::recorded::{check_support, open, push_stretches};
use super::stream_view::StreamView;
use crate::exit::Failure;
use crate::flags::values::positive;
use crate::{model_file, show};
use anyhow::{Context, Result};
use pual_device::samples::StreamComparison;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

/// Play a recording to a device with a stream model, and watch channels, score and alarm
///
/// Sends the recording's raw samples; the device computes windows, features, score and alarm. On a terminal the answers are a chart
/// that grows, else a line whenever the alarm switches. Every answer is compared with the workstation's; if any differs, the exit
/// code is 3. An emulated board is booted with MODEL; a real one must have it already (`pual flash`, `pual push`).
#[derive(clap::Args)]
#[command(after_help = "\
Examples: an emulated Cortex-M4F, a real board
  pual watch pump.pual pump/pump-8.csv --device qemu
  pual watch pump.pual pump/pump-8.csv --device serial:/dev/ttyACM0 --pause 200")]
pub struct Args {
    /// Model file with a recipe, written by `pual train --window`
    model: PathBuf,
    /// A recording, or a folder of recordings
    data: PathBuf,
    #[command(flatten)]
    line: LineFlags,
    /// Columns to feed to the model, in its order [default: the model's own channels]
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    features: Option<Vec<String>>,
    /// Samples per second of a recording without times
    #[arg(long, value_parser = positive, value_name = "HZ")]
    rate: Option<f64>,
    /// Milliseconds between two points of the chart
    #[arg(long, default_value_t = 20, value_name = "N", value_parser = clap::value_parser!(u64).range(..=10_000))]
    pause: u64,
    /// Print JSON about what was seen
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct WatchReport {
    device: String,
    windows: usize,
    identical: usize,
    /// How often the alarm went on.
    alarms: usize,
}

impl Args {
    pub fn run(&self, out: &mut impl Write) -> Result<()> {
        let bytes = model_file::read(&self.model)?;
        let model = model_file::decode(&bytes, &self.model)?;
        let recipe = model.recipe().with_context(|| {
            format!("{} takes rows of features, not raw samples; train with --window", self.model.display())
        })?;
        let recordings = open(&self.data, &recipe, self.features.as_deref(), self.rate)?;
        let mut asker = self.line.open(&bytes, "watch")?;
        check_support(self.line.hello(&mut asker, &model, &self.model)?.stream)?;
        let mut view = StreamView::new(&model, &recordings, self.json, self.pause);
        let mut report = WatchReport { device: self.line.name(), windows: 0, identical: 0, alarms: 0 };
        let mut comparison = StreamComparison::new(&mut asker, &model)?;
        for recording in &recordings.all {
            // An output error ends it, once the samples that are under way have been answered.
            let mut shown = Ok(());
            push_stretches(&mut comparison, &recipe, recording, &mut |window| {
                report.windows += 1;
                report.identical += usize::from(window.is_identical());
                if let Some(there) = &window.there
                    && shown.is_ok()
                {
                    let before = view.alarm();
                    shown = view.window(recording, window.sample, there, &recording.name, out);
                    report.alarms += usize::from(view.alarm() && !before);
                }
                Ok(())
            })?;
            shown?;
        }
        asker.into_line().stop()?;
        show::result(self.json, out, &report, WatchReport::show)?;
        let different = report.windows - report.identical;
        if different > 0 {
            out.flush()?;
            let message = format!("{different} windows differ between device and workstation");
            return Err(Failure::differs(message, None).into());
        }
        Ok(())
    }
}

impl WatchReport {
    fn show(&self, out: &mut impl Write) -> Result<()> {
        let (identical, windows) = (show::grouped(self.identical), show::grouped(self.windows));
        show::facts(
            out,
            &[
                ("device", self.device.clone()),
                ("alarms", self.alarms.to_string()),
                ("identical", format!("{identical} of {windows} windows, to the bit")),
            ],
        )
    }
}

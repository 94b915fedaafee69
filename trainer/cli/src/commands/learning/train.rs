//! `pual train`: a CSV file in, a model file out, and what is known about it.

pub mod facts;
mod page;
mod recordings;

use crate::exit::usage_error;
use crate::files::check_output;
use crate::flags::data::DataFlags;
use crate::flags::explain::{explain, wrong_options};
use crate::flags::many::ManyFlags;
use crate::flags::model::ModelFlags;
use crate::flags::size::SizeFlags;
use crate::flags::streams::{LogFlags, WindowFlags};
use crate::flags::tuning::SearchFlags;
use crate::flags::values::RunFlags;
use crate::progress::Progress;
use crate::show;
use anyhow::Result;
use page::ReportFlag;
use pual_trainer::report::Summary;
use pual_trainer::{Options, Outcome, Timing, Watch, train};
pub use recordings::of_type;
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Train a model and write the file a chip runs
///
/// The label column says which rows are labeled positive, and perhaps which are known to be normal; the others are unlabeled, positive or
/// not. All other columns are features. Rows of one recording, machine or patient belong together: name the column that tells them apart with
/// --group, or give each its own file.
///
/// By default many models are fitted and judged on held-out rows; the best of them together teach one small model, which is what the chip
/// gets (--ensemble 1 trains a single model). A single model's settings that are not given are searched: rows are held out in turn, and
/// the settings with the best PUF = recall^2 / P(f > 0) on them are taken. No negatives are needed for any of that.
///
/// The fit of a single model is certified (its duality gap or residual is printed) or refused. The exported bytes are decoded again and score the
/// training rows by the device's own code: the largest difference and the number of changed classes are printed.
///
/// Then the model is made small, as `pual compress` does: a ladder of sizes is printed with the price of each, and the smallest that loses no more
/// F1 than --tolerance is written, or the best within --budget. The model file is replaced only when all of that has gone well.
///
/// If there are more rows than --sample, settings and support instances are chosen on a sample of them; PUAL, GLLC and BLS-SVM are then
/// fitted to all rows, whatever their number. The memory this takes is estimated up front and enforced.
///
/// With --window, data are recordings: logs of raw samples, one file each, a folder or a pattern. Windows, features, alarm and drift flag
/// become part of the model, and the chip computes them of the samples that it is given. What is known is a file of --events, or a column
/// of labels per sample.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  pual synth cold-chain -o train.csv
  pual train train.csv -o fridge.pual
  pual train log.csv.gz --label-column alarm --ignore time --group room --budget 512B -o fridge.pual
  pual train monday.csv tuesday.csv wednesday.csv -o fridge.pual
  pual train pump/ --window 20s --hop 10s --events events.csv --false-alarms 1/day -o pump.pual
  pual train 'run*.csv' --window 1s,5s --rate 1600 --magnitude ax,ay,az --label-column fault -o motor.pual")]
pub struct Args {
    #[command(flatten)]
    data: DataFlags,
    /// Where to write the model
    #[arg(short, long, value_name = "MODEL")]
    output: PathBuf,
    #[command(flatten)]
    report: ReportFlag,
    #[command(flatten)]
    window: WindowFlags,
    #[command(flatten)]
    log: LogFlags,
    #[command(flatten)]
    model: ModelFlags,
    #[command(flatten)]
    size: SizeFlags,
    /// Write the model as it was trained, in f32; --supports is then the most it is trained with [default: 64, for an ensemble 160]
    #[arg(
        long,
        help_heading = "Size",
        conflicts_with_all = ["budget", "tolerance", "encoding"]
    )]
    no_compress: bool,
    #[command(flatten)]
    search: SearchFlags,
    #[command(flatten)]
    many: ManyFlags,
    #[command(flatten)]
    run: RunFlags,
}

impl Args {
    pub fn run(&self, out: &mut impl Write) -> Result<()> {
        let options = self.options();
        let checked = options.check();
        checked.map_err(|error| wrong_options("train", &options, &error))?;
        // Known before the work begins, not after it.
        check_output(&self.output)?;
        self.report.check()?;
        let progress = Progress::new("read");
        if let Some(streams) = self.window.options() {
            return self.run_recordings(&streams, &options, &progress, out);
        }
        if let Some(flag) = self.log.first_given() {
            let message = format!("{flag} is for recordings: give the length of a window with --window");
            return Err(usage_error("train", message));
        }
        let data = self.data.open(self.many.memory(), &progress)?;
        let outcome = train(&data, &options, &progress);
        let outcome = outcome.map_err(|error| explain("train", &options, error))?;
        let source = self.data.source();
        let report = self.report.of(&source, &self.data.label_column);
        let page = report.map(|report| {
            progress.phase("report", 0);
            let page = page::draw(&report, &data, &options, &outcome, &self.output, None);
            (report, page)
        });
        let written = write(&outcome, &self.output, &progress)?;
        // A page that cannot be drawn costs nobody the model.
        if let Some((report, page)) = &page {
            match page {
                Ok(html) => report.write(html)?,
                Err(error) => anyhow::bail!("{error:#}"),
            }
        }
        written.show(self.run.json, out)?;
        match page {
            Some((report, _)) if !self.run.json => Ok(writeln!(out, "\nreport: {}", report.path().display())?),
            _ => Ok(()),
        }
    }

    fn options(&self) -> Options {
        let options = self.size.add_to(self.model.options());
        let options = self.many.add_to(self.search.add_to(options));
        Options { compress: !self.no_compress, threads: self.run.threads(), ..options }
    }
}

/// A model that has been written, and what is known about it.
#[derive(Serialize)]
pub struct WrittenModel<'a> {
    model: String,
    #[serde(flatten)]
    summary: &'a Summary,
    #[serde(skip)]
    outcome: &'a Outcome,
    /// Seconds.
    timing: Timing,
}

/// Writes the model.
pub fn write<'a>(outcome: &'a Outcome, output: &Path, progress: &Progress) -> Result<WrittenModel<'a>> {
    outcome.model.write(output)?;
    Ok(WrittenModel {
        model: output.display().to_string(),
        summary: &outcome.summary,
        outcome,
        timing: progress.timing(),
    })
}

impl WrittenModel<'_> {
    pub fn show(&self, json: bool, out: &mut impl Write) -> Result<()> {
        show::result(json, out, self, |_, out| facts::show(self.outcome, &self.model, &self.timing, out))
    }
}

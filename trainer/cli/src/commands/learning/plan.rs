//! `pual plan`: prepares training on rows that are divided among files or machines, from a sample of them.

use crate::files::check_output;
use crate::flags::data::DataFlags;
use crate::flags::explain::{explain, wrong_options};
use crate::flags::many::SampleFlag;
use crate::flags::model::ModelFlags;
use crate::flags::tuning::SearchFlags;
use crate::flags::values::RunFlags;
use crate::progress::{Progress, show_timing};
use crate::show;
use anyhow::Result;
use pual_trainer::distributed::{RowSample, Sampler, check_plan, plan};
use pual_trainer::{Error, Options, Timing, write_file};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

/// Prepare distributed training
///
/// Reads the rows once, keeps a sample, and chooses on it what `pual train` would: scaling, settings, support instances, and the local term, whose
/// graph is that of the sample. `pual accumulate` then sums over the rows of one file, on whatever machine; `pual merge` makes the
/// model of the sums. The sums are exact, so the model's bytes do not depend on how the rows are divided, nor on the order of the parts; a
/// part that is lost is simply made again. DATA may be any rows that are like all the others, such as one file of many.
///
/// For pual, gllc and bls-svm with the RBF kernel: of these a fit needs nothing of unlabeled rows but sums.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  pual plan day1.csv -o plan.pual
  pual accumulate day1.csv --plan plan.pual -o day1.part
  pual accumulate day2.csv --plan plan.pual -o day2.part
  pual merge day1.part day2.part -o fridge.pual")]
pub struct Args {
    #[command(flatten)]
    data: DataFlags,
    /// Where to write the plan
    #[arg(short, long, value_name = "PLAN")]
    output: PathBuf,
    #[command(flatten)]
    model: ModelFlags,
    /// The most support instances it is trained with [default: 64]
    #[arg(long, value_name = "N", help_heading = "Model", value_parser = clap::value_parser!(u16).range(1..))]
    supports: Option<u16>,
    #[command(flatten)]
    search: SearchFlags,
    #[command(flatten)]
    sample: SampleFlag,
    #[command(flatten)]
    run: RunFlags,
}

#[derive(Serialize)]
struct PlanReport {
    plan: String,
    bytes: usize,
    method: &'static str,
    seed: u64,
    rows: usize,
    labeled: usize,
    sample: usize,
    features: Vec<String>,
    supports: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    graph_rows: Option<usize>,
    timing: Timing,
}

impl Args {
    pub fn run(&self, out: &mut impl Write) -> Result<()> {
        let options = self.options();
        let checked = check_plan(&options);
        checked.map_err(|error| wrong_options("plan", &options, &error))?;
        check_output(&self.output)?;
        let progress = Progress::new("read");
        let (names, sample) = self.draw(options.seed, &progress)?;
        let label = &self.data.label_column;
        let planned = plan(sample, names, label, &options, &progress);
        let planned = planned.map_err(|error| {
            let text = format!("cannot plan by {}", self.data.source());
            match error {
                Error::Dataset(error) => anyhow::Error::new(error).context(text),
                error => explain("plan", &options, error),
            }
        })?;
        let plan = &planned.plan;
        let bytes = plan.to_bytes();
        write_file(&self.output, &bytes)?;
        let (labeled, unlabeled) = plan.drawn_from();
        let report = PlanReport {
            plan: self.output.display().to_string(),
            bytes: bytes.len(),
            method: plan.method().name(),
            seed: plan.seed(),
            rows: labeled + unlabeled,
            labeled,
            sample: planned.sample,
            features: plan.names().to_vec(),
            supports: plan.supports(),
            graph_rows: plan.graph_rows(),
            timing: progress.timing(),
        };
        show::result(self.run.json, out, &report, PlanReport::show)
    }

    fn options(&self) -> Options {
        Options {
            compress: false,
            supports: self.supports.map(usize::from),
            sample: self.sample.sample as usize,
            threads: self.run.threads(),
            ..self.search.add_to(self.model.options())
        }
    }

    /// A sample of the rows, which are read once and never all kept.
    fn draw(&self, seed: u64, progress: &Progress) -> Result<(Vec<String>, RowSample)> {
        let mut sampler = Sampler::new(self.sample.sample as usize, seed);
        let names = self.data.for_each_block(progress, |names, block| sampler.push_block(block, names.len()))?;
        Ok((names, sampler.finish()))
    }
}

impl PlanReport {
    fn show(&self, out: &mut impl Write) -> Result<()> {
        let rows = show::rows(self.labeled, self.rows - self.labeled);
        let graph =
            self.graph_rows.map_or(String::new(), |rows| format!(", neighbours among {} rows", show::grouped(rows)));
        show::facts(
            out,
            &[
                ("data", format!("{rows} rows, {} features", self.features.len())),
                ("sample", format!("{} rows", show::grouped(self.sample))),
                ("method", format!("{}, {}{graph}", self.method, show::supports(self.supports))),
                ("plan", format!("{}, {} bytes", self.plan, show::grouped(self.bytes))),
                ("time", show_timing(&self.timing)),
            ],
        )
    }
}

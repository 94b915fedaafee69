//! `pual plan`: what to train on rows that are too many for one file or machine, fixed beforehand from a sample of them.

use crate::cli::check_output;
use crate::cli::usage_error;
use crate::commands::learning::train::Search;
use crate::flags::data::{DataFlags, for_each_block};
use crate::flags::many::{self, Chosen, SampleFlag};
use crate::flags::model::{ModelFlags, NO_TUNE};
use crate::flags::tuning::TuningFlags;
use crate::progress::{Progress, Timing};
use crate::show;
use anyhow::{Context, Result};
use pual_trainer::base::files::write_file;
use pual_trainer::base::watch::Watch;
use pual_trainer::bulk::{Plan, RowSample, Sampler, is_a_sum};
use pual_trainer::data::dataset::Dataset;
use pual_trainer::pipeline::learn::{Approach, Learned};
use pual_trainer::pipeline::train::{Method, TrainOptions};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

/// Fix what to train on rows divided among files or machines
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
    /// Do not search: settings that are not given follow rules of thumb
    #[arg(
        long,
        help_heading = "Tuning",
        conflicts_with_all = ["rule", "grid", "refine", "folds", "repeats", "final_repeats", "log", "resume"]
    )]
    no_tune: bool,
    #[command(flatten)]
    tuning: TuningFlags,
    #[command(flatten)]
    sample: SampleFlag,
    /// Threads; the result does not depend on it [default: one a processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
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
        let tuning = self.tuning.options();
        let mut options = self
            .model
            .options("plan", tuning.scenario, self.supports, false)?;
        options.threads = self.threads.map_or(0, usize::from);
        let of_one_model = match self.no_tune {
            true => Some(NO_TUNE),
            false => self.tuning.of_a_search(),
        };
        let approaches = self.approaches(&options, of_one_model)?;
        check_output(&self.output)?;
        let progress = Progress::new("read");
        let (rows, sample) = self.draw(options.seed, &progress)?;
        let search = Search {
            approaches: &approaches,
            options: &options,
            tuning: many::tuning_on(&sample, &tuning),
            journal: self.tuning.journal(),
            no_tune: self.no_tune,
        };
        let (learned, _) = search.learn(&rows, &progress)?;
        if let Some(doubt) = learned.doubt() {
            show::warn(doubt);
        }
        let plan = self.plan((&rows, &sample), &learned, &options, &progress)?;
        let bytes = plan.to_bytes();
        write_file(&self.output, &bytes)?;
        let (labeled, unlabeled) = plan.drawn_from();
        let report = Report {
            plan: self.output.display().to_string(),
            bytes: bytes.len(),
            method: plan.method().name(),
            seed: plan.seed(),
            rows: labeled + unlabeled,
            labeled,
            sample: rows.len(),
            features: plan.names().to_vec(),
            supports: plan.supports(),
            graph_rows: plan.graph_rows(),
            timing: progress.timing(),
        };
        match self.json {
            true => show::json(out, &report),
            false => report.show(out),
        }
    }

    /// One model whose fit is a matter of sums; for auto any of them.
    fn approaches(
        &self,
        options: &TrainOptions,
        of_one_model: Option<&'static str>,
    ) -> Result<Vec<Approach>> {
        let asked = self.model.approaches("plan", options, of_one_model)?;
        let methods: Vec<Method> = match asked[..] {
            [Approach::One(method)] => vec![method],
            [Approach::Ensemble(_)] => vec![options.method],
            _ => Method::MARGIN.to_vec(),
        };
        let kernel = options.kernel;
        let sums = methods
            .into_iter()
            .filter(|&method| is_a_sum(method, kernel));
        let approaches: Vec<Approach> = sums.map(Approach::One).collect();
        match approaches.is_empty() {
            false => Ok(approaches),
            true => {
                let message = "a plan is for --method pual, gllc or bls-svm with --kernel rbf: of the others a fit needs all rows at once";
                Err(usage_error("plan", message.to_owned()))
            }
        }
    }

    /// A sample of the rows, which are read once and never all kept.
    fn draw(&self, seed: u64, progress: &Progress) -> Result<(Dataset, RowSample)> {
        let mut sampler = Sampler::new(self.sample.limit(), seed);
        let names = for_each_block(
            self.data.path(),
            &self.data.columns(),
            progress,
            |names, block| {
                for (row, &labeled) in block.rows.chunks_exact(names.len()).zip(&block.labeled) {
                    sampler.push(row, labeled);
                }
            },
        )?;
        let sample = sampler.finish();
        let data = Dataset::new(sample.clone().into_table(names))
            .with_context(|| format!("cannot plan by {}", self.data.path().display()))?;
        for warning in data.warnings() {
            show::warn(warning.into());
        }
        Ok((data, sample))
    }

    fn plan(
        &self,
        sample: (&Dataset, &RowSample),
        learned: &Learned,
        options: &TrainOptions,
        progress: &Progress,
    ) -> Result<Plan> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads);
        pool.build()?.install(|| {
            progress.phase("landmarks", 0);
            let chosen = Chosen::from(learned, options).context("only one model can be planned")?;
            let plan = chosen.plan(sample, options, self.data.label_column())?;
            let local = chosen.settings.local;
            Ok(match local {
                Some(local) => plan.with_local_of_sample(local, progress)?,
                None => plan,
            })
        })
    }
}

impl Report {
    fn show(&self, out: &mut impl Write) -> Result<()> {
        let grouped = |number: usize| show::grouped(number as u64);
        let graph = self.graph_rows.map_or(String::new(), |rows| {
            format!(", neighbours among {} rows", grouped(rows))
        });
        show::facts(
            out,
            &[
                (
                    "data",
                    format!(
                        "{} labeled and {} unlabeled rows, {} features",
                        grouped(self.labeled),
                        grouped(self.rows - self.labeled),
                        self.features.len()
                    ),
                ),
                ("sample", format!("{} rows", grouped(self.sample))),
                (
                    "method",
                    format!("{}, {}{graph}", self.method, show::supports(self.supports)),
                ),
                (
                    "plan",
                    format!("{}, {} bytes", self.plan, grouped(self.bytes)),
                ),
                ("time", self.timing.show()),
            ],
        )
    }
}

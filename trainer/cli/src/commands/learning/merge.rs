//! `pual merge`: parts of a planned model put together, and the model.

use crate::commands::learning::accumulate::Report as PartReport;
use crate::commands::learning::train::finish::{Behind, Finish};
use crate::exit::Failure;
use crate::files::check_output;
use crate::flags::many::Many;
use crate::flags::size::SizeFlags;
use crate::progress::Progress;
use crate::show;
use anyhow::{Context, Result};
use pual_trainer::base::files::write_file;
use pual_trainer::base::watch::Watch;
use pual_trainer::bulk::{self, Part};
use pual_trainer::choose::tune::TuneOptions;
use pual_trainer::pipeline::approach::Learned;
use pual_trainer::pipeline::fit::TrainOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Put the parts of a planned model together
///
/// The model has the same bytes in whatever order the parts are given and however the rows were divided. It is exported and made small as
/// `pual train` does, with the sample in the plan as the rows to agree on.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  pual merge day1.part day2.part -o fridge.pual
  pual merge week*.part --to-part -o month.part")]
pub struct Args {
    /// Files written by `pual accumulate`
    #[arg(required = true, value_name = "PART")]
    parts: Vec<PathBuf>,
    /// Where to write the model
    #[arg(short, long, value_name = "MODEL")]
    output: PathBuf,
    /// Write one part in place of these, to be merged with others later
    #[arg(long, conflicts_with_all = ["no_compress", "budget", "tolerance", "encoding", "supports"])]
    to_part: bool,
    #[command(flatten)]
    size: SizeFlags,
    /// Write the model as it was trained, in f32
    #[arg(long, help_heading = "Size", conflicts_with_all = ["budget", "tolerance", "encoding", "supports"])]
    no_compress: bool,
    /// Threads; the result does not depend on it [default: one a processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    pub fn run(&self, out: &mut impl Write) -> Result<()> {
        check_output(&self.output)?;
        let progress = Progress::new("read");
        let whole = self.whole()?;
        if self.to_part {
            let bytes = whole.to_bytes();
            write_file(&self.output, &bytes)?;
            let report = PartReport::new(&self.output, bytes.len(), &whole, progress.timing());
            return match self.json {
                true => show::json(out, &report),
                false => report.show(out),
            };
        }
        let (positives, unlabeled) = (whole.positives(), whole.unlabeled());
        if positives == 0 || unlabeled == 0 {
            let message =
                format!("the parts have {positives} labeled and {unlabeled} unlabeled rows");
            let hint = "a model needs both: add parts that have the others";
            return Err(Failure::new(message, hint).into());
        }
        let options = TrainOptions {
            seed: whole.plan().seed(),
            threads: self.threads.map_or(0, usize::from),
            ..TrainOptions::default()
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads);
        let trained = pool.build()?.install(|| bulk::fit(&whole, &progress))?;
        progress.phase("export", 0);
        let sample = whole.plan().sample()?;
        let finish = Finish {
            output: &self.output,
            size: &self.size,
            no_compress: self.no_compress,
            json: self.json,
            options: &options,
            tuning: &TuneOptions::default(),
            progress: &progress,
            report: None,
        };
        let behind = Behind {
            data: &sample,
            sample: &sample,
            counts: (positives, positives + unlabeled),
            many: Some(Many {
                sample: sample.len(),
                fitted_to: positives + unlabeled,
                graph_rows: whole.plan().graph_rows(),
                memory: None,
            }),
            compared: None,
        };
        let learned = Learned::One {
            trained,
            tuned: None,
        };
        finish.run(&learned, behind, out)
    }

    /// All parts as one.
    fn whole(&self) -> Result<Part> {
        let mut parts = self.parts.iter();
        let mut whole = read(parts.next().context("no part given")?)?;
        for path in parts {
            let next = read(path)?;
            whole =
                (whole.merged(next)).with_context(|| format!("cannot merge {}", path.display()))?;
        }
        Ok(whole)
    }
}

fn read(path: &Path) -> Result<Part> {
    let name = path.display().to_string();
    let bytes = crate::files::read(path)?;
    Ok(Part::from_bytes(&name, &bytes)?)
}

//! `pual accumulate`: what one file of rows contributes to a planned model.

use crate::files::check_output;
use crate::flags::data::for_each_block;
use crate::flags::values::RunFlags;
use crate::progress::{Progress, show_timing};
use crate::show;
use anyhow::Result;
use pual_trainer::distributed::{Part, Plan};
use pual_trainer::{Columns, Silent, Timing, write_file};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Sum over the rows of one file, for a planned model
///
/// Reads the rows block by block, never all of them, and writes the sums that the fit needs, the labeled rows, and the plan. `pual merge` puts such
/// parts together in any order. Each shard counts once: merging the same rows twice is refused.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  pual accumulate day1.csv.gz --plan plan.pual -o day1.part")]
pub struct Args {
    /// The rows, as for `pual train`; `-` is standard input
    shard: PathBuf,
    /// File written by `pual plan`
    #[arg(long, value_name = "PLAN")]
    plan: PathBuf,
    /// Where to write the part
    #[arg(short, long, value_name = "PART")]
    output: PathBuf,
    /// Column that says which rows are labeled positive [default: as in the plan]
    #[arg(long, value_name = "NAME")]
    label_column: Option<String>,
    #[command(flatten)]
    run: RunFlags,
}

#[derive(Serialize)]
pub struct PartReport {
    part: String,
    bytes: usize,
    rows: usize,
    labeled: usize,
    timing: Timing,
}

impl PartReport {
    /// Of a part, when it is written.
    pub fn new(path: &Path, bytes: usize, part: &Part, timing: Timing) -> Self {
        Self {
            part: path.display().to_string(),
            bytes,
            rows: part.positives() + part.unlabeled(),
            labeled: part.positives(),
            timing,
        }
    }
}

impl Args {
    pub fn run(&self, out: &mut impl Write) -> Result<()> {
        check_output(&self.output)?;
        let name = self.plan.display().to_string();
        let bytes = crate::files::read(&self.plan)?;
        let plan = Plan::from_bytes(&name, &bytes)?;
        let threads = self.run.threads();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let progress = Progress::new("sums");
        let part = pool.install(|| self.sum(plan, &progress))?;
        let bytes = part.to_bytes();
        write_file(&self.output, &bytes)?;
        let report = PartReport::new(&self.output, bytes.len(), &part, progress.timing());
        show::result(self.run.json, out, &report, PartReport::show)
    }

    fn sum(&self, plan: Plan, progress: &Progress) -> Result<Part> {
        let label = self.label_column.as_deref().unwrap_or(plan.label_column());
        let columns = Columns { label: Some(label.to_owned()), ..Columns::of_features(plan.names()) };
        let mut part = Part::new(plan);
        for_each_block(std::slice::from_ref(&self.shard), &columns, progress, |_, block| {
            part.add(&block.rows, &block.labeled, &Silent);
        })?;
        Ok(part)
    }
}

impl PartReport {
    pub fn show(&self, out: &mut impl Write) -> Result<()> {
        show::facts(
            out,
            &[
                ("rows", show::rows(self.labeled, self.rows - self.labeled)),
                ("part", format!("{}, {} bytes", self.part, show::grouped(self.bytes))),
                ("time", show_timing(&self.timing)),
            ],
        )
    }
}

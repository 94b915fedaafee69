//! `pual merge`: parts of a planned model put together, and the model.

use crate::commands::learning::accumulate::PartReport;
use crate::commands::learning::train::write;
use crate::files::check_output;
use crate::flags::explain::explain;
use crate::flags::size::SizeFlags;
use crate::flags::values::RunFlags;
use crate::progress::Progress;
use crate::show;
use anyhow::{Context, Result};
use pual_trainer::distributed::{Part, merge};
use pual_trainer::{Options, write_file};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Put the parts of a planned model together
///
/// The model has the same bytes in whatever order the parts are given and however the rows were divided. It is exported and made small as
/// `pual train` does, compared with the large model on the sample in the plan.
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
    #[command(flatten)]
    run: RunFlags,
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
            return show::result(self.run.json, out, &report, PartReport::show);
        }
        let options = Options {
            compress: !self.no_compress,
            threads: self.run.threads(),
            ..self.size.add_to(Options::default())
        };
        let outcome = merge(&whole, &options, &progress);
        let outcome = outcome.map_err(|error| explain("merge", &options, error))?;
        write(&outcome, &self.output, &progress)?.show(self.run.json, out)
    }

    /// All parts as one.
    fn whole(&self) -> Result<Part> {
        let mut parts = self.parts.iter();
        let mut whole = read(parts.next().context("no part given")?)?;
        for path in parts {
            let next = read(path)?;
            whole = (whole.merged(next)).with_context(|| format!("cannot merge {}", path.display()))?;
        }
        Ok(whole)
    }
}

fn read(path: &Path) -> Result<Part> {
    let name = path.display().to_string();
    let bytes = crate::files::read(path)?;
    Ok(Part::from_bytes(&name, &bytes)?)
}

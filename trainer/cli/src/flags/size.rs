//! The flags that say how small a model is to be, and the ladder of sizes as a table.

use crate::flags::values::{bytes, choice, percentage};
use crate::show;
use anyhow::Result;
use pual_infer::Encoding;
use pual_trainer::CompressOptions;
use pual_trainer::Goal;
use pual_trainer::Ladder;
use pual_trainer::Options;
use pual_trainer::Rung;
use pual_trainer::errors::CompressError;
use pual_trainer::internals::TOLERANCE;
use std::io::Write;

#[derive(clap::Args)]
#[command(next_help_heading = "Size")]
pub struct SizeFlags {
    /// Bytes the model file may have, such as 512B or 2kB; the best model within them is taken
    #[arg(long, value_name = "BYTES", value_parser = bytes, conflicts_with = "supports")]
    budget: Option<usize>,
    /// Support instances of the model [default: as few as the tolerance allows]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    supports: Option<u16>,
    /// F1 that may be lost to size, with what the larger model is sure of as the truth [default: 0.5%]
    #[arg(long, value_name = "PERCENT", value_parser = percentage)]
    tolerance: Option<f64>,
    /// How numbers are stored [default: the smallest within the tolerance]
    #[arg(long, value_parser = choice::<Encoding>())]
    encoding: Option<Encoding>,
}

impl SizeFlags {
    /// `options` with this size.
    pub fn add_to(&self, options: Options) -> Options {
        Options {
            budget: self.budget,
            supports: self.supports.map(usize::from),
            tolerance: self.tolerance,
            encoding: self.encoding,
            ..options
        }
    }

    pub fn options(&self, seed: u64) -> CompressOptions {
        CompressOptions {
            goal: match (self.budget, self.supports) {
                (Some(budget), _) => Goal::Budget(budget),
                (None, Some(supports)) => Goal::Supports(supports.into()),
                (None, None) => Goal::Tolerance,
            },
            tolerance: self.tolerance.unwrap_or(TOLERANCE),
            encoding: self.encoding,
            seed,
        }
    }
}

/// Names the flag that asked for what is not available.
pub fn explain(error: CompressError) -> anyhow::Error {
    let flag = match &error {
        CompressError::Budget { .. } => "--budget cannot be met",
        CompressError::Linear | CompressError::NothingFits => "--encoding is not available",
        _ => return error.into(),
    };
    anyhow::Error::new(error).context(flag)
}

/// The ladder as a table.
pub fn show_ladder(ladder: &Ladder, out: &mut impl Write) -> Result<()> {
    writeln!(out)?;
    let mut header = vec!["supports", "encoding", "bytes"];
    if ladder.puf.is_some() {
        header.push("PUF");
    }
    header.extend(["score error", "classes changed", "F1 lost", ""]);
    let row = |rung| table_row(ladder, rung);
    let rows: Vec<Vec<String>> = ladder.rungs.iter().map(row).collect();
    show::table(out, &header, &rows)?;
    let puf = ladder.puf;
    writeln!(
        out,
        "(on {} rows and {} interpolated points{})",
        show::grouped(ladder.rows),
        show::grouped(ladder.points),
        puf.map_or(String::new(), |puf| format!("; PUF as trained {puf:.3}"))
    )?;
    Ok(())
}

fn table_row(ladder: &Ladder, rung: &Rung) -> Vec<String> {
    let fine_percent = |share: f64| format!("{:.2} %", 100.0 * share);
    let mut row = vec![rung.supports.to_string(), rung.encoding.name().to_owned(), show::grouped(rung.bytes)];
    if ladder.puf.is_some() {
        row.push(rung.measured.puf.map_or(String::new(), |puf| format!("{puf:.3}")));
    }
    row.push(show::percent(rung.measured.score_error));
    let share = rung.measured.changed_classes as f64 / ladder.rows.max(1) as f64;
    row.extend([fine_percent(share), fine_percent(rung.measured.loss)]);
    row.push(match (rung.taken, rung.as_trained) {
        (true, true) => "<- taken, as trained".to_owned(),
        (true, false) => "<- taken".to_owned(),
        (false, true) => "as trained".to_owned(),
        (false, false) => String::new(),
    });
    row
}

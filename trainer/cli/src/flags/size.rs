//! The flags that say how small a model is to be, and the ladder of sizes as a table.

use crate::flags::values::{bytes, choice, percentage};
use crate::show;
use anyhow::Result;
use pual_infer::Encoding;
use pual_trainer::errors::CompressError;
use pual_trainer::internals::TOLERANCE;
use pual_trainer::{CompressOptions, Goal, Ladder, Options, Rung};
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
    let row = |rung: &Rung| {
        let note = match (rung.taken, rung.as_trained) {
            (true, true) => "<- taken, as trained",
            (true, false) => "<- taken",
            (false, true) => "as trained",
            (false, false) => "",
        };
        let size = [rung.supports.to_string(), rung.encoding.name().to_owned()];
        [&size[..], &prices(ladder, rung), &[note.to_owned()]].concat()
    };
    let rows: Vec<Vec<String>> = ladder.rungs.iter().map(row).collect();
    writeln!(out)?;
    show::table(out, &[&["supports", "encoding"], &price_names(ladder)[..], &[""]].concat(), &rows)?;
    let puf = ladder.puf.map_or(String::new(), |puf| format!("; PUF as trained {puf:.3}"));
    let (rows, points) = (show::grouped(ladder.rows), show::grouped(ladder.points));
    Ok(writeln!(out, "(on {rows} rows and {points} interpolated points{puf})")?)
}

/// What a size of the ladder costs, in the order of `price_names`.
pub fn prices(ladder: &Ladder, rung: &Rung) -> Vec<String> {
    let mut cells = vec![show::grouped(rung.bytes)];
    if ladder.puf.is_some() {
        cells.push(rung.measured.puf.map_or(String::new(), |puf| format!("{puf:.3}")));
    }
    cells.push(show::percent(rung.measured.score_error));
    let changed = rung.measured.changed_classes as f64 / ladder.rows.max(1) as f64;
    cells.extend([changed, rung.measured.loss].map(|share| format!("{:.2} %", 100.0 * share)));
    cells
}

pub fn price_names(ladder: &Ladder) -> Vec<&'static str> {
    let puf = ladder.puf.map(|_| "PUF");
    ["bytes"].into_iter().chain(puf).chain(["score error", "classes changed", "F1 lost"]).collect()
}

//! The flags for many rows.

use crate::flags::values::{bytes, choice};
use pual_trainer::internals::{SAMPLE, available};
use pual_trainer::{GraphRows, Options};

#[derive(clap::Args)]
#[command(next_help_heading = "Many rows")]
pub struct SampleFlag {
    /// Rows that settings and support instances are chosen from: where there are more, a sample. The model is then fitted to all rows
    #[arg(long, value_name = "N", default_value_t = SAMPLE as u32, value_parser = clap::value_parser!(u32).range(100..))]
    pub sample: u32,
}

#[derive(clap::Args)]
#[command(next_help_heading = "Many rows")]
pub struct ManyFlags {
    #[command(flatten)]
    sample: SampleFlag,
    /// Rows among which neighbours are searched [default: all; above 1,000,000 rows, or where that takes more than --memory, those of the sample]
    #[arg(long, value_parser = choice::<GraphRows>())]
    graph: Option<GraphRows>,
    /// Memory that may be used, such as 2GB [default: what is free]
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    memory: Option<usize>,
}

impl ManyFlags {
    /// Bytes that may be used, where that is known.
    pub fn memory(&self) -> Option<u64> {
        self.memory.map(|limit| limit as u64).or_else(available)
    }

    /// `options` for many rows.
    pub fn add_to(&self, options: Options) -> Options {
        Options {
            sample: self.sample.sample as usize,
            graph: self.graph,
            memory: self.memory.map(|limit| limit as u64),
            ..options
        }
    }
}

//! `pual train` for a program that has the rows and wants the bytes: the flags are parsed, checked and obeyed by the command's own code.

use super::Args;
use crate::cli::progress::Progress;
pub use crate::cli::progress::Stopped;
use crate::cli::show;
use crate::cli::{Cli, Command};
use anyhow::{Result, bail};
use clap::Parser;
use pual_trainer::csv::Table;
use pual_trainer::dataset::Dataset;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What the command would have written and said.
pub struct Made {
    /// The model file.
    pub model: Vec<u8>,
    /// What --json prints.
    pub report: String,
    /// What standard error would have shown.
    pub warnings: Vec<String>,
}

/// The error and its causes in one line, each once. Of a wrong flag what is wrong with it, without how to get help.
pub fn text_of(error: &anyhow::Error) -> String {
    if let Some(usage) = error.downcast_ref::<clap::Error>() {
        let text = usage.render().to_string();
        let said = text.split("\n\nUsage:").next().unwrap_or_default();
        let said = said.split("\n\nFor more information").next();
        let said = said.unwrap_or_default().trim();
        return said.strip_prefix("error: ").unwrap_or(said).to_owned();
    }
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

/// Checked flags of a training.
pub struct Training(Box<Args>);

impl Training {
    /// `flags` are those of `pual train`, without data and output, such as `--method=gllc`.
    pub fn parse(flags: &[String]) -> Result<Self> {
        let places = ["pual", "train", "rows", "--output=model"];
        let line = places.into_iter().chain(flags.iter().map(String::as_str));
        match Cli::try_parse_from(line)?.command {
            Command::Train(args) => {
                args.asked()?;
                Ok(Self(Box::new(args)))
            }
            _ => bail!("expected flags of `pual train`"),
        }
    }

    /// Trains. Once `stop` is set the work unwinds with [`Stopped`], at the next fit at the latest.
    pub fn run(&self, table: Table, stop: Arc<AtomicBool>) -> Result<Made> {
        // Not the threads that all of a process share: they do not survive a fork.
        let threads = self.0.threads.map_or(0, usize::from);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build()?.install(|| self.run_here(table, stop))
    }

    fn run_here(&self, table: Table, stop: Arc<AtomicBool>) -> Result<Made> {
        let (made, warnings) = show::keep_warnings(|| {
            let progress = Progress::unseen("read", stop);
            let data = Dataset::new(table)?;
            data.warnings()
                .iter()
                .for_each(|warning| show::warn(warning.into()));
            let end = |finish: super::Finish<'_>, learned: &_, behind: super::Behind<'_>| {
                finish.make(learned, behind)
            };
            self.0.train(self.0.asked()?, data, &progress, end)
        });
        let super::finish::Made { bytes, report, .. } = made?;
        Ok(Made {
            model: bytes.to_vec(),
            report: serde_json::to_string(&report)?,
            warnings: warnings.into_iter().map(|w| w.text).collect(),
        })
    }
}

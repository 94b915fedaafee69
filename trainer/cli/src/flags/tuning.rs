//! The flags that say how settings are searched, shared by the commands that do.

use crate::flags::values::choice;
use pual_trainer::{Grid, JournalFile, Options, Rule, Scenario};
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(next_help_heading = "Tuning")]
pub struct TuningFlags {
    /// Hold out rows one by one, even if they look like a log or belong to groups
    #[arg(long)]
    independent_rows: bool,
    /// What the rows are a sample of: decides how PUF counts positives
    #[arg(long, value_parser = choice::<Scenario>(), default_value = "single-training-set")]
    scenario: Scenario,
    /// How the folds' PUF becomes one number [default: d]
    #[arg(long, value_parser = choice::<Rule>())]
    rule: Option<Rule>,
    /// Which settings are tried [default: default]
    #[arg(long, value_parser = choice::<Grid>())]
    grid: Option<Grid>,
    /// After the grid, continue in steps of 10 % while that helps, as the paper does
    #[arg(long)]
    refine: bool,
    /// Folds: rows are held out in turn [default: 4]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u16).range(2..))]
    folds: Option<u16>,
    /// Folds are reshuffled this many times [default: 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    repeats: Option<u16>,
    /// The same for the best settings: the top sixth, at most 10 [default: 12; if --repeats is given, no more than that]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    final_repeats: Option<u16>,
    /// Log every fit to this new file, one JSON object per line
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    log: Option<PathBuf>,
    /// Resume from a file of --log: fits that are in it are not repeated
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
}

#[derive(clap::Args)]
#[command(next_help_heading = "Tuning")]
pub struct SearchFlags {
    /// Do not search: settings that are not given follow rules of thumb
    #[arg(
        long,
        conflicts_with_all = ["rule", "grid", "refine", "folds", "repeats", "final_repeats", "log", "resume"]
    )]
    no_tune: bool,
    #[command(flatten)]
    tuning: TuningFlags,
}

impl SearchFlags {
    /// `options` with this search, or with none.
    pub fn add_to(&self, options: Options) -> Options {
        Options { tune: !self.no_tune, ..self.tuning.add_to(options) }
    }
}

impl TuningFlags {
    /// `options` with this search.
    pub fn add_to(&self, options: Options) -> Options {
        let resumed = self.resume.clone().map(JournalFile::Resume);
        Options {
            independent_rows: self.independent_rows,
            scenario: self.scenario,
            rule: self.rule,
            grid: self.grid,
            refine: self.refine,
            folds: self.folds.map(usize::from),
            repeats: self.repeats.map(usize::from),
            final_repeats: self.final_repeats.map(usize::from),
            journal: resumed.or_else(|| self.log.clone().map(JournalFile::New)),
            ..options
        }
    }
}

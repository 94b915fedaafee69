//! The flags that say how settings are searched for, shared by the commands that do.

use crate::flags::values::{SCENARIOS, one_of};
use clap::ValueEnum;
use pual_trainer::base::scenario::Scenario;
use pual_trainer::choose::tune::{Grid, JournalFile, Rule, TuneOptions};
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(next_help_heading = "Tuning")]
pub struct TuningFlags {
    /// What the rows are a sample of: decides how PUF counts positives
    #[arg(long, value_name = "SCENARIO", default_value = SCENARIOS[0].0, value_parser = one_of(SCENARIOS))]
    scenario: Scenario,
    /// How the folds' PUF becomes one number [default: d]
    #[arg(long, value_enum)]
    rule: Option<RuleName>,
    /// Which settings are tried [default: default]
    #[arg(long, value_enum)]
    grid: Option<GridName>,
    /// After the grid, go on in steps of 10 % while that helps, as the paper does
    #[arg(long)]
    refine: bool,
    /// Folds: rows are held out in turn [default: 4]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u16).range(2..))]
    folds: Option<u16>,
    /// How often the rows are dealt into folds anew: luck averages out [default: 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    repeats: Option<u16>,
    /// The same for the settings that come out best, one of six and ten at most [default: 12; if --repeats is given, no more than that]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    final_repeats: Option<u16>,
    /// Keep every fit in this new file, one JSON object a line
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    log: Option<PathBuf>,
    /// Go on from a file of --log: fits that are in it are not made again
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum RuleName {
    /// The paper's: mean over the folds
    A,
    /// All folds together, one standard error to the safe side
    D,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum GridName {
    /// Around the rules of thumb
    Default,
    /// The paper's for synthetic data
    PaperSynthetic,
    /// The paper's for real data
    PaperReal,
}

impl TuningFlags {
    pub fn options(&self) -> TuneOptions {
        let default = TuneOptions::default();
        TuneOptions {
            grid: self.grid.map_or(default.grid, |grid| match grid {
                GridName::Default => Grid::Default,
                GridName::PaperSynthetic => Grid::PaperSynthetic,
                GridName::PaperReal => Grid::PaperReal,
            }),
            refine: self.refine,
            rule: self.rule.map_or(default.rule, |rule| match rule {
                RuleName::A => Rule::A,
                RuleName::D => Rule::D,
            }),
            scenario: self.scenario,
            folds: self.folds.map_or(default.folds, usize::from),
            repeats: self.repeats.map_or(default.repeats, usize::from),
            final_repeats: (self.final_repeats.or(self.repeats))
                .map_or(default.final_repeats, usize::from),
        }
    }

    /// The first flag given that says how one model's settings are searched for.
    pub fn of_a_search(&self) -> Option<&'static str> {
        let given = [
            ("--rule", self.rule.is_some()),
            ("--grid", self.grid.is_some()),
            ("--refine", self.refine),
            ("--folds", self.folds.is_some()),
            ("--repeats", self.repeats.is_some()),
            ("--final-repeats", self.final_repeats.is_some()),
            ("--log", self.log.is_some()),
            ("--resume", self.resume.is_some()),
        ];
        given
            .iter()
            .find(|(_, given)| *given)
            .map(|(flag, _)| *flag)
    }

    pub fn journal(&self) -> Option<JournalFile> {
        let resumed = self.resume.clone().map(JournalFile::Resume);
        resumed.or_else(|| self.log.clone().map(JournalFile::New))
    }
}

//! The command line: parse, add the flags of `pual.toml`, run the command, report the error.

use crate::commands::chips::{demo, flash, push, verify, watch};
use crate::commands::extras::{bench, completions, man, synth};
use crate::commands::learning::{accumulate, compare, compress, merge, plan, train};
use crate::commands::models::{calibrate, evaluate, export, inspect, keygen, score, sign, verify_signature};
use crate::config;
use crate::exit::{self, Exit, Misuse, Output};
use crate::show;
use anyhow::Result;
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};
use std::ffi::OsString;
use std::io::{self, BufWriter, Write};

/// Positive-unlabeled learning that fits a microcontroller.
///
/// Trains a classifier from labeled positives and unlabeled rows, writes the bytes a chip runs, and says what they cost there.
#[derive(Parser)]
#[command(name = "pual", version, max_term_width = 100, after_help = after_help())]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    config: config::ConfigFlags,
}

fn after_help() -> String {
    const EXAMPLE: &str = "\
Example: from nothing to scores
  pual synth cold-chain -o train.csv
  pual train train.csv -o fridge.pual
  pual score fridge.pual train.csv > scored.csv";
    format!("Exit codes:\n{}\n\n{EXAMPLE}", exit::table())
}

/// Runs what the command line and `pual.toml` ask for, and says how it ended.
pub fn run(arguments: Vec<OsString>) -> Exit {
    let mut root = Cli::command();
    root.build();
    let (arguments, file_flags) = match config::with_file(&root, arguments) {
        Ok(both) => both,
        Err(error) => return exit::report(&error),
    };
    let cli = Cli::try_parse_from(arguments).map_err(anyhow::Error::from);
    let Err(error) = cli.and_then(Cli::run) else {
        return Exit::Done;
    };
    let error = match error.downcast::<Misuse>() {
        Ok(misuse) => with_usage(root, &misuse).into(),
        Err(error) => error,
    };
    let exit = exit::report(&error);
    let usage = error.downcast_ref::<clap::Error>();
    if let Some(hint) = usage.and_then(|error| file_flags.hint(error)) {
        show::hint(&hint);
    }
    exit
}

#[derive(Subcommand)]
pub enum Command {
    Train(Box<train::Args>),
    Compare(compare::Args),
    Compress(compress::Args),
    Plan(plan::Args),
    Accumulate(accumulate::Args),
    Merge(merge::Args),
    Score(score::Args),
    Evaluate(evaluate::Args),
    Calibrate(calibrate::Args),
    Inspect(inspect::Args),
    Synth(synth::Args),
    Keygen(keygen::Args),
    Sign(sign::Args),
    VerifySignature(verify_signature::Args),
    Verify(verify::Args),
    Watch(watch::Args),
    Flash(flash::Args),
    Export(export::Args),
    Push(push::Args),
    Demo(demo::Args),
    Bench(bench::Args),
    Completions(completions::Args),
    Man(man::Args),
}

impl Cli {
    /// Runs the command. All output goes through one buffer, so that a closed pipe is noticed here and nowhere else.
    fn run(self) -> Result<()> {
        let mut out = BufWriter::new(Output(io::stdout().lock()));
        match self.command {
            Command::Train(args) => args.run(&mut out),
            Command::Compare(args) => args.run(&mut out),
            Command::Compress(args) => args.run(&mut out),
            Command::Plan(args) => args.run(&mut out),
            Command::Accumulate(args) => args.run(&mut out),
            Command::Merge(args) => args.run(&mut out),
            Command::Score(args) => args.run(&mut out),
            Command::Evaluate(args) => args.run(&mut out),
            Command::Calibrate(args) => args.run(&mut out),
            Command::Inspect(args) => args.run(&mut out),
            Command::Synth(args) => args.run(&mut out),
            Command::Keygen(args) => args.run(&mut out),
            Command::Sign(args) => args.run(&mut out),
            Command::VerifySignature(args) => args.run(&mut out),
            Command::Verify(args) => args.run(&mut out),
            Command::Watch(args) => args.run(&mut out),
            Command::Flash(args) => args.run(&mut out),
            Command::Export(args) => args.run(&mut out),
            Command::Push(args) => args.run(&mut out),
            Command::Demo(args) => args.run(&mut out),
            Command::Bench(args) => args.run(&mut out),
            Command::Completions(args) => args.run(Cli::command(), &mut out),
            Command::Man(args) => args.run(Cli::command(), &mut out),
        }?;
        Ok(out.flush()?)
    }
}

/// The error as clap would show it, with the command's usage.
fn with_usage(mut root: clap::Command, misuse: &Misuse) -> clap::Error {
    let command = match root.find_subcommand_mut(&misuse.command) {
        Some(command) => command,
        None => &mut root,
    };
    command.error(ErrorKind::ArgumentConflict, &misuse.message)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the shell would hand to `pual` for this line, if it is one of ours.
    fn arguments(line: &str) -> Option<Vec<&str>> {
        let mut parts = line.split('|').map(str::trim);
        let ours = parts.find(|part| part.starts_with("pual "))?;
        let words = ours.split_whitespace();
        Some(words.take_while(|word| !word.starts_with(['>', '#'])).collect())
    }

    #[test]
    fn every_command_has_an_example_and_every_example_parses() {
        let mut root = Cli::command().disable_help_subcommand(true);
        root.build();
        for command in man::all(&root) {
            let name = command.get_bin_name().unwrap_or_default();
            let help = command.get_after_help().map(ToString::to_string);
            let help = help.unwrap_or_default();
            let (_, example) = help.split_once("Example").expect(name);
            let lines: Vec<Vec<&str>> = example.lines().filter_map(arguments).collect();
            assert!(!lines.is_empty(), "{name}");
            // The example is of that command.
            let own = |line: &Vec<&str>| line.join(" ").starts_with(name);
            assert!(lines.iter().any(own), "{name}");
            for line in lines {
                let parsed = Cli::try_parse_from(&line);
                assert!(parsed.is_ok(), "{line:?}: {}", parsed.err().unwrap());
            }
        }
    }

    #[test]
    fn the_help_lists_every_exit_code() {
        let help = Cli::command().render_long_help().to_string();
        for exit in Exit::ALL {
            assert!(help.contains(&format!("\n  {:<4} {}", exit.code(), exit.meaning())));
        }
    }
}

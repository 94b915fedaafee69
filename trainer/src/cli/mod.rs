//! The commands. Each file is one: its flags, what it does, and how it shows the result.

mod accumulate;
mod bench;
mod bench_device;
mod compare;
mod compress;
mod data;
mod demo;
mod device;
mod evaluate;
mod export;
mod flash;
mod inspect;
mod keygen;
mod many;
mod merge;
mod model_file;
mod plan;
mod progress;
mod push;
mod score;
mod show;
mod sign;
mod size;
mod synth;
mod train;
mod tuning;
mod verify;
mod verify_signature;

use anyhow::{Result, bail};
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Positive-unlabeled learning that fits a microcontroller.
///
/// Trains a classifier from labeled positives and unlabeled rows, writes the bytes a chip runs, and says what they cost there.
#[derive(Parser)]
#[command(name = "pual", version, max_term_width = 100, after_help = EXIT_CODES)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "\
Exit codes: 0 done, 1 failed, 2 wrong command line, 130 interrupted.

Example: from nothing to scores
  pual synth cold-chain -o train.csv
  pual train train.csv -o fridge.pual
  pual score fridge.pual train.csv > scored.csv";

#[derive(Subcommand)]
enum Command {
    Train(train::Args),
    Compare(compare::Args),
    Compress(compress::Args),
    Plan(plan::Args),
    Accumulate(accumulate::Args),
    Merge(merge::Args),
    Score(score::Args),
    Evaluate(evaluate::Args),
    Inspect(inspect::Args),
    Synth(synth::Args),
    Keygen(keygen::Args),
    Sign(sign::Args),
    VerifySignature(verify_signature::Args),
    Verify(verify::Args),
    Flash(flash::Args),
    Export(export::Args),
    Push(push::Args),
    Demo(demo::Args),
    Bench(bench::Args),
}

impl Cli {
    /// Runs the command. All output goes through one buffer, so that a closed pipe is noticed here and nowhere else.
    pub fn run(self) -> Result<()> {
        let mut out = BufWriter::new(io::stdout().lock());
        match self.command {
            Command::Train(args) => args.run(&mut out),
            Command::Compare(args) => args.run(&mut out),
            Command::Compress(args) => args.run(&mut out),
            Command::Plan(args) => args.run(&mut out),
            Command::Accumulate(args) => args.run(&mut out),
            Command::Merge(args) => args.run(&mut out),
            Command::Score(args) => args.run(&mut out),
            Command::Evaluate(args) => args.run(&mut out),
            Command::Inspect(args) => args.run(&mut out),
            Command::Synth(args) => args.run(&mut out),
            Command::Keygen(args) => args.run(&mut out),
            Command::Sign(args) => args.run(&mut out),
            Command::VerifySignature(args) => args.run(&mut out),
            Command::Verify(args) => args.run(&mut out),
            Command::Flash(args) => args.run(&mut out),
            Command::Export(args) => args.run(&mut out),
            Command::Push(args) => args.run(&mut out),
            Command::Demo(args) => args.run(&mut out),
            Command::Bench(args) => args.run(&mut out),
        }?;
        Ok(out.flush()?)
    }
}

/// An error of the command line that shows only once the flags are seen together.
fn usage_error(command: &str, message: String) -> anyhow::Error {
    let mut root = Cli::command();
    root.build();
    let asked = root.find_subcommand_mut(command);
    let error = match asked {
        Some(asked) => asked.error(ErrorKind::ArgumentConflict, message),
        None => root.error(ErrorKind::ArgumentConflict, message),
    };
    error.into()
}

/// Parses a flag's value that must be a positive number.
fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value.is_finite() => Ok(value),
        _ => Err("expected a positive number".to_owned()),
    }
}

/// Parses a flag's value that must be a share.
fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value <= 1.0 => Ok(value),
        _ => Err("expected a number above 0 and at most 1".to_owned()),
    }
}

/// Refuses a place where no file can be written, before the work begins.
fn check_output(output: &Path) -> Result<()> {
    let directory = match output.parent() {
        Some(directory) if !directory.as_os_str().is_empty() => directory,
        _ => Path::new("."),
    };
    if output.is_dir() {
        bail!(
            "--output {} is a directory; name a file in it",
            output.display()
        );
    }
    if !directory.is_dir() {
        bail!(
            "--output {}: there is no directory {}; create it first",
            output.display(),
            directory.display()
        );
    }
    Ok(())
}

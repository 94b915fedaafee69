//! `pual`: the command line over the library.
//!
//! | exit code | meaning |
//! |---|---|
//! | 0 | done; or help was asked for; or whoever read the output had enough |
//! | 1 | it failed: the message says where and, if it can, what to do |
//! | 2 | the command line itself is wrong |
//! | 130 | it was interrupted (Ctrl-C): no file is left half-written |

use clap::Parser;
use pual_trainer::cli;
use std::io::{self, Write};
use std::process::ExitCode;

/// The exit code of an interrupted command, by the shells' custom.
const INTERRUPTED: i32 = 130;

fn main() -> ExitCode {
    // Without a handler the command would end as well, but wordlessly.
    let _ = ctrlc::set_handler(|| {
        pual_trainer::export::discard_unfinished();
        let _ = writeln!(
            io::stderr(),
            "interrupted: no file is left half-written; what --log holds so far can be resumed"
        );
        std::process::exit(INTERRUPTED);
    });
    let outcome = cli::Cli::try_parse()
        .map_err(anyhow::Error::from)
        .and_then(cli::Cli::run);
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => exit_code(&error),
    }
}

/// The one place where exit codes are decided.
fn exit_code(error: &anyhow::Error) -> ExitCode {
    if let Some(usage) = error.downcast_ref::<clap::Error>() {
        // Help and version arrive here too, with exit code 0.
        let _ = usage.print();
        return usage
            .exit_code()
            .try_into()
            .map_or(ExitCode::FAILURE, |code: u8| code.into());
    }
    if is_closed_pipe(error) {
        return ExitCode::SUCCESS;
    }
    print_chain(error);
    ExitCode::FAILURE
}

/// `pual score ... | head` closes our output when it has enough.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

/// The error and its causes, each once: many messages already end with their cause.
fn print_chain(error: &anyhow::Error) {
    let mut stderr = io::stderr().lock();
    let mut said = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if said.is_empty() {
            let _ = writeln!(stderr, "error: {cause}");
        } else if !said.contains(&cause) {
            let _ = writeln!(stderr, "  because: {cause}");
        }
        said += &cause;
    }
}

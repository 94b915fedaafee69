//! `pual`: the command line over the library.
//!
//! Modules in layers, the lowest first: each imports only from those above it in this list, which a test checks.

mod show;

mod hints;

mod exit;

mod files;

mod model_file;

mod progress;

mod flags;

mod page;

mod commands;

mod config;

mod cli;

use exit::Exit;
use std::io::{self, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    // Without a handler the command would end too, but without a word.
    let _ = ctrlc::set_handler(|| {
        pual_trainer::discard_unfinished();
        let _ = writeln!(io::stderr(), "interrupted: no file is left half-written; a --log file can be resumed");
        std::process::exit(Exit::Interrupted.code().into());
    });
    cli::run(std::env::args_os().collect()).into()
}

//! `pual`: the command line over the library. How it ends is decided in `cli/exit.rs`.

mod cli;
mod commands;
mod config;
mod exit;
mod flags;
mod hints;
mod model_file;
mod page;
mod progress;
mod show;

use exit::Exit;
use std::io::{self, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    // Without a handler the command would end as well, but wordlessly.
    let _ = ctrlc::set_handler(|| {
        pual_trainer::base::files::discard_unfinished();
        let _ = writeln!(
            io::stderr(),
            "interrupted: no file is left half-written; what --log holds so far can be resumed"
        );
        std::process::exit(Exit::Interrupted.code().into());
    });
    cli::run(std::env::args_os().collect()).into()
}

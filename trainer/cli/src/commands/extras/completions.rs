//! `pual completions`: what a shell needs to complete commands and flags.

use anyhow::Result;
use clap::Command;
use clap_complete::Shell;
use std::io::Write;

/// Print a script that completes commands and flags in your shell
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  pual completions bash > ~/.local/share/bash-completion/completions/pual
  pual completions fish > ~/.config/fish/completions/pual.fish")]
pub struct Args {
    /// Your shell
    #[arg(value_enum)]
    shell: Shell,
}

impl Args {
    pub fn run(&self, mut root: Command, out: &mut impl Write) -> Result<()> {
        // As text first: the generator panics where it cannot write.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut root, "pual", &mut script);
        Ok(out.write_all(&script)?)
    }
}

//! `pual man`: the manual, one page per command.

use crate::exit;
use crate::show;
use anyhow::{Context, Result};
use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use pual_trainer::write_file;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

const SOURCE: &str = concat!("pual ", env!("CARGO_PKG_VERSION"));

/// Write manual pages, one per command
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  pual man ~/.local/share/man/man1")]
pub struct Args {
    /// Directory to write them to; created if missing
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct ManualPages {
    directory: String,
    pages: Vec<String>,
}

impl Args {
    pub fn run(&self, root: Command, out: &mut impl Write) -> Result<()> {
        let directory = self.directory.display().to_string();
        std::fs::create_dir_all(&self.directory).with_context(|| format!("cannot make the directory {directory}"))?;
        let mut root = root.disable_help_subcommand(true);
        root.build();
        let mut pages = Vec::new();
        for command in all(&root) {
            let man = Man::new(command.clone()).source(SOURCE);
            let name = man.get_filename();
            write_file(&self.directory.join(&name), &page(&man, command)?)?;
            pages.push(name);
        }
        let report = ManualPages { directory, pages };
        show::result(self.json, out, &report, |ManualPages { directory, pages }, out| {
            let page = self.directory.join("pual-train.1");
            Ok(writeln!(out, "{} pages in {directory}; read one with: man -l {}", pages.len(), page.display())?)
        })
    }
}

/// A command and its subcommands.
pub fn all(command: &Command) -> Vec<&Command> {
    let below = command.get_subcommands().flat_map(all);
    std::iter::once(command).chain(below).collect()
}

fn page(man: &Man, command: &Command) -> Result<Vec<u8>> {
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    let mut rest = Roff::new();
    // Line by line, so that examples can be copied.
    let help = command.get_after_help().map(ToString::to_string);
    if let Some((_, examples)) = help.as_ref().and_then(|help| help.split_once("Example")) {
        let lines = examples.lines().skip(1);
        section(&mut rest, "EXAMPLES", lines);
    }
    section(&mut rest, "EXIT STATUS", exit::table().lines());
    rest.to_writer(&mut page)?;
    Ok(page)
}

/// A section that keeps its line breaks.
fn section<'a>(page: &mut Roff, name: &str, lines: impl Iterator<Item = &'a str>) {
    page.control("SH", [name]).control("nf", []);
    for line in lines {
        page.text([roman(line)]);
    }
    page.control("fi", []);
}

//! The help texts are golden files: a changed flag is a changed line.
//!
//! After an intended change: `PUAL_WRITE_GOLDEN=1 cargo test -p pual --test cli help`, and read the difference.

use super::json::commands;
use crate::Scratch;
use std::path::Path;

#[test]
fn help_texts_are_the_golden_ones() {
    let scratch = Scratch::new("help");
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/help");
    for command in commands(&scratch) {
        let name = format!("pual {command}").trim().replace(' ', "-");
        let path = directory.join(format!("{name}.txt"));
        let help = scratch.pual(&format!("{command} --help")).ok();
        if std::env::var_os("PUAL_WRITE_GOLDEN").is_some() {
            std::fs::write(&path, &help).unwrap();
        }
        let golden = std::fs::read_to_string(&path).unwrap_or_default();
        let difference =
            help.lines().zip(golden.lines().chain(std::iter::repeat(""))).find(|(now, golden)| now != golden);
        assert!(help == golden, "{name}: {difference:?}; see tests/cli/program/help.rs");
    }
}

#[test]
fn the_examples_of_the_help_run_as_they_stand() {
    let scratch = Scratch::new("examples-run");
    let help = scratch.pual("--help").ok();
    let example = help.split_once("Example").unwrap().1;
    for line in example.lines().filter_map(|line| line.strip_prefix("  pual ")) {
        // Standard output is read here instead of being sent to a file.
        let arguments = line.split(" >").next().unwrap();
        assert!(scratch.pual(arguments).0.status.success(), "{line}");
    }
    assert_eq!(scratch.files(), ["fridge.pual", "train.csv"]);
}

#[test]
fn nothing_but_help_without_arguments() {
    let scratch = Scratch::new("bare");
    scratch.pual("").fails(2, &["Usage: pual [OPTIONS] <COMMAND>"]);
    scratch.pual("frobnicate").fails(2, &["frobnicate"]);
    assert!(scratch.pual("--version").ok().starts_with("pual "));
}

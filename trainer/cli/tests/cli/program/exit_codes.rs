//! Exit codes: documented once, and kept.

use crate::Scratch;
use std::process::Stdio;

#[test]
fn the_page_and_the_help_say_the_same() {
    let help = Scratch::new("codes").pual("--help").ok();
    let page = include_str!("../../../../CLI.md");
    for code in ["0", "1", "2", "3", "130"] {
        assert!(help.contains(&format!("\n  {code:<4} ")), "{code}");
        let row = page.lines().find(|line| line.starts_with(&format!("| {code} |")));
        // The first words, which are not wrapped.
        let said = row.expect(code).split('|').nth(2).unwrap().replace('`', "");
        let words: Vec<&str> = said.split_whitespace().take(4).collect();
        assert!(help.contains(&words.join(" ")), "{code}: {words:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_a_failure_and_a_closed_pipe_is_none() {
    let scratch = Scratch::new("full");
    scratch.pual("synth cold-chain --rows 150 -o train.csv").ok();
    scratch.pual("train train.csv --no-tune -o m.pual").ok();
    for arguments in [
        "synth cold-chain",
        "score m.pual train.csv",
        "score m.pual train.csv --json",
        "inspect m.pual --json",
        "completions zsh",
    ] {
        let run = |stdout: Stdio| {
            let mut command = scratch.command(arguments);
            let child = command.stdout(stdout).stderr(Stdio::piped()).spawn();
            child.unwrap().wait_with_output().unwrap()
        };
        if let Ok(full) = std::fs::File::options().write(true).open("/dev/full") {
            let ended = run(full.into());
            let said = String::from_utf8_lossy(&ended.stderr);
            assert_eq!(ended.status.code(), Some(1), "{arguments}");
            assert!(said.contains("standard output: No space left"), "{said}");
        }
        // A pipe whose reader is gone before the first byte.
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ended = run(writer.into());
        let said = String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.success() && said.is_empty(), "{arguments}: {said}");
    }
}

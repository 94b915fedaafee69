//! The pages keep their word: every command block runs, what is shown is what is printed, and every command, file, test, link and
//! anchor that a page names is there.
//!
//! A block ```` ```sh ```` runs as it stands, one ```` ```console ```` command by command, each compared with what is shown below it. A
//! second word says why a block does not run and only its commands' words are checked: `hardware` needs a board, `interactive` waits for
//! somebody who types, `long` takes minutes to hours. A block with `file=PATH` is written to that file.
//!
//! `cargo pual` and `cargo demo` are the program built for the tests. `cargo test` is left out: it is what runs this.
//!
//! After a change that is meant to change what is printed: `PUAL_WRITE_DOCS=1 cargo test -p pual-tests --test docs`, and read the
//! difference. It renews numbers; where words have changed, the page has to be written anew.

#![cfg(unix)]

mod cargo;
mod markdown;
mod names;
mod output;
mod shell;

use markdown::{Block, Page, root};
use shell::{Mode, Shell};

/// What the reader of a page is supposed to have before its first command.
const GIVEN: [(&str, &str); 4] = [
    (
        "README.md",
        "pual synth cold-chain -o readings.csv; pual synth cold-chain --seed 2 --truth-column truth -o checked.csv",
    ),
    (
        "trainer/CLI.md",
        "mkdir -p ~/.local/share/bash-completion/completions ~/.local/share/man/man1
        for i in 1 2 3; do pual synth cold-chain --rows 100 --seed $i -o pump$i.csv; done
        awk 'NR == 1 { print \"pump,\" $0 } FNR > 1 { print FILENAME \",\" $0 }' pump?.csv > pumps.csv",
    ),
    ("trainer/SCALING.md", "pual synth trifurcate -o rows.csv; cp rows.csv shard-0.csv"),
    (
        "trainer/examples/dask/README.md",
        "pual synth trifurcate -o rows.csv
        for i in 0 1 2; do awk -v i=$i 'NR == 1 || NR % 3 == i' rows.csv > shard-$i.csv; done",
    ),
];

/// Pages whose blocks another test follows: here only what they name is checked.
const FOLLOWED_ELSEWHERE: [&str; 1] = ["firmware-example/PORTING.md"]; // tests/tests/porting.rs

/// Words behind ```` ```sh ```` by which a block is not run.
const NOT_RUN: [&str; 3] = ["hardware", "interactive", "long"];

/// Commands that other tests run, alone in their block's line.
const RUN_BY_OTHERS: [&str; 1] = ["cargo test"];

#[test]
fn readme() {
    run_page("README.md");
}

#[test]
fn tutorial() {
    run_page("trainer/TUTORIAL.md");
}

#[test]
fn other_pages() {
    let above = ["README.md", "trainer/TUTORIAL.md"];
    for page in Page::all() {
        let path = page.path.as_str();
        if !above.contains(&path) && !FOLLOWED_ELSEWHERE.contains(&path) {
            run_page(path);
        }
    }
}

#[test]
fn every_rust_block_is_compiled() {
    // README.md: doctests of this package; pual-infer's: its own doctests; the tutorial's are files, built by `tutorial`.
    let compiled = ["README.md", "pual-infer/README.md"];
    for page in Page::all() {
        for block in page.blocks().iter().filter(|block| block.language() == "rust") {
            let path = page.path.as_str();
            let known = block.file().is_some() || compiled.contains(&path) || FOLLOWED_ELSEWHERE.contains(&path);
            assert!(
                known && !block.words.contains(&"ignore".to_owned()),
                "{}:{}: nothing compiles this",
                page.path,
                block.line
            );
        }
    }
}

/// Runs a page's blocks in their order, in a directory of its own.
fn run_page(path: &str) {
    let page = Page::open(path);
    let blocks = page.blocks();
    if !blocks.iter().any(|block| ["sh", "console"].contains(&block.language())) {
        return;
    }
    let shell = Shell::new(&path.replace(['/', '.'], "-").to_lowercase());
    let given = GIVEN.iter().find(|(page, _)| *page == path);
    if let Some((_, commands)) = given {
        run(&shell, "what is given", commands);
    }
    let mut renewed = page.text.clone();
    for block in &blocks {
        let place = format!("{path}:{}", block.line);
        if let Some(file) = block.file() {
            write_file(&shell, file, &block.text);
        } else if block.language() == "console" {
            let text = run_console(&shell, &place, block);
            renewed = renewed.replacen(&block.text, &text, 1);
        } else if block.language() == "sh" {
            run_script(&shell, &place, block);
        }
    }
    if std::env::var_os("PUAL_WRITE_DOCS").is_some() {
        std::fs::write(root().join(path), renewed).unwrap();
    } else {
        let moved = page.text.lines().zip(renewed.lines()).find(|(old, new)| old != new);
        assert_eq!(moved, None, "{path} shows other numbers than are printed (PUAL_WRITE_DOCS=1 renews them)");
    }
}

/// A file that the reader writes. Versions of others' code are those of the firmware: nothing is fetched twice, and nothing changes by itself.
fn write_file(shell: &Shell, file: &str, text: &str) {
    shell.write(file, text);
    if let Some(project) = file.strip_suffix("Cargo.toml") {
        shell::fetch_firmware();
        let lock = std::fs::read_to_string(root().join("firmware-example/Cargo.lock")).unwrap();
        shell.write(&format!("{project}Cargo.lock"), &lock);
    }
}

fn run_script(shell: &Shell, place: &str, block: &Block) {
    match &block.words[1..] {
        [] => {
            let lines = block.text.lines().filter(|line| !by_others(line));
            run(shell, place, &lines.collect::<Vec<_>>().join("\n"));
        }
        [word] if NOT_RUN.contains(&word.as_str()) => {
            let script = &block.text;
            names::check_script(shell, script).unwrap_or_else(|error| panic!("{place}:\n{script}\n{error}"));
        }
        words => panic!("{place}: what is {words:?}? Known are {NOT_RUN:?}"),
    }
}

/// Runs commands that stand behind `$ `, and returns the block as it should be.
fn run_console(shell: &Shell, place: &str, block: &Block) -> String {
    let mut text = String::new();
    for part in format!("\n{}", block.text).split("\n$ ").skip(1) {
        let (command, shown) = part.split_once('\n').unwrap_or((part, ""));
        let shown: String = shown.lines().map(|line| format!("{line}\n")).collect();
        let renewed = if by_others(command) {
            shown
        } else {
            let printed = run(shell, place, command);
            output::renew(&shown, &printed)
                .unwrap_or_else(|error| panic!("{place}: {command}\n{error}\nAll of it:\n{printed}"))
        };
        text += &format!("$ {command}\n{renewed}");
    }
    assert!(!text.is_empty(), "{place}: a console block has no `$ `");
    text
}

fn run(shell: &Shell, place: &str, script: &str) -> String {
    let done = shell.run(script, Mode::Run);
    assert!(done.success, "{place}:\n{script}\n{}{}", done.stdout, done.stderr);
    done.stdout
}

/// The command without its comment.
fn command(line: &str) -> &str {
    line.split(" #").next().unwrap_or_default().trim()
}

fn by_others(line: &str) -> bool {
    RUN_BY_OTHERS.contains(&command(line))
}

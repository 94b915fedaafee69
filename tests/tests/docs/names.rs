//! Commands, flags, files, tests and links that pages name in passing.

use crate::cargo;
use crate::markdown::{Page, root};
use crate::shell::{Mode, Shell};
use std::collections::BTreeSet;
use std::path::Path;

/// Flags in prose that are not `pual`'s.
const FLAGS_OF_OTHERS: [&str; 0] = [];

/// What is wrong with the words of `pual` and `cargo` in a script. Nothing of it runs.
pub fn check_script(shell: &Shell, script: &str) -> Result<(), String> {
    let whole_lines = script.replace("\\\n", " ");
    for line in whole_lines.lines() {
        let commands = crate::command(line).replace("&&", "\n").replace(['|', ';'], "\n");
        for command in commands.lines() {
            // In a loop, and without the file that it writes to.
            let command = command.trim().trim_start_matches("do ").split(" >").next().unwrap_or_default();
            if ["pual ", "cargo "].iter().any(|program| command.starts_with(program)) {
                let done = shell.run(command, Mode::Check);
                if !done.success {
                    return Err(format!("{command}: {}", done.stderr));
                }
                done.cargo.iter().try_for_each(|words| cargo::check(words))?;
            }
        }
    }
    Ok(())
}

#[test]
fn every_command_in_a_line_is_there() {
    let shell = Shell::new("inline");
    let mut checked = 0;
    let mut wrong = Vec::new();
    for page in Page::all() {
        for (line, code) in page.code() {
            // `NAME=value cargo test`: a variable, then the command.
            let command = code.trim_start_matches(|c: char| c.is_ascii_uppercase() || c == '_');
            let command = command
                .strip_prefix('=')
                .map_or(code.as_str(), |rest| rest.split_once(' ').map_or("", |(_, command)| command));
            let is_command = ["pual ", "cargo "].iter().any(|program| command.starts_with(program));
            if is_command {
                // Placeholders: `pual train ...`, `pual push MODEL`.
                let outcome = check_script(&shell, &command.replace(" ...", " "));
                wrong.extend(outcome.err().map(|error| format!("{}:{line}: {code}: {error}", page.path)));
                checked += 1;
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(checked > 30, "only {checked} were found");
}

#[test]
fn every_flag_in_a_line_is_there() {
    let mut known: BTreeSet<String> = FLAGS_OF_OTHERS.iter().map(|flag| flag.to_string()).collect();
    // As `cargo test -p pual --test cli help` holds them to the program, below `bench` and `synth` too.
    let texts = std::fs::read_dir(root().join("trainer/cli/tests/golden/help")).unwrap();
    for text in texts.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap()) {
        let flags = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').filter(|word| word.starts_with("--"));
        known.extend(flags.map(str::to_owned));
    }
    for page in Page::all() {
        for (line, code) in page.code().into_iter().filter(|(_, code)| code.starts_with("--")) {
            let flag = code.split([' ', '=']).next().unwrap_or_default();
            assert!(known.contains(flag), "{}:{line}: no command has {flag}", page.path);
        }
    }
}

#[test]
fn every_file_in_a_line_is_there() {
    let mut checked = 0;
    for page in Page::all() {
        for (line, code) in page.code() {
            let path = code.split(' ').next().unwrap_or_default();
            let is_file = [".rs", ".sh", ".md", ".toml", ".x", ".py"].iter().any(|end| path.ends_with(end));
            if is_file
                && path.contains('/')
                && !path.contains(['*', '<'])
                && !path.starts_with("blinky/")
                && !crate::FOLLOWED_ELSEWHERE.contains(&page.path.as_str())
            {
                // From the page, or a crate's sources beside it, or from the root.
                let places =
                    [page.directory(), root(), root().join("trainer/cli/tests"), root().join("pual-infer/tests")];
                assert!(
                    places.iter().any(|place| place.join(path).exists()),
                    "{}:{line}: there is no {path}",
                    page.path
                );
                checked += 1;
            }
        }
    }
    assert!(checked > 20, "only {checked} were found");
}

#[test]
fn every_test_that_security_names_is_there() {
    let mut sources = String::new();
    for directory in ["pual-infer/tests", "tests/tests", "trainer/cli", "trainer/src", "pual-infer/protocol/tests"] {
        read_sources(&root().join(directory), &mut sources);
    }
    let page = Page::open("pual-infer/SECURITY.md");
    let names: Vec<_> = page
        .code()
        .into_iter()
        .filter(|(_, code)| code.matches('_').count() > 2 && !code.contains(['/', '.', ' ']))
        .collect();
    assert!(names.len() > 8, "only {} were found", names.len());
    for (line, name) in names {
        assert!(sources.contains(&format!("fn {name}(")), "SECURITY.md:{line}: there is no test {name}");
    }
}

fn read_sources(directory: &Path, sources: &mut String) {
    for entry in std::fs::read_dir(directory).expect("it can be listed") {
        let path = entry.expect("it can be listed").path();
        if path.is_dir() {
            read_sources(&path, sources);
        } else if path.extension().is_some_and(|end| end == "rs") {
            *sources += &std::fs::read_to_string(path).expect("it is text");
        }
    }
}

#[test]
fn every_link_leads_somewhere() {
    let mut checked = 0;
    for page in Page::all() {
        for (line, target) in page.links() {
            if target.starts_with("https://") || target.starts_with("http://") {
                continue;
            }
            checked += 1;
            let (path, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let file = if path.is_empty() { root().join(&page.path) } else { page.directory().join(path) };
            assert!(file.exists(), "{}:{line}: there is no {path}", page.path);
            if !anchor.is_empty() {
                let text = std::fs::read_to_string(&file).expect("an anchor is in a page");
                let linked = Page { path: path.to_owned(), text };
                assert!(
                    linked.anchors().iter().any(|there| there == anchor),
                    "{}:{line}: {path} has no #{anchor}",
                    page.path
                );
            }
        }
    }
    assert!(checked > 20, "only {checked} were found");
}

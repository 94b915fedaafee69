//! Do the packages, targets, features and aliases of a `cargo` command exist?

use crate::markdown::root;
use serde_json::Value;
use std::process::Command;
use std::sync::OnceLock;

/// Cargo's own commands, and those of tools that pages tell the reader to install.
const COMMANDS: [&str; 10] = ["bench", "build", "clippy", "deny", "doc", "fetch", "fmt", "install", "run", "test"];

/// What is wrong with `cargo WORDS`.
pub fn check(words: &str) -> Result<(), String> {
    // What follows goes to the program.
    let words: Vec<&str> = words.split_whitespace().take_while(|word| *word != "--").collect();
    let Some((command, flags)) = words.split_first() else {
        return Ok(());
    };
    let aliases = [".cargo/config.toml", "firmware-example/.cargo/config.toml"].map(aliases).concat();
    if !COMMANDS.contains(command) && !aliases.contains(&command.to_string()) {
        return Err(format!("there is no `cargo {command}`"));
    }
    let packages = packages();
    let named = value_of(flags, &["-p", "--package"]);
    let asked: Vec<&Value> =
        packages.iter().filter(|package| named.is_none_or(|name| package["name"] == name)).collect();
    if asked.is_empty() {
        return Err(format!("there is no package {named:?}"));
    }
    for kind in ["test", "example", "bench", "bin"] {
        if let Some(target) = value_of(flags, &[&format!("--{kind}")]) {
            let is_it = |it: &Value| {
                it["name"] == target && it["kind"].as_array().is_some_and(|kinds| kinds.contains(&kind.into()))
            };
            if !asked.iter().any(|package| package["targets"].as_array().is_some_and(|all| all.iter().any(is_it))) {
                return Err(format!("there is no {kind} `{target}`"));
            }
        }
    }
    for feature in value_of(flags, &["--features"]).into_iter().flat_map(|list| list.split(',')) {
        if !asked.iter().any(|package| package["features"].get(feature).is_some()) {
            return Err(format!("there is no feature `{feature}`"));
        }
    }
    Ok(())
}

fn value_of<'a>(flags: &[&'a str], names: &[&str]) -> Option<&'a str> {
    let at = flags.iter().position(|flag| names.contains(flag))?;
    // `-p PACKAGE` stands for any.
    let is_placeholder = |value: &&str| value.chars().all(|c| c.is_ascii_uppercase());
    flags.get(at + 1).copied().filter(|value| !is_placeholder(value))
}

/// The names in `[alias]`.
fn aliases(config: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root().join(config)).expect("it is there");
    let section = text.lines().skip_while(|line| *line != "[alias]");
    section.filter_map(|line| line.split_once(" = ").map(|(name, _)| name.to_owned())).collect()
}

/// Every package of the repository, as `cargo metadata` describes it.
fn packages() -> &'static Vec<Value> {
    static PACKAGES: OnceLock<Vec<Value>> = OnceLock::new();
    PACKAGES.get_or_init(|| {
        let manifests = ["Cargo.toml", "firmware-example/Cargo.toml"];
        let all = manifests.iter().flat_map(|manifest| {
            let mut cargo = Command::new(env!("CARGO"));
            cargo.current_dir(root()).args([
                "metadata",
                "--no-deps",
                "--offline",
                "--format-version=1",
                "--manifest-path",
                manifest,
            ]);
            let output = cargo.output().expect("cargo runs");
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{said}");
            let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
            metadata["packages"].as_array().expect("there are packages").clone()
        });
        all.collect()
    })
}

#[test]
fn wrong_commands_are_found() {
    for right in [
        "test",
        "pual help",
        "test -p pual-infer --test golden -- x",
        "m3",
        "run --bin bits",
        "build --features parquet",
    ] {
        assert_eq!(check(right), Ok(()));
    }
    for wrong in
        ["tset", "test -p pula", "test -p pual-infer --test silver", "run --example bits", "build --features parket"]
    {
        assert!(check(wrong).is_err(), "{wrong}");
    }
}

//! Others' code: under licences that go with ours, from crates.io alone, and little of it on the device.

use serde_json::Value;
use std::collections::BTreeSet;
use std::process::Command;

/// libFuzzer's, which only the fuzzers contain.
const FUZZERS_ONLY: &str = "NCSA";

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Crates that a firmware gets with pual-infer, itself included.
const MOST_CRATES: usize = 14;

/// What cargo says, in the repository's root.
fn cargo(arguments: &[&str]) -> Vec<u8> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let output = cargo.args(arguments).output().expect("cargo runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo {arguments:?}: {said}");
    output.stdout
}

/// Those that cargo-deny allows.
fn licences() -> Vec<&'static str> {
    let config = include_str!("../../.cargo/deny.toml");
    let list = config.split("allow = [").nth(1).and_then(|rest| rest.split(']').next()).expect("a list");
    list.split(',').map(|entry| entry.trim().trim_matches('"')).filter(|entry| !entry.is_empty()).collect()
}

/// May it be used? An `AND` binds less than an `OR` here, which is never too generous.
fn is_allowed(expression: &str, allowed: &[&str]) -> bool {
    let expression = expression.replace('/', " OR ").replace("  ", " ");
    expression.split(" AND ").all(|all_of| {
        let mut any_of = all_of.trim_matches(['(', ')', ' ']).split(" OR ");
        any_of.any(|licence| allowed.contains(&licence.trim()))
    })
}

#[test]
fn every_crate_has_a_licence_of_the_list_and_comes_from_crates_io() {
    for workspace in ["", "firmware-example/", "tests/fuzz/", "trainer/python/"] {
        let manifest = format!("{workspace}Cargo.toml");
        let arguments = ["metadata", "--all-features", "--locked", "--format-version=1", "--manifest-path"];
        let metadata = cargo(&[&arguments[..], &[&manifest]].concat());
        let metadata: Value = serde_json::from_slice(&metadata).expect("cargo writes JSON");
        let packages = metadata["packages"].as_array().expect("there are packages");
        assert!(packages.len() > 20, "{manifest}: {}", packages.len());
        for package in packages {
            let name = package["name"].as_str().unwrap_or_default();
            let licence = package["license"].as_str().unwrap_or("none");
            let mut allowed = licences();
            allowed.extend((name == "libfuzzer-sys").then_some(FUZZERS_ONLY));
            assert!(is_allowed(licence, &allowed), "{manifest}: {name} is under {licence}");
            let source = package["source"].as_str();
            assert!(source.is_none_or(|from| from == CRATES_IO), "{name}: {source:?}");
        }
    }
}

#[test]
fn licence_expressions_are_understood() {
    let allowed = |expression| is_allowed(expression, &licences());
    assert!(allowed("MIT") && allowed("MIT/Apache-2.0") && allowed("GPL-3.0 OR MIT"));
    assert!(allowed("(MIT OR Apache-2.0) AND Unicode-3.0"));
    assert!(!allowed("GPL-3.0") && !allowed("MIT AND GPL-3.0") && !allowed("none"));
}

/// Name and version of every crate in a lock file.
fn locked(lock: &str) -> BTreeSet<String> {
    let crates = lock.split("[[package]]").skip(1);
    crates
        .map(|entry| {
            let fields = { entry.lines() }.filter(|line| line.starts_with("name = ") || line.starts_with("version = "));
            fields.collect::<Vec<_>>().join(", ")
        })
        .collect()
}

#[test]
fn the_python_package_is_made_of_the_program_s_versions() {
    let program = locked(include_str!("../../Cargo.lock"));
    let package = locked(include_str!("../../trainer/python/Cargo.lock"));
    assert!(program.len() > 100 && package.len() > 100);
    let of_python = ["pyo3", "pual-python\"", "target-lexicon\""].map(|name| format!("name = \"{name}"));
    let others: Vec<&String> = { package.difference(&program) }
        .filter(|found| !of_python.iter().any(|name| found.starts_with(name)))
        .collect();
    assert!(
        others.is_empty(),
        "their models might differ in a bit: {others:?}; copy Cargo.lock to trainer/python and run cargo metadata there"
    );
}

#[test]
fn a_firmware_gets_few_crates_with_pual_infer() {
    let tree = cargo(&["tree", "--locked", "-p", "pual-infer", "-e", "normal", "--prefix", "none"]);
    let tree = String::from_utf8(tree).expect("text");
    let crates: BTreeSet<&str> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(crates.contains("pual-infer") && crates.len() <= MOST_CRATES, "{crates:?}");
}

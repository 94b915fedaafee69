//! The program `pual`, for tests that run it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::SystemTime;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Where it is, in the tests' own profile and up to date: `cargo test` has put it beside the tests. It is built here if it is
/// missing or older than its sources, as after `cargo test -p pual-tests`.
pub fn pual() -> &'static Path {
    static PUAL: OnceLock<PathBuf> = OnceLock::new();
    PUAL.get_or_init(|| {
        let test = std::env::current_exe().expect("a test knows where it is");
        let folder = test.ancestors().nth(2).expect("target/debug/deps/test");
        let program = folder.join(format!("pual{}", std::env::consts::EXE_SUFFIX));
        let built = fs::metadata(&program).and_then(|program| program.modified());
        if built.map_or(true, |built| built < newest()) {
            build();
        }
        program
    })
}

/// By way of a test of the whole workspace, whose features are those of `cargo test`. `cargo build --package pual` has fewer,
/// and would compile half of everything once more.
fn build() {
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .current_dir(ROOT)
        .args(["test", "--no-run", "--quiet", "--locked", "--workspace"])
        .args(["--test", "bench_tables"]);
    if !cfg!(debug_assertions) {
        cargo.arg("--release");
    }
    assert!(cargo.status().expect("cargo runs").success());
}

/// When the last of its sources was changed.
fn newest() -> SystemTime {
    let crates = ["trainer", "trainer/cli", "trainer/device", "pual-infer"];
    let mut folders: Vec<_> = { crates.iter() }.map(|name| Path::new(ROOT).join(name).join("src")).collect();
    let mut newest = SystemTime::UNIX_EPOCH;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("sources can be listed").flatten() {
            let file = entry.metadata().expect("sources can be read");
            if !file.is_dir() {
                newest = newest.max(file.modified().expect("files have a time"));
            } else if entry.file_name() != "tests" {
                folders.push(entry.path());
            }
        }
    }
    newest
}

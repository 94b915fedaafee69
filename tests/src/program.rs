//! The program `pual`, for tests that run it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Where it is, built in the tests' own profile and up to date.
///
/// Asked for by way of a test of the whole workspace, whose features are those of `cargo test`: after that nothing is left to do. `cargo
/// build --package pual-trainer` has fewer features, and would compile half of everything once more.
pub fn pual() -> &'static Path {
    static PUAL: OnceLock<PathBuf> = OnceLock::new();
    PUAL.get_or_init(|| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo
            .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
            .args(["test", "--no-run", "--quiet", "--locked", "--workspace"])
            .args(["--test", "bench_tables"])
            .arg("--message-format=json-render-diagnostics");
        if !cfg!(debug_assertions) {
            cargo.arg("--release");
        }
        let output = cargo.output().expect("cargo runs");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let messages = String::from_utf8_lossy(&output.stdout);
        let mut built = messages.lines().filter_map(|line| {
            let message: serde_json::Value = serde_json::from_str(line).ok()?;
            let is_pual = message["target"]["name"] == "pual"
                && message["target"]["kind"][0] == "bin"
                && message["profile"]["test"] == false;
            let path = is_pual.then(|| message["executable"].as_str())?;
            path.map(PathBuf::from)
        });
        built.next().expect("cargo names what it has built")
    })
}

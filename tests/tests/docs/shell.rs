//! A shell in which the pages' commands run: `pual`, and `cargo pual`, are the program that is built already.

use crate::markdown::root;
use pual_tests::program::pual;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What becomes of a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// It runs.
    Run,
    /// Its words are checked: `pual` gets `--help` behind them, which it reads last; `cargo` notes them down; nothing runs.
    Check,
}

/// A directory with a page's files in it.
pub struct Shell {
    directory: PathBuf,
}

/// What a script did.
pub struct Done {
    pub success: bool,
    pub stdout: String,
    pub stderr: String,
    /// The words that `cargo` was called with, in [`Mode::Check`].
    pub cargo: Vec<String>,
}

impl Shell {
    /// An empty directory, but for what pages may name in the clone.
    pub fn new(name: &str) -> Self {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("docs-{name}"));
        let _ = fs::remove_dir_all(&directory);
        let work = directory.join("work");
        fs::create_dir_all(&work).unwrap();
        std::os::unix::fs::symlink(root().join("firmware-example"), work.join("firmware-example")).unwrap();
        let shell = Self { directory };
        for mode in [Mode::Run, Mode::Check] {
            shell.write_commands(mode);
        }
        shell
    }

    fn commands(&self, mode: Mode) -> PathBuf {
        self.directory.join(format!("{mode:?}"))
    }

    fn write_commands(&self, mode: Mode) {
        let commands = self.commands(mode);
        fs::create_dir_all(&commands).unwrap();
        let pual = pual().display();
        let log = self.directory.join("cargo.log");
        let (pual, other) = match mode {
            Mode::Run => (
                format!("exec '{pual}' \"$@\""),
                // A project of the reader's has the firmware's lock file, whose crates are there; what is built is kept.
                format!(
                    "[ ! -f Cargo.lock ] || export CARGO_NET_OFFLINE=true CARGO_TARGET_DIR='{}/docs-target'; exec '{}' \"$@\"",
                    env!("CARGO_TARGET_TMPDIR"),
                    env!("CARGO")
                ),
            ),
            Mode::Check => (
                format!("case $1 in help) exec '{pual}' \"$@\" ;; *) exec '{pual}' \"$@\" --help ;; esac"),
                format!("echo \"$@\" >>'{}'", log.display()),
            ),
        };
        let program = |name: &str, text: &str| {
            let path = commands.join(name);
            fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        };
        program("pual", &pual);
        program("cargo", &format!("case $1 in\npual) shift; {pual} ;;\ndemo) {pual} ;;\n*) {other} ;;\nesac"));
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.join("work").join(name)
    }

    /// Writes a file that a page shows. What is relative to the clone in it becomes absolute: we are elsewhere.
    pub fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let clone = root().canonicalize().unwrap();
        fs::write(path, text.replace("path = \"..", &format!("path = \"{}", clone.display()))).unwrap();
    }

    /// Runs a script; it ends at the first command that fails.
    pub fn run(&self, script: &str, mode: Mode) -> Done {
        let log = self.directory.join("cargo.log");
        let _ = fs::remove_file(&log);
        let variable = |name: &str| std::env::var(name).unwrap_or_default();
        // Commands may write below `~`: not below ours. Where Rust's tools and setup.sh keep things stays the same.
        let own_or = |name: &str, directory: &str| match variable(name) {
            empty if empty.is_empty() => format!("{}/{directory}", variable("HOME")),
            own => own,
        };
        let mut command = Command::new("sh");
        command
            .current_dir(self.path(""))
            .args(["-euc", script])
            .env("PATH", format!("{}:{}", self.commands(mode).display(), variable("PATH")))
            .env("HOME", self.path(""))
            .env("CARGO_HOME", own_or("CARGO_HOME", ".cargo"))
            .env("RUSTUP_HOME", own_or("RUSTUP_HOME", ".rustup"))
            .env("XDG_CACHE_HOME", own_or("XDG_CACHE_HOME", ".cache"))
            // The bare-metal target may be Debian's: see firmware-example/rustc.sh.
            .env("RUSTC_WRAPPER", root().join("firmware-example/rustc.sh").canonicalize().unwrap())
            .env("CARGO_CACHE_RUSTC_INFO", "0");
        for name in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_TARGET", "CARGO_TARGET_DIR", "RUSTC"] {
            command.env_remove(name);
        }
        let output = command.stdin(std::process::Stdio::null()).output().expect("there is a shell");
        let cargo = fs::read_to_string(&log).unwrap_or_default();
        Done {
            success: output.status.success(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            cargo: cargo.lines().map(str::to_owned).collect(),
        }
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = fs::remove_dir_all(&self.directory);
        }
    }
}

/// Makes sure that the crates in the firmware's lock file are on this machine.
pub fn fetch_firmware() {
    let manifest = root().join("firmware-example/Cargo.toml");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["fetch", "--quiet", "--locked", "--manifest-path"]).arg(manifest);
    assert!(cargo.status().expect("cargo runs").success());
}

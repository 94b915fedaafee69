//! A directory for one test, in which `pual` runs. Every test program uses some of it.

#![allow(dead_code)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The quickest way to train.
pub const QUICK: &str = "--method gllc --no-tune";

/// A directory for one test, deleted when the test has passed.
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn new(test: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{test}", env!("CARGO_CRATE_NAME")));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    /// Every file there, sorted.
    pub fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Runs `pual` here, with arguments separated by spaces.
    pub fn pual(&self, arguments: &str) -> Run {
        self.pual_with_input(arguments, b"")
    }

    pub fn pual_with_input(&self, arguments: &str, input: &[u8]) -> Run {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        // From another thread: a program that answers before it has read everything must not block us.
        let writer = std::thread::spawn(move || {
            let _ = stdin.write_all(&input);
        });
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        Run(output)
    }

    pub fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pual"));
        command.current_dir(&self.0).args(arguments.split_whitespace());
        command
    }

    /// A training set, and a test set with its truth.
    pub fn cold_chain(&self) {
        self.rows(800);
    }

    pub fn rows(&self, count: usize) {
        let synth = format!("synth cold-chain --rows {count}");
        self.pual(&format!("{synth} -o train.csv")).ok();
        let test = "--seed 2 --truth-column truth -o test.csv";
        self.pual(&format!("{synth} {test}")).ok();
    }

    /// A small data set and a model of it, `m.pual`, for tests that any model will do for.
    pub fn with_model(test: &str) -> Self {
        let scratch = Self::new(test);
        scratch.rows(150);
        let train = format!("train train.csv -o m.pual {QUICK}");
        scratch.pual(&train).ok();
        scratch
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }
}

/// What a command did.
pub struct Run(pub Output);

impl Run {
    pub fn code(&self) -> Option<i32> {
        self.0.status.code()
    }

    pub fn stdout(&self) -> String {
        String::from_utf8(self.0.stdout.clone()).unwrap()
    }

    pub fn stderr(&self) -> String {
        String::from_utf8(self.0.stderr.clone()).unwrap()
    }

    /// The output of a command that succeeds.
    #[track_caller]
    pub fn ok(&self) -> String {
        assert_eq!(self.code(), Some(0), "{}", self.stderr());
        self.stdout()
    }

    /// Succeeds, and says all of these on standard output.
    #[track_caller]
    pub fn says(&self, said: &[&str]) -> String {
        let stdout = self.ok();
        for part in said {
            assert!(stdout.contains(part), "no `{part}` in:\n{stdout}");
        }
        stdout
    }

    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.ok()).unwrap()
    }

    /// Fails with this exit code, and says all of these on standard error.
    #[track_caller]
    pub fn fails(&self, code: i32, said: &[&str]) {
        let stderr = self.stderr();
        assert_eq!(self.code(), Some(code), "{stderr}");
        for part in said {
            assert!(stderr.contains(part), "no `{part}` in:\n{stderr}");
        }
        assert!(!stderr.contains("panicked"), "{stderr}");
    }
}

//! The log of a search: written as it goes, and good to go on from, whenever the search ended.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// A directory of one test's own with a training set in it, gone when the test has passed.
struct Scratch(PathBuf);

impl Scratch {
    fn new(test: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("tune-log-{test}"));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        let scratch = Self(path);
        scratch.ok("synth cold-chain --rows 400 -o train.csv");
        scratch
    }

    /// Kills a search once its log has 60 lines. False if it ended first.
    fn kill_midway(&self) -> bool {
        let _ = std::fs::remove_file(self.0.join("part.jsonl"));
        let _ = std::fs::remove_file(self.0.join("part.pual"));
        let arguments = format!("{TRAIN} -o part.pual --log part.jsonl --threads 1");
        let mut child = self.command(&arguments).stdout(Stdio::null()).spawn().unwrap();
        while self.lines("part.jsonl") < 60 && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        !self.0.join("part.pual").exists()
    }

    fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pual"));
        command.current_dir(&self.0).args(arguments.split_whitespace());
        command
    }

    fn run(&self, arguments: &str) -> Output {
        self.command(arguments).output().unwrap()
    }

    #[track_caller]
    fn ok(&self, arguments: &str) {
        let output = self.run(arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        // Progress is for terminals.
        assert_eq!(said, "");
    }

    /// Fails, and says all of these.
    #[track_caller]
    fn fails(&self, arguments: &str, said: &[&str]) {
        let output = self.run(arguments);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        for part in said {
            assert!(stderr.contains(part), "no `{part}` in: {stderr}");
        }
    }

    fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.0.join(name)).unwrap()
    }

    fn lines(&self, name: &str) -> usize {
        std::fs::read_to_string(self.0.join(name)).map_or(0, |text| text.lines().count())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }
}

const TRAIN: &str = "train train.csv --method pual --grid paper-real --repeats 1 --supports 32";
const FITS: usize = 9 * 9 * 5 * 4;

#[test]
fn a_search_that_was_killed_goes_on_to_the_same_model() {
    let scratch = Scratch::new("kill");
    scratch.ok(&format!("{TRAIN} -o whole.pual --log whole.jsonl"));
    assert_eq!(scratch.lines("whole.jsonl"), 1 + FITS);

    // On a busy machine a search may end before it is killed: then it is tried again.
    let killed = (0..20).any(|_| scratch.kill_midway());
    assert!(killed, "no search could be killed before its end");
    let before = scratch.lines("part.jsonl");
    assert!((60..FITS).contains(&before), "{before}");

    scratch.ok(&format!("{TRAIN} -o part.pual --resume part.jsonl"));
    assert!(scratch.read("part.pual") == scratch.read("whole.pual"));
    // Nothing was fitted twice.
    assert_eq!(scratch.lines("part.jsonl"), 1 + FITS);
    // No half-written file is left.
    let files = std::fs::read_dir(&scratch.0).unwrap().count();
    assert_eq!(files, 5);
}

#[test]
fn a_line_without_its_end_is_dropped_and_a_foreign_log_refused() {
    let scratch = Scratch::new("torn");
    let train = "train train.csv --method pual --supports 16 --no-compress";
    scratch.ok(&format!("{train} -o m.pual --log log.jsonl"));
    let whole = scratch.read("log.jsonl");
    let model = scratch.read("m.pual");
    for length in [whole.len() - 1, whole.len() / 2, 20, 0] {
        std::fs::write(scratch.0.join("log.jsonl"), &whole[..length]).unwrap();
        scratch.ok(&format!("{train} -o m.pual --resume log.jsonl"));
        assert_eq!(scratch.read("log.jsonl").len(), whole.len(), "{length}");
        assert!(scratch.read("m.pual") == model);
    }
    scratch.fails(&format!("{train} -o m.pual --log log.jsonl"), &["log.jsonl exists", "--resume"]);
    scratch.fails(&format!("{train} -o m.pual --resume no.jsonl"), &["no.jsonl"]);
    for (other, what) in [("--seed 5", "the seed is 0 there and 5 here"), ("--scaling none", "checksum")] {
        let arguments = format!("{train} {other} -o m.pual --resume log.jsonl");
        scratch.fails(&arguments, &["another search", what]);
    }
    let arguments = "train train.csv --method pual --supports 8 --no-compress -o m.pual --resume log.jsonl";
    scratch.fails(arguments, &["the number of supports is 16 there and 8 here"]);
    std::fs::write(scratch.0.join("log.jsonl"), "{\"a\":1}\n").unwrap();
    scratch.fails(&format!("{train} -o m.pual --resume log.jsonl"), &["log.jsonl:1"]);
}

#[test]
fn a_log_of_one_method_serves_the_comparison_of_all() {
    let scratch = Scratch::new("auto");
    scratch.ok("train train.csv -o a.pual --method auto");
    scratch.ok("train train.csv -o pual.pual --method pual --log log.jsonl");
    let before = scratch.lines("log.jsonl");
    scratch.ok("train train.csv -o b.pual --method auto --resume log.jsonl");
    assert!(scratch.lines("log.jsonl") > 2 * before);
    assert!(scratch.read("a.pual") == scratch.read("b.pual"));
}

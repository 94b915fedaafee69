//! The log of a search: written as it goes, and good to go on from, whenever the search ended.

#[path = "cli/scratch.rs"]
mod scratch;

use scratch::Scratch;
use std::process::Stdio;
use std::time::Duration;

/// A directory with a training set.
fn scratch(test: &str) -> Scratch {
    let scratch = Scratch::new(test);
    scratch.quiet("synth cold-chain --rows 400 -o train.csv");
    scratch
}

impl Scratch {
    /// Kills a search once its log has 60 lines. False if it ended first.
    fn kill_midway(&self) -> bool {
        let _ = std::fs::remove_file(self.path("part.jsonl"));
        let _ = std::fs::remove_file(self.path("part.pual"));
        let arguments = format!("{TRAIN} -o part.pual --log part.jsonl --threads 1");
        let mut child = self.command(&arguments).stdout(Stdio::null()).spawn().unwrap();
        while self.lines("part.jsonl") < 60 && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        !self.path("part.pual").exists()
    }

    /// Succeeds without a word: progress is for terminals.
    #[track_caller]
    fn quiet(&self, arguments: &str) {
        let run = self.pual(arguments);
        run.ok();
        assert_eq!(run.stderr(), "");
    }

    fn lines(&self, name: &str) -> usize {
        std::fs::read_to_string(self.path(name)).map_or(0, |text| text.lines().count())
    }
}

const TRAIN: &str = "train train.csv --method pual --grid paper-real --repeats 1 --supports 32";
const FITS: usize = 9 * 9 * 5 * 4;

#[test]
fn a_search_that_was_killed_goes_on_to_the_same_model() {
    let scratch = scratch("kill");
    scratch.quiet(&format!("{TRAIN} -o whole.pual --log whole.jsonl"));
    assert_eq!(scratch.lines("whole.jsonl"), 1 + FITS);

    // On a busy machine a search may end before it is killed: then it is tried again.
    let killed = (0..20).any(|_| scratch.kill_midway());
    assert!(killed, "no search could be killed before its end");
    let before = scratch.lines("part.jsonl");
    assert!((60..FITS).contains(&before), "{before}");

    scratch.quiet(&format!("{TRAIN} -o part.pual --resume part.jsonl"));
    assert!(scratch.bytes("part.pual") == scratch.bytes("whole.pual"));
    // Nothing was fitted twice.
    assert_eq!(scratch.lines("part.jsonl"), 1 + FITS);
    // No half-written file is left.
    assert_eq!(scratch.files().len(), 5);
}

#[test]
fn a_line_without_its_end_is_dropped_and_a_foreign_log_refused() {
    let scratch = scratch("torn");
    let train = "train train.csv --method pual --supports 16 --no-compress";
    scratch.quiet(&format!("{train} -o m.pual --log log.jsonl"));
    let whole = scratch.bytes("log.jsonl");
    let model = scratch.bytes("m.pual");
    for length in [whole.len() - 1, whole.len() / 2, 20, 0] {
        std::fs::write(scratch.path("log.jsonl"), &whole[..length]).unwrap();
        scratch.quiet(&format!("{train} -o m.pual --resume log.jsonl"));
        assert_eq!(scratch.bytes("log.jsonl").len(), whole.len(), "{length}");
        assert!(scratch.bytes("m.pual") == model);
    }
    scratch.pual(&format!("{train} -o m.pual --log log.jsonl")).fails(1, &["log.jsonl exists", "--resume"]);
    scratch.pual(&format!("{train} -o m.pual --resume no.jsonl")).fails(1, &["no.jsonl"]);
    for (other, what) in [("--seed 5", "the seed is 0 there and 5 here"), ("--scaling none", "checksum")] {
        let arguments = format!("{train} {other} -o m.pual --resume log.jsonl");
        scratch.pual(&arguments).fails(1, &["another search", what]);
    }
    let arguments = "train train.csv --method pual --supports 8 --no-compress -o m.pual --resume log.jsonl";
    scratch.pual(arguments).fails(1, &["the number of supports is 16 there and 8 here"]);
    scratch.write("log.jsonl", "{\"a\":1}\n");
    scratch.pual(&format!("{train} -o m.pual --resume log.jsonl")).fails(1, &["log.jsonl:1"]);
}

#[test]
fn a_log_of_one_method_serves_the_comparison_of_all() {
    let scratch = scratch("auto");
    scratch.quiet("train train.csv -o a.pual --method auto");
    scratch.quiet("train train.csv -o pual.pual --method pual --log log.jsonl");
    let before = scratch.lines("log.jsonl");
    scratch.quiet("train train.csv -o b.pual --method auto --resume log.jsonl");
    // The other methods are tried on one shuffle, and go on only if they lead the ensemble.
    assert!(scratch.lines("log.jsonl") > before);
    assert!(scratch.bytes("a.pual") == scratch.bytes("b.pual"));
}

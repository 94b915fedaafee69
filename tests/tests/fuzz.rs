//! The fuzzers' targets without a fuzzer: the corpus, and changed copies of it, the same on every machine.

use pual_tests::fuzz::{Mutator, TARGETS, Target};
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

fn corpus(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let entries = std::fs::read_dir(&directory).expect("every target has a corpus");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let read = |path: PathBuf| (path.clone(), std::fs::read(path).unwrap());
    paths.into_iter().map(read).collect()
}

/// Runs a target; where it panics, says on what.
#[track_caller]
fn run(target: Target, input: &[u8], what: &str) {
    let ended = catch_unwind(|| (target.run)(input));
    assert!(ended.is_ok(), "{what}: {}", input.escape_ascii());
}

#[test]
fn the_corpus_is_small_and_harmless() {
    let mut bytes = 0;
    for target in TARGETS {
        for (path, input) in corpus(target.name) {
            bytes += input.len();
            run(target, &input, &path.display().to_string());
        }
    }
    assert!(bytes < 200_000, "{bytes} bytes");
}

#[test]
fn the_corpus_begins_with_what_the_product_writes() {
    for Target { name, seeds, .. } in TARGETS {
        let (corpus, seeds) = (corpus(name), seeds());
        assert!(!seeds.is_empty(), "{name}");
        for (file, input) in seeds {
            let found = corpus.iter().find(|(path, _)| path.ends_with(&file));
            // The last bits of a plan are the processor's: its matrix products may fuse, or not.
            let found = found.map(|(_, found)| found == &input || name == "bulk");
            assert_eq!(found, Some(true), "{name}/{file}: `cargo run -p pual-tests --bin fuzz_corpus`");
        }
    }
}

#[test]
fn changed_inputs_are_harmless() {
    std::thread::scope(|scope| {
        for target in TARGETS {
            scope.spawn(move || {
                let corpus: Vec<Vec<u8>> = corpus(target.name).into_iter().map(|seed| seed.1).collect();
                let mut mutator = Mutator::new(1);
                for _ in 0..target.changed {
                    run(target, &mutator.input(&corpus), target.name);
                }
            });
        }
    });
}

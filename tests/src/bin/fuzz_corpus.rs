//! Writes the seeds of the fuzzers' corpus to the directory that is named, `tests/fuzz/corpus` by default.

use pual_tests::fuzz::TARGETS;
use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus");
    let corpus = PathBuf::from(std::env::args().nth(1).unwrap_or(default.to_owned()));
    for target in TARGETS {
        let directory = corpus.join(target.name);
        std::fs::create_dir_all(&directory)?;
        for (name, input) in (target.seeds)() {
            std::fs::write(directory.join(name), input)?;
        }
    }
    Ok(())
}

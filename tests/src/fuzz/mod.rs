//! What the fuzzers run: one function per target, of bytes that anyone may have written. A function returns if all is well
//! and panics if not. `tests/fuzz` runs them under libFuzzer, `cargo test --test fuzz` on the corpus and changed copies
//! of it.

mod bulk;
mod checksum;
mod csv;
mod flash;
mod frames;
mod mutate;
mod recipe;
mod score;
mod seeds;
mod store;
mod update;

pub use bulk::bulk;
pub use csv::{csv, tuning_log};
pub use frames::frames;
pub use mutate::Mutator;
pub use recipe::recipe;
pub use score::score;
pub use seeds::Seed;
pub use store::store;
pub use update::update;

/// A target.
#[derive(Clone, Copy)]
pub struct Target {
    /// Its directory in the corpus.
    pub name: &'static str,
    /// What it runs.
    pub run: fn(&[u8]),
    /// Inputs to begin with.
    pub seeds: fn() -> Vec<Seed>,
    /// How many changed inputs `cargo test` tries: the slower the target, the fewer.
    pub changed: usize,
}

/// Every target.
pub const TARGETS: [Target; 8] = [
    Target { name: "score", run: score, seeds: seeds::score, changed: 400_000 },
    Target { name: "recipe", run: recipe, seeds: seeds::recipe, changed: 100_000 },
    Target { name: "frames", run: frames, seeds: seeds::frames, changed: 100_000 },
    Target { name: "csv", run: csv, seeds: seeds::csv, changed: 30_000 },
    Target { name: "tuning_log", run: tuning_log, seeds: seeds::tuning_log, changed: 100_000 },
    Target { name: "store", run: store, seeds: seeds::store, changed: 100_000 },
    Target { name: "bulk", run: bulk, seeds: seeds::bulk, changed: 30_000 },
    Target { name: "update", run: update, seeds: seeds::update, changed: 100_000 },
];

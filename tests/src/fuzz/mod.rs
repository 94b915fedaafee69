//! What the fuzzers run: one function a target, of bytes that anyone may have written. A function returns if all is well
//! and panics if not. `tests/fuzz` runs them under libFuzzer, `cargo test --test fuzz` on the corpus and changed copies
//! of it.

mod bulk;
mod checksum;
mod csv;
mod flash;
mod frames;
mod mutate;
mod score;
pub mod seeds;
mod store;
mod tuning_log;
mod update;

pub use bulk::bulk;
pub use csv::csv;
pub use frames::frames;
pub use mutate::Mutator;
pub use score::score;
pub use store::store;
pub use tuning_log::tuning_log;
pub use update::update;

/// A target: what its directory in the corpus is called, and what it runs.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const TARGETS: [Target; 7] = [
    ("score", score),
    ("frames", frames),
    ("csv", csv),
    ("tuning_log", tuning_log),
    ("store", store),
    ("bulk", bulk),
    ("update", update),
];

//! Synthetic data, experiments, shell completions, manual pages.

pub mod bench;
pub mod bench_biased;
pub mod completions;
pub mod man;
pub mod synth;

//! Synthetic data, experiments, shell completions, manual pages.

pub mod bench;
pub mod completions;
pub mod man;
pub mod synth;

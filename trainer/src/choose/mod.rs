//! Judging and choosing: metrics, options, settings, the search.

pub mod fitting;
pub mod metrics;
pub mod options;
pub mod settings;
pub mod tune;

//! Commands that learn: train, compare, compress, and training divided among machines.

pub mod accumulate;
pub mod compare;
pub mod compress;
pub mod merge;
pub mod plan;
pub mod train;

//! Not yet written.

pub mod csv;
pub mod dataset;
pub mod metrics;
pub mod random;
pub mod scale;
pub mod split;
pub mod synth;

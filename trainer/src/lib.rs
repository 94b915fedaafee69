//! Not yet written.

pub mod csv;
pub mod dataset;
mod dense;
pub mod device;
pub mod export;
pub mod features;
pub mod graph;
pub mod instances;
pub mod kernel;
pub mod learner;
pub mod metrics;
pub mod neighbours;
mod pivoted_cholesky;
pub mod random;
pub mod scale;
pub mod solver;
pub mod split;
pub mod synth;
pub mod train;

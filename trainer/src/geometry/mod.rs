//! Rows as points: kernels, neighbours, the graph, kernel features.

pub(crate) mod features;
pub(crate) mod graph;
pub(crate) mod instances;
pub(crate) mod interpolate;
pub(crate) mod kernel;
pub(crate) mod neighbours;
pub(crate) mod pivots;
mod tree;

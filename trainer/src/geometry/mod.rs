//! Rows as points: kernels, neighbours, the graph, kernel features.

pub mod features;
pub mod graph;
pub mod instances;
pub mod interpolate;
pub mod kernel;
pub mod neighbours;
pub mod pivots;
mod tree;

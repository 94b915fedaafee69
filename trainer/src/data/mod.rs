//! From files to checked rows: readers, data sets, scaling, splits, folds, synthetic rows.

pub mod csv;
pub mod dataset;
pub mod folds;
pub mod scale;
pub mod split;
pub mod synth;

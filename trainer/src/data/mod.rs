//! From files to checked rows: tables, data sets, scaling, splits, folds, synthetic rows.

pub mod dataset;
pub mod folds;
pub mod scale;
pub mod split;
pub mod synth;
pub mod table;
#[doc(hidden)]

//! From files to checked rows: tables, data sets, groups, scaling, splits, folds, synthetic rows.

pub(crate) mod dataset;
pub(crate) mod folds;
pub(crate) mod groups;
pub(crate) mod scale;
pub(crate) mod sequence;
pub(crate) mod split;
pub mod synth;
pub(crate) mod table;
pub(crate) mod units;

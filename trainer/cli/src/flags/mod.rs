//! Flags that several commands share.

pub mod data;
pub mod device;
pub mod explain;
pub mod many;
pub mod model;
pub mod size;
pub mod streams;
pub mod tuning;
pub mod values;

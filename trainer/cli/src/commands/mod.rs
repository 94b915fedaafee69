//! The commands, one file each: flags, work, output.

pub mod chips;
pub mod extras;
pub mod learning;
pub mod models;

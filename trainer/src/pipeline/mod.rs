//! Everything that 'pual train' does.

pub mod compare;
pub mod learn;
pub mod train;

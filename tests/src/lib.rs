//! What the whole-product tests share.

pub mod bits;
pub mod fuzz;
pub mod models;
pub mod power;
pub mod trained;

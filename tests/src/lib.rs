//! What the whole-product tests share.

pub mod bits;
pub mod fuzz;
#[cfg(unix)]
pub mod machine;
pub mod models;
pub mod power;
pub mod program;
pub mod trained;

/// The README's Rust, compiled.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;

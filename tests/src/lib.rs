//! What the whole-product tests share.

pub mod bits;
pub mod fuzz;
#[cfg(unix)]
pub mod machine;
pub mod models;
pub mod power;
pub mod program;
pub mod streams;
pub mod trained;

/// `unwrap` with a message for people: what is missing, and the command that installs it.
pub trait OrPanic<T> {
    /// The value.
    fn or_panic(self) -> T;
}

impl<T, E: std::fmt::Display> OrPanic<T> for Result<T, E> {
    #[track_caller]
    fn or_panic(self) -> T {
        match self {
            Ok(value) => value,
            Err(error) => panic!("{error}"),
        }
    }
}

/// The README's Rust, compiled.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;

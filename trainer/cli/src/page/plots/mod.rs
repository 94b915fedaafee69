//! The figures of the page, one per file. Each says at its top what it shows.

mod curve;
mod field;
mod plane;
mod trials;

pub mod approaches;
pub mod envelope;
pub mod heat;
pub mod importance;
pub mod map;
pub mod scores;
pub mod sizes;

pub use trials::{GridSearch, TrialOutcome};

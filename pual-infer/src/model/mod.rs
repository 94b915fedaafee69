//! Models in place: of f32, of integers, and whichever it is.

mod any;
mod buffer;
mod fixed;
mod float;

pub use any::Model;
pub use buffer::{BufferFull, ModelBuffer};
pub use fixed::FixedModel;
pub use float::{FloatModel, MAX_FEATURES_ON_STACK};

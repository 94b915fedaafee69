//! The bytes of a model: their layout, checksum and alignment.

mod aligned;
pub(crate) mod crc;
pub(crate) mod recipe;
pub(crate) mod wire;

pub use aligned::Aligned;

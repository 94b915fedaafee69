#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[cfg(target_endian = "big")]
compile_error!("models are read in place and are little-endian");

#[cfg(any(feature = "encode", test))]
extern crate alloc;

/// In a loop, keeps the compiler from unrolling it: it costs no instruction, and where speed does not matter a
/// device has better uses for its flash. Nothing depends on it but size.
#[inline(always)]
fn keep_rolled() {
    core::hint::black_box(());
}

mod aligned;
mod buffer;
mod check;
mod crc;
mod error;
mod exp;
mod model;
mod score;
mod window;
mod wire;

#[cfg(feature = "encode")]
mod encode;

pub use aligned::Aligned;
pub use buffer::{BufferFull, ModelBuffer};
#[cfg(feature = "encode")]
pub use encode::{EncodeError, ModelBytes, ModelSpec, SpecKernel, encode};
pub use error::{DecodeError, Field, ReadingError};
pub use exp::MAX_RELATIVE_ERROR;
pub use model::{Class, Envelope, MAX_FEATURES_ON_STACK, Model};
pub use window::Window;
pub use wire::{ALIGNMENT, Encoding, FORMAT_VERSION, Kernel, LANES, MAX_SCALED};

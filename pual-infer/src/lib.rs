#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]
#![deny(missing_docs, unreachable_pub)]

#[cfg(target_endian = "big")]
compile_error!("models are read in place and are little-endian");

#[cfg(any(feature = "encode", test))]
extern crate alloc;

/// Called in a loop, keeps the compiler from unrolling it, at no cost in instructions: where speed does not matter, flash
/// does. Only the code size depends on it.
#[inline(always)]
fn keep_rolled() {
    core::hint::black_box(());
}

mod alarm;
mod aligned;
mod buffer;
mod check;
mod check_fixed;
mod crc;
mod description;
mod error;
mod exp;
mod fixed;
mod fixed_sum;
mod float;
mod layout;
mod model;
mod quantise;
mod score;
mod verdict;
mod window;
mod wire;

#[cfg(feature = "encode")]
mod encode;
#[cfg(feature = "encode")]
mod encode_fixed;

#[cfg(feature = "signed")]
mod signed;
#[cfg(feature = "store")]
pub mod store;

pub use alarm::Alarm;
pub use aligned::Aligned;
pub use buffer::{BufferFull, ModelBuffer};
pub use description::Description;
#[cfg(feature = "encode")]
pub use encode::{EncodeError, ModelBytes, ModelSpec, SpecKernel, encode};
#[cfg(feature = "encode")]
pub use encode_fixed::{encode_fixed, quantised_supports};
pub use error::{DecodeError, Field, ReadingError};
pub use exp::MAX_RELATIVE_ERROR;
pub use fixed::FixedModel;
pub use fixed_sum::FIXED_EXP_ERROR;
pub use float::{FloatModel, MAX_FEATURES_ON_STACK};
pub use layout::Section;
pub use model::Model;
#[cfg(feature = "signed")]
pub use signed::{SIGNATURE_BYTES, SignatureError, SignedModel, signature_head, verify_signature};
pub use verdict::{Class, CountsVerdict, Envelope, Verdict};
pub use window::Window;
pub use wire::{ALIGNMENT, Encoding, FIXED_LANES, FORMAT_VERSION, Kernel, LANES, MAX_SCALED};

#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]
#![deny(missing_docs, unreachable_pub)]

#[cfg(target_endian = "big")]
compile_error!("models are read in place and are little-endian");

#[cfg(any(feature = "encode", test))]
extern crate alloc;

// The lowest first: a module uses only those above it, and tests/tests/house checks it.
mod rolled;

mod error;

mod format;

#[macro_use]
mod read;

mod score;

mod model;

mod stream;

#[cfg(feature = "encode")]
mod encode;

#[cfg(feature = "signed")]
mod signed;

#[cfg(feature = "store")]
pub mod store;

#[cfg(feature = "encode")]
pub use encode::{
    ChannelSpec, EncodeError, MagnitudeSpec, ModelBytes, ModelSpec, RecipeBytes, RecipeSpec, SpecKernel, encode,
    encode_fixed, quantised_supports, with_recipe, with_threshold,
};
pub use error::{DecodeError, Field, ReadingError, RecipeField, SampleError, StreamError};
pub use format::Aligned;
pub use format::recipe::{Chart, Feature, FeatureKind, Input};
pub use format::wire::{ALIGNMENT, Encoding, FIXED_LANES, FORMAT_VERSION, Kernel, LANES, MAX_SCALED, RECIPE_VERSION};
pub use model::{BufferFull, FixedModel, FloatModel, MAX_FEATURES_ON_STACK, Model, ModelBuffer};
pub use read::description::Description;
pub use read::layout::Section;
pub use read::recipe::{AlarmRule, DriftRule, Recipe};
pub use read::verdict::{Class, CountsVerdict, Envelope, Verdict};
pub use score::exp::MAX_RELATIVE_ERROR;
pub use score::fixed_sum::FIXED_EXP_ERROR;
#[cfg(feature = "signed")]
pub use signed::{SIGNATURE_BYTES, SignatureError, SignedModel, signature_head, verify_signature};
pub use stream::{Alarm, Debounce, Drift, Judge, Sample, Stream, StreamVerdict, Window, Windows};

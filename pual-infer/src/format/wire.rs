//! The bytes of a model, format versions 1 and 2. FORMAT.md is the specification; this file and `layout.rs` implement its sizes and
//! offsets for the decoder, the encoder and tools.

use crate::error::DecodeError;
#[cfg(any(feature = "encode", test))]
use serde::{Deserialize, Serialize};

/// The version of models without a recipe. [`Model::decode`](crate::Model::decode) reads it and [`RECIPE_VERSION`].
pub const FORMAT_VERSION: u8 = 1;

/// The version of models with a recipe for streams of samples.
pub const RECIPE_VERSION: u8 = 2;

/// A model's address must be divisible by this, so that f32 can be read in place.
pub const ALIGNMENT: usize = 4;

/// Instances per block. Within a block they are stored feature by feature and scored together.
pub const LANES: usize = 8;

/// As [`LANES`], for the integer encodings: a Cortex-M0 has registers for four.
pub const FIXED_LANES: usize = 4;

/// Largest magnitude of a scaled reading, of a support instance's feature, of a coefficient and of the bias: 2^30.
///
/// Readings beyond it are clamped. So every squared distance stays below 2^16 (2^31)^2 and every sum, with at most
/// 2^16 instances, below 2^16 2^30 2^76: all far below f32's limit of 2^128. Where a reading is clamped, its distance
/// to every sensible instance makes the kernel 0 anyway.
pub const MAX_SCALED: f32 = 1_073_741_824.0;

pub(crate) const MAGIC: [u8; 4] = *b"PUAL";
pub(crate) const CHECKSUM_BYTES: usize = 4;
/// Offset of the model's length in the header.
#[cfg(any(feature = "signed", feature = "encode"))]
pub(crate) const LENGTH_OFFSET: usize = 12;
/// Offset of the threshold in the header.
#[cfg(feature = "encode")]
pub(crate) const THRESHOLD_OFFSET: usize = 20;
/// Offset of the version in the header.
#[cfg(feature = "encode")]
pub(crate) const VERSION_OFFSET: usize = 4;
/// Offset of the encoding in the header.
pub(crate) const ENCODING_OFFSET: usize = 6;

/// Which function of reading and support instance is summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Kernel {
    /// exp(-|x - s|^2 / (2 bandwidth^2)).
    Rbf,
    /// The inner product of x and s.
    Linear,
}

/// How numbers are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Encoding {
    /// Everything as f32: a [`FloatModel`](crate::FloatModel).
    F32,
    /// Support instances and coefficients as i16: a [`FixedModel`](crate::FixedModel).
    I16,
    /// Support instances as i8, coefficients as i16: a [`FixedModel`](crate::FixedModel).
    I8,
}

impl Kernel {
    /// `rbf` or `linear`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Rbf => "rbf",
            Self::Linear => "linear",
        }
    }

    #[cfg(feature = "encode")]
    pub(crate) fn tag(self) -> u8 {
        match self {
            Self::Rbf => 0,
            Self::Linear => 1,
        }
    }

    pub(crate) fn from_tag(tag: u8) -> Result<Self, DecodeError> {
        match tag {
            0 => Ok(Self::Rbf),
            1 => Ok(Self::Linear),
            other => Err(DecodeError::Kernel(other)),
        }
    }
}

impl Encoding {
    /// `f32`, `i16` or `i8`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::I16 => "i16",
            Self::I8 => "i8",
        }
    }

    #[cfg(feature = "encode")]
    pub(crate) fn tag(self) -> u8 {
        match self {
            Self::F32 => 0,
            Self::I16 => 1,
            Self::I8 => 2,
        }
    }

    pub(crate) fn from_tag(tag: u8) -> Result<Self, DecodeError> {
        match tag {
            0 => Ok(Self::F32),
            1 => Ok(Self::I16),
            2 => Ok(Self::I8),
            other => Err(DecodeError::Encoding(other)),
        }
    }
}

/// Flag bit: the model carries the training envelope.
pub(crate) const HAS_ENVELOPE: u8 = 1;
/// Flag bit: the model carries feature names.
pub(crate) const HAS_NAMES: u8 = 2;

/// The header as the encoder writes it, in postcard's wire format. Integers wider than a byte are fixed-width, so that
/// all headers have the same length.
#[cfg(any(feature = "encode", test))]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Header {
    pub magic: [u8; 4],
    pub version: u8,
    pub kernel: u8,
    pub encoding: u8,
    pub flags: u8,
    #[serde(with = "postcard::fixint::le")]
    pub features: u16,
    #[serde(with = "postcard::fixint::le")]
    pub supports: u16,
    /// Bytes of the whole model, header and checksum included.
    #[serde(with = "postcard::fixint::le")]
    pub length: u32,
    pub bias: f32,
    pub threshold: f32,
    /// In units of the trainer's scaled features; 0 for the linear kernel. For information only: the scales contain it.
    pub bandwidth: f32,
}

/// The header, read in place. (Postcard's deserialiser would take 400 bytes more of flash; a test compares the two.)
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head<'a>(&'a [u32; Head::WORDS]);

impl<'a> Head<'a> {
    const WORDS: usize = 7;
    pub(crate) const BYTES: usize = 4 * Self::WORDS;

    pub(crate) fn new(words: &'a [u32]) -> Result<Self, DecodeError> {
        words.first_chunk().map(Self).ok_or(DecodeError::Truncated)
    }

    pub(crate) fn magic(self) -> [u8; 4] {
        self.0[0].to_le_bytes()
    }

    pub(crate) fn version(self) -> u8 {
        self.0[1] as u8
    }

    pub(crate) fn kernel(self) -> u8 {
        (self.0[1] >> 8) as u8
    }

    pub(crate) fn encoding(self) -> u8 {
        (self.0[1] >> 16) as u8
    }

    pub(crate) fn flags(self) -> u8 {
        (self.0[1] >> 24) as u8
    }

    pub(crate) fn has(self, flag: u8) -> bool {
        self.flags() & flag != 0
    }

    pub(crate) fn features(self) -> u16 {
        self.0[2] as u16
    }

    pub(crate) fn supports(self) -> u16 {
        (self.0[2] >> 16) as u16
    }

    /// Bytes of the whole model, header and checksum included.
    pub(crate) fn length(self) -> usize {
        self.0[3] as usize
    }

    /// The bits of bias, threshold and bandwidth.
    pub(crate) fn numbers(self) -> &'a [u32] {
        self.0.split_at(4).1
    }

    pub(crate) fn bias_bits(self) -> u32 {
        self.0[4]
    }

    pub(crate) fn threshold_bits(self) -> u32 {
        self.0[5]
    }

    pub(crate) fn bandwidth(self) -> f32 {
        f32::from_bits(self.0[6])
    }
}

/// What an integer model has between its header and its tables: one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FixedUnits {
    /// A squared distance, shifted right by this many bits, is the kernel's exponent with 15 fractional bits.
    pub distance_shift: u8,
    /// A coefficient is its integer times 2^-coefficient_shift.
    pub coefficient_shift: u8,
    /// Largest magnitude of a quantised reading and of a support instance's feature.
    pub limit: u16,
}

/// Fractional bits of an integer kernel.
pub(crate) const KERNEL_BITS: u8 = 14;

impl FixedUnits {
    pub(crate) const BYTES: usize = 4;
    pub(crate) const MAX_COEFFICIENT_SHIFT: u8 = 40;
    pub(crate) const MAX_DISTANCE_SHIFT: u8 = 16;
    /// i8 support values are shifted left by at most this many bits.
    pub(crate) const MAX_SUPPORT_SHIFT: u8 = 8;
    /// Bias and threshold, in units of a sum, lie below 2 to this power, as does every sum of 2^16 products, so that
    /// nothing overflows 64 bits.
    const SUM_BITS: u8 = 45;

    pub(crate) fn read(word: u32) -> Self {
        Self { distance_shift: word as u8, coefficient_shift: (word >> 8) as u8, limit: (word >> 16) as u16 }
    }

    #[cfg(feature = "encode")]
    pub(crate) fn write(self) -> [u8; 4] {
        let [low, high] = self.limit.to_le_bytes();
        [self.distance_shift, self.coefficient_shift, low, high]
    }

    /// Fractional bits of a sum of coefficients times kernels.
    pub(crate) fn sum_shift(self) -> u8 {
        KERNEL_BITS + self.coefficient_shift
    }

    /// Is everything in range, and do sums have room for a bias and a threshold with these bits?
    pub(crate) fn are_possible(self, features: u16, bias: u32, threshold: u32) -> bool {
        // An f32 with this exponent field lies below 2^(field - 126).
        let field = |bits: u32| (bits >> 23) & 0xFF;
        let largest = field(bias).max(field(threshold));
        (1..=Self::MAX_DISTANCE_SHIFT).contains(&self.distance_shift)
            && self.coefficient_shift <= Self::MAX_COEFFICIENT_SHIFT
            && largest + u32::from(self.sum_shift()) <= 126 + u32::from(Self::SUM_BITS)
            && Self::distances_fit(self.limit, features)
    }

    /// Do all squared distances of that many features fit 32 bits, and all readings 16?
    pub(crate) fn distances_fit(limit: u16, features: u16) -> bool {
        let widest = 2 * u32::from(limit & 0x7FFF);
        limit <= 0x7FFF && { widest * widest }.checked_mul(features.into()).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_is_postcard() {
        let header = Header {
            magic: MAGIC,
            version: FORMAT_VERSION,
            kernel: 1,
            encoding: 2,
            flags: 3,
            features: 0x0405,
            supports: 0x0607,
            length: 0x0809_0A0B,
            bias: 1.5,
            threshold: -2.5,
            bandwidth: 3.5,
        };
        let mut words = [0; Head::WORDS];
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
        let written = postcard::to_slice(&header, bytes).unwrap().len();
        assert_eq!(written, Head::BYTES);
        assert_eq!(postcard::from_bytes::<Header>(bytes), Ok(header));
        let head = Head::new(&words).unwrap();
        let read = Header {
            magic: head.magic(),
            version: head.version(),
            kernel: head.kernel(),
            encoding: head.encoding(),
            flags: head.flags(),
            features: head.features(),
            supports: head.supports(),
            length: head.length() as u32,
            bias: f32::from_bits(head.bias_bits()),
            threshold: f32::from_bits(head.threshold_bits()),
            bandwidth: head.bandwidth(),
        };
        assert_eq!(read, header);
    }
}

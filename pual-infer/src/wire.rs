//! The bytes of a model, format version 1. FORMAT.md beside this crate is the specification; this file is its
//! only implementation of sizes and offsets, shared by the decoder and the encoder.

use crate::error::DecodeError;
#[cfg(any(feature = "encode", test))]
use serde::{Deserialize, Serialize};

/// The version that [`Model::decode`](crate::Model::decode) reads and `encode` writes.
pub const FORMAT_VERSION: u8 = 1;

/// Models must start at an address divisible by this, so that f32 can be read in place.
pub const ALIGNMENT: usize = 4;

/// Support instances are stored in blocks of this many, feature by feature: the instances of a block are scored
/// side by side.
pub const LANES: usize = 8;

/// As [`LANES`], for the integer encodings: a Cortex-M0 has registers for four.
pub const FIXED_LANES: usize = 4;

/// Largest magnitude of a scaled reading, of a support instance's feature, of a coefficient and of the bias: 2^30.
///
/// Readings beyond it are clamped. So every squared distance stays below 2^16 (2^31)^2 and every sum, with at most
/// 2^16 instances, below 2^16 2^30 2^76: all far from f32's end at 2^128. Where a reading is clamped, its distance
/// to every sensible instance makes the kernel 0 anyway.
pub const MAX_SCALED: f32 = 1_073_741_824.0;

pub(crate) const MAGIC: [u8; 4] = *b"PUAL";
pub(crate) const CHECKSUM_BYTES: usize = 4;

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
    /// Everything as f32: a [`Model`](crate::Model).
    F32,
    /// Support instances and coefficients as i16: a [`FixedModel`](crate::FixedModel).
    I16,
    /// Support instances as i8, coefficients as i16: a [`FixedModel`](crate::FixedModel).
    I8,
}

impl Kernel {
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

/// The first [`Header::BYTES`] bytes, in postcard's wire format; integers wider than a byte are fixed-width, so
/// that the header has one length and every header one spelling.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(any(feature = "encode", test), derive(Serialize, Deserialize))]
pub(crate) struct Header {
    pub magic: [u8; 4],
    pub version: u8,
    pub kernel: u8,
    pub encoding: u8,
    pub flags: u8,
    #[cfg_attr(any(feature = "encode", test), serde(with = "postcard::fixint::le"))]
    pub features: u16,
    #[cfg_attr(any(feature = "encode", test), serde(with = "postcard::fixint::le"))]
    pub supports: u16,
    /// Bytes of the whole model, header and checksum included.
    #[cfg_attr(any(feature = "encode", test), serde(with = "postcard::fixint::le"))]
    pub length: u32,
    pub bias: f32,
    pub threshold: f32,
    /// In units of the trainer's scaled features; 0 for the linear kernel. For people: the scales contain it.
    pub bandwidth: f32,
}

impl Header {
    pub const BYTES: usize = 28;
    /// Where its f32 begin.
    pub const NUMBERS: usize = 16;

    /// Reads the header. Postcard's deserialiser would do the same in 400 bytes of flash more; a test holds the
    /// two together.
    pub fn read(bytes: &[u8; Self::BYTES]) -> Self {
        let u32_at = |at: usize| {
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        Self {
            magic: [bytes[0], bytes[1], bytes[2], bytes[3]],
            version: bytes[4],
            kernel: bytes[5],
            encoding: bytes[6],
            flags: bytes[7],
            features: u16::from_le_bytes([bytes[8], bytes[9]]),
            supports: u16::from_le_bytes([bytes[10], bytes[11]]),
            length: u32_at(12),
            bias: f32::from_bits(u32_at(16)),
            threshold: f32::from_bits(u32_at(20)),
            bandwidth: f32::from_bits(u32_at(24)),
        }
    }

    pub fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// Numbers of the per-feature tables: offset and scale, and minimum and maximum if there is an envelope.
    pub fn tables(&self) -> usize {
        usize::from(self.features) * if self.has(HAS_ENVELOPE) { 4 } else { 2 }
    }

    /// Bytes from the header's three f32 to the end of the last support instance of an f32 model, all of them f32.
    /// `None` if the counts overflow the address space.
    pub fn payload(&self, kernel: Kernel) -> Option<usize> {
        let instances = match kernel {
            Kernel::Rbf => usize::from(self.supports).div_ceil(LANES) * LANES,
            Kernel::Linear => usize::from(self.supports),
        };
        // Of each instance: its coefficient and its features.
        instances
            .checked_mul(usize::from(self.features) + 1)?
            .checked_add(3 + self.tables())?
            .checked_mul(4)
    }

    /// Support instances of an integer model, those that fill its last block included.
    pub fn fixed_instances(&self) -> usize {
        usize::from(self.supports).div_ceil(FIXED_LANES) * FIXED_LANES
    }
}

/// What an integer model has between its header and its tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FixedUnits {
    /// A squared distance, shifted right by this many bits, is the kernel's exponent with 15 fractional bits.
    pub distance_shift: u8,
    /// A coefficient is its integer times 2^-coefficient_shift.
    pub coefficient_shift: i8,
    /// Largest magnitude of a quantised reading and of a support instance's feature.
    pub limit: u16,
}

impl FixedUnits {
    pub const BYTES: usize = 4;
    pub const COEFFICIENT_SHIFTS: core::ops::RangeInclusive<i8> = -15..=40;
    pub const MAX_DISTANCE_SHIFT: u8 = 16;
    /// i8 support values are shifted left by at most this many bits.
    pub const MAX_SUPPORT_SHIFT: u8 = 8;

    pub fn read(bytes: &[u8; Self::BYTES]) -> Self {
        Self {
            distance_shift: bytes[0],
            coefficient_shift: bytes[1] as i8,
            limit: u16::from_le_bytes([bytes[2], bytes[3]]),
        }
    }

    #[cfg(feature = "encode")]
    pub fn write(self) -> [u8; Self::BYTES] {
        let [low, high] = self.limit.to_le_bytes();
        [self.distance_shift, self.coefficient_shift as u8, low, high]
    }

    /// Do all squared distances of that many features fit 32 bits?
    pub fn distances_fit(limit: u16, features: u16) -> bool {
        let widest = 2 * u64::from(limit);
        widest * widest * u64::from(features) <= u64::from(u32::MAX)
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
        let mut bytes = [0; Header::BYTES];
        let written = postcard::to_slice(&header, &mut bytes).unwrap().len();
        assert_eq!(written, Header::BYTES);
        assert_eq!(postcard::from_bytes::<Header>(&bytes), Ok(header));
        assert_eq!(Header::read(&bytes), header);
    }
}

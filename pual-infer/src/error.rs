//! What can be wrong with a model, and what can be wrong with a reading.

use core::fmt;

/// The part of a model that is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Field {
    /// The per-feature scales: they must be positive.
    Scale,
    /// The training envelope: no minimum may exceed its maximum.
    Envelope,
    /// Coefficients, support instances and bias: at most [`MAX_SCALED`](crate::MAX_SCALED) in magnitude.
    Expansion,
}

/// Why bytes were refused as a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum DecodeError {
    /// Fewer bytes than a header, or than the header says.
    Truncated,
    /// The bytes do not begin with `PUAL`: erased flash, or something else.
    NotAModel,
    /// A format version that this reader does not know.
    Version(u8),
    /// A kernel that this reader does not know, or that the encoding does not support.
    Kernel(u8),
    /// An encoding that this reader does not know, or that another type of model reads: [`Model`](crate::Model) reads
    /// every one.
    Encoding(u8),
    /// Flag bits that this reader does not know.
    Flags(u8),
    /// The model has no features.
    NoFeatures,
    /// The model has no support instances.
    NoSupports,
    /// The length in the header does not match its counts.
    Length,
    /// The checksum does not match the bytes.
    Checksum,
    /// Something other than erased flash (0xFF) follows the model.
    TrailingBytes,
    /// The bytes do not start at an address divisible by four.
    Misaligned,
    /// A number is NaN or infinite.
    NotFinite,
    /// A number is finite, but outside what the format allows there.
    OutOfRange(Field),
    /// The feature names do not fill their section.
    Names,
}

/// Why a reading was not scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ReadingError {
    /// The reading does not have as many features as the model.
    WrongLength {
        /// Features of the model.
        expected: usize,
        /// Features of the reading.
        found: usize,
    },
    /// A feature is NaN or infinite.
    NotFinite {
        /// Its index.
        feature: usize,
    },
    /// The model has more features than the scratch space has room for.
    ScratchTooSmall {
        /// How many f32 are needed: see [`Model::judge_with_scratch`](crate::Model::judge_with_scratch).
        needed: usize,
    },
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Scale => "a scale",
            Self::Envelope => "the envelope",
            Self::Expansion => "a coefficient, support instance or bias",
        })
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated => f.write_str("the model is truncated"),
            Self::NotAModel => f.write_str("not a model: it does not begin with \"PUAL\""),
            Self::Version(v) => write!(f, "model format version {v} is not known"),
            Self::Kernel(k) => write!(f, "kernel {k} is not known"),
            Self::Encoding(0) => f.write_str("an f32 model: decode it with Model or FloatModel"),
            Self::Encoding(1) => f.write_str("an integer model (i16): decode it with Model or FixedModel"),
            Self::Encoding(2) => f.write_str("an integer model (i8): decode it with Model or FixedModel"),
            Self::Encoding(e) => write!(f, "encoding {e} is not known"),
            Self::Flags(b) => write!(f, "flags {b:#04x} are not known"),
            Self::NoFeatures => f.write_str("the model has no features"),
            Self::NoSupports => f.write_str("the model has no support instances"),
            Self::Length => f.write_str("the model's length does not match its counts"),
            Self::Checksum => f.write_str("the model's checksum is wrong"),
            Self::TrailingBytes => f.write_str("something other than erased flash follows the model"),
            Self::Misaligned => f.write_str("the model does not start at an address divisible by 4"),
            Self::NotFinite => f.write_str("a number in the model is NaN or infinite"),
            Self::OutOfRange(field) => write!(f, "{field} is out of range"),
            Self::Names => f.write_str("the feature names are damaged"),
        }
    }
}

impl fmt::Display for ReadingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongLength { expected, found } => {
                write!(f, "the model takes {expected} features, the reading has {found}")
            }
            Self::NotFinite { feature } => write!(f, "feature {feature} is NaN or infinite"),
            Self::ScratchTooSmall { needed } => {
                write!(f, "scratch space for {needed} features is needed")
            }
        }
    }
}

impl core::error::Error for DecodeError {}
impl core::error::Error for ReadingError {}

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
    /// The recipe of a model of format version 2 is wrong.
    Recipe(RecipeField),
}

/// The part of a recipe that is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum RecipeField {
    /// Fewer bytes than its counts say.
    Length,
    /// A kind of input that this reader does not know.
    Input,
    /// The number of raw channels: 1 to 32.
    Channels,
    /// The number of magnitudes: at most 32.
    Magnitudes,
    /// The number of blocks: 1 to 64.
    Blocks,
    /// The hop: 1 to 32,767 samples.
    Hop,
    /// The window: at most 32,768 samples.
    Window,
    /// The rate: a positive number.
    Rate,
    /// The alarm: k of n windows, 1 <= k <= n <= 32; off after at least one.
    Alarm,
    /// A limit of the drift flag: at most 2^30.
    Drift,
    /// The number of features is not the model's.
    Features,
    /// A byte that must be zero is not.
    Reserved,
    /// A channel's exponent: -60 to 60.
    Exponent,
    /// A channel's shift for moments: 0 to 8.
    MomentShift,
    /// A channel's offset: below 2^40 steps.
    Offset,
    /// A magnitude's channels: raw ones, with offset 0 and the magnitude's exponent.
    Mask,
    /// A kind of feature that this reader does not know.
    Kind,
    /// A feature of a channel that there is not.
    FeatureChannel,
    /// A relative feature without a baseline.
    Relative,
    /// A band whose bins are out of order, or not in the lower half of a block's bins; or blocks too long for bands.
    Band,
    /// The recipe has bands, and this firmware was built without the cargo feature `bands`.
    BandsNotBuilt,
    /// The channels' names do not fill the rest, or the padding before the recipe is not zero.
    Names,
}

/// Why a sample was not taken. The windows are unchanged: the caller may push another sample in its place, or call `gap`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum SampleError {
    /// The sample does not have a value for each raw channel.
    WrongLength {
        /// Raw channels of the recipe.
        expected: usize,
        /// Values of the sample.
        found: usize,
    },
    /// A value is NaN or infinite.
    NotFinite {
        /// Its channel.
        channel: usize,
    },
    /// The slice for the features is not as long as the recipe has features.
    Features {
        /// How many there are.
        needed: usize,
    },
    /// The model did not score the window.
    Unscored(ReadingError),
}

/// Why a stream or windows cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum StreamError {
    /// The model has no recipe: it takes readings, not samples.
    NoRecipe,
    /// The model's recipe is wrong.
    Recipe(RecipeField),
    /// `CHANNELS` is too small.
    Channels {
        /// Raw channels and magnitudes of the recipe.
        needed: usize,
    },
    /// `BLOCKS` is too small.
    Blocks {
        /// Blocks of the recipe.
        needed: usize,
    },
    /// `WORDS` is too small, with the stream's `CHANNELS` and `BLOCKS`.
    Words {
        /// Words needed.
        needed: usize,
    },
    /// Less memory than the recipe needs.
    Memory {
        /// Words of four bytes that are needed.
        needed: usize,
    },
    /// More features than [`MAX_FEATURES_ON_STACK`](crate::MAX_FEATURES_ON_STACK).
    Features {
        /// Features of the model.
        found: usize,
    },
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
            Self::Recipe(field) => write!(f, "the model's recipe is wrong: {field}"),
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

impl fmt::Display for RecipeField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Length => "it is shorter than its counts say",
            Self::Input => "unknown input",
            Self::Channels => "channels: 1 to 32",
            Self::Magnitudes => "magnitudes: at most 32",
            Self::Blocks => "blocks: 1 to 64",
            Self::Hop => "hop: 1 to 32,767 samples",
            Self::Window => "window: at most 32,768 samples",
            Self::Rate => "rate: a positive number",
            Self::Alarm => "alarm: k of n windows with 1 <= k <= n <= 32, off after at least 1",
            Self::Drift => "drift: limits of at most 2^30",
            Self::Features => "its features are not the model's",
            Self::Reserved => "a reserved byte is not zero",
            Self::Exponent => "exponent: -60 to 60",
            Self::MomentShift => "shift for moments: at most 8",
            Self::Offset => "offset: below 2^40 steps",
            Self::Mask => "magnitude: of raw channels with offset 0 and one exponent",
            Self::Kind => "unknown feature",
            Self::FeatureChannel => "a feature of a channel that does not exist",
            Self::Relative => "a relative feature without a baseline",
            Self::Band => "band: bins in order, in the lower half of a block of at most 512 samples",
            Self::BandsNotBuilt => "it has frequency bands, and this program was built without the feature `bands`",
            Self::Names => "the channels' names are damaged",
        })
    }
}

impl fmt::Display for SampleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongLength { expected, found } => {
                write!(f, "the recipe takes {expected} channels, the sample has {found}")
            }
            Self::NotFinite { channel } => write!(f, "channel {channel} is NaN or infinite"),
            Self::Features { needed } => write!(f, "room for {needed} features is needed"),
            Self::Unscored(error) => error.fmt(f),
        }
    }
}

impl fmt::Display for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRecipe => f.write_str("the model has no recipe for samples: it takes feature rows"),
            Self::Recipe(field) => write!(f, "the model's recipe is wrong: {field}"),
            Self::Channels { needed } => write!(f, "CHANNELS = {needed} is needed"),
            Self::Blocks { needed } => write!(f, "BLOCKS = {needed} is needed"),
            Self::Words { needed } => write!(f, "WORDS = {needed} is needed"),
            Self::Memory { needed } => write!(f, "memory of {needed} words is needed"),
            Self::Features { found } => write!(f, "{found} features are more than a stream's model may have"),
        }
    }
}

impl core::error::Error for DecodeError {}
impl core::error::Error for RecipeField {}
impl core::error::Error for SampleError {}
impl core::error::Error for StreamError {}
impl core::error::Error for ReadingError {}

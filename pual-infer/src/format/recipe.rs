//! The bytes of a recipe, which models of format version 2 have behind their names: FORMAT.md has the tables.
//!
//! A fixed head of 12 words, two words per channel (raw channels, then magnitudes), one word per feature, then the raw
//! channels' names. The section is aligned to 4 bytes, so that words are read in place.

use crate::error::RecipeField;
#[cfg(any(feature = "encode", test))]
use serde::{Deserialize, Serialize};

/// Words of the head.
pub(crate) const HEAD_WORDS: usize = 12;
/// Words per channel.
pub(crate) const CHANNEL_WORDS: usize = 2;
/// Raw channels and magnitudes each.
pub(crate) const MAX_CHANNELS: usize = 32;
pub(crate) const MAX_BLOCKS: usize = 64;
/// Samples of a window: with 16 bits each, sums of squares stay far below 2^64 and sums below 2^31.
pub(crate) const MAX_WINDOW: u32 = 32_768;
pub(crate) const MAX_EXPONENT: i32 = 60;
/// An offset is below this power of two, in steps: see `stream/features.rs`.
pub(crate) const OFFSET_BITS: i32 = 40;
pub(crate) const MAX_MOMENT_SHIFT: u8 = 8;
/// Verdicts that an alarm looks back.
pub(crate) const MAX_HISTORY: u8 = 32;
/// Blocks with bands are at most this long, so that the integers of a band's filter do not overflow.
pub(crate) const MAX_BAND_BLOCK: u16 = 512;
/// Limits of the drift flag, far below 2^31: adding 16 bits to them does not overflow.
pub(crate) const MAX_DRIFT_LIMIT: u32 = 1 << 30;
/// Longest name.
#[cfg(feature = "encode")]
pub(crate) const MAX_NAME: usize = 255;
/// 1.5 * 2^23: adding it rounds a number below 2^22 to the nearest integer, which then stands in the lowest bits.
pub(crate) const ROUND: f32 = 12_582_912.0;
/// Flag in a feature's kind.
pub(crate) const RELATIVE: u8 = 0x80;

/// What the trainer's samples were. For information: a device may push either kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "encode", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "encode", serde(rename_all = "lowercase"))]
pub enum Input {
    /// Integers of 16 bits: `push(&[i16])`.
    Counts,
    /// Values in the channels' units: `push(&[f32])`.
    Units,
}

/// What is computed of a channel's window. FORMAT.md has the formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "encode", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "encode", serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum FeatureKind {
    /// The mean.
    Mean,
    /// The standard deviation, with the number of samples below it.
    Sd,
    /// The square root of the mean square.
    Rms,
    /// The smallest sample.
    Min,
    /// The largest sample.
    Max,
    /// The largest minus the smallest.
    P2p,
    /// The least-squares slope, per sample.
    Slope,
    /// How often the samples cross the mean of the last window.
    Crossings,
    /// The largest deviation from the mean, in standard deviations.
    Crest,
    /// The third standardised moment.
    Skewness,
    /// The fourth standardised moment: 3 for a normal distribution.
    Kurtosis,
    /// The mean magnitude of the difference of neighbouring samples.
    Diff,
    /// The root mean square of what lies in a band of frequencies: bins `first` to `last` of a block's Fourier transform, bin
    /// b being the frequency b * rate / hop. Blocks of at most 512 samples. Needs the cargo feature `bands`.
    Band {
        /// The lowest bin, at least 1.
        first: u8,
        /// The highest bin, below half of the block's samples.
        last: u8,
    },
}

/// Kinds are numbered below this.
pub(crate) const KINDS: u8 = 13;

impl FeatureKind {
    /// `mean`, `sd`, `rms`, `min`, `max`, `p2p`, `slope`, `crossings`, `crest`, `skewness`, `kurtosis`, `diff` or `band`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::Sd => "sd",
            Self::Rms => "rms",
            Self::Min => "min",
            Self::Max => "max",
            Self::P2p => "p2p",
            Self::Slope => "slope",
            Self::Crossings => "crossings",
            Self::Crest => "crest",
            Self::Skewness => "skewness",
            Self::Kurtosis => "kurtosis",
            Self::Diff => "diff",
            Self::Band { .. } => "band",
        }
    }

    #[cfg(any(feature = "encode", test))]
    pub(crate) fn tag(self) -> u8 {
        match self {
            Self::Mean => 0,
            Self::Sd => 1,
            Self::Rms => 2,
            Self::Min => 3,
            Self::Max => 4,
            Self::P2p => 5,
            Self::Slope => 6,
            Self::Crossings => 7,
            Self::Crest => 8,
            Self::Skewness => 9,
            Self::Kurtosis => 10,
            Self::Diff => 11,
            Self::Band { .. } => 12,
        }
    }
}

/// One feature of a recipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "encode", derive(Serialize, Deserialize))]
pub struct Feature {
    /// What is computed.
    pub kind: FeatureKind,
    /// Of which channel: raw channels first, then magnitudes.
    pub channel: u8,
    /// Minus the mean of the same feature over the first windows after the start?
    pub relative: bool,
}

impl Feature {
    pub(crate) fn read(word: u32) -> Self {
        let [tag, channel, first, last] = word.to_le_bytes();
        let kind = match tag & !RELATIVE {
            0 => FeatureKind::Mean,
            1 => FeatureKind::Sd,
            2 => FeatureKind::Rms,
            3 => FeatureKind::Min,
            4 => FeatureKind::Max,
            5 => FeatureKind::P2p,
            6 => FeatureKind::Slope,
            7 => FeatureKind::Crossings,
            8 => FeatureKind::Crest,
            9 => FeatureKind::Skewness,
            10 => FeatureKind::Kurtosis,
            11 => FeatureKind::Diff,
            _ => FeatureKind::Band { first, last }, // decoding accepts no other
        };
        Self { kind, channel, relative: tag & RELATIVE != 0 }
    }

    #[cfg(any(feature = "encode", test))]
    pub(crate) fn write(self) -> [u8; 4] {
        let (first, last) = match self.kind {
            FeatureKind::Band { first, last } => (first, last),
            _ => (0, 0),
        };
        let relative = if self.relative { RELATIVE } else { 0 };
        [self.kind.tag() | relative, self.channel, first, last]
    }
}

/// The head as the encoder writes it, in postcard's wire format, all of it fixed-width.
#[cfg(any(feature = "encode", test))]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct HeadFields {
    pub input: u8,
    pub channels: u8,
    pub magnitudes: u8,
    pub blocks: u8,
    #[serde(with = "postcard::fixint::le")]
    pub hop: u16,
    #[serde(with = "postcard::fixint::le")]
    pub baseline: u16,
    pub rate: f32,
    pub alarm: [u8; 4],
    #[serde(with = "postcard::fixint::le")]
    pub features: u16,
    #[serde(with = "postcard::fixint::le")]
    pub reserved: u16,
    #[serde(with = "postcard::fixint::le")]
    pub outside_share: u16,
    #[serde(with = "postcard::fixint::le")]
    pub positive_share: u16,
    pub charts: [ChartFields; 3],
}

/// One of the drift flag's charts, in postcard's wire format.
#[cfg(any(feature = "encode", test))]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ChartFields {
    #[serde(with = "postcard::fixint::le")]
    pub hit: i16,
    #[serde(with = "postcard::fixint::le")]
    pub miss: i16,
    #[serde(with = "postcard::fixint::le")]
    pub limit: u32,
}

/// A channel, in postcard's wire format. The first word is a raw channel's offset or a magnitude's mask.
#[cfg(any(feature = "encode", test))]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ChannelFields {
    #[serde(with = "postcard::fixint::le")]
    pub first: u32,
    pub exponent: i8,
    pub moment_shift: u8,
    #[serde(with = "postcard::fixint::le")]
    pub moment_centre: i16,
}

/// One of the drift flag's charts: see [`Drift`](crate::Drift).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "encode", derive(Serialize, Deserialize))]
pub struct Chart {
    /// Added for a window that is outside the envelope, or positive.
    pub hit: i16,
    /// Added for any other window. The sum stays at 0 or above.
    pub miss: i16,
    /// The flag is raised when the sum reaches this; 0: never.
    pub limit: u32,
}

/// The head, read in place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecipeHead<'a>(pub &'a [u32; HEAD_WORDS]);

impl RecipeHead<'_> {
    pub(crate) fn input(self) -> u8 {
        self.0[0] as u8
    }

    pub(crate) fn channels(self) -> u8 {
        (self.0[0] >> 8) as u8
    }

    pub(crate) fn magnitudes(self) -> u8 {
        (self.0[0] >> 16) as u8
    }

    pub(crate) fn blocks(self) -> u8 {
        (self.0[0] >> 24) as u8
    }

    pub(crate) fn hop(self) -> u16 {
        self.0[1] as u16
    }

    pub(crate) fn baseline(self) -> u16 {
        (self.0[1] >> 16) as u16
    }

    pub(crate) fn rate_bits(self) -> u32 {
        self.0[2]
    }

    /// n, k, m and a reserved byte.
    pub(crate) fn alarm(self) -> [u8; 4] {
        self.0[3].to_le_bytes()
    }

    pub(crate) fn features(self) -> u16 {
        self.0[4] as u16
    }

    pub(crate) fn reserved(self) -> u16 {
        (self.0[4] >> 16) as u16
    }

    pub(crate) fn outside_share(self) -> u16 {
        self.0[5] as u16
    }

    pub(crate) fn positive_share(self) -> u16 {
        (self.0[5] >> 16) as u16
    }

    /// Outside; positive, upward; positive, downward.
    pub(crate) fn charts(self) -> [Chart; 3] {
        let [.., a, b, c, d, e, f] = *self.0;
        let chart = |steps: u32, limit| Chart { hit: steps as i16, miss: (steps >> 16) as i16, limit };
        [chart(a, b), chart(c, d), chart(e, f)]
    }
}

/// The two words of a channel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChannelWords(pub [u32; CHANNEL_WORDS]);

impl ChannelWords {
    /// A raw channel's offset as bits, or a magnitude's mask.
    pub(crate) fn first(self) -> u32 {
        self.0[0]
    }

    pub(crate) fn exponent(self) -> i32 {
        (self.0[1] as i8).into()
    }

    pub(crate) fn moment_shift(self) -> u8 {
        (self.0[1] >> 8) as u8
    }

    pub(crate) fn moment_centre(self) -> i16 {
        (self.0[1] >> 16) as i16
    }
}

/// 2^exponent, for exponents that a recipe may have.
pub(crate) fn power_of_two(exponent: i32) -> f32 {
    f32::from_bits((exponent.wrapping_add(127).clamp(1, 254) as u32) << 23)
}

/// As `Err`, unless `holds`.
pub(crate) fn ensure(holds: bool, field: RecipeField) -> Result<(), RecipeField> {
    if holds { Ok(()) } else { Err(field) }
}

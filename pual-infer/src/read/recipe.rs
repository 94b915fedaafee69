//! A recipe in place: how samples become windows, features, alarms and a drift flag.

use crate::format::recipe::{
    CHANNEL_WORDS, ChannelWords, Chart, Feature, FeatureKind, HEAD_WORDS, Input, RecipeHead, power_of_two,
};
use crate::read::check::next_name;
use crate::rolled::keep_rolled;

/// How raw samples become features and verdicts become alarms: part of a model of format version 2, borrowed from its bytes.
/// Everything in it has been checked.
#[derive(Clone, Copy, Debug)]
pub struct Recipe<'a> {
    head: RecipeHead<'a>,
    /// Channels, then features.
    tables: &'a [u32],
    names: &'a [u8],
}

/// How many windows switch the alarm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "encode", derive(serde::Serialize, serde::Deserialize))]
pub struct AlarmRule {
    /// On when at least this many...
    pub on: u8,
    /// ... of this many last windows are positive, at most 32.
    pub of: u8,
    /// Off after this many negative windows in a row.
    pub off: u8,
}

/// The numbers of the drift flag: see [`Drift`](crate::Drift).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "encode", derive(serde::Serialize, serde::Deserialize))]
pub struct DriftRule {
    /// The share of training's windows outside the envelope that was expected, in 1/65,535.
    pub outside_share: u16,
    /// The share of training's windows that are called positive, in 1/65,535.
    pub positive_share: u16,
    /// Detects that more windows are outside the envelope.
    pub outside: Chart,
    /// Detects that more windows are positive.
    pub more_positive: Chart,
    /// Detects that fewer are: its `hit` is negative.
    pub less_positive: Chart,
}

/// A channel of a recipe.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Channel {
    /// Of raw channels; 0 for magnitudes.
    pub offset: f32,
    pub exponent: i32,
    /// Which raw channels a magnitude is made of; 0 for a raw channel.
    pub mask: u32,
    pub moment_shift: u8,
    pub moment_centre: i16,
}

impl Channel {
    pub(crate) fn step(self) -> f32 {
        power_of_two(self.exponent)
    }

    pub(crate) fn steps_per_unit(self) -> f32 {
        power_of_two(-self.exponent)
    }
}

impl<'a> Recipe<'a> {
    /// The head of a recipe. It is not checked here.
    pub(crate) fn head_of(bytes: &'a [u8]) -> Option<RecipeHead<'a>> {
        let head: &[u32] = bytemuck::try_cast_slice(bytes.get(..4 * HEAD_WORDS)?).ok()?;
        Some(RecipeHead(head.first_chunk()?))
    }

    /// The parts of a recipe. They are not checked here.
    pub(crate) fn split(bytes: &'a [u8]) -> Option<Self> {
        let head = Self::head_of(bytes)?;
        let channels = usize::from(head.channels()) + usize::from(head.magnitudes());
        let words = CHANNEL_WORDS * channels + usize::from(head.features());
        let (tables, names) = bytes.get(4 * HEAD_WORDS..)?.split_at_checked(4 * words)?;
        Some(Self { head, tables: bytemuck::try_cast_slice(tables).ok()?, names })
    }

    pub(crate) fn names(&self) -> &'a [u8] {
        self.names
    }

    /// Whether the samples that the model was trained on were counts or values in units.
    #[must_use]
    pub fn input(&self) -> Input {
        if self.head.input() == 0 { Input::Counts } else { Input::Units }
    }

    /// Values of a sample.
    #[must_use]
    pub fn raw_channels(&self) -> usize {
        self.head.channels().into()
    }

    /// Raw channels and magnitudes.
    #[must_use]
    pub fn channels(&self) -> usize {
        self.raw_channels() + usize::from(self.head.magnitudes())
    }

    /// The name of a raw channel, its unit included.
    #[must_use]
    pub fn name(&self, channel: usize) -> Option<&'a str> {
        let mut rest = self.names;
        for _ in 0..channel {
            rest = next_name(rest)?.1;
        }
        core::str::from_utf8(next_name(rest)?.0).ok()
    }

    /// A bit for each raw channel that a magnitude is made of; none for raw channels.
    #[must_use]
    pub fn magnitude_of(&self, channel: usize) -> Option<u32> {
        let mask = self.channel(channel)?.mask;
        (mask != 0).then_some(mask)
    }

    /// The value of 0 of a channel's integers.
    #[must_use]
    pub fn offset(&self, channel: usize) -> Option<f32> {
        Some(self.channel(channel)?.offset)
    }

    /// What 1 of a channel's integers is worth: a power of two. value = integer * step + offset.
    #[must_use]
    pub fn step(&self, channel: usize) -> Option<f32> {
        Some(self.channel(channel)?.step())
    }

    /// Samples from one window to the next.
    #[must_use]
    pub fn hop(&self) -> usize {
        self.head.hop().into()
    }

    /// Blocks of a hop's length in a window.
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.head.blocks().into()
    }

    /// Samples of a window: [`hop`](Self::hop) times [`blocks`](Self::blocks).
    #[must_use]
    pub fn window(&self) -> usize {
        self.hop() * self.blocks()
    }

    /// Samples per second.
    #[must_use]
    pub fn rate(&self) -> f32 {
        f32::from_bits(self.head.rate_bits())
    }

    /// Windows after the start that relative features are compared with. While they last there is no verdict.
    #[must_use]
    pub fn baseline(&self) -> usize {
        self.head.baseline().into()
    }

    /// How many windows switch the alarm.
    #[must_use]
    pub fn alarm(&self) -> AlarmRule {
        let [of, on, off, _] = self.head.alarm();
        AlarmRule { on, of, off }
    }

    /// What raises the drift flag.
    #[must_use]
    pub fn drift(&self) -> DriftRule {
        let [outside, more_positive, less_positive] = self.head.charts();
        DriftRule {
            outside_share: self.head.outside_share(),
            positive_share: self.head.positive_share(),
            outside,
            more_positive,
            less_positive,
        }
    }

    /// Number of features: the model's.
    #[must_use]
    pub fn features(&self) -> usize {
        self.head.features().into()
    }

    /// A feature, in the order in which the model takes them.
    #[must_use]
    pub fn feature(&self, index: usize) -> Option<Feature> {
        self.feature_words().get(index).copied().map(Feature::read)
    }

    /// The windows' memory in words of four bytes.
    #[must_use]
    pub fn memory(&self) -> usize {
        Needs::new(self).memory
    }

    /// The least `WORDS` of a [`Stream`](crate::Stream) whose `CHANNELS` and `BLOCKS` are this recipe's.
    #[must_use]
    pub fn words(&self) -> usize {
        let mut words = 0;
        // Without a division, which would be one that may panic.
        while words * self.channels() * self.blocks() < self.memory() {
            words += 1;
        }
        words
    }

    #[inline(never)] // one copy
    pub(crate) fn channel(&self, index: usize) -> Option<Channel> {
        if index >= self.channels() {
            return None;
        }
        let words = ChannelWords(*self.tables.get(CHANNEL_WORDS * index..)?.first_chunk()?);
        let (offset, mask) =
            if index < self.raw_channels() { (f32::from_bits(words.first()), 0) } else { (0.0, words.first()) };
        Some(Channel {
            offset,
            mask,
            exponent: words.exponent(),
            moment_shift: words.moment_shift(),
            moment_centre: words.moment_centre(),
        })
    }

    /// Bands of the channel that has most.
    #[inline(never)]
    pub(crate) fn most_bands(&self) -> usize {
        let (mut most, mut count) = (0, BandCount::default());
        for (index, word) in self.feature_words().iter().enumerate() {
            let feature = Feature::read(*word);
            if matches!(feature.kind, FeatureKind::Band { .. }) {
                most = most.max(1 + count.before(self, index, feature.channel));
            }
            keep_rolled();
        }
        most
    }

    pub(crate) fn feature_words(&self) -> &'a [u32] {
        self.tables.get(CHANNEL_WORDS * self.channels()..).unwrap_or_default()
    }
}

/// Numbers the bands of each channel, quickly if the features are in the order of channels.
#[derive(Default)]
pub(crate) struct BandCount {
    channel: u8,
    bands: usize,
}

impl BandCount {
    /// How many bands of its channel come before feature `index`, the next band.
    pub(crate) fn before(&mut self, recipe: &Recipe<'_>, index: usize, channel: u8) -> usize {
        if channel != self.channel {
            *self = Self { channel, bands: 0 };
            for word in recipe.feature_words().iter().take(index) {
                let other = Feature::read(*word);
                self.bands += usize::from(other.channel == channel && matches!(other.kind, FeatureKind::Band { .. }));
                keep_rolled();
            }
        }
        self.bands += 1;
        self.bands - 1
    }
}

/// What a recipe's features need of memory, and where it lies: see `stream/windows.rs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Needs {
    /// Bits: see the constants.
    pub groups: u8,
    /// Words per channel and block.
    pub words: usize,
    /// The last of these: one per band.
    pub bands: usize,
    /// Where the features begin: behind the ring, traces, samples and the table of bins.
    pub features: usize,
    /// All words.
    pub memory: usize,
}

impl Needs {
    pub(crate) const RAMP: u8 = 1;
    pub(crate) const CROSSINGS: u8 = 2;
    pub(crate) const DIFFERENCES: u8 = 4;
    /// These look back at the sample before.
    pub(crate) const TRACED: u8 = Self::CROSSINGS | Self::DIFFERENCES;
    pub(crate) const MOMENTS: u8 = 8;
    /// Blocks whose ramp takes two words.
    pub(crate) const WIDE: u8 = 16;
    pub(crate) const BANDS: u8 = 32;
    /// A part of the common words, but not added to if there is no need.
    pub(crate) const EXTREMES: u8 = 64;
    /// Words of sum, squares and extremes.
    pub(crate) const COMMON: usize = 4;
    /// Blocks up to this length have sums k q of 32 bits.
    const NARROW_HOP: usize = 256;

    #[inline(never)]
    pub(crate) fn new(recipe: &Recipe<'_>) -> Self {
        let (mut groups, mut bins) = (0, 0);
        for &word in recipe.feature_words() {
            let feature = Feature::read(word);
            groups |= match feature.kind {
                FeatureKind::Slope if recipe.hop() > Self::NARROW_HOP => Self::RAMP | Self::WIDE,
                FeatureKind::Slope => Self::RAMP,
                FeatureKind::Min | FeatureKind::Max | FeatureKind::P2p | FeatureKind::Crest => Self::EXTREMES,
                FeatureKind::Crossings => Self::CROSSINGS,
                FeatureKind::Diff => Self::DIFFERENCES,
                FeatureKind::Skewness | FeatureKind::Kurtosis => Self::MOMENTS,
                FeatureKind::Band { first, last } if cfg!(feature = "bands") => {
                    bins += 1 + usize::from(last) - usize::from(first);
                    Self::BANDS
                }
                _ => 0,
            };
            keep_rolled();
        }
        let has = |group: u8| usize::from(groups & group != 0);
        let bands = if cfg!(feature = "bands") && groups & Self::BANDS != 0 { recipe.most_bands() } else { 0 };
        let words = Self::COMMON
            + has(Self::CROSSINGS)
            + has(Self::DIFFERENCES)
            + has(Self::RAMP)
            + has(Self::WIDE)
            + 7 * has(Self::MOMENTS)
            + bands;
        let channels = recipe.channels();
        let buffer = recipe.hop().div_ceil(2) * has(Self::BANDS);
        let traces = has(Self::TRACED);
        let features = channels * (recipe.blocks() * words + traces + buffer) + bins;
        let baseline = if recipe.baseline() == 0 { 0 } else { recipe.features() };
        Self { groups, words, bands, features, memory: features + recipe.features() + baseline }
    }
}

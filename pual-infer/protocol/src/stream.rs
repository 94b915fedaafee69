//! Raw samples in, verdicts of windows out.
//!
//! The host sends batches of samples, numbered 0 to 255 and then from 0 again. A batch ends at the latest with the sample that completes a
//! window: [`StreamAnswer::taken`] says how many samples were taken, and the host sends the rest in the next batch. A batch with the
//! number of the one before is not pushed again; its answer is repeated. So a frame that was lost on the line can be sent
//! again, and no sample counts twice.

use crate::{Counts, Reading};
use pual_infer::{Class, Envelope, StreamVerdict};
use serde::{Deserialize, Serialize};

/// A batch of samples, all channels of the first sample, then of the second, ...
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Samples {
    /// One more than the batch before, 0 after 255. Any number if the batch [restarts](Self::restart) the stream.
    pub number: u8,
    /// Forget everything first: a new recording.
    pub restart: bool,
    /// Samples were lost before this batch.
    pub gap: bool,
    /// The samples: as many values as channels, or a multiple of that.
    pub values: SampleValues,
}

/// The values of a batch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum SampleValues {
    /// Counts of an analog-to-digital converter.
    Counts(Counts),
    /// Raw units.
    Units(Reading),
}

/// Answer to a batch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StreamAnswer {
    /// The batch's number.
    pub number: u8,
    /// Samples that were taken.
    pub taken: u8,
    /// Cost of the samples that completed no window, together, in [`Hello::cost_unit`](crate::Hello::cost_unit).
    pub samples_cost: u32,
    /// The window that the last of them completed.
    pub window: Option<WindowVerdict>,
}

/// A completed window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WindowVerdict {
    /// The features. Their bits must be identical to the host's, as the score's must.
    pub features: Reading,
    /// The score.
    pub score: f32,
    /// See [`POSITIVE`], [`OUTSIDE`], [`ALARM`], [`DRIFT`].
    pub flags: u8,
    /// Cost of the sample that completed the window: features, score, alarm.
    pub cost: u32,
}

impl WindowVerdict {
    /// Of what a stream says. `None` if there are more features than a frame has room for.
    #[must_use]
    pub fn new(features: &[f32], verdict: &StreamVerdict, cost: u32) -> Option<Self> {
        let flag = |holds: bool, flag: u8| if holds { flag } else { 0 };
        let flags = flag(verdict.class == Class::Positive, POSITIVE)
            | flag(matches!(verdict.envelope, Envelope::Outside { .. }), OUTSIDE)
            | flag(verdict.alarm, ALARM)
            | flag(verdict.drift, DRIFT);
        Some(Self { features: Reading::from_slice(features).ok()?, score: verdict.score, flags, cost })
    }

    /// Does this flag hold?
    #[must_use]
    pub fn is(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// The same features, score and flags, to the bit?
    #[must_use]
    pub fn equals(&self, other: &Self) -> bool {
        let bits = |features: &Reading| -> heapless::Vec<u32, { crate::MAX_FEATURES }> {
            features.iter().copied().map(f32::to_bits).collect()
        };
        self.flags == other.flags
            && self.score.to_bits() == other.score.to_bits()
            && bits(&self.features) == bits(&other.features)
    }
}

/// Flag of a [`WindowVerdict`]: the score is above the model's threshold.
pub const POSITIVE: u8 = 1;
/// Flag of a [`WindowVerdict`]: the features lie outside the range of the training data.
pub const OUTSIDE: u8 = 2;
/// Flag of a [`WindowVerdict`]: the alarm is on.
pub const ALARM: u8 = 4;
/// Flag of a [`WindowVerdict`]: the stream has drifted away from the training data.
pub const DRIFT: u8 = 8;

/// Does the device's model take samples?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StreamSupport {
    /// The model has no recipe: it scores readings.
    NoRecipe,
    /// It has one, and the firmware runs it.
    Ready {
        /// Channels of a sample.
        channels: u8,
    },
    /// It has one that needs more than the firmware has room for.
    TooLarge(StreamLimit),
}

/// What a recipe needs, and how much of it the firmware has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamLimit {
    /// Of what.
    pub what: LimitKind,
    /// What the recipe needs.
    pub needed: u16,
    /// What the firmware has.
    pub room: u16,
}

/// What a firmware's streams have limits of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LimitKind {
    /// Channels, those that are computed from others included.
    Channels,
    /// Blocks per window.
    Blocks,
    /// Words per block and channel.
    Words,
    /// Features of a window.
    Features,
}

/// Why a batch was refused. Nothing of it was pushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SamplesRefused {
    /// The model has no recipe, or needs more than the firmware has: see [`StreamSupport`].
    NoStream,
    /// Not a whole number of samples.
    Length,
    /// A NaN or an infinity, in this channel.
    NotFinite {
        /// Counted from 0.
        channel: u8,
    },
    /// The batch before did not arrive, or the device has restarted since.
    OutOfStep,
}

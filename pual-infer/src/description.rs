//! What every model tells about itself, however its numbers are stored.

use crate::check;
use crate::error::ReadingError;
use crate::wire::{Encoding, Head, Kernel};

/// The answer of [`Model::classify`](crate::Model::classify).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Class {
    /// The score is at or below the threshold.
    Negative,
    /// The score is above the threshold.
    Positive,
}

impl Class {
    pub(crate) fn positive_if(positive: bool) -> Self {
        if positive {
            Self::Positive
        } else {
            Self::Negative
        }
    }
}

/// The answer of [`Model::envelope`](crate::Model::envelope): was the reading within what the model was trained on?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Envelope {
    /// Every feature lies between the training data's smallest and largest value.
    Inside,
    /// This feature, and perhaps later ones, lies outside: the score is an extrapolation.
    Outside {
        /// Index of the first feature outside.
        feature: usize,
    },
    /// The model carries no envelope.
    Unknown,
}

/// What a [`Model`](crate::Model) and a [`FixedModel`](crate::FixedModel) have in common; both dereference to it.
#[derive(Clone, Copy, Debug)]
pub struct Description<'a> {
    pub(crate) head: Head<'a>,
    pub(crate) offsets: &'a [f32],
    pub(crate) scales: &'a [f32],
    pub(crate) names: &'a [u8],
    pub(crate) checksum: u32,
}

impl<'a> Description<'a> {
    /// Errors unless a reading has as many features as the model.
    #[inline(always)]
    pub(crate) fn check_length(&self, found: usize) -> Result<(), ReadingError> {
        let expected = self.features();
        if found == expected {
            Ok(())
        } else {
            Err(ReadingError::WrongLength { expected, found })
        }
    }

    /// The class that goes with a score.
    #[must_use]
    pub fn class_of(&self, score: f32) -> Class {
        Class::positive_if(score > self.threshold())
    }

    /// How many features a reading has.
    #[must_use]
    pub fn features(&self) -> usize {
        self.offsets.len()
    }

    /// How many support instances the model has (without those that only fill its last block).
    #[must_use]
    pub fn supports(&self) -> usize {
        usize::from(self.head.supports())
    }

    /// The kernel.
    #[must_use]
    pub fn kernel(&self) -> Kernel {
        match self.head.kernel() {
            0 => Kernel::Rbf,
            _ => Kernel::Linear, // decoding knows no third
        }
    }

    /// How its numbers are stored.
    #[must_use]
    pub fn encoding(&self) -> Encoding {
        match self.head.encoding() {
            0 => Encoding::F32,
            1 => Encoding::I16,
            _ => Encoding::I8, // decoding knows no fourth
        }
    }

    /// beta_0.
    #[must_use]
    pub fn bias(&self) -> f32 {
        f32::from_bits(self.head.bias_bits())
    }

    /// Scores above this are positive.
    #[must_use]
    pub fn threshold(&self) -> f32 {
        f32::from_bits(self.head.threshold_bits())
    }

    /// The RBF kernel's bandwidth in units of the trainer's scaled features; 0 for the linear kernel.
    #[must_use]
    pub fn bandwidth(&self) -> f32 {
        self.head.bandwidth()
    }

    /// What is subtracted from each raw feature.
    #[must_use]
    pub fn offsets(&self) -> &'a [f32] {
        self.offsets
    }

    /// What each feature is then multiplied with. For the RBF kernel this contains the bandwidth, and in a
    /// [`FixedModel`](crate::FixedModel) the unit of its integers: see FORMAT.md.
    #[must_use]
    pub fn scales(&self) -> &'a [f32] {
        self.scales
    }

    /// The name of a feature, if the model carries names (and this one is UTF-8, which the encoder ensures).
    #[must_use]
    pub fn name(&self, feature: usize) -> Option<&'a str> {
        let mut rest = self.names;
        for _ in 0..feature {
            rest = check::next_name(rest)?.1;
        }
        core::str::from_utf8(check::next_name(rest)?.0).ok()
    }

    /// Bytes of the whole model, header and checksum included.
    #[must_use]
    pub fn length(&self) -> usize {
        self.head.length()
    }

    /// The model's CRC-32: tells one model from another.
    #[must_use]
    pub fn checksum(&self) -> u32 {
        self.checksum
    }
}

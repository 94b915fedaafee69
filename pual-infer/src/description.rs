//! What every model tells about itself, however its numbers are stored.

use crate::check;
use crate::error::ReadingError;
use crate::wire::{Encoding, Kernel};

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

/// The answer of [`Description::envelope`]: was the reading within what the model was trained on?
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
    pub(crate) kernel: Kernel,
    pub(crate) encoding: Encoding,
    pub(crate) offsets: &'a [f32],
    pub(crate) scales: &'a [f32],
    /// Minima, then maxima; empty without an envelope.
    pub(crate) envelope: &'a [f32],
    pub(crate) names: &'a [u8],
    pub(crate) checksum: u32,
    pub(crate) length: u32,
    pub(crate) supports: u16,
    pub(crate) bias: f32,
    pub(crate) threshold: f32,
    pub(crate) bandwidth: f32,
}

impl<'a> Description<'a> {
    pub(crate) const NONE: Self = Self {
        kernel: Kernel::Rbf,
        encoding: Encoding::F32,
        offsets: &[],
        scales: &[],
        envelope: &[],
        names: &[],
        checksum: 0,
        length: 0,
        supports: 0,
        bias: 0.0,
        threshold: 0.0,
        bandwidth: 0.0,
    };

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
        Class::positive_if(score > self.threshold)
    }

    /// Does the reading lie within the range that the model was trained on? A NaN lies outside.
    ///
    /// # Errors
    /// A reading of another length.
    pub fn envelope(&self, reading: &[f32]) -> Result<Envelope, ReadingError> {
        self.check_length(reading.len())?;
        let Some((minima, maxima)) = self.envelope_bounds() else {
            return Ok(Envelope::Unknown);
        };
        let outside = reading
            .iter()
            .zip(minima.iter().zip(maxima))
            .position(|(x, (minimum, maximum))| !(minimum <= x && x <= maximum));
        Ok(outside.map_or(Envelope::Inside, |feature| Envelope::Outside { feature }))
    }

    /// Smallest and largest training value of each feature, in raw units.
    #[must_use]
    pub fn envelope_bounds(&self) -> Option<(&'a [f32], &'a [f32])> {
        if self.envelope.is_empty() {
            None
        } else {
            self.envelope.split_at_checked(self.features())
        }
    }

    /// How many features a reading has.
    #[must_use]
    pub fn features(&self) -> usize {
        self.offsets.len()
    }

    /// How many support instances the model has (without those that only fill its last block).
    #[must_use]
    pub fn supports(&self) -> usize {
        usize::from(self.supports)
    }

    /// The kernel.
    #[must_use]
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// How its numbers are stored.
    #[must_use]
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// beta_0.
    #[must_use]
    pub fn bias(&self) -> f32 {
        self.bias
    }

    /// Scores above this are positive.
    #[must_use]
    pub fn threshold(&self) -> f32 {
        self.threshold
    }

    /// The RBF kernel's bandwidth in units of the trainer's scaled features; 0 for the linear kernel.
    #[must_use]
    pub fn bandwidth(&self) -> f32 {
        self.bandwidth
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
        self.length as usize
    }

    /// The model's CRC-32: tells one model from another.
    #[must_use]
    pub fn checksum(&self) -> u32 {
        self.checksum
    }
}

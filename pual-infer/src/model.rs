//! A model in place: [`Model::decode`] performs every check once, everything after it is arithmetic.

use crate::check;
use crate::description::{Class, Description, Envelope};
use crate::error::{DecodeError, ReadingError};
use crate::score;
use crate::wire::{Kernel, LANES};
use core::ops::Deref;

/// Models with up to this many features are scored without scratch space from the caller.
pub const MAX_FEATURES_ON_STACK: usize = 64;

/// A trained classifier, borrowed from its bytes (in flash, usually).
#[derive(Clone, Copy, Debug)]
pub struct Model<'a> {
    about: Description<'a>,
    /// Minima, then maxima; empty without an envelope.
    envelope: &'a [f32],
    expansion: &'a [f32],
}

impl<'a> Deref for Model<'a> {
    type Target = Description<'a>;

    fn deref(&self) -> &Description<'a> {
        &self.about
    }
}

impl<'a> Model<'a> {
    /// Reads a model in place. `bytes` must start at an address divisible by [`ALIGNMENT`](crate::ALIGNMENT) and
    /// may be longer than the model if the rest is erased flash (0xFF).
    ///
    /// # Errors
    /// Whatever is wrong with the bytes: length, version, checksum, alignment, a number that is not finite.
    #[inline(never)] // one copy of it, whatever the caller's optimiser thinks
    pub fn decode(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        let (about, envelope, expansion) = check::float(bytes)?;
        Ok(Self {
            about,
            envelope,
            expansion,
        })
    }

    /// The score of a reading in raw units; positive means above the threshold.
    ///
    /// # Errors
    /// A reading of another length, or with a NaN or an infinity in it, or a model with more than
    /// [`MAX_FEATURES_ON_STACK`] features (then use [`score_with_scratch`](Self::score_with_scratch)).
    #[inline(never)] // one copy of it, whatever the caller's optimiser thinks
    pub fn score(&self, reading: &[f32]) -> Result<f32, ReadingError> {
        let mut scaled = heapless::Vec::<f32, MAX_FEATURES_ON_STACK>::new();
        for z in self.scaled(reading)? {
            if scaled.push(z?).is_err() {
                return Err(ReadingError::ScratchTooSmall {
                    needed: self.features(),
                });
            }
        }
        Ok(self.sum(&scaled, true))
    }

    /// As [`score`](Self::score), for any number of features: `scratch` holds at least as many f32.
    ///
    /// # Errors
    /// As [`score`](Self::score), or scratch space that is too small.
    #[inline(never)]
    pub fn score_with_scratch(
        &self,
        reading: &[f32],
        scratch: &mut [f32],
    ) -> Result<f32, ReadingError> {
        let needed = self.features();
        let scratch = scratch
            .get_mut(..needed)
            .ok_or(ReadingError::ScratchTooSmall { needed })?;
        for (place, z) in scratch.iter_mut().zip(self.scaled(reading)?) {
            *place = z?;
        }
        Ok(self.sum(scratch, true))
    }

    /// As [`score`](Self::score), with the number of features known at compile time: a little faster, less stack.
    ///
    /// The loop is compiled in the calling crate: build that with `opt-level = 3` too.
    ///
    /// # Errors
    /// As [`score`](Self::score).
    pub fn score_array<const D: usize>(&self, reading: &[f32; D]) -> Result<f32, ReadingError> {
        let mut scaled = [0.0; D];
        for (place, z) in scaled.iter_mut().zip(self.scaled(reading)?) {
            *place = z?;
        }
        Ok(self.sum(&scaled, false))
    }

    /// As [`score_array`](Self::score_array), for a vector of nalgebra's.
    ///
    /// # Errors
    /// As [`score`](Self::score).
    #[cfg(feature = "nalgebra")]
    pub fn score_vector<const D: usize>(
        &self,
        reading: &nalgebra::SVector<f32, D>,
    ) -> Result<f32, ReadingError> {
        let [column] = &reading.data.0;
        self.score_array(column)
    }

    /// The reading in the units of the support instances, if it has the right length.
    #[inline(always)]
    fn scaled(
        &self,
        reading: &[f32],
    ) -> Result<impl Iterator<Item = Result<f32, ReadingError>>, ReadingError> {
        self.check_length(reading.len())?;
        Ok(score::scaled(
            reading,
            self.about.offsets,
            self.about.scales,
        ))
    }

    #[inline(always)]
    fn sum(&self, scaled: &[f32], rolled: bool) -> f32 {
        let expansion = self.expansion;
        match self.kernel() {
            Kernel::Rbf => score::rbf(scaled, expansion.as_chunks().0, self.bias(), rolled),
            Kernel::Linear => score::linear(scaled, expansion, self.bias()),
        }
    }

    /// The class of a reading: is its score above the threshold?
    ///
    /// # Errors
    /// As [`score`](Self::score).
    pub fn classify(&self, reading: &[f32]) -> Result<Class, ReadingError> {
        self.score(reading).map(|score| self.class_of(score))
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

    /// Coefficient (Omega) of support instance `index`.
    #[must_use]
    pub fn coefficient(&self, index: usize) -> Option<f32> {
        self.expansion_number(index, 0)
    }

    /// Feature `feature` of support instance `index`, scaled: the raw value is `s / scale + offset`.
    #[must_use]
    pub fn support(&self, index: usize, feature: usize) -> Option<f32> {
        if feature >= self.features() {
            return None;
        }
        self.expansion_number(index, feature + 1)
    }

    fn expansion_number(&self, index: usize, row: usize) -> Option<f32> {
        if index >= self.supports() {
            return None;
        }
        let stride = self.features() + 1;
        let at = match self.kernel() {
            Kernel::Rbf => (index / LANES * stride + row) * LANES + index % LANES,
            Kernel::Linear => index * stride + row,
        };
        self.expansion.get(at).copied()
    }
}

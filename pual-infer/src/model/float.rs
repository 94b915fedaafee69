//! Models of f32, read in place: [`FloatModel::decode`] checks everything once, what follows is arithmetic.

use crate::error::{DecodeError, ReadingError};
use crate::format::wire::{Kernel, LANES};
use crate::read::check;
use crate::read::description::Description;
use crate::read::verdict::{Class, Envelope, Verdict};
use crate::score::float_sum;

/// Models with up to this many features need no scratch space from the caller.
pub const MAX_FEATURES_ON_STACK: usize = 64;

/// A model of f32, borrowed from its bytes (usually in flash).
#[derive(Clone, Copy, Debug)]
pub struct FloatModel<'a> {
    about: Description<'a>,
    /// Minima, then maxima; empty without an envelope.
    envelope: &'a [f32],
    expansion: &'a [f32],
}

forward_to_description!(FloatModel);

impl<'a> FloatModel<'a> {
    /// Reads a model in place, as [`Model::decode`](crate::Model::decode) does.
    ///
    /// # Errors
    /// Whatever is wrong with the bytes; for an integer model, [`DecodeError::Encoding`].
    #[inline(never)] // one copy, however the caller is optimised
    pub fn decode(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        let (about, envelope, expansion) = check::float(bytes)?;
        Ok(Self { about, envelope, expansion })
    }

    /// What the model states about itself.
    #[must_use]
    pub fn description(&self) -> &Description<'a> {
        &self.about
    }

    /// Score, class and envelope of a reading in raw units, in one pass.
    ///
    /// # Errors
    /// As [`Model::judge`](crate::Model::judge).
    #[inline(never)] // one copy, however the caller is optimised
    pub fn judge(&self, reading: &[f32]) -> Result<Verdict, ReadingError> {
        let mut scaled = Scaled::new();
        self.fill(&mut scaled, reading)?;
        Ok(self.verdict(reading, &scaled))
    }

    /// As [`judge`](Self::judge), with the class by this threshold instead of the model's.
    ///
    /// # Errors
    /// As [`judge`](Self::judge).
    pub fn judge_at(&self, reading: &[f32], threshold: f32) -> Result<Verdict, ReadingError> {
        self.judge(reading).map(|verdict| verdict.at(threshold))
    }

    /// As [`judge`](Self::judge), for any number of features: `scratch` holds at least as many f32.
    ///
    /// # Errors
    /// As [`judge`](Self::judge), or scratch space that is too small.
    #[inline(never)]
    pub fn judge_with_scratch(&self, reading: &[f32], scratch: &mut [f32]) -> Result<Verdict, ReadingError> {
        let needed = self.features();
        let scratch = scratch.get_mut(..needed).ok_or(ReadingError::ScratchTooSmall { needed })?;
        for (place, z) in scratch.iter_mut().zip(self.scaled(reading)?) {
            *place = z?;
        }
        Ok(self.verdict(reading, scratch))
    }

    /// The score alone.
    ///
    /// # Errors
    /// As [`judge`](Self::judge).
    #[inline(never)] // one copy, however the caller is optimised
    pub fn score(&self, reading: &[f32]) -> Result<f32, ReadingError> {
        let mut scaled = Scaled::new();
        self.fill(&mut scaled, reading)?;
        Ok(self.sum(&scaled, true))
    }

    /// As [`score`](Self::score), with the number of features known at compile time: slightly faster, less stack.
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
    pub fn score_vector<const D: usize>(&self, reading: &nalgebra::SVector<f32, D>) -> Result<f32, ReadingError> {
        let [column] = &reading.data.0;
        self.score_array(column)
    }

    /// The class alone.
    ///
    /// # Errors
    /// As [`judge`](Self::judge).
    pub fn classify(&self, reading: &[f32]) -> Result<Class, ReadingError> {
        self.score(reading).map(|score| self.about.class_of(score))
    }

    /// The envelope alone. A NaN lies outside.
    ///
    /// # Errors
    /// A reading of another length.
    pub fn envelope(&self, reading: &[f32]) -> Result<Envelope, ReadingError> {
        self.about.check_length(reading.len())?;
        Ok(self.first_outside(reading))
    }

    /// Smallest and largest training value of a feature, in raw units.
    #[must_use]
    pub fn range(&self, feature: usize) -> Option<(f32, f32)> {
        let (minima, maxima) = self.envelope.split_at_checked(self.features())?;
        Some((*minima.get(feature)?, *maxima.get(feature)?))
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

    /// The reading in the units of the support instances, if it has the right length.
    #[inline(always)]
    fn scaled(&self, reading: &[f32]) -> Result<impl Iterator<Item = Result<f32, ReadingError>>, ReadingError> {
        self.about.check_length(reading.len())?;
        Ok(float_sum::scaled(reading, self.about.offsets, self.about.scales))
    }

    #[inline(always)]
    fn fill(&self, scaled: &mut Scaled, reading: &[f32]) -> Result<(), ReadingError> {
        for z in self.scaled(reading)? {
            if scaled.push(z?).is_err() {
                return Err(ReadingError::ScratchTooSmall { needed: self.features() });
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn verdict(&self, reading: &[f32], scaled: &[f32]) -> Verdict {
        let envelope = self.first_outside(reading);
        let score = self.sum(scaled, true);
        Verdict { score, class: self.about.class_of(score), envelope }
    }

    #[inline(always)]
    fn sum(&self, scaled: &[f32], rolled: bool) -> f32 {
        let expansion = self.expansion;
        let bias = self.about.bias();
        match self.kernel() {
            Kernel::Rbf => float_sum::rbf(scaled, expansion.as_chunks().0, bias, rolled),
            Kernel::Linear => float_sum::linear(scaled, expansion, bias),
        }
    }

    /// The reading has the right length.
    #[inline(always)]
    fn first_outside(&self, reading: &[f32]) -> Envelope {
        if self.envelope.is_empty() {
            return Envelope::Unknown;
        }
        let (minima, maxima) = { self.envelope.split_at_checked(reading.len()) }.unwrap_or_default();
        let outside = reading
            .iter()
            .zip(minima.iter().zip(maxima))
            .position(|(x, (minimum, maximum))| !(minimum <= x && x <= maximum));
        outside.map_or(Envelope::Inside, |feature| Envelope::Outside { feature })
    }
}

/// A reading in the units of the support instances.
type Scaled = heapless::Vec<f32, MAX_FEATURES_ON_STACK>;

//! A model of any encoding.

use crate::error::{DecodeError, ReadingError};
use crate::format::wire::ENCODING_OFFSET;
use crate::model::FixedModel;
use crate::model::FloatModel;
use crate::read::description::Description;
use crate::read::verdict::{Class, Envelope, Verdict};

/// A trained classifier, borrowed from its bytes (usually in flash). Firmware that will only ever run one encoding
/// saves flash by naming that type.
#[derive(Clone, Copy, Debug)]
pub enum Model<'a> {
    /// Of f32.
    Float(FloatModel<'a>),
    /// Of integers.
    Fixed(FixedModel<'a>),
}

forward_to_description!(Model);

/// Calls the method of whichever model it is.
macro_rules! either {
    ($self:ident, $model:ident => $call:expr) => {
        match $self {
            Self::Float($model) => $call,
            Self::Fixed($model) => $call,
        }
    };
}

impl<'a> Model<'a> {
    /// Reads a model in place. `bytes` must start at an address divisible by [`ALIGNMENT`](crate::ALIGNMENT) and
    /// may be longer than the model if the rest is erased flash (0xFF).
    ///
    /// # Errors
    /// Whatever is wrong with the bytes: length, version, checksum, alignment, a number that is not finite.
    pub fn decode(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        // This only picks the type, which then checks everything.
        let model = match bytes.get(ENCODING_OFFSET) {
            Some(0) | None => Self::Float(FloatModel::decode(bytes)?),
            Some(_) => Self::Fixed(FixedModel::decode(bytes)?),
        };
        model.description().checked_recipe().map_err(DecodeError::Recipe)?;
        Ok(model)
    }

    /// What the model states about itself.
    #[must_use]
    pub fn description(&self) -> &Description<'a> {
        either!(self, model => model.description())
    }

    /// Score, class and envelope of a reading in raw units, in one pass: cheaper than asking for each.
    ///
    /// # Errors
    /// A reading of another length, or with a NaN or an infinity in it; a model with more than
    /// [`MAX_FEATURES_ON_STACK`](crate::MAX_FEATURES_ON_STACK) features (use
    /// [`judge_with_scratch`](Self::judge_with_scratch)).
    pub fn judge(&self, reading: &[f32]) -> Result<Verdict, ReadingError> {
        either!(self, model => model.judge(reading))
    }

    /// As [`judge`](Self::judge), with the class by this threshold instead of the model's: the score has the same bits.
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
    pub fn judge_with_scratch(&self, reading: &[f32], scratch: &mut [f32]) -> Result<Verdict, ReadingError> {
        match self {
            Self::Float(model) => model.judge_with_scratch(reading, scratch),
            Self::Fixed(model) => model.judge_with_scratch(reading, bytemuck::cast_slice_mut(scratch)),
        }
    }

    /// The score alone.
    ///
    /// # Errors
    /// As [`judge`](Self::judge).
    pub fn score(&self, reading: &[f32]) -> Result<f32, ReadingError> {
        either!(self, model => model.score(reading))
    }

    /// The class alone.
    ///
    /// # Errors
    /// As [`judge`](Self::judge).
    pub fn classify(&self, reading: &[f32]) -> Result<Class, ReadingError> {
        either!(self, model => model.classify(reading))
    }

    /// The envelope alone. A NaN lies outside.
    ///
    /// # Errors
    /// A reading of another length.
    pub fn envelope(&self, reading: &[f32]) -> Result<Envelope, ReadingError> {
        either!(self, model => model.envelope(reading))
    }

    /// Smallest and largest training value of a feature, in raw units.
    #[must_use]
    pub fn range(&self, feature: usize) -> Option<(f32, f32)> {
        either!(self, model => model.range(feature))
    }

    /// The distance, in units of scaled readings and support instances, at which an RBF kernel is 1/2.
    #[must_use]
    pub fn reach(&self) -> f32 {
        match self {
            Self::Float(_) => 1.0,
            Self::Fixed(model) => model.reach(),
        }
    }

    /// Coefficient of support instance `index`.
    #[must_use]
    pub fn coefficient(&self, index: usize) -> Option<f32> {
        either!(self, model => model.coefficient(index))
    }

    /// Feature `feature` of support instance `index`, scaled: the raw value is `s / scale + offset`.
    #[must_use]
    pub fn support(&self, index: usize, feature: usize) -> Option<f32> {
        either!(self, model => model.support(index, feature))
    }
}

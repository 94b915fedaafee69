//! A model in whatever encoding it comes: for firmware that takes both, and for hosts.

use crate::description::{Class, Description, Envelope};
use crate::error::{DecodeError, ReadingError};
use crate::fixed::FixedModel;
use crate::model::Model;
use crate::wire::ENCODING_OFFSET;
use core::ops::Deref;

/// Either kind of model. A firmware that knows which it has saves flash by naming it.
#[derive(Clone, Copy, Debug)]
pub enum AnyModel<'a> {
    /// Of f32.
    Float(Model<'a>),
    /// Of integers.
    Fixed(FixedModel<'a>),
}

impl<'a> AnyModel<'a> {
    /// Reads a model in place, as [`Model::decode`] and [`FixedModel::decode`] do.
    ///
    /// # Errors
    /// Whatever is wrong with the bytes.
    pub fn decode(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        // Only a glance at whose model it is: the one whose it is checks everything.
        match bytes.get(ENCODING_OFFSET) {
            Some(0) | None => Model::decode(bytes).map(Self::Float),
            Some(_) => FixedModel::decode(bytes).map(Self::Fixed),
        }
    }

    /// The score of a reading in raw units.
    ///
    /// # Errors
    /// As [`Model::score`].
    pub fn score(&self, reading: &[f32]) -> Result<f32, ReadingError> {
        match self {
            Self::Float(model) => model.score(reading),
            Self::Fixed(model) => model.score(reading),
        }
    }

    /// As [`score`](Self::score), for any number of features: `scratch` holds at least as many f32.
    ///
    /// # Errors
    /// As [`Model::score_with_scratch`].
    pub fn score_with_scratch(
        &self,
        reading: &[f32],
        scratch: &mut [f32],
    ) -> Result<f32, ReadingError> {
        match self {
            Self::Float(model) => model.score_with_scratch(reading, scratch),
            Self::Fixed(model) => {
                model.score_with_scratch(reading, bytemuck::cast_slice_mut(scratch))
            }
        }
    }

    /// The class of a reading in raw units.
    ///
    /// # Errors
    /// As [`Model::score`].
    pub fn classify(&self, reading: &[f32]) -> Result<Class, ReadingError> {
        match self {
            Self::Float(model) => model.classify(reading),
            Self::Fixed(model) => model.classify(reading),
        }
    }

    /// Does the reading lie within the range that the model was trained on? A NaN lies outside.
    ///
    /// # Errors
    /// A reading of another length.
    pub fn envelope(&self, reading: &[f32]) -> Result<Envelope, ReadingError> {
        match self {
            Self::Float(model) => model.envelope(reading),
            Self::Fixed(model) => model.envelope(reading),
        }
    }

    /// Smallest and largest training value of a feature, in raw units.
    #[must_use]
    pub fn range(&self, feature: usize) -> Option<(f32, f32)> {
        match self {
            Self::Float(model) => {
                let (minima, maxima) = model.envelope_bounds()?;
                Some((*minima.get(feature)?, *maxima.get(feature)?))
            }
            Self::Fixed(model) => model.range(feature),
        }
    }

    /// Coefficient of support instance `index`.
    #[must_use]
    pub fn coefficient(&self, index: usize) -> Option<f32> {
        match self {
            Self::Float(model) => model.coefficient(index),
            Self::Fixed(model) => model.coefficient(index),
        }
    }

    /// Feature `feature` of support instance `index`, scaled: the raw value is `s / scale + offset`.
    #[must_use]
    pub fn support(&self, index: usize, feature: usize) -> Option<f32> {
        match self {
            Self::Float(model) => model.support(index, feature),
            Self::Fixed(model) => model.support(index, feature),
        }
    }
}

impl<'a> Deref for AnyModel<'a> {
    type Target = Description<'a>;

    fn deref(&self) -> &Description<'a> {
        match self {
            Self::Float(model) => model,
            Self::Fixed(model) => model,
        }
    }
}

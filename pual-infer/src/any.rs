//! A model in whatever encoding it comes: for firmware that takes both, and for hosts.

use crate::description::{Class, Description};
use crate::error::{DecodeError, ReadingError};
use crate::fixed::FixedModel;
use crate::model::Model;
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
        match Model::decode(bytes) {
            Err(DecodeError::Encoding(_)) => FixedModel::decode(bytes).map(Self::Fixed),
            other => other.map(Self::Float),
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

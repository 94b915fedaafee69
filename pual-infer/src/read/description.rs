//! What every model states about itself, whatever its encoding.

use crate::error::{ReadingError, RecipeField};
use crate::format::wire::{Encoding, HAS_NAMES, Head, Kernel, RECIPE_VERSION};
use crate::read::check;
use crate::read::check_recipe;
use crate::read::recipe::Recipe;
use crate::read::verdict::Class;
use crate::rolled::keep_rolled;

/// What models of every encoding have in common: from [`Model::description`](crate::Model::description).
#[derive(Clone, Copy, Debug)]
pub struct Description<'a> {
    pub(crate) head: Head<'a>,
    pub(crate) offsets: &'a [f32],
    pub(crate) scales: &'a [f32],
    /// Names, and in version 2 padding and the recipe.
    pub(crate) tail: &'a [u8],
    pub(crate) checksum: u32,
}

impl<'a> Description<'a> {
    /// Returns an error unless a reading has as many features as the model.
    #[inline(always)]
    pub(crate) fn check_length(&self, found: usize) -> Result<(), ReadingError> {
        let expected = self.features();
        if found == expected { Ok(()) } else { Err(ReadingError::WrongLength { expected, found }) }
    }

    /// The class of a reading with this score.
    #[must_use]
    pub fn class_of(&self, score: f32) -> Class {
        Class::positive_if(score > self.threshold())
    }

    /// Number of features of a reading.
    #[must_use]
    pub fn features(&self) -> usize {
        self.offsets.len()
    }

    /// Number of support instances, without the padding of the last block.
    #[must_use]
    pub fn supports(&self) -> usize {
        usize::from(self.head.supports())
    }

    /// The kernel.
    #[must_use]
    pub fn kernel(&self) -> Kernel {
        match self.head.kernel() {
            0 => Kernel::Rbf,
            _ => Kernel::Linear, // decoding accepts no third
        }
    }

    /// How the model's numbers are stored.
    #[must_use]
    pub fn encoding(&self) -> Encoding {
        match self.head.encoding() {
            0 => Encoding::F32,
            1 => Encoding::I16,
            _ => Encoding::I8, // decoding accepts no fourth
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

    /// Subtracted from each raw feature.
    #[must_use]
    pub fn offsets(&self) -> &'a [f32] {
        self.offsets
    }

    /// Multiplied with the difference. For the RBF kernel a scale includes the bandwidth, and in a
    /// [`FixedModel`](crate::FixedModel) the unit of its integers: see FORMAT.md.
    #[must_use]
    pub fn scales(&self) -> &'a [f32] {
        self.scales
    }

    /// The name of a feature, if the model carries names and this one is UTF-8 (which the encoder ensures).
    #[must_use]
    pub fn name(&self, feature: usize) -> Option<&'a str> {
        if !self.head.has(HAS_NAMES) || feature >= self.features() {
            return None;
        }
        let mut rest = self.tail;
        for _ in 0..feature {
            rest = check::next_name(rest)?.1;
        }
        core::str::from_utf8(check::next_name(rest)?.0).ok()
    }

    /// The recipe for streams of samples, if the model has one.
    #[must_use]
    pub fn recipe(&self) -> Option<Recipe<'a>> {
        self.checked_recipe().ok().flatten()
    }

    /// As [`recipe`](Self::recipe), with what is wrong with it. [`Model::decode`](crate::Model::decode) has refused a model with a
    /// wrong one; [`FloatModel`](crate::FloatModel) and [`FixedModel`](crate::FixedModel) leave that to
    /// [`Stream::new`](crate::Stream::new), so that firmware without a stream need not hold the checks.
    ///
    /// # Errors
    /// The part that is wrong.
    pub fn checked_recipe(&self) -> Result<Option<Recipe<'a>>, RecipeField> {
        if self.head.version() != RECIPE_VERSION {
            return Ok(None);
        }
        let (padding, recipe) = check::split_padding(self.tail, self.after_names()).ok_or(RecipeField::Length)?;
        for &byte in padding {
            if byte != 0 {
                return Err(RecipeField::Names);
            }
            keep_rolled();
        }
        check_recipe::recipe(recipe, self.head.features()).map(Some)
    }

    /// The format version: [`RECIPE_VERSION`](crate::RECIPE_VERSION) with a recipe,
    /// [`FORMAT_VERSION`](crate::FORMAT_VERSION) without.
    #[must_use]
    pub fn format_version(&self) -> u8 {
        self.head.version()
    }

    /// What follows the names.
    pub(crate) fn after_names(&self) -> &'a [u8] {
        let mut rest = self.tail;
        if self.head.has(HAS_NAMES) {
            for _ in 0..self.features() {
                rest = check::next_name(rest).unwrap_or_default().1;
                keep_rolled();
            }
        }
        rest
    }

    /// Bytes of the whole model, header and checksum included.
    #[must_use]
    pub fn length(&self) -> usize {
        self.head.length()
    }

    /// The model's CRC-32, which tells one model from another.
    #[must_use]
    pub fn checksum(&self) -> u32 {
        self.checksum
    }
}

/// Gives a model the parts of its description that callers need most.
macro_rules! forward_to_description {
    ($model:ident) => {
        impl<'a> $model<'a> {
            /// Number of features of a reading.
            #[must_use]
            pub fn features(&self) -> usize {
                self.description().features()
            }

            /// Number of support instances.
            #[must_use]
            pub fn supports(&self) -> usize {
                self.description().supports()
            }

            /// The kernel.
            #[must_use]
            pub fn kernel(&self) -> crate::Kernel {
                self.description().kernel()
            }

            /// How the model's numbers are stored.
            #[must_use]
            pub fn encoding(&self) -> crate::Encoding {
                self.description().encoding()
            }

            /// Scores above this are positive.
            #[must_use]
            pub fn threshold(&self) -> f32 {
                self.description().threshold()
            }

            /// The name of a feature, if the model carries names.
            #[must_use]
            pub fn name(&self, feature: usize) -> Option<&'a str> {
                self.description().name(feature)
            }

            /// The recipe for streams of samples, if the model has one.
            #[must_use]
            pub fn recipe(&self) -> Option<crate::Recipe<'a>> {
                self.description().recipe()
            }

            /// Bytes of the whole model, header and checksum included.
            #[must_use]
            pub fn length(&self) -> usize {
                self.description().length()
            }

            /// The model's CRC-32, which tells one model from another.
            #[must_use]
            pub fn checksum(&self) -> u32 {
                self.description().checksum()
            }
        }
    };
}

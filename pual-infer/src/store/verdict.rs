//! What a boot finds in each slot, and why it does not run what it does not run.

use super::Slot;
use crate::error::DecodeError;
use crate::model::Model;
#[cfg(feature = "signed")]
use crate::signed::{SIGNATURE_BYTES, SignedModel};
use core::fmt;

/// A model in a slot with the right checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Stored {
    /// Its slot.
    pub slot: Slot,
    /// Where it starts, counted from the start of the flash.
    pub offset: u32,
    /// Its bytes.
    pub length: u32,
    /// The version counter that came with it.
    pub version: u32,
}

impl Stored {
    /// Its bytes within `flash`, the flash as the core sees it, from its start to the end of the slots or beyond.
    #[must_use]
    pub fn bytes<'m>(&self, flash: &'m [u8]) -> Option<&'m [u8]> {
        flash.get(self.offset as usize..)?.get(..self.length as usize)
    }

    /// Decodes it in place, and checks its number of features. Most firmware does this for
    /// [`Store::boot`](super::Store::boot) and [`Store::commit`](super::Store::commit).
    ///
    /// # Errors
    /// Why it cannot be used.
    pub fn decode<'m>(&self, flash: &'m [u8], features: usize) -> Result<Model<'m>, Unfit> {
        fit(self.bytes(flash).ok_or(Unfit::NotMapped)?, features)
    }

    /// As [`decode`](Self::decode), for firmware that runs signed models only: `bytes` are [its bytes](Self::bytes), the model
    /// with its signature and nothing after it. The stored version must be the signed one, so that
    /// [`version`](Self::version) can be trusted once the model is accepted.
    ///
    /// For rollback protection, use as the minimum at boot the version the firmware was built with, and in an update the
    /// version of the running model. Then the version never decreases, and [`Store::rollback`](super::Store::rollback) only
    /// accepts a model of the same version: to return to an older model, sign it again with a newer version.
    ///
    /// # Errors
    /// Why it cannot be used.
    #[cfg(feature = "signed")]
    pub fn decode_signed<'m>(
        &self,
        bytes: &'m [u8],
        features: usize,
        public_key: &[u8; 32],
        minimum_version: u32,
    ) -> Result<Model<'m>, Unfit> {
        let signed = SignedModel::open(bytes, public_key, minimum_version);
        match signed {
            Ok(signed) if signed.version() == self.version && signed.model().len() + SIGNATURE_BYTES == bytes.len() => {
                fit(signed.model(), features)
            }
            _ => Err(Unfit::Signature),
        }
    }
}

/// Decodes a model that must have that many features.
fn fit(bytes: &[u8], features: usize) -> Result<Model<'_>, Unfit> {
    let model = Model::decode(bytes).map_err(Unfit::Model)?;
    if model.features() == features { Ok(model) } else { Err(Unfit::Features) }
}

/// Why this firmware cannot use a model whose bytes are intact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Unfit {
    /// The slot does not lie within the memory that was given.
    NotMapped,
    /// It does not decode.
    Model(DecodeError),
    /// It has another number of features.
    Features,
    /// Its signature is wrong or missing, or its version is too old.
    Signature,
}

/// Why a slot does not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Refused {
    /// The flash could not be read there.
    Unreadable,
    /// The slot is erased, or an update of it was not finished.
    Empty,
    /// It does not begin with a header that this firmware knows, or the model does not fit the slot.
    Header,
    /// The model was never committed.
    NotCommitted,
    /// The header or the model is damaged.
    Checksum,
    /// The firmware cannot use the model.
    Unfit(Unfit),
}

/// What a boot found in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum SlotVerdict {
    /// It holds the model to run.
    Taken,
    /// It holds a model (not checked), but the other slot's is newer.
    Older,
    /// It holds nothing that can be run.
    Refused(Refused),
}

/// What [`Store::boot`](super::Store::boot) found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Boot {
    /// The model to run; none means the one that is built into the firmware.
    pub model: Option<Stored>,
    /// The first slot.
    pub first: SlotVerdict,
    /// The second slot.
    pub second: SlotVerdict,
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotMapped => f.write_str("the slot is not mapped to memory"),
            Self::Model(error) => error.fmt(f),
            Self::Features => f.write_str("the model has another number of features"),
            Self::Signature => f.write_str("the signature is wrong, or the version is too old"),
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable => f.write_str("the flash cannot be read"),
            Self::Empty => f.write_str("empty"),
            Self::Header => f.write_str("no valid header"),
            Self::NotCommitted => f.write_str("the update was not committed"),
            Self::Checksum => f.write_str("the slot's checksum is wrong"),
            Self::Unfit(unfit) => unfit.fmt(f),
        }
    }
}

impl fmt::Display for SlotVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Taken => f.write_str("taken"),
            Self::Older => f.write_str("older than the other"),
            Self::Refused(why) => why.fmt(f),
        }
    }
}

impl fmt::Display for Boot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let source = match self.model.map(|model| model.slot) {
            Some(Slot::First) => "the first slot's",
            Some(Slot::Second) => "the second slot's",
            None => "the built-in one",
        };
        let (first, second) = (self.first, self.second);
        write!(f, "model: {source} (first slot: {first}; second slot: {second})")
    }
}

impl core::error::Error for Unfit {}
impl core::error::Error for Refused {}

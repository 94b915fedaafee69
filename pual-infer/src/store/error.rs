//! What can go wrong with a store: its place in flash, and an update.

use super::Slot;
use super::verdict::Refused;
use core::fmt;
use embedded_storage::nor_flash::NorFlashErrorKind;

/// Why slots cannot be where they were asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum GeometryError {
    /// The flash's read or write size does not divide 32, or its erase size is no multiple of its write size.
    Flash,
    /// A slot does not begin and end at multiples of the erase size (and of 32).
    Misaligned(Slot),
    /// A slot has no room for a model.
    TooSmall(Slot),
    /// A slot ends behind the flash.
    BeyondFlash(Slot),
    /// The slots overlap.
    Overlap,
}

/// Why an update, or a rollback, was refused or failed. The model that runs is not touched, whatever happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum StoreError {
    /// [`Store::boot`](super::Store::boot) has to come first: it finds out which slot must not be touched.
    NotBooted,
    /// The model has no bytes, or more than the slot has room for.
    Length,
    /// No update was begun, or it failed since.
    NoUpdate,
    /// The bytes are not those that come next: [`Store::received`](super::Store::received) says where to go on.
    Offset,
    /// The model is not complete.
    Incomplete,
    /// What was written, or was to be gone back to, cannot be used.
    Refused(Refused),
    /// The other slot was gone back to too often since it was written.
    NoMarkLeft,
    /// The flash failed.
    Flash(NorFlashErrorKind),
}

impl fmt::Display for GeometryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flash => f.write_str(
                "read and write size must divide 32, and the erase size be a multiple of the write size",
            ),
            Self::Misaligned(slot) => write!(
                f,
                "the {slot} slot does not begin and end at multiples of the erase size and of 32"
            ),
            Self::TooSmall(slot) => write!(f, "the {slot} slot has no room for a model"),
            Self::BeyondFlash(slot) => write!(f, "the {slot} slot ends behind the flash"),
            Self::Overlap => f.write_str("the slots overlap"),
        }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotBooted => f.write_str("the store was not booted"),
            Self::Length => {
                f.write_str("the model has no bytes, or more than the slot has room for")
            }
            Self::NoUpdate => f.write_str("no update was begun"),
            Self::Offset => f.write_str("these bytes do not come next"),
            Self::Incomplete => f.write_str("the model is not complete"),
            Self::Refused(why) => write!(f, "the model is refused: {why}"),
            Self::NoMarkLeft => f.write_str("the other slot was gone back to too often"),
            Self::Flash(kind) => write!(f, "the flash failed: {kind}"),
        }
    }
}

impl core::error::Error for GeometryError {}
impl core::error::Error for StoreError {}

//! What can go wrong with a store: its place in flash, or an update.

use super::Slot;
use super::verdict::Refused;
use core::fmt;
use embedded_storage::nor_flash::NorFlashErrorKind;

/// Why slots cannot be at the requested addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum GeometryError {
    /// The flash's read or write size does not divide 32, or its erase size is not a multiple of its write size.
    Flash,
    /// A slot does not begin and end at multiples of the erase size (and of 32).
    Misaligned(Slot),
    /// A slot has no room for a model.
    TooSmall(Slot),
    /// A slot reaches beyond the flash.
    BeyondFlash(Slot),
    /// The slots overlap.
    Overlap,
}

/// Why an update or a rollback was refused or failed. The running model is never touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum StoreError {
    /// [`Store::boot`](super::Store::boot) must come first: it determines which slot must not be touched.
    NotBooted,
    /// The model has no bytes, or more than the slot has room for.
    Length,
    /// No update was begun, or it has failed since.
    NoUpdate,
    /// Not the next bytes: [`Store::received`](super::Store::received) says where to resume.
    Offset,
    /// The model is not complete.
    Incomplete,
    /// The model that was written, or the one to roll back to, cannot be used.
    Refused(Refused),
    /// No rollback left: the other slot has no room for another mark.
    NoMarkLeft,
    /// The flash failed.
    Flash(NorFlashErrorKind),
}

impl fmt::Display for GeometryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flash => {
                f.write_str("read and write size must divide 32, and the erase size be a multiple of the write size")
            }
            Self::Misaligned(slot) => {
                write!(f, "the {slot} slot does not begin and end at multiples of the erase size and of 32")
            }
            Self::TooSmall(slot) => write!(f, "the {slot} slot has no room for a model"),
            Self::BeyondFlash(slot) => write!(f, "the {slot} slot reaches beyond the flash"),
            Self::Overlap => f.write_str("the slots overlap"),
        }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotBooted => f.write_str("the store was not booted"),
            Self::Length => f.write_str("the model has no bytes, or more than the slot has room for"),
            Self::NoUpdate => f.write_str("no update was begun"),
            Self::Offset => f.write_str("these are not the next bytes"),
            Self::Incomplete => f.write_str("the model is not complete"),
            Self::Refused(why) => write!(f, "the model is refused: {why}"),
            Self::NoMarkLeft => f.write_str("no rollback left: the other slot has no room for another mark"),
            Self::Flash(kind) => write!(f, "the flash failed: {kind}"),
        }
    }
}

impl core::error::Error for GeometryError {}
impl core::error::Error for StoreError {}

//! What can go wrong with a store: its place in flash, and an update.

use super::Slot;
use super::verdict::Refused;
use core::fmt;

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
pub enum StoreError<E> {
    /// [`Store::boot`](super::Store::boot) has to come first: it finds out which slot must not be touched.
    NotBooted,
    /// The model has no bytes, or more than the slot has room for.
    Length {
        /// Most bytes that the model can have.
        room: u32,
    },
    /// No update was begun, or it failed since.
    NoUpdate,
    /// The bytes are not those that come next.
    Offset {
        /// Where to go on.
        expected: u32,
    },
    /// The model is not complete.
    Incomplete {
        /// How many bytes have arrived.
        received: u32,
    },
    /// What was written cannot be used: the update is over, the old model stays.
    Refused(Refused),
    /// There is no model to go back to in the other slot.
    NothingOlder(Refused),
    /// The other slot was gone back to too often since it was written.
    NoMarkLeft,
    /// The flash failed.
    Flash(E),
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

impl<E: fmt::Debug> fmt::Display for StoreError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotBooted => f.write_str("the store was not booted"),
            Self::Length { room } => write!(f, "the model must have 1 to {room} bytes"),
            Self::NoUpdate => f.write_str("no update was begun"),
            Self::Offset { expected } => write!(f, "byte {expected} comes next"),
            Self::Incomplete { received } => {
                write!(f, "only {received} bytes of the model have arrived")
            }
            Self::Refused(why) => write!(f, "the new model is refused: {why}"),
            Self::NothingOlder(why) => write!(f, "the other slot cannot be gone back to: {why}"),
            Self::NoMarkLeft => f.write_str("the other slot was gone back to too often"),
            Self::Flash(error) => write!(f, "the flash failed: {error:?}"),
        }
    }
}

impl core::error::Error for GeometryError {}
impl<E: fmt::Debug> core::error::Error for StoreError<E> {}

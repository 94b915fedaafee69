//! Which model runs, and why not another: what the store found, for the wire.

use core::fmt;
use pual_infer::store::{self, Boot, Refused, SlotVerdict};
use serde::{Deserialize, Serialize};

/// What a device runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// Features of a reading. No update changes them.
    pub features: u16,
    /// The slot whose model runs, 1 or 2; 0 for the built-in model.
    pub slot: u8,
    /// Increases by one with each update and each rollback that takes effect.
    pub sequence: u32,
    /// Bytes of the model that runs; 0 for the built-in one.
    pub length: u32,
    /// The version that came with it; 0 for the built-in one.
    pub version: u32,
    /// The first slot.
    pub first: SlotState,
    /// The second slot.
    pub second: SlotState,
    /// Bytes that have arrived of an update in progress.
    pub received: Option<u32>,
}

impl Status {
    pub(super) fn new(boot: &Boot, features: u16, sequence: u32, received: Option<u32>) -> Self {
        let model = boot.model.map(|stored| (stored.slot as u8 + 1, stored.length, stored.version));
        let (slot, length, version) = model.unwrap_or_default();
        Self {
            features,
            slot,
            sequence,
            length,
            version,
            first: boot.first.into(),
            second: boot.second.into(),
            received,
        }
    }
}

/// What the store found in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum SlotState {
    /// It holds the model that runs.
    Taken,
    /// It holds a model, but the other slot's is newer.
    Older,
    /// The flash could not be read there.
    Unreadable,
    /// It is erased, or an update of it was not finished.
    Empty,
    /// It does not begin with a header that the firmware knows.
    Header,
    /// The model was never committed.
    NotCommitted,
    /// The header or the model is damaged.
    Checksum,
    /// The firmware cannot use the model.
    Unfit(Unfit),
    /// Something that this protocol does not know.
    Other,
}

/// Why the firmware cannot use a model whose bytes are intact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Unfit {
    /// It does not decode.
    Model,
    /// It has another number of features.
    Features,
    /// Its signature is wrong or missing, or its version is too old.
    Signature,
    /// Another reason.
    Other,
}

impl From<Refused> for SlotState {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Unreadable => Self::Unreadable,
            Refused::Empty => Self::Empty,
            Refused::Header => Self::Header,
            Refused::NotCommitted => Self::NotCommitted,
            Refused::Checksum => Self::Checksum,
            Refused::Unfit(store::Unfit::Model(_)) => Self::Unfit(Unfit::Model),
            Refused::Unfit(store::Unfit::Features) => Self::Unfit(Unfit::Features),
            Refused::Unfit(store::Unfit::Signature) => Self::Unfit(Unfit::Signature),
            Refused::Unfit(_) => Self::Unfit(Unfit::Other),
            _ => Self::Other,
        }
    }
}

impl From<SlotVerdict> for SlotState {
    fn from(verdict: SlotVerdict) -> Self {
        match verdict {
            SlotVerdict::Taken => Self::Taken,
            SlotVerdict::Older => Self::Older,
            SlotVerdict::Refused(refused) => refused.into(),
        }
    }
}

impl fmt::Display for SlotState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Taken => "taken",
            Self::Older => "older than the other",
            Self::Unreadable => "the flash cannot be read",
            Self::Empty => "empty",
            Self::Header => "no valid header",
            Self::NotCommitted => "the update was not committed",
            Self::Checksum => "the slot's checksum is wrong",
            Self::Unfit(Unfit::Model) => "the model does not decode",
            Self::Unfit(Unfit::Features) => "the model has another number of features",
            Self::Unfit(Unfit::Signature) => "the signature is wrong, or the version is too old",
            Self::Unfit(Unfit::Other) | Self::Other => "it cannot be used",
        })
    }
}

//! Models that are replaced over the wire while the old one keeps scoring.
//!
//! ```text
//! host                                         device
//! Status                                    -> Status: what runs and why, sequence number
//! Begin: sequence, length, checksum, ...    -> Next: 0, or where an interrupted update resumes
//! Chunk: offset, bytes                      -> Next: the offset that is expected
//! ...
//! Verify                                    -> Verified: all has arrived, and the checksum is the announced one
//! Commit                                    -> Committed: read back, decoded, marked; it runs
//! Rollback: sequence                        -> Committed: the other slot's model runs
//! ```
//!
//! Commands and answers are [`Sealed`]: each is preceded by a CRC-32, and a damaged one is ignored. A command without an answer
//! is sent again; one that arrives twice takes effect once.
//!
//! - An answer carries the number of its command, so that a late one is not mistaken for another's.
//! - A chunk names its update and its offset; only the next one has an effect.
//! - `Begin` and `Rollback` name the current sequence number. Once an update has taken effect the number has changed, and the
//!   same bytes, sent again, are [stale](Refusal::Stale).
//! - A `Commit` or `Rollback` whose answer was lost is refused when it is sent again: the status says that it was done.
//!
//! The CRC protects against noise, not against people: use signed models for that (`pual_infer`'s feature `signed`).

mod device;
mod host;
mod status;

pub use device::Updater;
pub use host::{Client, ClientError, RETRIES, Transport};
pub use status::{SlotState, Status, Unfit};

use pual_infer::store::crc32;
use serde::{Deserialize, Serialize};

/// Most bytes of a chunk: with everything before them they fit a frame.
pub const MAX_CHUNK: usize = 224;

/// Most bytes of a message: a chunk, its tag, number, update, offset and length.
const MAX_MESSAGE: usize = MAX_CHUNK + 1 + 3 + 5 + 5 + 2;

/// A message and its checksum.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sealed {
    /// CRC-32 of the bytes, little-endian.
    check: [u8; 4],
    /// A number and a [`Command`], or a number and an [`Answer`].
    bytes: heapless::Vec<u8, MAX_MESSAGE>,
}

impl Sealed {
    /// Seals a message. The answer carries the same number.
    pub fn new(number: u16, message: &impl Serialize) -> Option<Self> {
        let mut buffer = [0; MAX_MESSAGE];
        let bytes = &*postcard::to_slice(&(number, message), &mut buffer).ok()?;
        Some(Self { check: crc32(bytes).to_le_bytes(), bytes: heapless::Vec::from_slice(bytes).ok()? })
    }

    /// The number and the message, if they are undamaged.
    pub fn open<'b, T: Deserialize<'b>>(&'b self) -> Option<(u16, T)> {
        if crc32(&self.bytes).to_le_bytes() != self.check {
            return None;
        }
        match postcard::take_from_bytes(&self.bytes).ok()? {
            (message, []) => Some(message),
            _ => None,
        }
    }
}

/// Host to device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Command<'b> {
    /// What runs, and why?
    Status,
    /// Begin an update, or resume it if it is the one in progress.
    Begin(Begin),
    /// The next bytes of the model.
    Chunk {
        /// [`Begin::checksum`] of their update.
        update: u32,
        /// Where they go.
        offset: u32,
        /// At most [`MAX_CHUNK`].
        bytes: &'b [u8],
    },
    /// Has everything arrived as announced?
    Verify {
        /// [`Begin::checksum`].
        update: u32,
    },
    /// Run it.
    Commit {
        /// [`Begin::checksum`].
        update: u32,
    },
    /// Run the other slot's model again. An update in progress is abandoned.
    Rollback {
        /// [`Status::sequence`], as last heard.
        sequence: u32,
    },
}

/// Announces a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Begin {
    /// [`Status::sequence`], as last heard.
    pub sequence: u32,
    /// Bytes of the model.
    pub length: u32,
    /// Stored with the model: the version counter of a signed one.
    pub version: u32,
    /// Features of a reading.
    pub features: u16,
    /// CRC-32 of all bytes.
    pub checksum: u32,
}

/// Device to host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    /// To [`Command::Status`].
    Status(Status),
    /// To [`Command::Begin`] and [`Command::Chunk`]: the offset of the next bytes.
    Next(u32),
    /// To [`Command::Verify`].
    Verified,
    /// To [`Command::Commit`] and [`Command::Rollback`]: done, and this is the sequence number now.
    Committed(u32),
    /// Nothing was done. The running model keeps running.
    Refused(Refusal),
}

/// Why a command was not carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Refusal {
    /// It does not name this, the current sequence number: it is a replay, or someone else was faster.
    Stale(u32),
    /// The device's readings have this many features.
    Features(u16),
    /// The model has no bytes, or more than a slot has room for.
    Length,
    /// That update is not in progress: it never began, has failed, or the device was restarted.
    NoUpdate,
    /// Bytes from this offset on are missing.
    Incomplete(u32),
    /// What arrived has another checksum than was announced. The update is over.
    Checksum,
    /// The model in that slot cannot be used. The update is over.
    Slot(SlotState),
    /// No rollback left: the other slot has no room for another mark.
    NoMarkLeft,
    /// The flash failed. The update is over.
    Flash,
}

impl core::fmt::Display for Refusal {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Stale(_) => f.write_str("its store has changed in the meantime"),
            Self::Features(features) => write!(f, "its readings have {features} features"),
            Self::Length => f.write_str("its slots have no room for the model"),
            Self::NoUpdate => f.write_str("that update is not in progress"),
            Self::Incomplete(_) => f.write_str("the model is not complete"),
            Self::Checksum => f.write_str("the checksum of what arrived is wrong"),
            Self::Slot(SlotState::Empty) => f.write_str("the other slot is empty"),
            Self::Slot(state) => write!(f, "the other slot's model cannot be used: {state}"),
            Self::NoMarkLeft => f.write_str("no rollback left; push the other slot's model instead"),
            Self::Flash => f.write_str("its flash failed"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MAX_FRAME, Request, Response, decode, encode};

    #[test]
    fn the_longest_messages_fit_a_frame() {
        let mut buffer = [0; MAX_FRAME];
        let command = Command::Chunk { update: u32::MAX, offset: u32::MAX, bytes: &[0xFF; MAX_CHUNK] };
        let sealed = Sealed::new(u16::MAX, &command).unwrap();
        let length = encode(&Request::Update(sealed.clone()), &mut buffer).unwrap().len();
        let back = decode::<Request>(&mut buffer[..length]);
        assert_eq!(back, Some(Request::Update(sealed.clone())));
        assert_eq!(sealed.open(), Some((u16::MAX, command)));
        let sealed = Sealed::new(7, &Answer::Committed(3)).unwrap();
        assert!(encode(&Response::Update(sealed), &mut buffer).is_some());
    }

    #[test]
    fn no_flipped_bit_goes_unnoticed() {
        let mut buffer = [0; MAX_FRAME];
        let sealed = Sealed::new(700, &Command::Rollback { sequence: 4 }).unwrap();
        let length = encode(&Request::Update(sealed), &mut buffer).unwrap().len();
        for bit in 0..8 * (length - 1) {
            let mut flipped = buffer;
            flipped[bit / 8] ^= 1 << (bit % 8);
            let end = flipped.iter().position(|&byte| byte == 0).unwrap();
            if let Some(Request::Update(sealed)) = decode::<Request>(&mut flipped[..end]) {
                assert_eq!(sealed.open::<Command<'_>>(), None, "bit {bit}");
            }
        }
    }
}

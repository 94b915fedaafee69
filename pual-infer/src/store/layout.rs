//! The bytes of a slot. FORMAT.md beside this crate is the specification.
//!
//! Everything lies in blocks of 32 bytes, a multiple of every write size that the store works with, so that no flash word
//! is ever written twice: the header, then the marks, then the model.

use super::verdict::Refused;
use crate::crc::crc32_of_more;

/// Bytes of a block.
pub(super) const BLOCK_BYTES: u32 = 32;

/// A block, little-endian, as flash holds it; aligned, for drivers that copy words.
pub(super) type Block = [u32; 8];

/// What erased flash reads as.
pub(super) const ERASED: Block = [u32::MAX; 8];

/// How many marks a slot has room for: the one that commits it, and more for what comes later.
pub(super) const MARKS: u32 = 4;

/// Bytes that a slot needs beside its model.
pub const OVERHEAD: u32 = (1 + MARKS) * BLOCK_BYTES;

const MAGIC: u32 = u32::from_le_bytes(*b"PSLT");
const FORMAT: u32 = 1;

/// What a slot says about its model.
#[derive(Clone, Copy)]
pub(super) struct Header {
    pub length: u32,
    pub version: u32,
    pub checksum: u32,
}

impl Header {
    /// The state of a checksum that has covered what stands before it in the header: the model comes next.
    pub fn seed(length: u32, version: u32) -> u32 {
        crc32_of_more(!0, bytemuck::bytes_of(&[MAGIC, FORMAT, length, version]))
    }

    pub fn write(self) -> Block {
        let Self {
            length,
            version,
            checksum,
        } = self;
        let [_, _, _, _, _, end @ ..] = ERASED;
        let [a, b, c] = end;
        [MAGIC, FORMAT, length, version, checksum, a, b, c]
    }

    /// `room`: most bytes that a model in this slot can have.
    pub fn read(block: &Block, room: u32) -> Result<Self, Refused> {
        let [magic, format, length, version, checksum, ..] = *block;
        match (magic, format) {
            _ if *block == ERASED => Err(Refused::Empty),
            (MAGIC, FORMAT) if length > room => Err(Refused::Length),
            (MAGIC, FORMAT) => Ok(Self {
                length,
                version,
                checksum,
            }),
            (MAGIC, _) => Err(Refused::Format(format)),
            _ => Err(Refused::NoHeader),
        }
    }
}

/// A mark: a sequence number, bound to the header by a checksum. The rest of its block stays erased.
pub(super) fn mark(header: &Block, sequence: u32) -> Block {
    let [_, _, rest @ ..] = ERASED;
    let [a, b, c, d, e, f] = rest;
    [sequence, check(header, sequence), a, b, c, d, e, f]
}

/// The sequence number of a mark, if it is one and belongs to this header.
pub(super) fn read_mark(block: &Block, header: &Block) -> Option<u32> {
    let [sequence, found, ..] = *block;
    (found == check(header, sequence)).then_some(sequence)
}

fn check(header: &Block, sequence: u32) -> u32 {
    let crc = crc32_of_more(!0, bytemuck::bytes_of(header));
    !crc32_of_more(crc, &sequence.to_le_bytes())
}

/// Is a sequence number newer than another? They wrap around: the half of them ahead counts as newer.
pub(super) fn is_newer(a: u32, b: u32) -> bool {
    (a.wrapping_sub(b) as i32) > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequence_numbers_wrap_around() {
        assert!(is_newer(2, 1) && !is_newer(1, 2) && !is_newer(7, 7));
        assert!(is_newer(0, u32::MAX) && is_newer(1, u32::MAX - 1));
        assert!(!is_newer(u32::MAX, 3));
    }

    #[test]
    fn a_mark_belongs_to_its_header() {
        let header = |length| {
            Header {
                length,
                version: 3,
                checksum: 0x1234_5678,
            }
            .write()
        };
        let block = mark(&header(100), 9);
        assert_eq!(read_mark(&block, &header(100)), Some(9));
        assert_eq!(read_mark(&block, &header(101)), None);
        assert_eq!(read_mark(&ERASED, &header(100)), None);
        assert_eq!(read_mark(&[0; 8], &header(100)), None);
    }
}

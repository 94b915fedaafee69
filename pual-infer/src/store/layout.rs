//! The bytes of a slot. FORMAT.md is the specification.
//!
//! Everything is in blocks of 32 bytes: the header, then the marks, then the model. That is a multiple of every supported write
//! size, so no flash word is ever written twice.

use super::verdict::Refused;
use crate::format::crc::crc32_of_more;

/// Bytes of a block.
pub(super) const BLOCK_BYTES: u32 = 32;

/// A block, little-endian, as flash holds it; aligned, for drivers that copy words.
pub(super) type Block = [u32; 8];

/// What erased flash reads as.
pub(super) const ERASED: Block = [u32::MAX; 8];

/// Marks that a slot has room for: the one that commits it, and more for later.
pub(super) const MARKS: u32 = 4;

/// Bytes that a slot needs in addition to its model.
pub const OVERHEAD: u32 = (1 + MARKS) * BLOCK_BYTES;

const MAGIC: u32 = u32::from_le_bytes(*b"PSLT");
const FORMAT: u32 = 1;

/// The header of a slot.
pub(super) fn header(length: u32, version: u32, checksum: u32) -> Block {
    let end = u32::MAX;
    [MAGIC, FORMAT, length, version, checksum, end, end, end]
}

/// Is this a header, of a model of at most `room` bytes?
pub(super) fn check_header(block: &Block, room: u32) -> Result<(), Refused> {
    match *block {
        [u32::MAX, ..] => Err(Refused::Empty),
        [MAGIC, FORMAT, length, ..] if length <= room => Ok(()),
        _ => Err(Refused::Header),
    }
}

/// The state of the checksum after the fields before it in the header; the model comes next.
#[inline(never)]
pub(super) fn seed(length: u32, version: u32) -> u32 {
    crc32_of_more(!0, bytemuck::bytes_of(&[MAGIC, FORMAT, length, version]))
}

/// A mark: a sequence number, bound to the header by a checksum. The rest of its block stays erased.
pub(super) fn mark(binding: u32, sequence: u32) -> Block {
    let end = u32::MAX;
    let check = mark_check(binding, sequence);
    [sequence, check, end, end, end, end, end, end]
}

/// What binds a mark to its header; `binding` is the state of the checksum after the header.
pub(super) fn mark_check(binding: u32, sequence: u32) -> u32 {
    !crc32_of_more(binding, &sequence.to_le_bytes())
}

/// Is a sequence number newer than another? They wrap around: those less than half the range ahead are newer.
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
}

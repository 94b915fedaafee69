//! A slot's bytes, for tools that write flash from outside: what an update leaves there.

use super::layout::{BLOCK_BYTES, OVERHEAD, header, mark, seed};
use crate::crc::crc32_of_more;
use alloc::vec::Vec;

/// The bytes of a slot that holds this model and is committed, to be written to the start of an erased slot. A boot takes it
/// if its `sequence` is newer than the other slot's; `version` is kept with it, as by [`begin`](super::Store::begin).
#[must_use]
pub fn slot_image(model: &[u8], version: u32, sequence: u32) -> Vec<u8> {
    // No slot has room for more than that: it is refused then, as any model that is too long.
    let length = u32::try_from(model.len()).unwrap_or(u32::MAX);
    let header = header(
        length,
        version,
        !crc32_of_more(seed(length, version), model),
    );
    let binding = crc32_of_more(!0, bytemuck::bytes_of(&header));
    let mut image = Vec::new();
    image.extend_from_slice(bytemuck::bytes_of(&header));
    image.extend_from_slice(bytemuck::bytes_of(&mark(binding, sequence)));
    image.resize(OVERHEAD as usize, 0xFF);
    image.extend_from_slice(model);
    image.resize(image.len().next_multiple_of(BLOCK_BYTES as usize), 0xFF);
    image
}

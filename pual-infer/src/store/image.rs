//! The bytes of a slot as an update leaves them, for tools that write flash from outside.

use super::layout::{BLOCK_BYTES, OVERHEAD, header, mark, seed};
use crate::crc::crc32_of_more;
use alloc::vec::Vec;

/// The bytes of a committed slot with this model, to be written to the start of an erased slot. It runs at the next boot if its
/// `sequence` is newer than the other slot's; `version` is stored with it, as by [`begin`](super::Store::begin).
#[must_use]
pub fn slot_image(model: &[u8], version: u32, sequence: u32) -> Vec<u8> {
    // No slot has room for more: such a model is refused, like any that is too long.
    let length = u32::try_from(model.len()).unwrap_or(u32::MAX);
    let header = header(length, version, !crc32_of_more(seed(length, version), model));
    let binding = crc32_of_more(!0, bytemuck::bytes_of(&header));
    let mut image = Vec::new();
    image.extend_from_slice(bytemuck::bytes_of(&header));
    image.extend_from_slice(bytemuck::bytes_of(&mark(binding, sequence)));
    image.resize(OVERHEAD as usize, 0xFF);
    image.extend_from_slice(model);
    image.resize(image.len().next_multiple_of(BLOCK_BYTES as usize), 0xFF);
    image
}

//! Damaged models with a correct checksum.
#![allow(dead_code)] // each test uses its part

use pual_infer::ModelBytes;

/// Changes some bytes and corrects the checksum, so that the other checks are reached.
pub fn forged(original: &[u8], at: usize, with: &[u8]) -> ModelBytes {
    let mut bytes = original.to_vec();
    bytes[at..at + with.len()].copy_from_slice(with);
    seal(&mut bytes);
    ModelBytes::new(&bytes)
}

/// Corrects the checksum.
pub fn seal(bytes: &mut [u8]) {
    let (body, checksum) = bytes.split_last_chunk_mut::<4>().unwrap();
    *checksum = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC).checksum(body).to_le_bytes();
}

//! The checksums that targets put right, so that what lies behind them is reached. Not the product's own, so that a mistake
//! there is noticed too.

/// CRC-32 of pieces, as models and slots have it.
pub fn crc32(pieces: &[&[u8]]) -> u32 {
    let mut crc = flate2::Crc::new();
    pieces.iter().for_each(|piece| crc.update(piece));
    crc.sum()
}

/// The last four bytes become the checksum of those before them, as at the end of a model.
pub fn put_right(bytes: &mut [u8]) {
    if let Some((covered, checksum)) = bytes.split_last_chunk_mut::<4>() {
        *checksum = crc32(&[covered]).to_le_bytes();
    }
}

/// FNV-1a, 64 bits, as plans and parts have it.
pub fn fnv_1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

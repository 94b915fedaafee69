//! The checksums that targets put right, so that what lies behind them is reached; written anew, so that a mistake in the
//! product's own is noticed too.

/// CRC-32 of pieces, as models and slots have it.
pub fn crc32(pieces: &[&[u8]]) -> u32 {
    static TABLE: [u32; 256] = table();
    let bytes = pieces.iter().copied().flatten();
    !bytes.fold(!0, |crc: u32, &byte| (crc >> 8) ^ TABLE[usize::from(crc as u8 ^ byte)])
}

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut at = 0;
    while at < 256 {
        let mut crc = at as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = (crc >> 1) ^ (0xEDB8_8320 * (crc & 1));
            bit += 1;
        }
        table[at] = crc;
        at += 1;
    }
    table
}

/// FNV-1a, 64 bits, as plans and parts have it.
pub fn fnv_1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

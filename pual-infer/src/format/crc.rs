//! CRC-32 as in Ethernet, zip and PNG (reflected polynomial 0xEDB88320), four bits at a time.
//!
//! Run once, at decode. A table of 16 words is the smallest that helps; one for whole bytes would take 1 KiB of flash.

// The store re-exports these; without it they are the crate's own.
#![cfg_attr(not(feature = "store"), allow(unreachable_pub))]

use crate::rolled::keep_rolled;

/// What each value of the lowest four bits contributes.
static TABLE: [u32; 16] = {
    let mut table = [0; 16];
    let mut value = 0;
    while value < 16 {
        let mut crc = value as u32;
        let mut bit = 0;
        while bit < 4 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0xEDB8_8320 } else { crc >> 1 };
            bit += 1;
        }
        table[value] = crc;
        value += 1;
    }
    table
};

/// CRC-32/ISO-HDLC of `bytes`.
#[must_use]
pub fn crc32(bytes: &[u8]) -> u32 {
    !crc32_of_more(!0, bytes)
}

/// For bytes that arrive in pieces: start with `!0`; the complement of the final value is the CRC.
#[must_use]
#[inline(never)]
pub fn crc32_of_more(mut crc: u32, bytes: &[u8]) -> u32 {
    for &byte in bytes {
        crc = shift_four_bits(shift_four_bits(crc ^ u32::from(byte)));
        keep_rolled();
    }
    crc
}

fn shift_four_bits(crc: u32) -> u32 {
    (crc >> 4) ^ TABLE[(crc & 15) as usize]
}

#[cfg(test)]
mod tests {
    use super::crc32;

    #[test]
    fn agrees_with_an_independent_implementation() {
        let other = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC);
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        let bytes: [u8; 300] = core::array::from_fn(|i| (i * i) as u8);
        for end in 0..bytes.len() {
            assert_eq!(crc32(&bytes[..end]), other.checksum(&bytes[..end]));
        }
    }
}

//! Bytes for a place in flash, in the formats that flashing tools read. All but the plain one hold the address.

use pual_infer::ALIGNMENT;
use serde::Serialize;
use std::str::FromStr;

/// A format that flashing tools read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FileFormat {
    /// The bytes alone.
    Bin,
    /// Intel HEX.
    Hex,
    /// For bootloaders that appear as a drive.
    Uf2,
    /// As a linker writes it.
    Elf,
}

impl FileFormat {
    /// Every format.
    pub const ALL: [Self; 4] = [Self::Bin, Self::Hex, Self::Uf2, Self::Elf];

    /// Its name, which is also the ending of its files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bin => "bin",
            Self::Hex => "hex",
            Self::Uf2 => "uf2",
            Self::Elf => "elf",
        }
    }

    /// Addresses must be multiples of this.
    #[must_use]
    pub fn alignment(self) -> u32 {
        match self {
            Self::Uf2 => UF2_SECTOR,
            _ => ALIGNMENT as u32,
        }
    }

    /// A file with these bytes for this address. `None`: a UF2 file needs the chip's family.
    #[must_use]
    pub fn file(self, address: u32, bytes: &[u8], uf2_family: Option<u32>) -> Option<Vec<u8>> {
        Some(match self {
            Self::Bin => bytes.to_vec(),
            Self::Hex => intel_hex(address, bytes).into_bytes(),
            Self::Uf2 => uf2(address, bytes, uf2_family?),
            Self::Elf => elf(address, bytes),
        })
    }
}

impl FromStr for FileFormat {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|format| format.name() == name);
        found.ok_or_else(|| format!("{name} is not one of {}", Self::ALL.map(Self::name).join(", ")))
    }
}

/// Bytes in a block of UF2.
const UF2_PAGE: usize = 256;
/// UF2 files are padded to whole sectors, the unit that bootloaders erase, so nothing is left of a longer, older model.
const UF2_SECTOR: u32 = 4096;
/// The value of erased flash.
const ERASED: u8 = 0xFF;

/// Intel HEX: lines of at most 16 bytes, each with the low half of its address; separate lines give the high half.
fn intel_hex(address: u32, bytes: &[u8]) -> String {
    const DATA: u8 = 0;
    const END: u8 = 1;
    const HIGH_ADDRESS: u8 = 4;
    let mut text = String::new();
    let mut line = |low: u16, kind: u8, data: &[u8]| {
        let [high_byte, low_byte] = low.to_be_bytes();
        let mut record = vec![data.len() as u8, high_byte, low_byte, kind];
        record.extend_from_slice(data);
        // All bytes of a line add up to 0.
        let sum = record.iter().fold(0_u8, |sum, &byte| sum.wrapping_add(byte));
        record.push(sum.wrapping_neg());
        text.push(':');
        for byte in record {
            text += &format!("{byte:02X}");
        }
        text.push('\n');
    };
    let mut high = None;
    let mut rest = bytes;
    let mut at = address;
    while !rest.is_empty() {
        if high != Some(at >> 16) {
            high = Some(at >> 16);
            line(0, HIGH_ADDRESS, &((at >> 16) as u16).to_be_bytes());
        }
        // Up to a multiple of 16, so a line never crosses a high address.
        let room = 16 - at as usize % 16;
        let (data, after) = rest.split_at(room.min(rest.len()));
        line(at as u16, DATA, data);
        rest = after;
        at = at.wrapping_add(data.len() as u32);
    }
    line(0, END, &[]);
    text
}

/// UF2: blocks of 512 bytes, each with its address and the chip's family. The address is a multiple of [`UF2_SECTOR`].
fn uf2(address: u32, bytes: &[u8], family: u32) -> Vec<u8> {
    const FAMILY_IS_GIVEN: u32 = 0x2000;
    let mut filled = bytes.to_vec();
    filled.resize(bytes.len().next_multiple_of(UF2_SECTOR as usize), ERASED);
    let blocks = (filled.len() / UF2_PAGE) as u32;
    let mut file = Vec::new();
    for (number, page) in (0..).zip(filled.chunks(UF2_PAGE)) {
        let start = file.len();
        for word in [
            0x0A32_4655,
            0x9E5D_5157,
            FAMILY_IS_GIVEN,
            address.wrapping_add(number * UF2_PAGE as u32),
            UF2_PAGE as u32,
            number,
            blocks,
            family,
        ] {
            file.extend_from_slice(&u32::to_le_bytes(word));
        }
        file.extend_from_slice(page);
        file.resize(start + 508, 0);
        file.extend_from_slice(&0x0AB1_6F30_u32.to_le_bytes());
    }
    file
}

/// ELF for ARM: one segment to load and, for tools that look at sections, one section `.model` in it.
fn elf(address: u32, bytes: &[u8]) -> Vec<u8> {
    const HEADER: u32 = 52;
    const PROGRAM_HEADER: u32 = 32;
    const SECTION_HEADER: u32 = 40;
    const DATA: u32 = HEADER + PROGRAM_HEADER;
    const NAMES: &[u8] = b"\0.model\0.shstrtab\0";
    let length = bytes.len() as u32;
    let names = DATA + length;
    let sections = (names + NAMES.len() as u32).next_multiple_of(4);

    let mut file = b"\x7fELF\x01\x01\x01".to_vec();
    file.resize(16, 0);
    let mut put = |values: &[u32], bytes_each: usize| {
        for value in values {
            file.extend_from_slice(&value.to_le_bytes()[..bytes_each]);
        }
    };
    // An executable file for ARM: no entry point, program header next, ABI 5.
    put(&[2, 40], 2);
    put(&[1, 0, HEADER, sections, 0x0500_0000], 4);
    put(&[HEADER, PROGRAM_HEADER, 1, SECTION_HEADER, 3, 2], 2);
    // Load: offset, both addresses, both lengths, readable, alignment.
    put(&[1, DATA, address, address, length, length, 4, 4], 4);
    file.extend_from_slice(bytes);
    file.extend_from_slice(NAMES);
    file.resize(sections as usize, 0);
    // Name, type, flags, address, offset, length, link, info, alignment, entry; for nothing, program bits, strings.
    for section in
        [[0; 10], [1, 1, 2, address, DATA, length, 0, 0, 4, 0], [8, 3, 0, 0, names, NAMES.len() as u32, 0, 0, 1, 0]]
    {
        for word in section {
            file.extend_from_slice(&u32::to_le_bytes(word));
        }
    }
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intel_hex_by_hand() {
        // Across a boundary of 64 KiB, from an address that is not a multiple of 16.
        assert_eq!(
            intel_hex(0x0800_FFFE, &[1, 2, 3]),
            ":020000040800F2\n:02FFFE000102FE\n:020000040801F1\n:0100000003FC\n:00000001FF\n"
        );
        assert_eq!(intel_hex(0, &[]), ":00000001FF\n");
    }
}

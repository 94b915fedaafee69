//! How large a firmware is and what is in it, from its ELF file.

use super::examine;
use crate::error::DeviceError;
use object::elf::{SHF_ALLOC, SHF_WRITE, SHT_NOBITS};
use object::read::elf::SectionHeader;
use object::{LittleEndian, Object, ObjectSection, ObjectSymbol};
use std::path::Path;

/// Bytes of a firmware on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Code, constants and initial values of variables, without the model's region.
    pub flash: u64,
    /// Variables, without the stack.
    pub ram: u64,
}

/// Reads the sizes from an ELF file.
pub fn sizes(path: &Path) -> Result<Sizes, DeviceError> {
    examine(path, |file| {
        let mut sizes = Sizes { flash: 0, ram: 0 };
        for section in file.sections() {
            let header = section.elf_section_header();
            let flags = header.sh_flags(LittleEndian);
            let name = section.name().map_err(|error| error.to_string())?;
            if !flags.contains(SHF_ALLOC) || name == ".model" {
                continue;
            }
            if header.sh_type(LittleEndian) != SHT_NOBITS {
                sizes.flash += section.size();
            }
            if flags.contains(SHF_WRITE) {
                sizes.ram += section.size();
            }
        }
        Ok(sizes)
    })
}

/// The names of an ELF file's functions and variables.
pub fn symbols(path: &Path) -> Result<Vec<String>, DeviceError> {
    examine(path, |file| {
        let name = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        file.symbols()
            .map(|symbol| symbol.name_bytes().map(name))
            .collect::<Result<_, _>>()
            .map_err(|error| error.to_string())
    })
}

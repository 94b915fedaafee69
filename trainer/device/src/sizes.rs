//! How much flash and RAM a firmware takes, and what is in it, from its ELF file.

use crate::elf::Elf;
use crate::{DeviceError, io};
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
///
/// # Errors
/// If it cannot be read, or is not a firmware image.
pub fn sizes(path: &Path) -> Result<Sizes, DeviceError> {
    let bytes = std::fs::read(path).map_err(io(format!("cannot read {}", path.display())))?;
    let sections = Elf::new(bytes).and_then(|elf| elf.sections());
    let mut sections = sections.ok_or_else(|| DeviceError::NotAnImage(path.to_owned()))?;
    sections.retain(|section| section.name != ".model");
    Ok(Sizes {
        flash: sections
            .iter()
            .filter(|section| section.stored)
            .map(|section| section.size)
            .sum(),
        ram: sections
            .iter()
            .filter(|section| section.writable)
            .map(|section| section.size)
            .sum(),
    })
}

/// The names of the functions and variables that an ELF file has.
///
/// # Errors
/// As [`sizes`].
pub fn symbols(path: &Path) -> Result<Vec<String>, DeviceError> {
    let bytes = std::fs::read(path).map_err(io(format!("cannot read {}", path.display())))?;
    let symbols = Elf::new(bytes).and_then(|elf| elf.symbols());
    let symbols = symbols.ok_or_else(|| DeviceError::NotAnImage(path.to_owned()))?;
    Ok(symbols.into_iter().map(|symbol| symbol.0).collect())
}

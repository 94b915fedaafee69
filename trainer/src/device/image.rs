//! Puts a model into a firmware image, as writing its flash region would.
//!
//! The image is an ELF file; the linker script gives the model's region a program segment of its own, whose
//! physical address is the symbol `_model_start` and whose bytes lie in the file as they will lie in flash.

use super::{DeviceError, io};
use std::path::{Path, PathBuf};

/// A firmware image, and where its model lies.
#[derive(Clone, Debug)]
pub struct Image {
    elf: Vec<u8>,
    path: PathBuf,
    /// Offset in the file and length of the model's region.
    region: (usize, usize),
}

impl Image {
    /// Reads an image.
    ///
    /// # Errors
    /// If it cannot be read, or has no model region.
    pub fn read(path: &Path) -> Result<Self, DeviceError> {
        let elf = std::fs::read(path).map_err(io(format!("cannot read {}", path.display())))?;
        let region = model_region(&elf).ok_or_else(|| DeviceError::NotAnImage(path.to_owned()))?;
        Ok(Self { elf, path: path.to_owned(), region })
    }

    /// Writes a copy of the image with another model in it, beside the original, under a name that no other
    /// running test or command uses.
    ///
    /// # Errors
    /// If the model is too large, or the file cannot be written.
    pub fn with_model(&self, model: &[u8], name: &str) -> Result<PathBuf, DeviceError> {
        let (start, length) = self.region;
        if model.len() > length {
            return Err(DeviceError::ModelTooLarge { bytes: model.len(), region: length });
        }
        let mut elf = self.elf.clone();
        let region = &mut elf[start..start + length];
        // What follows the model looks like erased flash.
        region.fill(0xFF);
        region[..model.len()].copy_from_slice(model);
        let path = self.path.with_file_name(format!("{name}-{}.elf", std::process::id()));
        std::fs::write(&path, elf).map_err(io(format!("cannot write {}", path.display())))?;
        Ok(path)
    }
}

/// Offset and length of the program segment that the model's region was linked to.
fn model_region(elf: &[u8]) -> Option<(usize, usize)> {
    let address = symbol(elf, b"_model_start")?;
    let end = symbol(elf, b"_model_end")?;
    let count = usize::from(u16_at(elf, 44)?);
    let size = usize::from(u16_at(elf, 42)?);
    let table = u32_at(elf, 28)? as usize;
    (0..count).map(|index| table + index * size).find_map(|segment| {
        let loaded = u32_at(elf, segment)? == 1;
        let offset = u32_at(elf, segment + 4)? as usize;
        let length = u32_at(elf, segment + 16)?;
        let found = loaded && u32_at(elf, segment + 12)? == address && length == end - address;
        (found && offset + length as usize <= elf.len()).then_some((offset, length as usize))
    })
}

/// The value of a symbol, from the ELF file's symbol table.
fn symbol(elf: &[u8], name: &[u8]) -> Option<u32> {
    const SYMBOL_TABLE: u32 = 2;
    if !elf.starts_with(b"\x7fELF\x01\x01") {
        return None;
    }
    let table = u32_at(elf, 32)? as usize;
    let size = usize::from(u16_at(elf, 46)?);
    let count = usize::from(u16_at(elf, 48)?);
    let section = |index: usize| table + index * size;
    let symbols = (0..count).map(section).find(|&at| u32_at(elf, at + 4) == Some(SYMBOL_TABLE))?;
    let names = u32_at(elf, section(u32_at(elf, symbols + 24)? as usize) + 16)? as usize;
    let first = u32_at(elf, symbols + 16)? as usize;
    let length = u32_at(elf, symbols + 20)? as usize;
    (first..first + length).step_by(16).find_map(|at| {
        let start = names + u32_at(elf, at)? as usize;
        let found = elf.get(start..start + name.len())? == name && elf.get(start + name.len()) == Some(&0);
        if found { u32_at(elf, at + 4) } else { None }
    })
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

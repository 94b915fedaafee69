//! Puts a model into a firmware image, as writing its flash region would.
//!
//! The image is an ELF file. The linker script gives the model's region a program segment of its own, between the
//! symbols `_model_start` and `_model_end`; its bytes lie in the file as they will lie in flash.

use super::examine;
use crate::error::{DeviceError, io};
use object::read::elf::ElfFile32;
use object::{LittleEndian, Object, ObjectSegment, ObjectSymbol};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A firmware image, and where its model lies.
#[derive(Clone, Debug)]
pub struct Image {
    elf: Vec<u8>,
    path: PathBuf,
    /// The bytes of the file that are the model's region.
    region: Range<usize>,
}

impl Image {
    /// Reads an image.
    pub fn read(path: &Path) -> Result<Self, DeviceError> {
        examine(path, |file| Ok(Self { elf: file.data().to_vec(), path: path.to_owned(), region: model_region(file)? }))
    }

    /// Writes a copy of the image with this model, next to the original. No other running test or command may use the name.
    pub fn with_model(&self, model: &[u8], name: &str) -> Result<PathBuf, DeviceError> {
        let mut elf = self.elf.clone();
        let region = &mut elf[self.region.clone()];
        if model.len() > region.len() {
            return Err(DeviceError::ModelTooLarge { bytes: model.len(), region: region.len() });
        }
        // What follows the model looks like erased flash.
        region.fill(0xFF);
        region[..model.len()].copy_from_slice(model);
        let name = format!("{name}-{}.elf", std::process::id());
        let path = self.path.with_file_name(name);
        std::fs::write(&path, elf).map_err(io(format!("cannot write {}", path.display())))?;
        Ok(path)
    }
}

fn model_region(file: &ElfFile32<'_, LittleEndian>) -> Result<Range<usize>, String> {
    let address = |name: &str| {
        let symbol = file.symbol_by_name(name);
        let symbol = symbol.ok_or_else(|| format!("no symbol {name}"))?;
        Ok::<_, String>(symbol.address())
    };
    let (start, end) = (address("_model_start")?, address("_model_end")?);
    let is_model = |loaded_to: u64, bytes: u64| loaded_to == start && start.checked_add(bytes) == Some(end);
    let segment = file.segments().find(|segment| {
        let header = segment.elf_program_header();
        is_model(header.p_paddr.get(LittleEndian).into(), header.p_filesz.get(LittleEndian).into())
    });
    let segment = segment.ok_or("no segment for the model's region")?;
    let bytes = segment.data().map_err(|error| error.to_string())?;
    let first = segment.file_range().0 as usize;
    Ok(first..first + bytes.len())
}

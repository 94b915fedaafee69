//! Puts a model into a firmware image, as writing its flash region would.
//!
//! The image is an ELF file; the linker script gives the model's region a program segment of its own, between the
//! symbols `_model_start` and `_model_end`, whose bytes lie in the file as they will lie in flash.

use crate::elf::Elf;
use crate::{DeviceError, io};
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
        let bytes = std::fs::read(path).map_err(io(format!("cannot read {}", path.display())))?;
        let not_an_image = || DeviceError::NotAnImage(path.to_owned());
        let elf = Elf::new(bytes).ok_or_else(not_an_image)?;
        let region = model_region(&elf).ok_or_else(not_an_image)?;
        Ok(Self {
            elf: elf.into_bytes(),
            path: path.to_owned(),
            region,
        })
    }

    /// Writes a copy of the image with another model in it, beside the original, under a name that no other
    /// running test or command uses.
    ///
    /// # Errors
    /// If the model is too large, or the file cannot be written.
    pub fn with_model(&self, model: &[u8], name: &str) -> Result<PathBuf, DeviceError> {
        let (start, length) = self.region;
        if model.len() > length {
            return Err(DeviceError::ModelTooLarge {
                bytes: model.len(),
                region: length,
            });
        }
        let mut elf = self.elf.clone();
        let region = &mut elf[start..start + length];
        // What follows the model looks like erased flash.
        region.fill(0xFF);
        region[..model.len()].copy_from_slice(model);
        let path = self
            .path
            .with_file_name(format!("{name}-{}.elf", std::process::id()));
        std::fs::write(&path, elf).map_err(io(format!("cannot write {}", path.display())))?;
        Ok(path)
    }
}

fn model_region(elf: &Elf) -> Option<(usize, usize)> {
    let start = elf.symbol("_model_start")?;
    let length = elf.symbol("_model_end")?.checked_sub(start)?;
    Some((elf.segment(start, length)?, length as usize))
}

//! The flash of an emulated board, in a file: what a machine wrote survives it, however it ended.
//!
//! The file is the board's PSRAM, which stands for flash (firmware-example/src/board/mps2_flash.rs). The firmware uses its
//! first 128 KiB. After them this module notes what the firmware was built with, so that it is the same board each time:
//! 4 bytes of length, the model, and, if it takes signed models only, a 1 and the public key.

use crate::error::{DeviceError, io};
use pual_trainer::internals::name_beside;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Bytes of the board's PSRAM.
const BYTES: u64 = 16 << 20;
/// Bytes that the firmware uses as flash.
const FLASH: usize = 128 << 10;
/// Bytes at most of the built-in model.
const REGION: usize = 64 << 10;

/// A file that holds a board's flash.
#[derive(Clone, Debug)]
pub struct Flash {
    path: PathBuf,
    /// The model that the firmware is built with.
    pub(super) built_in: Vec<u8>,
    public_key: Option<[u8; 32]>,
}

impl Flash {
    /// An erased flash, for a firmware with this model built in; with a key, for one that takes signed models only.
    /// Replaces the file.
    pub fn create(path: &Path, built_in: &[u8], public_key: Option<&[u8; 32]>) -> Result<Self, DeviceError> {
        if built_in.len() > REGION {
            return Err(DeviceError::ModelTooLarge { bytes: built_in.len(), region: REGION });
        }
        let beside = name_beside(path);
        let create = || -> std::io::Result<()> {
            let mut file = File::create_new(&beside)?;
            file.write_all(&vec![0xFF; FLASH])?;
            file.write_all(&(built_in.len() as u32).to_le_bytes())?;
            file.write_all(built_in)?;
            if let Some(key) = public_key {
                file.write_all(&[1])?;
                file.write_all(key)?;
            }
            file.set_len(BYTES)?;
            std::fs::rename(&beside, path)
        };
        create().map_err(|error| {
            let _ = std::fs::remove_file(&beside);
            io(format!("cannot create {}", path.display()))(error)
        })?;
        Ok(Self { path: path.to_owned(), built_in: built_in.to_owned(), public_key: public_key.copied() })
    }

    /// The flash of a board that was used before.
    pub fn open(path: &Path) -> Result<Self, DeviceError> {
        let read = || -> std::io::Result<Option<(Vec<u8>, [u8; 33])>> {
            let mut file = File::open(path)?;
            if file.metadata()?.len() != BYTES {
                return Ok(None);
            }
            let mut length = [0; 4];
            file.seek(SeekFrom::Start(FLASH as u64))?;
            file.read_exact(&mut length)?;
            let length = u32::from_le_bytes(length) as usize;
            let mut built_in = vec![0; length.min(REGION)];
            file.read_exact(&mut built_in)?;
            let mut key = [0; 33];
            file.read_exact(&mut key)?;
            Ok((1..=REGION).contains(&length).then_some((built_in, key)))
        };
        let found = read().map_err(io(format!("cannot read {}", path.display())))?;
        let (built_in, [signed, key @ ..]) = found.ok_or_else(|| DeviceError::NotAFlash(path.to_owned()))?;
        Ok(Self { path: path.to_owned(), built_in, public_key: (signed == 1).then_some(key) })
    }

    /// The firmware's key, if it takes signed models only.
    #[must_use]
    pub fn public_key(&self) -> Option<&[u8; 32]> {
        self.public_key.as_ref()
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// QEMU's option for memory that is this file.
    pub(super) fn backend(&self, id: &str) -> String {
        // QEMU separates options by commas; a literal comma is doubled.
        let path = self.path.to_string_lossy().replace(',', ",,");
        format!("memory-backend-file,id={id},size={BYTES},share=on,mem-path={path}")
    }
}

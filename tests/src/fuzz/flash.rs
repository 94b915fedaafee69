//! Flash in memory. Power never fails here: pual-infer's own tests see to that.

use embedded_storage::nor_flash::{
    ErrorType, NorFlash, NorFlashErrorKind, ReadNorFlash, check_erase, check_read, check_write,
};
use std::ops::Range;

/// Bytes of it.
pub const FLASH: usize = 1024;
/// Its two slots, each one sector.
pub const SLOTS: [Range<u32>; 2] = [0..SECTOR as u32, SECTOR as u32..FLASH as u32];
const SECTOR: usize = FLASH / 2;

/// Flash whose words have `WRITE` bytes.
pub struct Flash<const WRITE: usize>(pub Box<[u8; FLASH]>);

impl<const WRITE: usize> ErrorType for Flash<WRITE> {
    type Error = NorFlashErrorKind;
}

impl<const WRITE: usize> ReadNorFlash for Flash<WRITE> {
    const READ_SIZE: usize = 1;

    fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), Self::Error> {
        check_read(self, offset, bytes.len())?;
        bytes.copy_from_slice(&self.0[offset as usize..][..bytes.len()]);
        Ok(())
    }

    fn capacity(&self) -> usize {
        FLASH
    }
}

impl<const WRITE: usize> NorFlash for Flash<WRITE> {
    const WRITE_SIZE: usize = WRITE;
    const ERASE_SIZE: usize = SECTOR;

    fn erase(&mut self, from: u32, to: u32) -> Result<(), Self::Error> {
        check_erase(self, from, to)?;
        self.0[from as usize..to as usize].fill(0xFF);
        Ok(())
    }

    fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), Self::Error> {
        check_write(self, offset, bytes.len())?;
        let place = &mut self.0[offset as usize..][..bytes.len()];
        // Writing clears bits, and sets none.
        for (old, new) in place.iter_mut().zip(bytes) {
            *old &= new;
        }
        Ok(())
    }
}

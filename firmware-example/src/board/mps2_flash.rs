//! The flash for the model store. QEMU's MPS2 has no writable flash, so the board's PSRAM takes that role: QEMU keeps it in a
//! file, which outlives the machine as flash survives a power cut.
//!
//! Like flash, it is slow to write and slower to erase, so that a machine that is killed may be in the middle of either.
#![allow(unsafe_code)]

use embedded_storage::nor_flash::{
    ErrorType, NorFlash, NorFlashErrorKind, ReadNorFlash, check_erase, check_read, check_write,
};
use pual_infer::store::Stored;

const START: *mut u32 = 0x2100_0000 as *mut u32;
const BYTES: usize = 0x2_0000;

/// The two slots.
pub const SLOTS: [core::ops::Range<u32>; 2] = [0..0x1_0000, 0x1_0000..0x2_0000];

/// Wait loops per word written, and per word erased.
const WRITE_DELAY: u32 = 2000;
const ERASE_DELAY: u32 = 200;

/// The driver.
pub struct Flash(());

impl Flash {
    /// Call it once.
    pub fn start() -> Self {
        Self(())
    }
}

/// A stored model's bytes. They do not change until an update begins after the firmware has switched to another model.
pub fn bytes(stored: &Stored) -> Option<&'static [u8]> {
    let (offset, length) = (stored.offset as usize, stored.length as usize);
    if offset.checked_add(length)? > BYTES {
        return None;
    }
    // SAFETY: within the PSRAM; the driver writes a model's bytes only before the store has accepted it, or when another one
    // runs and the firmware no longer uses this one.
    Some(unsafe { core::slice::from_raw_parts(START.cast::<u8>().add(offset), length) })
}

impl ErrorType for Flash {
    type Error = NorFlashErrorKind;
}

impl ReadNorFlash for Flash {
    const READ_SIZE: usize = 4;

    fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), NorFlashErrorKind> {
        check_read(self, offset, bytes.len())?;
        for (index, to) in bytes.chunks_exact_mut(4).enumerate() {
            // SAFETY: checked to lie within the PSRAM.
            let word = unsafe { START.add(offset as usize / 4 + index).read_volatile() };
            to.copy_from_slice(&word.to_le_bytes());
        }
        Ok(())
    }

    fn capacity(&self) -> usize {
        BYTES
    }
}

impl NorFlash for Flash {
    const WRITE_SIZE: usize = 4;
    const ERASE_SIZE: usize = 4096;

    fn erase(&mut self, from: u32, to: u32) -> Result<(), NorFlashErrorKind> {
        check_erase(self, from, to)?;
        for word in from as usize / 4..to as usize / 4 {
            cortex_m::asm::delay(ERASE_DELAY);
            // SAFETY: checked to lie within the PSRAM.
            unsafe { START.add(word).write_volatile(u32::MAX) };
        }
        Ok(())
    }

    fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), NorFlashErrorKind> {
        check_write(self, offset, bytes.len())?;
        for (index, from) in bytes.as_chunks::<4>().0.iter().enumerate() {
            cortex_m::asm::delay(WRITE_DELAY);
            let place = START.wrapping_add(offset as usize / 4 + index);
            // SAFETY: checked to lie within the PSRAM. Bits go from 1 to 0 only, as in flash.
            unsafe { place.write_volatile(place.read_volatile() & u32::from_le_bytes(*from)) };
        }
        Ok(())
    }
}

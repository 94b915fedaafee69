//! Flash in memory. Power never fails here: pual-infer's own tests see to that.

use embedded_storage::nor_flash::{
    ErrorType, NorFlash, NorFlashErrorKind, ReadNorFlash, check_erase, check_read, check_write,
};
use pual_infer::Aligned;
use pual_infer::store::Store;
use std::cell::RefCell;
use std::ops::Range;

/// Bytes of it.
pub const FLASH: usize = 1024;
/// Its two slots, each one sector.
pub const SLOTS: [Range<u32>; 2] = [0..SECTOR as u32, SECTOR as u32..FLASH as u32];
const SECTOR: usize = FLASH / 2;

/// What it holds.
pub type Content = Aligned<[u8; FLASH]>;
/// Erased.
pub const ERASED: Content = Aligned([0xFF; FLASH]);

/// Flash whose words have `WRITE` bytes. What it holds can be read beside it, as on a chip that maps it to memory.
pub struct Flash<'a, const WRITE: usize>(pub &'a RefCell<Content>);

impl<const WRITE: usize> ErrorType for Flash<'_, WRITE> {
    type Error = NorFlashErrorKind;
}

impl<const WRITE: usize> ReadNorFlash for Flash<'_, WRITE> {
    const READ_SIZE: usize = 1;

    fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), Self::Error> {
        check_read(self, offset, bytes.len())?;
        bytes.copy_from_slice(&self.0.borrow().0[offset as usize..][..bytes.len()]);
        Ok(())
    }

    fn capacity(&self) -> usize {
        FLASH
    }
}

impl<const WRITE: usize> NorFlash for Flash<'_, WRITE> {
    const WRITE_SIZE: usize = WRITE;
    const ERASE_SIZE: usize = SECTOR;

    fn erase(&mut self, from: u32, to: u32) -> Result<(), Self::Error> {
        check_erase(self, from, to)?;
        self.0.borrow_mut().0[from as usize..to as usize].fill(0xFF);
        Ok(())
    }

    fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), Self::Error> {
        check_write(self, offset, bytes.len())?;
        let place = &mut self.0.borrow_mut().0[offset as usize..][..bytes.len()];
        // Writing clears bits, and sets none.
        for (old, new) in place.iter_mut().zip(bytes) {
            *old &= new;
        }
        Ok(())
    }
}

/// Stores a model piece by piece, as version 3. It is decoded when it boots.
pub fn update_to<const WRITE: usize>(store: &mut Store<Flash<'_, WRITE>>, model: &[u8]) {
    store.begin(model.len() as u32, 3).expect("it fits");
    for (at, piece) in model.chunks(50).enumerate() {
        store.write(50 * at as u32, piece).expect("the next piece");
    }
    store.commit(|_| Ok(())).expect("all of it is there");
}

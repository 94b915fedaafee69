//! A flash whose driver costs nothing: with it, what is measured and proved is the store alone.

use core::hint::black_box;
use embedded_storage::nor_flash::{
    ErrorType, NorFlash, NorFlashError, NorFlashErrorKind, ReadNorFlash,
};

/// Reads, writes and erases nothing.
#[derive(Clone, Copy, Debug)]
pub struct NoFlash;

/// Nothing is known to fail, and anything may.
#[derive(Clone, Copy, Debug)]
pub struct Failed;

impl NorFlashError for Failed {
    fn kind(&self) -> NorFlashErrorKind {
        NorFlashErrorKind::Other
    }
}

impl ErrorType for NoFlash {
    type Error = Failed;
}

/// All that it does.
#[inline(never)]
fn touch(offset: u32, at: usize) -> Result<(), Failed> {
    black_box((offset, at));
    black_box(Err(Failed))
}

impl ReadNorFlash for NoFlash {
    const READ_SIZE: usize = 4;

    fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), Failed> {
        touch(offset, black_box(bytes.as_mut_ptr()).addr())
    }

    fn capacity(&self) -> usize {
        8192
    }
}

impl NorFlash for NoFlash {
    const WRITE_SIZE: usize = 8;
    const ERASE_SIZE: usize = 4096;

    fn erase(&mut self, from: u32, to: u32) -> Result<(), Failed> {
        touch(from, to as usize)
    }

    fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), Failed> {
        touch(offset, black_box(bytes.as_ptr()).addr())
    }
}

//! What changes a store: an update, piece by piece, and a rollback.

use super::error::StoreError;
use super::layout::{BLOCK_BYTES, Block, ERASED, MARKS, OVERHEAD, header, mark, seed};
use super::verdict::{Refused, SlotVerdict, Stored, Unfit};
use super::{Slot, Store, read};
use crate::crc::crc32_of_more;
use crate::keep_rolled;
use embedded_storage::nor_flash::{NorFlash, NorFlashError};

/// A model on its way into a slot.
#[derive(Debug)]
pub(super) struct Update {
    /// Bytes of the model; none without an update.
    pub length: u32,
    version: u32,
    /// Bytes that have arrived.
    received: u32,
    /// The state of the checksum over them.
    crc: u32,
    /// Bytes that do not fill a block yet.
    block: Block,
}

impl Update {
    pub(super) const NONE: Self = Self { length: 0, version: 0, received: 0, crc: 0, block: ERASED };
}

impl<F: NorFlash> Store<F> {
    /// Begins an update with a model of that many bytes: erases as much of the inactive slot as it needs. An update in
    /// progress is abandoned.
    ///
    /// `version` is stored with the model: the version counter of a signed model, otherwise any number you like.
    ///
    /// # Errors
    /// The slot has no room for the model; the flash fails.
    #[inline(never)]
    pub fn begin(&mut self, length: u32, version: u32) -> Result<(), StoreError> {
        if !self.booted {
            return Err(StoreError::NotBooted);
        }
        self.update.length = 0;
        let target = self.target();
        if !(1..=self.place(target).0.room()).contains(&length) {
            return Err(StoreError::Length);
        }
        self.settle()?;
        let (place, flash) = self.place(target);
        place.verdict = SlotVerdict::Refused(Refused::Empty);
        let sectors = (OVERHEAD + length).checked_next_multiple_of(F::ERASE_SIZE as u32);
        let end = sectors.map_or(place.end, |bytes| place.end.min(place.start + bytes));
        flash.erase(place.start, end).map_err(failed)?;
        self.update.length = length;
        self.update.version = version;
        self.update.received = 0;
        self.update.crc = seed(length, version);
        Ok(())
    }

    /// Bytes of the update that have arrived, which is where the next piece goes. None without an update.
    #[must_use]
    pub fn received(&self) -> Option<u32> {
        (self.update.length > 0).then_some(self.update.received)
    }

    /// Writes the next piece of the model.
    ///
    /// # Errors
    /// A piece that is not the next one, or reaches beyond the model: none of it is written. A flash failure ends the update.
    #[inline(never)]
    pub fn write(&mut self, offset: u32, piece: &[u8]) -> Result<(), StoreError> {
        let (length, expected) = (self.update.length, self.update.received);
        if length == 0 {
            return Err(StoreError::NoUpdate);
        }
        if offset != expected || piece.len() > (length - expected) as usize {
            return Err(StoreError::Offset);
        }
        self.update.crc = crc32_of_more(self.update.crc, piece);
        let mut place = self.place(self.target()).0.start + OVERHEAD + expected;
        for &byte in piece {
            if place.is_multiple_of(BLOCK_BYTES) {
                self.update.block = ERASED;
            }
            let bytes = bytemuck::bytes_of_mut(&mut self.update.block);
            if let Some(to) = bytes.get_mut((place % BLOCK_BYTES) as usize) {
                *to = byte;
            }
            place += 1;
            self.update.received += 1;
            if place.is_multiple_of(BLOCK_BYTES) || self.update.received == length {
                self.update.length = 0; // until it has been written
                let start = (place - 1) / BLOCK_BYTES * BLOCK_BYTES;
                write(&mut self.flash, start, &self.update.block)?;
                self.update.length = length;
            }
            keep_rolled();
        }
        Ok(())
    }

    /// Ends the update: reads everything back, checks it, asks `accept` as [`boot`](Store::boot) does, and then marks the
    /// slot. The new model runs from the next boot on; the old one may be used until then. The next [`begin`](Self::begin)
    /// erases the old model's slot: boot, and switch to the new model, before that.
    ///
    /// # Errors
    /// An incomplete model (the update continues); a model that was not written correctly or is not accepted, or a flash
    /// failure (the update is over, the old model stays).
    #[inline(never)]
    pub fn commit(&mut self, mut accept: impl FnMut(&Stored) -> Result<(), Unfit>) -> Result<(), StoreError> {
        let (length, received) = (self.update.length, self.update.received);
        if length == 0 {
            return Err(StoreError::NoUpdate);
        }
        if received < length {
            return Err(StoreError::Incomplete);
        }
        self.update.length = 0;
        let target = self.target();
        let checksum = !self.update.crc;
        let block = header(length, self.update.version, checksum);
        let (place, flash) = self.place(target);
        let start = place.start;
        write(flash, start, &block)?;
        self.look(target);
        let place = self.place(target).0;
        if place.verdict != SlotVerdict::Refused(Refused::NotCommitted) || place.checksum != checksum {
            return Err(StoreError::Refused(Refused::Checksum));
        }
        self.turn(target, &mut accept)
    }

    /// Returns to the model in the other slot, if it is valid and `accept` accepts it: it runs from the next boot on. The
    /// current one stays in its slot, as the older one, until an update overwrites it.
    ///
    /// # Errors
    /// No usable model there, no rollback left, or a flash failure. Nothing has changed then.
    #[inline(never)]
    pub fn rollback(&mut self, mut accept: impl FnMut(&Stored) -> Result<(), Unfit>) -> Result<(), StoreError> {
        self.update.length = 0;
        let target = self.target();
        let place = self.place(target).0;
        if let SlotVerdict::Refused(why) = place.verdict {
            return Err(StoreError::Refused(why));
        }
        if place.free >= MARKS {
            return Err(StoreError::NoMarkLeft);
        }
        self.settle()?;
        self.turn(target, &mut accept)
    }

    /// The inactive slot.
    fn target(&self) -> Slot {
        self.active.map_or(Slot::First, Slot::other)
    }

    /// Makes a slot the active one, if it is valid.
    #[inline(never)]
    fn turn(&mut self, slot: Slot, accept: &mut dyn FnMut(&Stored) -> Result<(), Unfit>) -> Result<(), StoreError> {
        self.check(slot, accept).map_err(StoreError::Refused)?;
        self.mark(slot, self.sequence.wrapping_add(1))?;
        self.place(slot).0.verdict = SlotVerdict::Taken;
        self.active = Some(slot);
        Ok(())
    }

    /// Marks the active slot once more, in a word of its own, unless that was done since power-on: power may have failed while
    /// its marks were written, and they may be unreadable next time. The number stays the same, so that the other slot's next
    /// one is ahead of all marks here, readable or not.
    #[inline(never)]
    fn settle(&mut self) -> Result<(), StoreError> {
        if let Some(active) = self.active
            && !self.settled
            && self.place(active).0.free < MARKS
        {
            self.mark(active, self.sequence)?;
        }
        Ok(())
    }

    /// Writes a slot's next mark and reads it back.
    #[inline(never)]
    fn mark(&mut self, slot: Slot, sequence: u32) -> Result<(), StoreError> {
        let (place, flash) = self.place(slot);
        place.free += 1;
        let offset = place.start + place.free * BLOCK_BYTES;
        let mut block = mark(place.binding, sequence);
        let [_, check, ..] = block;
        write(flash, offset, &block)?;
        read(flash, offset, &mut block).map_err(StoreError::Refused)?;
        let [found_sequence, found_check, ..] = block;
        if (found_sequence, found_check) != (sequence, check) {
            return Err(StoreError::Refused(Refused::NotCommitted));
        }
        self.sequence = sequence;
        self.settled = true;
        Ok(())
    }
}

fn write<F: NorFlash>(flash: &mut F, offset: u32, block: &Block) -> Result<(), StoreError> {
    flash.write(offset, bytemuck::bytes_of(block)).map_err(failed)
}

fn failed(error: impl NorFlashError) -> StoreError {
    StoreError::Flash(error.kind())
}

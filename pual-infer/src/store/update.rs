//! What changes a store: an update, piece by piece, and a rollback.

use super::error::StoreError;
use super::layout::{BLOCK_BYTES, Block, ERASED, Header, MARKS, OVERHEAD, mark, read_mark};
use super::verdict::{Refused, Stored, Unfit};
use super::{Slot, State, Store};
use crate::crc::crc32_of_more;
use core::ops::Range;
use embedded_storage::nor_flash::NorFlash;

/// A model on its way into a slot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Update {
    length: u32,
    version: u32,
    /// Bytes that have arrived.
    received: u32,
    /// The checksum's state over them.
    crc: u32,
    /// Those that do not fill a block yet.
    block: Block,
}

impl<F: NorFlash> Store<F> {
    /// Begins an update with a model of that many bytes: erases as much as it needs of the slot that does not run. An
    /// update that was under way is given up.
    ///
    /// `version` is kept with the model: with signed models their version counter, else whatever is of use.
    ///
    /// # Errors
    /// A model that the slot has no room for; a flash that fails.
    pub fn begin(&mut self, length: u32, version: u32) -> Result<(), StoreError<F::Error>> {
        self.update = None;
        let target = self.state()?.target;
        let room = self.room(target);
        if !(1..=room).contains(&length) {
            return Err(StoreError::Length { room });
        }
        self.settle()?;
        self.erase(target, OVERHEAD + length)?;
        self.update = Some(Update {
            length,
            version,
            received: 0,
            crc: Header::seed(length, version),
            block: ERASED,
        });
        Ok(())
    }

    /// How many bytes of the update have arrived: where the next piece goes. None without an update.
    #[must_use]
    pub fn received(&self) -> Option<u32> {
        self.update.map(|update| update.received)
    }

    /// Writes the next piece of the model. Whoever sends it learns from the error where to go on.
    ///
    /// # Errors
    /// A piece that does not come next, or reaches beyond the model: nothing of it is taken. A flash that fails ends the
    /// update.
    pub fn write(&mut self, offset: u32, piece: &[u8]) -> Result<(), StoreError<F::Error>> {
        let target = self.state()?.target;
        let mut update = self.update.ok_or(StoreError::NoUpdate)?;
        let expected = update.received;
        let left = (update.length - expected) as usize;
        if offset != expected || piece.len() > left {
            return Err(StoreError::Offset { expected });
        }
        let model = self.range(target).start + OVERHEAD;
        update.crc = crc32_of_more(update.crc, piece);
        self.update = None; // until it is known to have been written
        for &byte in piece {
            let within = update.received % BLOCK_BYTES;
            if let Some(place) = bytemuck::bytes_of_mut(&mut update.block).get_mut(within as usize)
            {
                *place = byte;
            }
            update.received += 1;
            if within == BLOCK_BYTES - 1 || update.received == update.length {
                let start = model + (update.received - 1) / BLOCK_BYTES * BLOCK_BYTES;
                self.write_block(start, &update.block)?;
                update.block = ERASED;
            }
        }
        self.update = Some(update);
        Ok(())
    }

    /// Ends the update: reads everything back, checks it, asks `accept` as [`boot`](Store::boot) does, and then marks the
    /// slot. The new model runs from the next boot on, and the old one may be used until then. The slot to be erased by the
    /// next [`begin`](Self::begin) is now the old one's: boot, and take the new model, before that.
    ///
    /// # Errors
    /// A model that is not complete (the update goes on), one that was not written well or is not accepted, a flash that
    /// fails (the update is over, the old model stays).
    pub fn commit(
        &mut self,
        mut accept: impl FnMut(&Stored) -> Result<(), Unfit>,
    ) -> Result<Stored, StoreError<F::Error>> {
        let state = self.state()?;
        let update = self.update.ok_or(StoreError::NoUpdate)?;
        let received = update.received;
        if received < update.length {
            return Err(StoreError::Incomplete { received });
        }
        self.update = None;
        let header = Header {
            length: update.length,
            version: update.version,
            checksum: !update.crc,
        };
        let block = header.write();
        self.write_block(self.range(state.target).start, &block)?;
        if self.header(state.target).map_err(StoreError::Refused)?.0 != block {
            return Err(StoreError::Refused(Refused::Checksum));
        }
        let sequence = state.sequence.wrapping_add(1);
        let stored = self.stored(state.target, header, sequence);
        self.check(&stored, &mut accept)
            .map_err(StoreError::Refused)?;
        self.write_mark(state.target, 0, &block, sequence)?;
        self.activate(&stored);
        Ok(stored)
    }

    /// Goes back to the model in the other slot, if that is in order and `accept` takes it: it runs from the next boot on.
    /// The one that ran stays where it is, as the older one, until an update overwrites it.
    ///
    /// # Errors
    /// No usable model there; or it was gone back to too often; or a flash that fails. All is as it was then.
    pub fn rollback(
        &mut self,
        mut accept: impl FnMut(&Stored) -> Result<(), Unfit>,
    ) -> Result<Stored, StoreError<F::Error>> {
        let active = self.state()?.active;
        let nothing = StoreError::NothingOlder;
        let other = active.ok_or(nothing(Refused::Empty))?.other();
        self.update = None;
        let mut stored = self.look(other).map_err(nothing)?;
        self.check(&stored, &mut accept).map_err(nothing)?;
        let (block, _) = self.header(other).map_err(nothing)?;
        let free = self.marks(other, &block).free;
        if free >= MARKS {
            return Err(StoreError::NoMarkLeft);
        }
        self.settle()?;
        stored.sequence = self.state()?.sequence.wrapping_add(1);
        self.write_mark(other, free, &block, stored.sequence)?;
        self.activate(&stored);
        Ok(stored)
    }

    fn state(&self) -> Result<State, StoreError<F::Error>> {
        self.state.ok_or(StoreError::NotBooted)
    }

    fn activate(&mut self, stored: &Stored) {
        self.state = Some(State {
            active: Some(stored.slot),
            target: stored.slot.other(),
            sequence: stored.sequence,
            settled: true,
        });
    }

    /// Marks the active slot once more, in a word of its own, unless that was done since power came on: the marks that it was
    /// taken for may have been cut off, and be gone the next time. The number stays, so that the other slot's next one is
    /// ahead of all marks here, visible or not.
    fn settle(&mut self) -> Result<(), StoreError<F::Error>> {
        let mut state = self.state()?;
        let Some(active) = state.active.filter(|_| !state.settled) else {
            return Ok(());
        };
        let (block, _) = self.header(active).map_err(StoreError::Refused)?;
        let free = self.marks(active, &block).free;
        if free < MARKS {
            self.write_mark(active, free, &block, state.sequence)?;
        }
        state.settled = true;
        self.state = Some(state);
        Ok(())
    }

    /// Erases that many bytes at the front of a slot, and what shares a sector with them.
    fn erase(&mut self, slot: Slot, bytes: u32) -> Result<(), StoreError<F::Error>> {
        let Range { start, end } = *self.range(slot);
        let sectors = bytes.checked_next_multiple_of(F::ERASE_SIZE as u32);
        let end = sectors.map_or(end, |bytes| end.min(start + bytes));
        self.flash.erase(start, end).map_err(StoreError::Flash)
    }

    #[inline(never)]
    fn write_mark(
        &mut self,
        slot: Slot,
        index: u32,
        header: &Block,
        sequence: u32,
    ) -> Result<(), StoreError<F::Error>> {
        let offset = self.mark_offset(slot, index);
        self.write_block(offset, &mark(header, sequence))?;
        let written = self.read(offset).map_err(StoreError::Refused)?;
        match read_mark(&written, header) {
            Some(found) if found == sequence => Ok(()),
            _ => Err(StoreError::Refused(Refused::NotCommitted)),
        }
    }

    fn write_block(&mut self, offset: u32, block: &Block) -> Result<(), StoreError<F::Error>> {
        self.flash
            .write(offset, bytemuck::bytes_of(block))
            .map_err(StoreError::Flash)
    }
}

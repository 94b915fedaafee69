//! Two slots in flash for models that are replaced in the field: after a power cut at any point, the device boots the old model
//! or the new one.
//!
//! ```text
//!            first slot                              second slot
//!   ┌────────┬───────────────┬───────┐     ┌────────┬───────────────┬───────┐
//!   │ header │ mark mark . . │ model │     │ header │ mark . . .    │ model │
//!   └────────┴───────────────┴───────┘     └────────┴───────────────┴───────┘
//!              7    7                                 6
//! ```
//!
//! A slot is valid if it has a valid header and a *mark*: a sequence number, bound to the header by a checksum and written
//! last. The slot with the newest mark runs if its checksum is right and the firmware can use the model; otherwise the other
//! slot; otherwise the model that is built into the firmware.
//!
//! - [`boot`](Store::boot) says which model to run, and why not another.
//! - [`begin`](Store::begin), [`write`](Store::write), [`commit`](Store::commit) write the inactive slot. It is not valid before
//!   its mark, which is written only after everything has been read back, checked and decoded.
//! - [`rollback`](Store::rollback) gives the other slot a newer mark: nothing is erased.
//!
//! # The flash
//!
//! Any [`NorFlash`] whose read and write sizes divide 32. No word is written twice between two erasures, as flash with
//! error-correcting codes requires. A word whose writing was interrupted may read as anything, differently each time, or give an
//! error. So before the other slot is erased, the running one gets another mark in a word of its own (a slot has room for four),
//! and depends on no word that may have been interrupted. An update or rollback that was interrupted while writing its mark, and
//! only there, may or may not have taken effect; that can differ from boot to boot until the next one begins.
//!
//! The model is never copied to RAM. It is decoded in place, so the flash must be mapped to memory, as on-chip flash is; the
//! caller passes that memory, see [`Stored::decode`]. A driver must make sure that the core, which reads the flash through a
//! slice, sees what was written (caches, volatile reads). In the running slot only the marks are ever written; they lie before
//! the model.
//!
//! # Example
//!
//! ```no_run
//! use pual_infer::{Model, include_model, store::Store};
//! # use embedded_storage::nor_flash::NorFlash;
//! # fn firmware<F: NorFlash>(flash: F, mapped: &[u8], pieces: &[&[u8]]) -> Result<(), Box<dyn std::error::Error>>
//! # where F::Error: 'static {
//! const FEATURES: usize = 2;
//! let mut store = Store::new(flash, [0x8000..0xA000, 0xA000..0xC000])?;
//! let boot = store.boot(|stored| stored.decode(mapped, FEATURES).map(drop));
//! let model = match boot.model {
//!     Some(stored) => stored.decode(mapped, FEATURES)?,
//!     None => Model::decode(include_model!("../../tests/golden/v1-rbf-named.pual"))?,
//! };
//! # let _ = model;
//!
//! // An update of 182 bytes, while the model above goes on scoring:
//! store.begin(182, 0)?;
//! let mut offset = 0;
//! for piece in pieces {
//!     store.write(offset, piece)?;
//!     offset += piece.len() as u32;
//! }
//! store.commit(|stored| stored.decode(mapped, FEATURES).map(drop))?; // runs from the next boot on
//! # Ok(()) }
//! ```

mod error;
#[cfg(feature = "encode")]
mod image;
mod layout;
mod update;
mod verdict;

pub use crate::crc::{crc32, crc32_of_more};
pub use error::{GeometryError, StoreError};
#[cfg(feature = "encode")]
pub use image::slot_image;
pub use layout::OVERHEAD;
pub use verdict::{Boot, Refused, SlotVerdict, Stored, Unfit};

use core::fmt;
use core::hint::black_box;
use core::ops::Range;
use embedded_storage::nor_flash::NorFlash;
use layout::{BLOCK_BYTES, Block, ERASED, MARKS, check_header, is_newer, mark_check, seed};
use update::Update;

/// One of the two slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Slot {
    /// The first one given to [`Store::new`].
    First,
    /// The other.
    Second,
}

impl Slot {
    fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::First => "first",
            Self::Second => "second",
        })
    }
}

/// Two slots in a flash.
#[derive(Debug)]
pub struct Store<F> {
    flash: F,
    first: Place,
    second: Place,
    booted: bool,
    /// The slot whose model runs, which is never erased; none for the built-in model.
    active: Option<Slot>,
    /// The newest sequence number seen.
    sequence: u32,
    /// Has the active slot been marked since power-on? Then it depends on no word that may have been interrupted.
    settled: bool,
    update: Update,
}

/// A slot, and what was last seen there.
#[derive(Debug)]
struct Place {
    start: u32,
    end: u32,
    /// From its header.
    length: u32,
    version: u32,
    checksum: u32,
    /// The state of a mark's checksum after the header.
    binding: u32,
    /// Of the newest mark; 0 without one.
    sequence: u32,
    /// The first mark that is erased, with all marks after it; [`MARKS`] if there is none.
    free: u32,
    verdict: SlotVerdict,
}

impl Place {
    fn new(range: Range<u32>) -> Self {
        Self {
            start: range.start,
            end: range.end,
            length: 0,
            version: 0,
            checksum: 0,
            binding: 0,
            sequence: 0,
            free: 0,
            verdict: SlotVerdict::Refused(Refused::Empty),
        }
    }

    /// Most bytes that a model can have here.
    fn room(&self) -> u32 {
        self.end - self.start - OVERHEAD // `Store::new` has checked that there is some
    }

    fn stored(&self, slot: Slot) -> Stored {
        Stored { slot, offset: self.start + OVERHEAD, length: self.length, version: self.version }
    }
}

impl<F: NorFlash> Store<F> {
    /// A store over these two ranges of flash. Nothing is read yet.
    ///
    /// # Errors
    /// A flash or slots that it cannot work with.
    pub fn new(flash: F, slots: [Range<u32>; 2]) -> Result<Self, GeometryError> {
        let (read, write, erase) = (F::READ_SIZE, F::WRITE_SIZE, F::ERASE_SIZE);
        let divides = |size: usize| size.is_power_of_two() && size <= BLOCK_BYTES as usize;
        if !divides(read) || !divides(write) || erase == 0 || !erase.is_multiple_of(write) {
            return Err(GeometryError::Flash);
        }
        let [first, second] = slots;
        for (slot, range) in [(Slot::First, &first), (Slot::Second, &second)] {
            for end in [range.start, range.end] {
                if !(end.is_multiple_of(erase as u32) && end.is_multiple_of(BLOCK_BYTES)) {
                    return Err(GeometryError::Misaligned(slot));
                }
            }
            if range.end.saturating_sub(range.start) <= OVERHEAD {
                return Err(GeometryError::TooSmall(slot));
            }
            if range.end as usize > flash.capacity() {
                return Err(GeometryError::BeyondFlash(slot));
            }
        }
        if first.start < second.end && second.start < first.end {
            return Err(GeometryError::Overlap);
        }
        Ok(Self {
            flash,
            first: Place::new(first),
            second: Place::new(second),
            booted: false,
            active: None,
            sequence: 0,
            settled: false,
            update: Update::NONE,
        })
    }

    /// Finds the model to run: the newest one whose slot is valid and that `accept` accepts (most firmware calls
    /// [`Stored::decode`] there). Writes nothing. An update in progress is abandoned.
    #[inline(never)]
    pub fn boot(&mut self, mut accept: impl FnMut(&Stored) -> Result<(), Unfit>) -> Boot {
        self.look(Slot::First);
        self.look(Slot::Second);
        self.booted = true;
        self.active = None;
        self.settled = false;
        self.update.length = 0;
        self.sequence = self.first.sequence;
        let mut slot = Slot::First;
        if is_newer(self.second.sequence, self.first.sequence) {
            self.sequence = self.second.sequence;
            slot = Slot::Second;
        }
        let model = self.take(slot, &mut accept);
        Boot {
            model: model.or_else(|| self.take(slot.other(), &mut accept)),
            first: self.first.verdict,
            second: self.second.verdict,
        }
    }

    /// The newest sequence number: each update and each rollback that takes effect adds one.
    #[must_use]
    pub fn sequence(&self) -> u32 {
        self.sequence
    }

    /// Takes the store apart.
    pub fn into_flash(self) -> F {
        self.flash
    }

    /// A slot, and the flash.
    fn place(&mut self, slot: Slot) -> (&mut Place, &mut F) {
        match slot {
            Slot::First => (&mut self.first, &mut self.flash),
            Slot::Second => (&mut self.second, &mut self.flash),
        }
    }

    /// Reads a slot's header and marks, but not the model.
    #[inline(never)]
    fn look(&mut self, slot: Slot) {
        let (place, flash) = self.place(slot);
        place.sequence = 0;
        place.free = 0;
        let mut offset = place.start;
        let mut block = ERASED;
        let header = read(flash, offset, &mut block).and_then(|()| check_header(&block, place.room()));
        if let Err(why) = header {
            place.verdict = SlotVerdict::Refused(why);
            return;
        }
        place.verdict = SlotVerdict::Refused(Refused::NotCommitted);
        [_, _, place.length, place.version, place.checksum, ..] = block;
        place.binding = crc32_of_more(!0, bytemuck::bytes_of(&block));
        let mut index = 0;
        // `black_box` keeps the loop rolled.
        while index < black_box(MARKS) {
            index += 1;
            offset += BLOCK_BYTES;
            let readable = read(flash, offset, &mut block).is_ok();
            let [sequence, check, ..] = block;
            if !readable || sequence & check != u32::MAX {
                place.free = index;
            }
            if readable && check == mark_check(place.binding, sequence) {
                if place.verdict != SlotVerdict::Older || is_newer(sequence, place.sequence) {
                    place.sequence = sequence;
                }
                place.verdict = SlotVerdict::Older;
            }
        }
    }

    /// Makes a slot the active one, if its model is valid.
    #[inline(never)]
    fn take(&mut self, slot: Slot, accept: &mut dyn FnMut(&Stored) -> Result<(), Unfit>) -> Option<Stored> {
        if self.place(slot).0.verdict != SlotVerdict::Older {
            return None;
        }
        let checked = self.check(slot, accept);
        let place = self.place(slot).0;
        match checked {
            Ok(()) => {
                place.verdict = SlotVerdict::Taken;
                let stored = place.stored(slot);
                let sequence = place.sequence;
                self.active = Some(slot);
                // Numbers half the range apart have no order, but the next mark must be newer than the running slot's.
                if !is_newer(self.sequence.wrapping_add(1), sequence) {
                    self.sequence = sequence;
                }
                Some(stored)
            }
            Err(why) => {
                place.verdict = SlotVerdict::Refused(why);
                None
            }
        }
    }

    /// Checks the model's checksum, then asks `accept`.
    #[inline(never)]
    fn check(&mut self, slot: Slot, accept: &mut dyn FnMut(&Stored) -> Result<(), Unfit>) -> Result<(), Refused> {
        let (place, flash) = self.place(slot);
        let stored = place.stored(slot);
        let mut crc = seed(stored.length, stored.version);
        let mut offset = stored.offset;
        let mut left = stored.length;
        let mut block = ERASED;
        while left > 0 {
            read(flash, offset, &mut block)?;
            let count = left.min(BLOCK_BYTES);
            let bytes: &[u8] = bytemuck::bytes_of(&block);
            crc = crc32_of_more(crc, bytes.get(..count as usize).unwrap_or(bytes));
            offset += count;
            left -= count;
        }
        if !crc != place.checksum {
            return Err(Refused::Checksum);
        }
        accept(&stored).map_err(Refused::Unfit)
    }
}

#[inline(never)]
fn read<F: NorFlash>(flash: &mut F, offset: u32, block: &mut Block) -> Result<(), Refused> {
    match flash.read(offset, bytemuck::bytes_of_mut(block)) {
        Ok(()) => Ok(()),
        Err(_) => Err(Refused::Unreadable),
    }
}

//! Two slots in flash for models that are replaced in the field: whatever is cut off when, the device boots the old model or
//! the new one.
//!
//! ```text
//!            first slot                              second slot
//!   ┌────────┬───────────────┬───────┐     ┌────────┬───────────────┬───────┐
//!   │ header │ mark mark . . │ model │     │ header │ mark . . .    │ model │
//!   └────────┴───────────────┴───────┘     └────────┴───────────────┴───────┘
//!              7    7                                 6
//! ```
//!
//! A slot counts if its header is in order and a *mark* says so: a sequence number, bound to the header by a checksum and
//! written last. The slot with the newest mark runs if its checksum is right and the firmware can use the model; else the
//! other one; else the model that is built into the firmware.
//!
//! - [`boot`](Store::boot) says which model to run, and why not another.
//! - [`begin`](Store::begin), [`write`](Store::write), [`commit`](Store::commit) write the slot that does not run. Nothing
//!   counts before the mark, and the mark is written only after everything was read back, checked and decoded.
//! - [`rollback`](Store::rollback) gives the other slot a newer mark: nothing is erased for it.
//!
//! # The flash
//!
//! Any [`NorFlash`] whose read and write sizes divide 32. No word is written twice between two erasures, which flash with
//! error-correcting codes asks for. A word whose writing was cut off may read as anything, each time as something else, or
//! give an error: before the other slot is erased, the running one is marked once more, in a word of its own (a slot has
//! room for four marks), so that it depends on no word that may have been cut off. An update or rollback that was cut off in
//! its mark, and only there, may or may not have taken effect; that can differ from boot to boot until the next one begins.
//!
//! The model is never copied to RAM. It is decoded where it lies, and for that the flash must be mapped to memory, as
//! on-chip flash is: the caller hands out that memory, see [`Stored::decode`]. A driver that writes to flash which the
//! core reads through a slice must see to it that what is read after a write is what was written (caches, volatile reads);
//! the slot that runs is never written but for its marks, which lie before the model.
//!
//! # Example
//!
//! ```no_run
//! use pual_infer::{AnyModel, include_model, store::Store};
//! # use embedded_storage::nor_flash::NorFlash;
//! # fn firmware<F: NorFlash>(flash: F, mapped: &[u8], pieces: &[&[u8]]) -> Result<(), Box<dyn std::error::Error>>
//! # where F::Error: 'static {
//! const FEATURES: usize = 2;
//! let mut store = Store::new(flash, [0x8000..0xA000, 0xA000..0xC000])?;
//! let boot = store.boot(|stored| stored.decode(mapped, FEATURES).map(drop));
//! let model = match boot.model {
//!     Some(stored) => stored.decode(mapped, FEATURES)?,
//!     None => AnyModel::decode(include_model!("../../tests/golden/v1-rbf-named.pual"))?,
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
mod layout;
mod update;
mod verdict;

pub use error::{GeometryError, StoreError};
pub use layout::OVERHEAD;
pub use verdict::{Boot, Refused, Stored, Unfit, Verdict};

use crate::crc::crc32_of_more;
use core::fmt;
use core::ops::Range;
use embedded_storage::nor_flash::NorFlash;
use layout::{BLOCK_BYTES, Block, ERASED, Header, MARKS, is_newer};
use update::Update;

/// One of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Slot {
    /// The one that was named first.
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
    first: Range<u32>,
    second: Range<u32>,
    state: Option<State>,
    update: Option<Update>,
}

/// What a boot found out.
#[derive(Clone, Copy, Debug)]
struct State {
    /// The slot whose model runs, and which is not erased: none for the built-in model.
    active: Option<Slot>,
    /// The slot that the next update goes to.
    target: Slot,
    /// The newest sequence number seen.
    sequence: u32,
    /// Was the active slot marked since power came on? Then it depends on no word that may have been cut off.
    settled: bool,
}

/// The marks of a slot.
struct Marks {
    newest: Option<u32>,
    /// The first of which it and all behind it are erased; [`MARKS`] if none is.
    free: u32,
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
            first,
            second,
            state: None,
            update: None,
        })
    }

    /// Finds the model to run: the newest whose slot is in order and that `accept` takes ([`Stored::decode`] is what most
    /// firmware does there). Writes nothing. An update that was begun is given up.
    pub fn boot(&mut self, mut accept: impl FnMut(&Stored) -> Result<(), Unfit>) -> Boot {
        self.update = None;
        let first = self.look(Slot::First);
        let second = self.look(Slot::Second);
        let sequences = [&first, &second].map(|seen| seen.as_ref().ok().map(|s| s.sequence));
        let (sequence, newest) = match sequences {
            [Some(a), Some(b)] if is_newer(b, a) => (b, Slot::Second),
            [Some(a), _] => (a, Slot::First),
            [None, Some(b)] => (b, Slot::Second),
            [None, None] => (0, Slot::First),
        };
        let mut verdicts = [Verdict::Older; 2];
        let mut model = None;
        for slot in [newest, newest.other()] {
            let [one, two] = &mut verdicts;
            let (seen, verdict) = match slot {
                Slot::First => (&first, one),
                Slot::Second => (&second, two),
            };
            let checked = match seen {
                Ok(_) if model.is_some() => continue,
                Ok(stored) => self.check(stored, &mut accept).map(|()| *stored),
                Err(why) => Err(*why),
            };
            *verdict = match checked {
                Ok(stored) => {
                    model = Some(stored);
                    Verdict::Taken
                }
                Err(why) => Verdict::Refused(why),
            };
        }
        let [first, second] = verdicts;
        let active = model.map(|model| model.slot);
        let target = active.map_or(Slot::First, Slot::other);
        self.state = Some(State {
            active,
            target,
            sequence,
            settled: false,
        });
        Boot {
            model,
            first,
            second,
        }
    }

    /// Takes the store apart.
    pub fn into_flash(self) -> F {
        self.flash
    }

    fn range(&self, slot: Slot) -> &Range<u32> {
        match slot {
            Slot::First => &self.first,
            Slot::Second => &self.second,
        }
    }

    /// Most bytes that a model in a slot can have.
    fn room(&self, slot: Slot) -> u32 {
        let range = self.range(slot);
        range
            .end
            .saturating_sub(range.start)
            .saturating_sub(OVERHEAD)
    }

    #[inline(never)]
    fn read(&mut self, offset: u32) -> Result<Block, Refused> {
        let mut block = ERASED;
        match self.flash.read(offset, bytemuck::bytes_of_mut(&mut block)) {
            Ok(()) => Ok(block),
            Err(_) => Err(Refused::Unreadable),
        }
    }

    fn header(&mut self, slot: Slot) -> Result<(Block, Header), Refused> {
        let block = self.read(self.range(slot).start)?;
        Header::read(&block, self.room(slot)).map(|header| (block, header))
    }

    #[inline(never)]
    fn marks(&mut self, slot: Slot, header: &Block) -> Marks {
        let mut marks = Marks {
            newest: None,
            free: 0,
        };
        for index in 0..MARKS {
            let block = self.read(self.mark_offset(slot, index));
            if block != Ok(ERASED) {
                marks.free = index + 1;
            }
            let found = block.ok().and_then(|b| layout::read_mark(&b, header));
            marks.newest = match (marks.newest, found) {
                (Some(old), Some(new)) if !is_newer(new, old) => Some(old),
                (old, new) => new.or(old),
            };
        }
        marks
    }

    fn mark_offset(&self, slot: Slot, index: u32) -> u32 {
        self.range(slot).start + (1 + index) * BLOCK_BYTES
    }

    /// A slot's header and marks. The model is not looked at.
    #[inline(never)]
    fn look(&mut self, slot: Slot) -> Result<Stored, Refused> {
        let (block, header) = self.header(slot)?;
        let marks = self.marks(slot, &block);
        let sequence = marks.newest.ok_or(Refused::NotCommitted)?;
        Ok(self.stored(slot, header, sequence))
    }

    fn stored(&self, slot: Slot, header: Header, sequence: u32) -> Stored {
        Stored {
            slot,
            offset: self.range(slot).start + OVERHEAD,
            length: header.length,
            version: header.version,
            checksum: header.checksum,
            sequence,
        }
    }

    /// Reads the model through, then asks whoever will run it.
    #[inline(never)]
    fn check(
        &mut self,
        stored: &Stored,
        accept: &mut dyn FnMut(&Stored) -> Result<(), Unfit>,
    ) -> Result<(), Refused> {
        let mut crc = Header::seed(stored.length, stored.version);
        let mut done = 0;
        while done < stored.length {
            let block = self.read(stored.offset + done)?;
            let left = (stored.length - done).min(BLOCK_BYTES);
            let bytes: &[u8] = bytemuck::bytes_of(&block);
            crc = crc32_of_more(crc, bytes.get(..left as usize).unwrap_or(bytes));
            done += left;
        }
        if !crc != stored.checksum {
            return Err(Refused::Checksum);
        }
        accept(stored).map_err(Refused::Unfit)
    }
}

//! A flash that can lose power in the middle of a write or an erasure.
//!
//! Every byte of a write and every `erase_step` bytes of an erasure are a step; power can be cut at any step. The word or
//! sector that was being changed is then *torn*: its bits are anywhere between old and new, see [`Tear`].
#![allow(dead_code)] // each test uses its part

use embedded_storage::nor_flash::{ErrorType, NorFlash, NorFlashError, NorFlashErrorKind, ReadNorFlash};
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

/// What happens to bytes that were being changed when power failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tear {
    /// Nothing was changed yet.
    Old,
    /// Everything was changed already.
    New,
    /// Some bits were changed.
    Mixed,
    /// Each read finds other bits changed.
    Noisy,
    /// All old or all new, at random at each power-up: the worst case that a checksum cannot detect.
    Flicker,
    /// Reading fails, as in flash with error-correcting codes.
    Unreadable,
}

impl Tear {
    pub const ALL: [Self; 6] = [Self::Old, Self::New, Self::Mixed, Self::Noisy, Self::Flicker, Self::Unreadable];
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SimError {
    PowerLost,
    Uncorrectable,
    OutOfBounds,
}

impl NorFlashError for SimError {
    fn kind(&self) -> NorFlashErrorKind {
        match self {
            Self::OutOfBounds => NorFlashErrorKind::OutOfBounds,
            _ => NorFlashErrorKind::Other,
        }
    }
}

static ERASED: [u8; 4096] = [0xFF; 4096];

/// What happened to a word since it was erased.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    Erased,
    Written,
    /// How, and whether it last read as erased: only then may it be written.
    Torn {
        tear: Tear,
        seen_erased: bool,
    },
}

/// The state of a flash; a clone of it is another flash.
#[derive(Clone, Debug)]
pub struct Chip {
    /// The content; for torn words, what was being written.
    bytes: Vec<u8>,
    /// For torn words, the content before.
    before: Vec<u8>,
    words: Vec<Word>,
    write_size: usize,
    random: u64,
    /// Do flickering bytes read as new, until power fails again?
    flickers_new: bool,
    /// Steps until power fails, and how it tears.
    cut: Option<(usize, Tear)>,
    powered: bool,
    /// Steps since power-on.
    pub steps: usize,
    /// Bytes per step of an erasure.
    pub erase_step: usize,
}

impl Chip {
    pub fn new(capacity: usize, write_size: usize, seed: u64) -> Self {
        Self {
            bytes: vec![0xFF; capacity],
            before: vec![0xFF; capacity],
            words: vec![Word::Erased; capacity / write_size],
            write_size,
            random: seed | 1,
            flickers_new: false,
            cut: None,
            powered: true,
            steps: 0,
            erase_step: 1,
        }
    }

    /// Power comes back. `cut`: after how many steps it fails again, and how.
    pub fn power_up(&mut self, cut: Option<(usize, Tear)>) {
        self.flickers_new = self.draw() & 1 == 1;
        self.cut = cut;
        self.powered = true;
        self.steps = 0;
    }

    /// Restarts the random numbers.
    pub fn reseed(&mut self, seed: u64) {
        self.random = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    }

    /// Puts bytes there as if they had been written long ago.
    pub fn load(&mut self, offset: usize, bytes: &[u8]) {
        self.bytes[offset..offset + bytes.len()].copy_from_slice(bytes);
        for word in self.words(offset..offset + bytes.len()) {
            if self.bytes[self.word(word)].iter().any(|&byte| byte != 0xFF) {
                self.words[word] = Word::Written;
            }
        }
    }

    pub fn flip(&mut self, bit: usize) {
        self.bytes[bit / 8] ^= 1 << (bit % 8);
    }

    fn draw(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random >> 11
    }

    fn read(&mut self, offset: usize, into: &mut [u8]) -> Result<(), SimError> {
        self.check_power()?;
        let end = offset + into.len();
        into.copy_from_slice(self.bytes.get(offset..end).ok_or(SimError::OutOfBounds)?);
        for word in self.words(offset..end) {
            let Word::Torn { tear, .. } = self.words[word] else { continue };
            let mut seen_erased = true;
            for at in self.word(word) {
                let byte = self.torn_byte(at, tear)?;
                seen_erased &= byte == 0xFF;
                if (offset..end).contains(&at) {
                    into[at - offset] = byte;
                }
            }
            self.words[word] = Word::Torn { tear, seen_erased };
        }
        Ok(())
    }

    fn torn_byte(&mut self, at: usize, tear: Tear) -> Result<u8, SimError> {
        let (old, new) = (self.before[at], self.bytes[at]);
        Ok(match tear {
            Tear::Old => old,
            Tear::New | Tear::Mixed => new, // mixed when it was torn
            Tear::Noisy => old ^ ((old ^ new) & self.draw() as u8),
            Tear::Flicker if self.flickers_new => new,
            Tear::Flicker => old,
            Tear::Unreadable => return Err(SimError::Uncorrectable),
        })
    }

    /// The bytes of a word.
    fn word(&self, word: usize) -> Range<usize> {
        word * self.write_size..(word + 1) * self.write_size
    }

    /// The words that these bytes are in.
    fn words(&self, bytes: Range<usize>) -> Range<usize> {
        bytes.start / self.write_size..bytes.end.div_ceil(self.write_size)
    }

    fn check_power(&self) -> Result<(), SimError> {
        if self.powered { Ok(()) } else { Err(SimError::PowerLost) }
    }

    /// Takes a step; true if power fails in it.
    fn fails(&mut self) -> bool {
        let failing = self.cut.is_some_and(|(after, _)| self.steps == after);
        self.steps += 1;
        self.powered &= !failing;
        failing
    }

    /// Changes one word, unless power fails in one of its bytes.
    fn write_word(&mut self, word: usize, new: &[u8]) -> Result<(), SimError> {
        let allowed = matches!(self.words[word], Word::Erased | Word::Torn { seen_erased: true, .. });
        assert!(allowed, "word {word} is written twice without an erasure");
        let failing = (0..new.len()).any(|_| self.fails());
        self.change(self.word(word), &ERASED[..new.len()], new, failing)?;
        self.words[word] = Word::Written;
        Ok(())
    }

    fn erase_sector(&mut self, sector: Range<usize>) -> Result<(), SimError> {
        let steps = sector.len().div_ceil(self.erase_step);
        let failing = (0..steps).any(|_| self.fails());
        let mut old = self.bytes[sector.clone()].to_vec();
        for word in self.words(sector.clone()) {
            if let Word::Torn { tear, .. } = self.words[word] {
                // Torn again: its last content, as far as it is defined.
                for at in self.word(word) {
                    old[at - sector.start] = self.torn_byte(at, tear).unwrap_or(self.before[at]);
                }
            }
        }
        self.change(sector.clone(), &old, &ERASED[..sector.len()], failing)?;
        for word in self.words(sector.clone()) {
            self.words[word] = Word::Erased;
        }
        Ok(())
    }

    /// Changes bytes, or tears them.
    fn change(&mut self, range: Range<usize>, old: &[u8], new: &[u8], failing: bool) -> Result<(), SimError> {
        self.bytes[range.clone()].copy_from_slice(new);
        if !failing {
            return Ok(());
        }
        self.before[range.clone()].copy_from_slice(old);
        let tear = self.cut.map_or(Tear::Old, |(_, tear)| tear);
        if tear == Tear::Mixed {
            // Few bits or many.
            let share = self.draw() & self.draw();
            let sparse = self.draw() & 1 == 1;
            for at in range.clone() {
                let mask = (self.draw() & if sparse { share } else { u64::MAX }) as u8;
                self.bytes[at] = self.before[at] ^ ((self.before[at] ^ self.bytes[at]) & mask);
            }
        }
        for word in self.words(range) {
            self.words[word] = Word::Torn { tear, seen_erased: false };
        }
        Err(SimError::PowerLost)
    }
}

/// A handle to a chip, as a driver: `R`ead, `W`rite and `E`rase sizes.
#[derive(Clone, Debug)]
pub struct Flash<const R: usize, const W: usize, const E: usize>(pub Rc<RefCell<Chip>>);

impl<const R: usize, const W: usize, const E: usize> Flash<R, W, E> {
    pub fn new(chip: Chip) -> Self {
        assert_eq!(chip.write_size, W);
        Self(Rc::new(RefCell::new(chip)))
    }

    /// A copy of some bytes, as the core would read them.
    pub fn mapped(&self, offset: u32, length: u32) -> Result<Vec<u8>, SimError> {
        let mut bytes = vec![0; length as usize];
        self.0.borrow_mut().read(offset as usize, &mut bytes)?;
        Ok(bytes)
    }
}

impl<const R: usize, const W: usize, const E: usize> ErrorType for Flash<R, W, E> {
    type Error = SimError;
}

impl<const R: usize, const W: usize, const E: usize> ReadNorFlash for Flash<R, W, E> {
    const READ_SIZE: usize = R;

    fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), SimError> {
        let offset = offset as usize;
        assert!(offset.is_multiple_of(R) && bytes.len().is_multiple_of(R));
        self.0.borrow_mut().read(offset, bytes)
    }

    fn capacity(&self) -> usize {
        self.0.borrow().bytes.len()
    }
}

impl<const R: usize, const W: usize, const E: usize> NorFlash for Flash<R, W, E> {
    const WRITE_SIZE: usize = W;
    const ERASE_SIZE: usize = E;

    fn erase(&mut self, from: u32, to: u32) -> Result<(), SimError> {
        let (from, to) = (from as usize, to as usize);
        assert!(from.is_multiple_of(E) && to.is_multiple_of(E) && from < to);
        let mut chip = self.0.borrow_mut();
        chip.check_power()?;
        (from..to).step_by(E).try_for_each(|start| chip.erase_sector(start..start + E))
    }

    fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), SimError> {
        let offset = offset as usize;
        assert!(offset.is_multiple_of(W) && bytes.len().is_multiple_of(W));
        let mut chip = self.0.borrow_mut();
        chip.check_power()?;
        bytes.chunks(W).zip(offset / W..).try_for_each(|(new, word)| chip.write_word(word, new))
    }
}

//! As much of the ELF format as firmware images need: 32-bit, little-endian, sections, segments and symbols.

/// An ELF file in memory.
#[derive(Clone, Debug)]
pub(super) struct Elf(Vec<u8>);

/// A section that the program occupies memory with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Section {
    pub name: String,
    /// Does the file hold its bytes? Otherwise it begins as zeros.
    pub stored: bool,
    pub writable: bool,
    pub size: u64,
}

const TYPE_SYMBOLS: u32 = 2;
const TYPE_NO_BITS: u32 = 8;
const FLAG_WRITE: u32 = 1;
const FLAG_ALLOC: u32 = 2;
const SEGMENT_LOAD: u32 = 1;

impl Elf {
    /// `None` if it is not such a file.
    pub fn new(bytes: Vec<u8>) -> Option<Self> {
        bytes.starts_with(b"\x7fELF\x01\x01").then_some(Self(bytes))
    }

    /// All bytes of the file.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// The sections that occupy memory on the device.
    pub fn sections(&self) -> Option<Vec<Section>> {
        let names = self.section(usize::from(self.u16_at(50)?))?;
        let mut sections = Vec::new();
        for index in 0..usize::from(self.u16_at(48)?) {
            let at = self.section(index)?;
            let flags = self.u32_at(at + 8)?;
            if flags & FLAG_ALLOC != 0 {
                sections.push(Section {
                    name: self
                        .text_at(self.u32_at(names + 16)? as usize + self.u32_at(at)? as usize)?,
                    stored: self.u32_at(at + 4)? != TYPE_NO_BITS,
                    writable: flags & FLAG_WRITE != 0,
                    size: u64::from(self.u32_at(at + 20)?),
                });
            }
        }
        Some(sections)
    }

    /// The value of a symbol.
    pub fn symbol(&self, name: &str) -> Option<u32> {
        let symbols = self.symbols()?.into_iter();
        { symbols }
            .find(|symbol| symbol.0 == name)
            .map(|symbol| symbol.1)
    }

    /// Names and values of the symbols.
    pub fn symbols(&self) -> Option<Vec<(String, u32)>> {
        let count = usize::from(self.u16_at(48)?);
        let sections = (0..count).filter_map(|index| self.section(index));
        let table = { sections }.find(|&at| self.u32_at(at + 4) == Some(TYPE_SYMBOLS))?;
        let names = self.u32_at(self.section(self.u32_at(table + 24)? as usize)? + 16)? as usize;
        let first = self.u32_at(table + 16)? as usize;
        let length = self.u32_at(table + 20)? as usize;
        let symbol = |at: usize| {
            let name = self.text_at(names.checked_add(self.u32_at(at)? as usize)?)?;
            Some((name, self.u32_at(at + 4)?))
        };
        (first..first.checked_add(length)?)
            .step_by(16)
            .map(symbol)
            .collect()
    }

    /// Where in the file the segment lies that is loaded to this address and has this length.
    pub fn segment(&self, address: u32, length: u32) -> Option<usize> {
        let table = self.u32_at(28)? as usize;
        let size = usize::from(self.u16_at(42)?);
        (0..usize::from(self.u16_at(44)?))
            .map(|index| table + index * size)
            .find_map(|at| {
                let found = self.u32_at(at)? == SEGMENT_LOAD
                    && self.u32_at(at + 12)? == address
                    && self.u32_at(at + 16)? == length;
                let offset = self.u32_at(at + 4)? as usize;
                (found && offset.checked_add(length as usize)? <= self.0.len()).then_some(offset)
            })
    }

    fn section(&self, index: usize) -> Option<usize> {
        Some(self.u32_at(32)? as usize + index * usize::from(self.u16_at(46)?))
    }

    fn text_at(&self, at: usize) -> Option<String> {
        let text = self.0.get(at..)?.split(|&byte| byte == 0).next()?;
        Some(String::from_utf8_lossy(text).into_owned())
    }

    fn u16_at(&self, at: usize) -> Option<u16> {
        Some(u16::from_le_bytes(
            self.0.get(at..at.checked_add(2)?)?.try_into().ok()?,
        ))
    }

    fn u32_at(&self, at: usize) -> Option<u32> {
        Some(u32::from_le_bytes(
            self.0.get(at..at.checked_add(4)?)?.try_into().ok()?,
        ))
    }
}

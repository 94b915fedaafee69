//! Where the sections of a model lie: FORMAT.md's tables, for tools that show a model.

use crate::format::wire::{CHECKSUM_BYTES, Encoding, FIXED_LANES, FixedUnits, HAS_ENVELOPE, Head, Kernel, LANES};
use crate::read::description::Description;

/// A part of a model's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// What it holds.
    pub name: &'static str,
    /// Where it begins, counted from the start of the model.
    pub offset: usize,
    /// Its bytes. 0 if the model has no such section.
    pub length: usize,
}

impl Encoding {
    /// Bytes of a coefficient.
    #[must_use]
    pub fn coefficient_bytes(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::I16 | Self::I8 => 2,
        }
    }

    /// Bytes of one feature of a support instance.
    #[must_use]
    pub fn value_bytes(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::I16 => 2,
            Self::I8 => 1,
        }
    }
}

impl Description<'_> {
    /// The sections of the model in their order. Their lengths add up to the model's.
    pub fn sections(&self) -> impl Iterator<Item = Section> + use<> {
        let (encoding, features) = (self.encoding(), self.features());
        let lanes = match (encoding, self.kernel()) {
            (Encoding::F32, Kernel::Rbf) => LANES,
            (Encoding::F32, Kernel::Linear) => 1,
            _ => FIXED_LANES,
        };
        let (units, bound, shifts) = match encoding {
            Encoding::F32 => (0, 4, 0),
            Encoding::I16 => (FixedUnits::BYTES, 2, 0),
            Encoding::I8 => (FixedUnits::BYTES, 2, features.next_multiple_of(4)),
        };
        let bounds = if self.head.has(HAS_ENVELOPE) { 2 } else { 0 };
        let instance = encoding.coefficient_bytes() + features * encoding.value_bytes();
        let names = self.tail.len() - self.after_names().len();
        let mut offset = 0;
        [
            ("header", Head::BYTES),
            ("units", units),
            ("offsets", 4 * features),
            ("scales", 4 * features),
            ("training range", bounds * bound * features),
            ("shifts", shifts),
            ("expansion", self.supports().next_multiple_of(lanes) * instance),
            ("names", names),
            ("recipe", self.tail.len() - names),
            ("checksum", CHECKSUM_BYTES),
        ]
        .into_iter()
        .filter(|(name, length)| *length > 0 || *name != "recipe")
        .map(move |(name, length)| {
            let section = Section { name, offset, length };
            offset += length;
            section
        })
    }
}

//! The header of an NPY file: a version, a length, and a Python dictionary of three entries.
//!
//! ```text
//!   93 4e 55 4d 50 59   the magic
//!   major minor         1.0, 2.0 or 3.0
//!   length              2 bytes in version 1, else 4; little-endian
//!   {'descr': '<f8', 'fortran_order': False, 'shape': (1000, 9), }   and blanks up to a line end
//! ```

use crate::data::table::{CsvProblem, NpyError};
use std::io::Read;

/// No header of a table of numbers is longer than this.
const LONGEST: u32 = 1 << 16;
const MOST_COLUMNS: u64 = 1 << 16;

/// What is stored, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    pub element: Element,
    /// Column after column.
    pub fortran: bool,
    pub rows: u64,
    pub columns: usize,
    /// Where in the file the values begin.
    pub values_at: u64,
}

/// How one value is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Element {
    pub kind: ElementKind,
    pub big_endian: bool,
    /// In bytes.
    pub size: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ElementKind {
    Bool,
    Signed,
    Unsigned,
    Float,
}

impl Header {
    /// Reads `input`, magic and all, up to the first value.
    pub(super) fn read(input: &mut impl Read) -> Result<Self, CsvProblem> {
        let version = exactly(input, 8)?[6];
        let length_bytes = match version {
            1 => 2,
            2 | 3 => 4,
            other => return Err(NpyError::Version(other).into()),
        };
        let mut length = [0; 4];
        length[..length_bytes].copy_from_slice(&exactly(input, length_bytes as u64)?);
        let length = u32::from_le_bytes(length);
        if length > LONGEST {
            return Err(NpyError::Header("it is too long").into());
        }
        let text = exactly(input, length.into())?;
        let text = std::str::from_utf8(&text).map_err(|_| NpyError::Header("it is no text"))?;
        let values_at = 8 + length_bytes as u64 + u64::from(length);
        Ok(Self::parse(text, values_at)?)
    }

    fn parse(text: &str, values_at: u64) -> Result<Self, NpyError> {
        let (mut element, mut fortran, mut shape) = (None, None, None);
        let mut rest = HeaderText(text);
        rest.expect("{")?;
        while !rest.take("}") {
            let key = rest.string()?;
            rest.expect(":")?;
            match key {
                "descr" => element = Some(rest.element()?),
                "fortran_order" => fortran = Some(rest.boolean()?),
                "shape" => shape = Some(rest.shape()?),
                _ => return Err(NpyError::Header("it has an unknown entry")),
            }
            if !rest.take(",") {
                rest.expect("}")?;
                break;
            }
        }
        let (Some(element), Some(fortran), Some(shape)) = (element, fortran, shape) else {
            return Err(NpyError::Header("expected the entries descr, fortran_order and shape"));
        };
        let &[rows, columns] = shape.as_slice() else {
            let numbers: Vec<String> = shape.iter().map(u64::to_string).collect();
            let comma = if shape.len() == 1 { "," } else { "" };
            return Err(NpyError::Shape(format!("({}{comma})", numbers.join(", "))));
        };
        if !(1..=MOST_COLUMNS).contains(&columns) {
            return Err(NpyError::Columns { most: MOST_COLUMNS, found: columns });
        }
        let bytes = rows.checked_mul(columns * element.size as u64);
        if bytes.and_then(|bytes| bytes.checked_add(values_at)).is_none() {
            return Err(NpyError::Header("the shape is too large"));
        }
        Ok(Self { element, fortran, rows, columns: columns as usize, values_at })
    }
}

fn exactly(input: &mut impl Read, count: u64) -> Result<Vec<u8>, CsvProblem> {
    let mut bytes = Vec::new();
    input.take(count).read_to_end(&mut bytes)?;
    if (bytes.len() as u64) < count {
        return Err(NpyError::Header("the file ends within it").into());
    }
    Ok(bytes)
}

/// What is left of the dictionary's text.
struct HeaderText<'t>(&'t str);

impl<'t> HeaderText<'t> {
    /// Steps over `symbol` if it comes next, blanks aside.
    fn take(&mut self, symbol: &str) -> bool {
        let rest = self.0.trim_start().strip_prefix(symbol);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn expect(&mut self, symbol: &str) -> Result<(), NpyError> {
        match self.take(symbol) {
            true => Ok(()),
            false => Err(NpyError::Header("it is no Python dictionary")),
        }
    }

    fn string(&mut self) -> Result<&'t str, NpyError> {
        let quote = if self.take("\"") { '"' } else { '\'' };
        if quote == '\'' {
            self.expect("'")?;
        }
        let (string, rest) = self.0.split_once(quote).ok_or(NpyError::Header("it is no Python dictionary"))?;
        self.0 = rest;
        Ok(string)
    }

    fn boolean(&mut self) -> Result<bool, NpyError> {
        if self.take("True") {
            return Ok(true);
        }
        match self.take("False") {
            true => Ok(false),
            false => Err(NpyError::Header("fortran_order is neither True nor False")),
        }
    }

    fn shape(&mut self) -> Result<Vec<u64>, NpyError> {
        const WRONG: NpyError = NpyError::Header("the shape is no tuple of numbers");
        if !self.take("(") {
            return Err(WRONG);
        }
        let (inside, rest) = self.0.split_once(')').ok_or(WRONG)?;
        self.0 = rest;
        let inside = inside.trim();
        if inside.is_empty() {
            return Ok(Vec::new());
        }
        let inside = inside.strip_suffix(',').unwrap_or(inside);
        inside.split(',').map(|number| number.trim().parse().map_err(|_| WRONG)).collect()
    }

    fn element(&mut self) -> Result<Element, NpyError> {
        if self.take("[") {
            return Err(NpyError::Dtype { found: "[...]".to_owned(), hint: ", a structured array" });
        }
        let text = self.string()?;
        Element::parse(text)
            .ok_or_else(|| NpyError::Dtype { found: format!("'{}'", text.escape_debug()), hint: hint_for_dtype(text) })
    }
}

impl Element {
    fn parse(text: &str) -> Option<Self> {
        let (order, kind) = text.split_at_checked(1)?;
        let size = usize::from(kind.as_bytes().get(1)?.wrapping_sub(b'0'));
        let kind = match kind {
            "b1" => ElementKind::Bool,
            "i1" | "i2" | "i4" | "i8" => ElementKind::Signed,
            "u1" | "u2" | "u4" | "u8" => ElementKind::Unsigned,
            "f4" | "f8" => ElementKind::Float,
            _ => return None,
        };
        let big_endian = match order {
            "<" => false,
            ">" => true,
            "|" if size == 1 => false,
            _ => return None,
        };
        Some(Self { kind, big_endian, size })
    }
}

/// What a dtype that is not read is.
fn hint_for_dtype(text: &str) -> &'static str {
    match text.trim_start_matches(['<', '>', '|', '=']).as_bytes() {
        [b'O', ..] => ", Python objects",
        [b'U' | b'S' | b'a', ..] => ", text",
        [b'V', ..] => ", raw bytes",
        [b'M' | b'm', ..] => ", times",
        [b'c', ..] => ", complex numbers",
        b"f2" => ", 16-bit floats",
        _ => "",
    }
}

//! NumPy's NPY: an array of numbers, read in blocks.
//!
//! Columns have no names there and are called x0, x1, ... The label column is the last unless another is named.

mod header;

use crate::data::table::layout::Layout;
use crate::data::table::numbers::{self, Cells, Number, NumberOrText};
use crate::data::table::{Block, Columns, CsvError, CsvProblem, NpyError};
use header::{Element, ElementKind, Header};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

pub(super) struct Npy<'a> {
    header: Header,
    values: ValueSource<'a>,
    next_row: u64,
}

enum ValueSource<'a> {
    /// Row after row.
    Rows(Box<dyn Read + Send + 'a>),
    /// Column after column.
    Columns(File),
}

impl<'a> Npy<'a> {
    /// Reads the header of `bytes`; `path` is given where the file can also be read out of order.
    pub(super) fn start(
        file: &str,
        mut bytes: Box<dyn Read + Send + 'a>,
        columns: &Columns,
        path: Option<&Path>,
    ) -> Result<(Layout, Self), CsvError> {
        let header = Header::read(&mut bytes).map_err(|problem| CsvError::new(file, problem))?;
        let values = match (header.fortran, path) {
            (false, _) => ValueSource::Rows(bytes),
            (true, Some(path)) => ValueSource::Columns(File::open(path).map_err(|error| CsvError::new(file, error))?),
            (true, None) => return Err(CsvError::new(file, NpyError::Fortran)),
        };
        let names: Vec<String> = (0..header.columns).map(|at| format!("x{at}")).collect();
        let mut columns = columns.clone();
        if let Some(label) = &mut columns.label
            && !names.contains(label)
        {
            label.clone_from(&names[names.len() - 1]);
        }
        let layout = Layout::new(file, names, &columns)?;
        let npy = Self { header, values, next_row: 0 };
        Ok((layout, npy))
    }

    /// The next rows, about `bytes` of them; an empty block at the end.
    pub(super) fn next_block(&mut self, layout: &Layout, bytes: usize) -> Result<Block, CsvProblem> {
        let Header { element, columns, .. } = self.header;
        let row_bytes = columns * element.size;
        let most = (bytes / row_bytes).max(1) as u64;
        let rows = most.min(self.header.rows - self.next_row) as usize;
        let values = self.read(rows, row_bytes)?;
        let (row_step, column_step) = match self.values {
            ValueSource::Rows(_) => (columns, 1),
            ValueSource::Columns(_) => (1, rows),
        };
        let array = ArrayBlock { values: &values, element, row_step, column_step };
        // In a truncated file an error before the cut is reported first, wherever blocks end.
        let found = values.len() / row_bytes;
        let block = numbers::block_of(layout, self.next_row, found, &array)?;
        self.next_row += found as u64;
        match found < rows {
            true => Err(self.cut_short().into()),
            false => Ok(block),
        }
    }

    /// How much of an array stored by columns is read, from 0 to 1.
    pub(super) fn share_read(&self) -> Option<f64> {
        match self.values {
            ValueSource::Rows(_) => None,
            ValueSource::Columns(_) => Some(self.next_row as f64 / self.header.rows.max(1) as f64),
        }
    }

    fn cut_short(&self) -> NpyError {
        NpyError::Truncated { expected: self.header.rows, found: self.next_row }
    }

    /// The values of the next `rows` rows, in the file's order; fewer where a file that is stored by rows ends.
    fn read(&mut self, rows: usize, row_bytes: usize) -> Result<Vec<u8>, CsvProblem> {
        let cut_short = self.cut_short();
        let mut values = Vec::with_capacity(rows * row_bytes);
        match &mut self.values {
            ValueSource::Rows(bytes) => {
                bytes.take((rows * row_bytes) as u64).read_to_end(&mut values)?;
            }
            ValueSource::Columns(file) => {
                values.resize(rows * row_bytes, 0);
                let size = self.header.element.size;
                for (column, part) in values.chunks_exact_mut((rows * size).max(1)).enumerate() {
                    let before = column as u64 * self.header.rows + self.next_row;
                    let at = self.header.values_at + before * size as u64;
                    let read = file.seek(SeekFrom::Start(at)).and_then(|_| file.read_exact(part));
                    match read {
                        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Err(cut_short.into()),
                        other => other?,
                    }
                }
            }
        }
        Ok(values)
    }
}

/// A block's bytes. Steps are in values.
struct ArrayBlock<'v> {
    values: &'v [u8],
    element: Element,
    row_step: usize,
    column_step: usize,
}

impl Cells for ArrayBlock<'_> {
    fn cell(&self, row: usize, column: usize) -> NumberOrText<'_> {
        let at = row * self.row_step + column * self.column_step;
        let size = self.element.size;
        NumberOrText::Number(self.element.number(&self.values[at * size..][..size]))
    }
}

impl Element {
    fn number(self, bytes: &[u8]) -> Number {
        let mut low_first = [0; 8];
        low_first[..bytes.len()].copy_from_slice(bytes);
        if self.big_endian {
            low_first[..bytes.len()].reverse();
        }
        let unused = 64 - 8 * bytes.len() as u32;
        let unsigned = u64::from_le_bytes(low_first);
        let signed = (unsigned << unused) as i64 >> unused;
        match (self.kind, self.size) {
            (ElementKind::Bool, _) => Number::of_unsigned(u64::from(unsigned != 0)),
            (ElementKind::Unsigned, _) => Number::of_unsigned(unsigned),
            (ElementKind::Signed, _) => Number::of_signed(signed),
            (ElementKind::Float, 4) => Number::of_float(f32::from_bits(unsigned as u32)),
            (ElementKind::Float, _) => Number::of_double(f64::from_bits(unsigned)),
        }
    }
}

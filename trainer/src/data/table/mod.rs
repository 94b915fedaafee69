//! Files of rows become tables of numbers: the only place that reads data files. CSV, plain or gzip; NumPy's NPY; Parquet with the
//! feature `parquet`. The content decides which it is.
//!
//! - The first line names the columns, in any order. Cells may be quoted; lines end in LF or CRLF; gzip and a byte-order mark are
//!   recognised by content; `-` is standard input. Blank lines and blanks around a cell are ignored.
//! - **A feature is read as the 32-bit float the device will read**, then widened to f64: the trainer sees exactly what the
//!   chip sees. NaN, infinities, numbers beyond 32-bit range and empty cells are errors: there are no missing values.
//! - A label is `1`, `true` or `positive` for a labeled positive, and `0`, `-1`, `false`, `unlabeled` or nothing for an unlabeled
//!   row (-1 is how semi-supervised tools write "unlabeled"). A truth is `1`, `true`, `positive` or `0`, `-1`, `false`,
//!   `negative`; it is never empty, since nothing can be evaluated against an unknown truth. Case does not matter, and neither does
//!   the spelling of the numbers (`1.0`).
//! - An NPY file holds a 2-D array of bool, integers, float32 or float64. Its columns are called x0, x1, ...; the label is the
//!   last column unless another is named. Column order (Fortran) is read from plain files only.
//! - A Parquet file's features are bool, integers, float or double; label and truth may be text. It must be a plain file,
//!   its pages uncompressed or compressed by snappy or zstd.
//! - [`BlockReader`] reads files of any size, in little memory and with all threads; [`Table`] holds all rows; [`RowReader`]
//!   reads them one by one, also as text.
//! - Columns without a job are not looked at: a scoring file may carry time stamps and comments.

mod blocks;
mod columns;
mod csv;
mod error;
mod layout;
mod npy;
mod numbers;
#[cfg(feature = "parquet")]
mod parquet;
mod source;

pub use blocks::{Block, BlockReader};
pub use columns::Columns;
pub(crate) use columns::Role;
pub use csv::RowReader;
pub use error::{CsvError, CsvProblem, NpyError, ValueError};
pub(crate) use layout::Marks;

use std::io::{self, Read, Write};
use std::path::Path;

/// Rows in memory: what a file says, not checked for training.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// The features' names.
    pub names: Vec<String>,
    /// The features, row after row. Each value fits a 32-bit float exactly.
    pub rows: Vec<f64>,
    /// Which rows are labeled positive, if there is a label column.
    pub labeled: Option<Vec<bool>>,
    /// Which rows are really positive, if there is a truth column.
    pub truth: Option<Vec<bool>>,
}

impl Table {
    /// Reads `path`, or standard input for `-`. At least one row, or it is an error.
    pub fn open(path: &Path, columns: &Columns) -> Result<Self, CsvError> {
        Self::collect(BlockReader::open(path, columns)?)
    }

    /// Reads `raw`, which messages call `file`.
    pub fn read(file: &str, raw: impl Read + Send, columns: &Columns) -> Result<Self, CsvError> {
        Self::collect(BlockReader::new(file, raw, columns)?)
    }

    /// All rows that `reader` has left.
    pub fn collect(mut reader: BlockReader) -> Result<Self, CsvError> {
        let mut table = reader.empty_table();
        while let Some(block) = reader.next_block()? {
            table.append(&block);
        }
        Ok(table)
    }

    /// Adds the rows of a file's next block.
    pub fn append(&mut self, block: &Block) {
        self.rows.extend_from_slice(&block.rows);
        for (all, next) in [(&mut self.labeled, &block.labeled), (&mut self.truth, &block.truth)] {
            all.iter_mut().for_each(|all| all.extend(next));
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len() / self.names.len().max(1)
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Writes the features and, under the given names, whichever of label and truth are present.
    ///
    /// Reading the result back gives this table again.
    pub fn write(&self, out: impl Write, label: &str, truth: &str) -> io::Result<()> {
        let mut writer = ::csv::Writer::from_writer(out);
        let marks = [(label, &self.labeled), (truth, &self.truth)];
        let present = || marks.iter().filter_map(|(name, marks)| marks.as_ref().map(|m| (*name, m)));
        writer.write_record(self.names.iter().map(String::as_str).chain(present().map(|(name, _)| name)))?;
        let mut cell = String::new();
        for (index, row) in self.rows.chunks(self.names.len().max(1)).enumerate() {
            for value in row {
                cell.clear();
                // The shortest text that reads back as the same 32-bit float.
                let _ = std::fmt::Write::write_fmt(&mut cell, format_args!("{}", *value as f32));
                writer.write_field(&cell)?;
            }
            for (_, marks) in present() {
                writer.write_field(if marks[index] { "1" } else { "0" })?;
            }
            writer.write_record(None::<&[u8]>)?;
        }
        writer.flush()
    }
}

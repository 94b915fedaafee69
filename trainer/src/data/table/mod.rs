//! Files of rows become tables of numbers: the only place that reads data files. CSV, plain or gzip; NumPy's NPY; Parquet with the
//! feature `parquet`. The content decides which it is.
//!
//! - The first line names the columns, in any order. Cells may be quoted; lines end in LF or CRLF; gzip and a byte-order mark are
//!   recognised by content; `-` is standard input. Blank lines and blanks around a cell are ignored.
//! - **A feature is read as the 32-bit float the device will read**, then widened to f64: the trainer sees exactly what the
//!   chip sees. NaN, infinities, numbers beyond 32-bit range and empty cells are errors: there are no missing values.
//! - A label is `1`, `true` or `positive` for a labeled positive, `0`, `false`, `unlabeled` or nothing for an unlabeled row, and
//!   `-1`, `normal` or `negative` for a row known to be normal. A truth is `1`, `true`, `positive` or `0`, `-1`, `false`,
//!   `negative`, `normal`; it is never empty, since nothing can be evaluated against an unknown truth. Case does not matter, and
//!   neither does the spelling of the numbers (`1.0`).
//! - A group is any text, or a number in a binary file; it is never empty. Several files are a group each.
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
mod files;
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
pub(crate) use files::stem;
pub(crate) use layout::{Label, Marks, label_of, truth_of};

use crate::data::groups::Groups;
use blocks::append_normal;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The bytes of a text file, unpacked and without its marks. `-` is standard input.
pub(crate) fn open_text(path: &Path) -> Result<Box<dyn Read + Send>, CsvError> {
    let source = source::Source::open(path)?;
    match source.format {
        source::Format::Text => Ok(source.bytes),
        other => Err(CsvError::new(&source.file, CsvProblem::NotText(other.name()))),
    }
}

/// The column in which [`Table::write`] names the groups.
const GROUP: &str = "group";

/// Rows in memory: what a file says, not checked for training.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// The features' names.
    pub names: Vec<String>,
    /// The features, row after row. Each value fits a 32-bit float exactly.
    pub rows: Vec<f64>,
    /// Which rows are labeled positive, if there is a label column.
    pub labeled: Option<Vec<bool>>,
    /// Which rows are known to be normal, if any is; none of them is labeled positive.
    pub normal: Option<Vec<bool>>,
    /// Which rows are really positive, if there is a truth column.
    pub truth: Option<Vec<bool>>,
    /// Which rows belong together, if a column or several files say so.
    pub groups: Option<Groups>,
}

impl Table {
    /// Reads `path`, or standard input for `-`. At least one row, or it is an error.
    pub fn open(path: &Path, columns: &Columns) -> Result<Self, CsvError> {
        Self::collect(BlockReader::open(path, columns)?)
    }

    /// Reads several files, joined in this order. Each is a group with the name of its file, unless a column names the groups. All
    /// have the features of the first, in any order. A single file is read as by [`open`](Self::open).
    pub fn open_all(paths: &[PathBuf], columns: &Columns) -> Result<Self, CsvError> {
        Self::collect(BlockReader::open_all(paths, columns)?)
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
        let before = self.labeled.as_ref().map_or(0, Vec::len);
        append_normal(&mut self.normal, before, block.normal.as_deref(), block.labeled.len());
        self.rows.extend_from_slice(&block.rows);
        if let (Some(all), Some(next)) = (&mut self.groups, &block.groups) {
            all.append(next);
        }
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

    /// Writes the features and, under the given names, whichever of label and truth are present; the groups as the column `group`.
    ///
    /// Reading the result back gives this table again.
    pub fn write(&self, out: impl Write, label: &str, truth: &str) -> io::Result<()> {
        let mut writer = ::csv::Writer::from_writer(out);
        let has = [(label, self.labeled.is_some()), (truth, self.truth.is_some()), (GROUP, self.groups.is_some())];
        let present = has.iter().filter_map(|&(name, present)| present.then_some(name));
        writer.write_record(self.names.iter().map(String::as_str).chain(present))?;
        let mut cell = String::new();
        for (index, row) in self.rows.chunks(self.names.len().max(1)).enumerate() {
            for value in row {
                cell.clear();
                // The shortest text that reads back as the same 32-bit float.
                let _ = std::fmt::Write::write_fmt(&mut cell, format_args!("{}", *value as f32));
                writer.write_field(&cell)?;
            }
            let normal = self.normal.as_ref().is_some_and(|normal| normal[index]);
            let mark = |marked: bool| if marked { "1" } else { "0" };
            if let Some(labeled) = &self.labeled {
                writer.write_field(if normal { "-1" } else { mark(labeled[index]) })?;
            }
            if let Some(truth) = &self.truth {
                writer.write_field(mark(truth[index]))?;
            }
            if let Some(groups) = &self.groups {
                writer.write_field(groups.name(index))?;
            }
            writer.write_record(None::<&[u8]>)?;
        }
        writer.flush()
    }
}

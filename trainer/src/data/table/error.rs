//! What can be wrong with a file of rows: every message names the place and says what was expected. Advice is the program's.

use super::Role;
use std::io;

/// Why a CSV file could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CsvError {
    /// The file cannot be opened or read, or its gzip data are damaged.
    #[error("{file}: {source}")]
    Read {
        /// The file as the user named it.
        file: String,
        /// What the operating system or the decompressor said.
        source: io::Error,
    },
    /// The header is not UTF-8.
    #[error("{file}:1: expected UTF-8 text")]
    NotUtf8 {
        /// The file as the user named it.
        file: String,
    },
    /// There is not even a header.
    #[error("{file}: the file is empty; expected a header line naming the columns, then one row per line")]
    Empty {
        /// The file as the user named it.
        file: String,
    },
    /// There is a header and nothing else.
    #[error("{file}: no rows after the header; expected at least one")]
    NoRows {
        /// The file as the user named it.
        file: String,
    },
    /// Two columns have one name, so choosing by name would be a guess.
    #[error("{file}:1: columns {first} and {second} are both called `{column}`")]
    DuplicateColumn {
        /// The file as the user named it.
        file: String,
        /// The name they share.
        column: String,
        /// Number of the first of them, from 1.
        first: usize,
        /// Number of the second.
        second: usize,
    },
    /// A column without a name would become a feature. Spreadsheet and data-frame row numbers arrive this way.
    #[error("{file}:1: column {position} has no name")]
    UnnamedColumn {
        /// The file as the user named it.
        file: String,
        /// Number of the column, from 1.
        position: usize,
    },
    /// A requested column is not in the header.
    #[error("{file}:1: no column `{column}` ({role})")]
    MissingColumn {
        /// The file as the user named it.
        file: String,
        /// The requested name.
        column: String,
        /// What the column was wanted for.
        role: Role,
        /// The nearest name, or the likely reason.
        hint: String,
    },
    /// One column was given two jobs, such as label and feature.
    #[error("column `{column}` cannot be both {first} and {second}")]
    TwoRoles {
        /// The column's name.
        column: String,
        /// One job.
        first: Role,
        /// The other job.
        second: Role,
    },
    /// Nothing is left to learn from or to score.
    #[error("{file}:1: no feature column is left; expected at least one besides {taken}")]
    NoFeatures {
        /// The file as the user named it.
        file: String,
        /// The columns that have another job.
        taken: String,
    },
    /// A row with more or fewer cells than the header.
    #[error("{file}:{line}: expected {expected} cells as in the header, found {found}")]
    Ragged {
        /// The file as the user named it.
        file: String,
        /// Line on which the row begins, from 1.
        line: u64,
        /// Cells in the header.
        expected: usize,
        /// Cells in this row.
        found: usize,
        /// The likely reason; nothing where there is none.
        hint: &'static str,
    },
    /// A feature cell that is not a number.
    #[error("{file}:{line}: column `{column}`: expected a number, found {found}")]
    NotANumber {
        /// The file as the user named it.
        file: String,
        /// Line on which the row begins, from 1.
        line: u64,
        /// The column's name.
        column: String,
        /// The cell's text, quoted and cut short.
        found: String,
        /// The likely reason; nothing where there is none.
        hint: &'static str,
    },
    /// A feature cell that is NaN or infinite.
    #[error("{file}:{line}: column `{column}`: expected a finite number, found {found}")]
    NotFinite {
        /// The file as the user named it.
        file: String,
        /// Line on which the row begins, from 1.
        line: u64,
        /// The column's name.
        column: String,
        /// The cell's text, quoted and cut short.
        found: String,
    },
    /// A feature cell beyond the range of the device's numbers.
    #[error(
        "{file}:{line}: column `{column}`: {found} is too large for the device, which reads 32-bit floats (at most 3.4e38)"
    )]
    TooLarge {
        /// The file as the user named it.
        file: String,
        /// Line on which the row begins, from 1.
        line: u64,
        /// The column's name.
        column: String,
        /// The cell's text, quoted and cut short.
        found: String,
    },
    /// A cell of the label or truth column that says neither yes nor no.
    #[error("{file}:{line}: column `{column}` ({role}): expected {expected}, found {found}")]
    NotAMark {
        /// The file as the user named it.
        file: String,
        /// Line on which the row begins, from 1.
        line: u64,
        /// The column's name.
        column: String,
        /// Label or truth.
        role: Role,
        /// The accepted spellings.
        expected: &'static str,
        /// The cell's text, quoted and cut short.
        found: String,
    },
    /// A value of an array that cannot be used.
    #[error("{file}: row {row} (from 0), column `{column}`: {source}")]
    Value {
        /// The file as the user named it.
        file: String,
        /// The row, from 0 as arrays count.
        row: u64,
        /// The column's name.
        column: String,
        /// What is wrong with it.
        source: ValueError,
    },
    /// An NPY file that holds no table of numbers, or not all of it.
    #[error("{file}: {source}")]
    Npy {
        /// The file as the user named it.
        file: String,
        /// What is wrong with it.
        source: NpyError,
    },
    /// Parquet, where this build cannot read it.
    #[error("{file}: this is a Parquet file, and this build reads only CSV and NPY")]
    NoParquet {
        /// The file as the user named it.
        file: String,
    },
    /// A damaged Parquet file, or one that cannot be read.
    #[error("{file}: {problem}")]
    Parquet {
        /// The file as the user named it.
        file: String,
        /// What the Parquet library said.
        problem: String,
    },
    /// A Parquet column of a type that is not read.
    #[error("{file}: column `{column}` ({role}): expected bool, integers, float or double, found {found}")]
    ColumnType {
        /// The file as the user named it.
        file: String,
        /// The column's name.
        column: String,
        /// What the column was wanted for.
        role: Role,
        /// Its type.
        found: String,
    },
    /// Rows are wanted as text.
    #[error("{file}: expected CSV, found {format}")]
    NotText {
        /// The file as the user named it.
        file: String,
        /// What it is instead.
        format: &'static str,
    },
}

/// What can be wrong with a value of a binary file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ValueError {
    /// NaN or infinite.
    #[error("expected a finite number, found {0}")]
    NotFinite(f64),
    /// Beyond the range of the device's numbers.
    #[error("{0:e} is too large for the device, which reads 32-bit floats (at most 3.4e38)")]
    TooLarge(f64),
    /// No value.
    #[error("expected a number, found a null")]
    Missing,
    /// A label or truth that says neither yes nor no.
    #[error("expected {expected} ({role}), found {found}")]
    NotAMark {
        /// Label or truth.
        role: Role,
        /// The accepted values.
        expected: &'static str,
        /// The value.
        found: String,
    },
}

/// What can be wrong with an NPY file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NpyError {
    /// A version that is not known.
    #[error("NPY version {0} is not known; expected 1, 2 or 3")]
    Version(u8),
    /// The header is cut short, or says something else than it should.
    #[error("the NPY header is damaged: {0}")]
    Header(&'static str),
    /// Not a table.
    #[error("expected a 2-D array of rows and columns, found shape {0}")]
    Shape(String),
    /// No columns, or more than anybody means.
    #[error("expected 1 to {most} columns, found {found}")]
    Columns {
        /// As many as are accepted.
        most: u64,
        /// As many as the header says.
        found: u64,
    },
    /// Not numbers, or numbers of a kind that is not read.
    #[error("expected bool, integers, float32 or float64, found dtype {found}{hint}")]
    Dtype {
        /// The dtype as the file writes it.
        found: String,
        /// What it is, ready to be printed.
        hint: &'static str,
    },
    /// Column after column, in an input that can be read only from front to back.
    #[error("the array is stored column by column (Fortran order), which is read only from a plain file")]
    Fortran,
    /// The values end early.
    #[error("the file is cut short: its header promises {expected} rows, the values end in row {found} (from 0)")]
    Truncated {
        /// Rows by the header.
        expected: u64,
        /// The first row that is not all there.
        found: u64,
    },
}

/// A cell as messages show it: quoted, control characters escaped, cut after 40 characters.
pub(super) fn shown(cell: &[u8]) -> String {
    let text = String::from_utf8_lossy(cell);
    if text.is_empty() {
        return "an empty cell".to_owned();
    }
    let cut: String = text.chars().take(40).collect();
    let dots = if cut.len() < text.len() { "..." } else { "" };
    format!("\"{}{dots}\"", cut.escape_debug())
}

//! What can be wrong with a file of rows: every message names the place and says what was expected. Advice is the program's.

use super::Role;
use std::{error::Error, fmt, io};

/// Why a file of rows could not be read.
#[derive(Debug)]
pub struct CsvError {
    /// The file as the user named it.
    pub file: String,
    /// The line with the problem, where it begins, from 1; none if the problem is not one line's.
    pub line: Option<u64>,
    /// What is wrong.
    pub problem: CsvProblem,
}

impl CsvError {
    pub(super) fn new(file: &str, problem: impl Into<CsvProblem>) -> Self {
        Self { file: file.to_owned(), line: None, problem: problem.into() }
    }

    pub(super) fn on_line(file: &str, line: u64, problem: CsvProblem) -> Self {
        Self { file: file.to_owned(), line: Some(line), problem }
    }
}

impl fmt::Display for CsvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, problem } = self;
        match (problem, line) {
            // The request contradicts itself, whatever the file.
            (CsvProblem::TwoRoles { .. }, _) => write!(f, "{problem}"),
            (_, Some(line)) => write!(f, "{file}:{line}: {problem}"),
            (_, None) => write!(f, "{file}: {problem}"),
        }
    }
}

impl Error for CsvError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.problem.source()
    }
}

/// What can be wrong with a file of rows.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CsvProblem {
    /// The file cannot be opened or read, or its gzip data are damaged.
    #[error("{0}")]
    Read(#[from] io::Error),
    /// The header is not UTF-8.
    #[error("expected UTF-8 text")]
    NotUtf8,
    /// There is not even a header.
    #[error("the file is empty; expected a header line naming the columns, then one row per line")]
    Empty,
    /// There is a header and nothing else.
    #[error("no rows after the header; expected at least one")]
    NoRows,
    /// Two columns have one name, so choosing by name would be a guess.
    #[error("columns {first} and {second} are both called `{column}`")]
    DuplicateColumn {
        /// The name they share.
        column: String,
        /// Number of the first of them, from 1.
        first: usize,
        /// Number of the second.
        second: usize,
    },
    /// The column with this number, from 1, has no name and would become a feature. Spreadsheet and data-frame row numbers
    /// arrive this way.
    #[error("column {0} has no name")]
    UnnamedColumn(usize),
    /// A requested column is not in the header.
    #[error("no column `{column}` ({role})")]
    MissingColumn {
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
    /// Nothing is left to learn from or to score: these columns have another job.
    #[error("no feature column is left; expected at least one besides {0}")]
    NoFeatures(String),
    /// A row with more or fewer cells than the header.
    #[error("expected {expected} cells as in the header, found {found}")]
    Ragged {
        /// Cells in the header.
        expected: usize,
        /// Cells in this row.
        found: usize,
        /// The likely reason; nothing where there is none.
        hint: &'static str,
    },
    /// A feature cell that is not a number.
    #[error("column `{column}`: expected a number, found {found}")]
    NotANumber {
        /// The column's name.
        column: String,
        /// The cell's text, quoted and cut short.
        found: String,
        /// The likely reason; nothing where there is none.
        hint: &'static str,
    },
    /// A feature cell that is NaN or infinite.
    #[error("column `{column}`: expected a finite number, found {found}")]
    NotFinite {
        /// The column's name.
        column: String,
        /// The cell's text, quoted and cut short.
        found: String,
    },
    /// A feature cell beyond the range of the device's numbers.
    #[error("column `{column}`: {found} is too large for the device, which reads 32-bit floats (at most 3.4e38)")]
    TooLarge {
        /// The column's name.
        column: String,
        /// The cell's text, quoted and cut short.
        found: String,
    },
    /// A cell of the label or truth column that says neither yes nor no.
    #[error("column `{column}` ({role}): expected {expected}, found {found}")]
    NotAMark {
        /// The column's name.
        column: String,
        /// Label or truth.
        role: Role,
        /// The accepted spellings.
        expected: &'static str,
        /// The cell's text, quoted and cut short.
        found: String,
    },
    /// A cell of the group column that names no group.
    #[error("column `{column}` (the group column): expected a name (UTF-8 text), found {found}")]
    NotAGroup {
        /// The column's name.
        column: String,
        /// The cell's text, quoted and cut short.
        found: String,
    },
    /// Of several files, one has a feature that the first has not.
    #[error("column `{column}` is not in {first}; expected the same features in every file")]
    ExtraColumn {
        /// The column's name.
        column: String,
        /// The first file.
        first: String,
    },
    /// A file that was named twice: its rows would count twice.
    #[error("the file is given twice")]
    GivenTwice,
    /// No file was named.
    #[error("no file is given; expected at least one")]
    NoFiles,
    /// A value of an array that cannot be used.
    #[error("row {row} (from 0), column `{column}`: {source}")]
    Value {
        /// The row, from 0 as arrays count.
        row: u64,
        /// The column's name.
        column: String,
        /// What is wrong with it.
        source: ValueError,
    },
    /// An NPY file that holds no table of numbers, or not all of it.
    #[error("{0}")]
    Npy(#[from] NpyError),
    /// Parquet, where this build cannot read it.
    #[error("this is a Parquet file, and this build reads only CSV and NPY")]
    NoParquet,
    /// A damaged Parquet file, or one that cannot be read, as the Parquet library says.
    #[error("{0}")]
    Parquet(String),
    /// A Parquet column of a type that is not read.
    #[error("column `{column}` ({role}): expected bool, integers, float or double, found {found}")]
    ColumnType {
        /// The column's name.
        column: String,
        /// What the column was wanted for.
        role: Role,
        /// Its type.
        found: String,
    },
    /// Rows are wanted as text, and the file has this format instead.
    #[error("expected CSV, found {0}")]
    NotText(&'static str),
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
    /// No name of a group.
    #[error("expected a name or a number below 2^53 (the group column), found {found}")]
    NotAGroup {
        /// The value.
        found: String,
    },
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

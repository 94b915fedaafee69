//! Rows in and out: the only place where files become numbers. CSV, plain or gzip; NumPy's NPY; Parquet with the feature
//! `parquet`. Which it is, the content tells.
//!
//! - The first line names the columns; their order is free. Cells may be quoted; lines end in LF or CRLF; gzip and a
//!   byte-order mark are recognised by content; `-` is standard input. Blank lines are skipped, and blanks around a cell
//!   do not count.
//! - **A feature is read as the 32-bit float the device will read**, then widened to f64: the trainer sees exactly what the
//!   chip sees. NaN, infinities and numbers beyond 32-bit range are errors, and so are empty cells: there are no missing values.
//! - A label is `1`, `true` or `positive` for a labeled positive, and `0`, `-1`, `false`, `unlabeled` or nothing for an unlabeled
//!   row (-1 is how semi-supervised tools write "unlabeled"). A truth is `1`, `true`, `positive` or `0`, `-1`, `false`,
//!   `negative`; it is never empty, since an unknown truth cannot be evaluated against. Upper and lower case are alike and any
//!   spelling of the numbers (`1.0`) will do.
//! - An NPY file holds a 2-D array of bool, integers, float32 or float64. Its columns are called x0, x1, ...; the label is the
//!   last column unless another is named. Column order (Fortran) is read from plain files alone.
//! - A Parquet file's features are bool, integers, float or double; label and truth may be text. It must be a plain file,
//!   its pages uncompressed or by snappy or zstd.
//! - [`BlockReader`] takes files of any size, in little memory and with all threads; [`Table`] holds all rows; [`RowReader`]
//!   gives them one by one, as text too.
//! - Columns that have no job are not looked at: a scoring file may carry time stamps and comments.

mod block_text;
mod blocks;
mod columns;
mod error;
mod layout;
mod npy;
mod npy_header;
mod numbers;
#[cfg(feature = "parquet")]
mod parquet;
mod rows;
mod segments;
mod source;
mod table;

pub use blocks::{Block, BlockReader};
pub use columns::Columns;
pub use error::{CsvError, NpyError, Role, ValueError};
pub use layout::Marks;
pub use rows::RowReader;
pub use table::Table;

//! CSV text: segments parsed in parallel where nothing is quoted, row by row otherwise, and blocks written as text.

mod block_text;
mod rows;
mod segments;

pub use rows::RowReader;
pub(super) use rows::{dialect, next_record};
pub(super) use segments::{Segments, line_ends, parse};

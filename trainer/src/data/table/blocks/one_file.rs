//! The rows of one file, in blocks.
//!
//! A CSV file is read in segments of some megabytes whose rows are parsed in parallel, on the current rayon pool. A quoted
//! cell may hold an LF, so from the first segment with a quote on, rows are read one by one instead. Rows, and the
//! message about the first thing that is wrong, are the same either way and on any number of threads.

use super::Block;
use crate::data::table::csv::{self as text, Segments};
use crate::data::table::layout::Layout;
use crate::data::table::npy::Npy;
#[cfg(feature = "parquet")]
use crate::data::table::parquet::Parquet;
use crate::data::table::source::{Format, Source};
use crate::data::table::{Columns, CsvError, CsvProblem, RowReader};
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Reads one file's rows in blocks.
pub(super) struct FileReader<'a> {
    pub(super) layout: Layout,
    input: Input<'a>,
    segment: usize,
    any_rows: bool,
    bytes_read: Arc<AtomicU64>,
    /// Length of the file, if it is one.
    pub(super) total_bytes: Option<u64>,
}

enum Input<'a> {
    /// Text without a quote so far, and the number of the line that comes next.
    Segments(Segments<'a>, u64),
    /// Text from its first quote on.
    OneByOne(Box<RowReader<'a>>),
    Npy(Npy<'a>),
    #[cfg(feature = "parquet")]
    Parquet(Box<Parquet>),
    Ended,
}

impl<'a> FileReader<'a> {
    pub(super) fn start(source: Source<'a>, columns: &Columns, segment: usize) -> Result<Self, CsvError> {
        let Source { file, format, bytes, path, bytes_read, total_bytes, .. } = source;
        let path = path.as_deref();
        let (layout, input) = match format {
            Format::Text => start_of_text(&file, Segments::new(bytes, segment), columns)?,
            Format::Npy => {
                let (layout, npy) = Npy::start(&file, bytes, columns, path)?;
                (layout, Input::Npy(npy))
            }
            #[cfg(feature = "parquet")]
            Format::Parquet => {
                let (layout, parquet) = Parquet::start(&file, columns, path)?;
                (layout, Input::Parquet(Box::new(parquet)))
            }
            #[cfg(not(feature = "parquet"))]
            Format::Parquet => return Err(CsvError::new(&file, CsvProblem::NoParquet)),
        };
        Ok(Self { layout, input, segment, any_rows: false, bytes_read, total_bytes })
    }

    /// Lets rows have their features in the order of `names`, which are those of the file `first`.
    pub(super) fn arrange(&mut self, names: &[String], first: &str) -> Result<(), CsvError> {
        if self.layout.names == names {
            return Ok(());
        }
        self.layout.arrange(names, first)?;
        if let Input::OneByOne(rows) = &mut self.input {
            rows.layout = self.layout.clone();
        }
        Ok(())
    }

    /// Bytes read so far, before unpacking, read-ahead included.
    pub(super) fn bytes_read(&self) -> u64 {
        self.bytes_read.load(Ordering::Relaxed)
    }

    /// The next rows, at least one, or `None` at the end of the file. A file without any row is an error.
    pub(super) fn next_block(&mut self) -> Result<Option<Block>, CsvError> {
        let next = self.advance();
        if !matches!(next, Ok(Some(_))) {
            self.input = Input::Ended;
        }
        // One error is enough: after another one, that there was no row is no news.
        let had_rows = std::mem::replace(&mut self.any_rows, true);
        match next {
            Ok(None) if !had_rows => Err(CsvError::new(&self.layout.file, CsvProblem::NoRows)),
            next => next,
        }
    }

    fn advance(&mut self) -> Result<Option<Block>, CsvError> {
        loop {
            let failed = |problem| CsvError::new(&self.layout.file, problem);
            let block = match &mut self.input {
                Input::Segments(segments, line) => {
                    if !segments.advance().map_err(|error| failed(error.into()))? {
                        return Ok(None);
                    }
                    if segments.lines().contains(&b'"') {
                        self.go_on_one_by_one();
                        continue;
                    }
                    let block = text::parse(&self.layout, segments.lines(), *line)?;
                    *line += text::line_ends(segments.lines());
                    block
                }
                Input::OneByOne(rows) => take_rows(rows, self.segment)?,
                Input::Npy(npy) => npy.next_block(&self.layout, self.segment).map_err(failed)?,
                #[cfg(feature = "parquet")]
                Input::Parquet(parquet) => parquet.next_block(&self.layout, self.segment).map_err(failed)?,
                Input::Ended => return Ok(None),
            };
            self.count_what_is_read_out_of_order();
            // A segment of blank lines is no block, but not the end either.
            if !block.rows.is_empty() {
                return Ok(Some(block));
            }
            if !matches!(self.input, Input::Segments(..)) {
                return Ok(None);
            }
        }
    }

    /// Bytes read out of order are not counted: estimate them from the rows.
    fn count_what_is_read_out_of_order(&self) {
        let share = match &self.input {
            Input::Npy(npy) => npy.share_read(),
            #[cfg(feature = "parquet")]
            Input::Parquet(parquet) => Some(parquet.share_read()),
            _ => None,
        };
        if let (Some(share), Some(total)) = (share, self.total_bytes) {
            let bytes = (share * total as f64) as u64;
            self.bytes_read.store(bytes, Ordering::Relaxed);
        }
    }

    fn go_on_one_by_one(&mut self) {
        if let Input::Segments(segments, line) = std::mem::replace(&mut self.input, Input::Ended) {
            // A reader would take a byte-order mark off the beginning of what it is given: the blank line protects it.
            let text = (&b"\n"[..]).chain(segments.into_text());
            let rows = RowReader::resume(self.layout.clone(), text, line - 2);
            self.input = Input::OneByOne(Box::new(rows));
        }
    }
}

/// Reads the header, and decides how to go on.
fn start_of_text<'a>(
    file: &str,
    mut segments: Segments<'a>,
    columns: &Columns,
) -> Result<(Layout, Input<'a>), CsvError> {
    let failed = |error| CsvError::new(file, error);
    segments.advance().map_err(failed)?;
    let lines = segments.lines();
    let mut reader = text::dialect().from_reader(lines);
    let mut header = csv::ByteRecord::new();
    let found = text::next_record(&mut reader, &mut header).map_err(|e| failed(e.into()))?;
    let end = reader.position().byte() as usize;
    // A header that takes all of the segment, and has quotes, may go on in the next.
    if !found || (end == lines.len() && lines.contains(&b'"')) {
        let rows = RowReader::of_text(file, segments.into_text(), columns)?;
        return Ok((rows.layout.clone(), Input::OneByOne(Box::new(rows))));
    }
    let layout = Layout::of_record(file, &header, columns)?;
    let next_line = 1 + text::line_ends(&lines[..end]);
    segments.go_back_to(end);
    Ok((layout, Input::Segments(segments, next_line)))
}

/// About `bytes` of rows.
fn take_rows(rows: &mut RowReader, bytes: usize) -> Result<Block, CsvError> {
    let mut block = Block::default();
    while block.rows.len() * size_of::<f64>() < bytes {
        let Some(marks) = rows.next_row(&mut block.rows)? else {
            break;
        };
        block.push(&marks);
    }
    Ok(block)
}

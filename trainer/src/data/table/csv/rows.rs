//! CSV row by row: one thread, every dialect the format allows.

use super::block_text::BlockText;
use crate::data::table::blocks::SEGMENT;
use crate::data::table::layout::Layout;
use crate::data::table::source::{Format, READ_SIZE, Source};
use crate::data::table::{BlockReader, Columns, CsvError, CsvProblem, Marks};
use csv::{ByteRecord, ReaderBuilder, Terminator};
use std::io::{self, Read};
use std::path::Path;

/// Reads a CSV file row by row, without an allocation per row. Of other formats only the features are read, as text.
pub struct RowReader<'a> {
    pub(in crate::data::table) layout: Layout,
    reader: csv::Reader<Box<dyn Read + Send + 'a>>,
    record: ByteRecord,
    /// Lines read before this reader took over.
    lines_before: u64,
}

impl RowReader<'static> {
    /// Opens `path`, or standard input for `-`, and reads the header.
    pub fn open(path: &Path, columns: &Columns) -> Result<Self, CsvError> {
        Self::start(Source::open(path)?, columns)
    }
}

impl<'a> RowReader<'a> {
    /// Reads the header of `raw`, which messages call `file`.
    pub fn new(file: &str, raw: impl Read + Send + 'a, columns: &Columns) -> Result<Self, CsvError> {
        Self::start(Source::new(file, raw)?, columns)
    }

    fn start(source: Source<'a>, columns: &Columns) -> Result<Self, CsvError> {
        let file = &source.file.clone();
        if source.format == Format::Text {
            return Self::of_text(file, source.bytes, columns);
        }
        if columns.label.is_some() || columns.truth.is_some() || columns.group.is_some() {
            return Err(CsvError::new(file, CsvProblem::NotText(source.format.name())));
        }
        let blocks = BlockReader::start(source, columns, SEGMENT)?;
        let features = Columns::of_features(blocks.names());
        let text = BlockText::new(blocks).map_err(|error| CsvError::new(file, error))?;
        Self::of_text(file, text, &features)
    }

    /// Reads the header of decoded `text`.
    pub(in crate::data::table) fn of_text(
        file: &str,
        text: impl Read + Send + 'a,
        columns: &Columns,
    ) -> Result<Self, CsvError> {
        let mut rows = Self::resume(Layout::default(), text, 0);
        rows.layout.file = file.to_owned();
        if !rows.read_record()? {
            return Err(CsvError::new(file, CsvProblem::Empty));
        }
        rows.layout = Layout::of_record(file, &rows.record, columns)?;
        Ok(rows)
    }

    /// Reads rows from `text`, whose header was read `lines_before` lines ago.
    pub(in crate::data::table) fn resume(layout: Layout, text: impl Read + Send + 'a, lines_before: u64) -> Self {
        // With an LF after the last line too, every row ends by a counted LF and the line numbers in messages are exact.
        Self {
            layout,
            reader: dialect().from_reader(Box::new(text.chain(&b"\n"[..]))),
            record: ByteRecord::new(),
            lines_before,
        }
    }

    /// The features' names, in the order in which [`next_row`](Self::next_row) delivers them.
    pub fn names(&self) -> &[String] {
        &self.layout.names
    }

    /// Every column's name, as in the file.
    pub fn header(&self) -> &[String] {
        &self.layout.header
    }

    /// The cells of the row read last, as in the file.
    pub fn cells(&self) -> impl Iterator<Item = &[u8]> {
        self.record.iter()
    }

    /// Appends the next row's features to `values`, or returns `None` at the end of the file.
    ///
    /// After an error `values` may hold part of the row.
    pub fn next_row(&mut self, values: &mut Vec<f64>) -> Result<Option<Marks<'_>>, CsvError> {
        if !self.read_record()? {
            return Ok(None);
        }
        let record = &self.record;
        let marks = self.layout.parse(record.len(), |at| &record[at], values);
        marks.map(Some).map_err(|problem| CsvError::on_line(&self.layout.file, self.line(), problem))
    }

    fn read_record(&mut self) -> Result<bool, CsvError> {
        next_record(&mut self.reader, &mut self.record).map_err(|error| {
            let source = match error.into_kind() {
                csv::ErrorKind::Io(source) => source,
                other => io::Error::other(format!("{other:?}")),
            };
            // An error in a block is passed on as it is.
            source.downcast().unwrap_or_else(|source| CsvError::new(&self.layout.file, source))
        })
    }

    /// The line on which the row read last begins.
    pub fn line(&self) -> u64 {
        let record = self.record.as_slice();
        let inside = record.iter().filter(|&&byte| byte == b'\n').count() as u64;
        // The LF after the record has been counted too, unless a quote never closed has swallowed it.
        let ended = u64::from(record.last() != Some(&b'\n'));
        let after = self.lines_before + self.reader.position().line();
        after.saturating_sub(inside + ended)
    }
}

/// LF is the only line end: the CR of a CRLF is then a blank at a cell's end, trimmed like any other.
pub(in crate::data::table) fn dialect() -> ReaderBuilder {
    let mut dialect = ReaderBuilder::new();
    dialect.has_headers(false).flexible(true).terminator(Terminator::Any(b'\n')).buffer_capacity(READ_SIZE);
    dialect
}

/// Reads the next line that is not blank.
pub(in crate::data::table) fn next_record(
    reader: &mut csv::Reader<impl Read>,
    record: &mut ByteRecord,
) -> Result<bool, csv::Error> {
    loop {
        let more = reader.read_byte_record(record)?;
        if !more || record.len() != 1 || !record[0].trim_ascii().is_empty() {
            return Ok(more);
        }
    }
}

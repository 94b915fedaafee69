//! CSV in and out: the only place where text becomes numbers.
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
//! - Columns that have no job are not looked at: a scoring file may carry time stamps and comments.

mod columns;
mod error;
mod source;

pub use columns::Columns;
pub use error::{CsvError, Role};

use columns::Plan;
use csv::{ByteRecord, ReaderBuilder, Terminator};
use error::shown;
use std::io::{self, Read, Write};
use std::path::Path;

const LABEL_SPELLINGS: &str = "1, true or positive for a labeled row, or 0, -1, false, unlabeled or nothing for an unlabeled one";
const TRUTH_SPELLINGS: &str = "1, true or positive, or 0, -1, false or negative";

/// Reads a CSV file row by row, without an allocation a row.
pub struct RowReader<'a> {
    file: String,
    header: Vec<String>,
    names: Vec<String>,
    plan: Plan,
    reader: csv::Reader<Box<dyn Read + 'a>>,
    record: ByteRecord,
}

/// What a row says about itself beside its features: `None` where no such column was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Marks {
    /// Labeled positive, as against unlabeled.
    pub labeled: Option<bool>,
    /// Really positive.
    pub truth: Option<bool>,
}

impl RowReader<'static> {
    /// Opens `path`, or standard input for `-`, and reads the header.
    pub fn open(path: &Path, columns: &Columns) -> Result<Self, CsvError> {
        let (file, raw) = source::open(path)?;
        Self::new(&file, raw, columns)
    }
}

impl<'a> RowReader<'a> {
    /// Reads the header of `raw`, which messages call `file`.
    pub fn new(file: &str, raw: impl Read + 'a, columns: &Columns) -> Result<Self, CsvError> {
        // With LF as the only line end, and one after the last line too, every row ends by a counted LF and the line
        // numbers in messages are exact. The CR of a CRLF is then a blank at a cell's end, trimmed like any other.
        let text: Box<dyn Read> = Box::new(source::decode(file, raw)?.chain(&b"\n"[..]));
        let reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .terminator(Terminator::Any(b'\n'))
            .buffer_capacity(1 << 16)
            .from_reader(text);
        let mut rows = Self {
            file: file.to_owned(),
            header: Vec::new(),
            names: Vec::new(),
            plan: Plan::default(),
            reader,
            record: ByteRecord::new(),
        };
        rows.read_header(columns)?;
        Ok(rows)
    }

    fn read_header(&mut self, columns: &Columns) -> Result<(), CsvError> {
        let file = self.file.clone();
        if !self.read_record()? {
            return Err(CsvError::Empty { file });
        }
        let header: Option<Vec<String>> = self
            .record
            .iter()
            .map(|cell| String::from_utf8(cell.trim_ascii().to_vec()).ok())
            .collect();
        self.header = header.ok_or(CsvError::NotUtf8 { file })?;
        self.plan = Plan::new(&self.file, &self.header, columns)?;
        self.names = self
            .plan
            .features
            .iter()
            .map(|&at| self.header[at].clone())
            .collect();
        Ok(())
    }

    /// The features' names, in the order in which [`next_row`](Self::next_row) delivers them.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Every column's name, as in the file.
    pub fn header(&self) -> &[String] {
        &self.header
    }

    /// The cells of the row read last, as in the file.
    pub fn cells(&self) -> impl Iterator<Item = &[u8]> {
        self.record.iter()
    }

    /// Appends the next row's features to `values`, or returns `None` at the end of the file.
    ///
    /// After an error `values` may hold part of the row.
    pub fn next_row(&mut self, values: &mut Vec<f64>) -> Result<Option<Marks>, CsvError> {
        if !self.read_record()? {
            return Ok(None);
        }
        if self.record.len() != self.header.len() {
            return Err(self.ragged());
        }
        for &at in &self.plan.features {
            match std::str::from_utf8(self.record[at].trim_ascii()).map(str::parse::<f32>) {
                Ok(Ok(value)) if value.is_finite() => values.push(f64::from(value)),
                _ => return Err(self.bad_number(at)),
            }
        }
        Ok(Some(Marks {
            labeled: self.mark(self.plan.label, Role::Label)?,
            truth: self.mark(self.plan.truth, Role::Truth)?,
        }))
    }

    /// Reads the next line that is not blank into `self.record`.
    fn read_record(&mut self) -> Result<bool, CsvError> {
        loop {
            match self.reader.read_byte_record(&mut self.record) {
                Ok(false) => return Ok(false),
                Ok(true) if self.record.len() == 1 && self.record[0].trim_ascii().is_empty() => {}
                Ok(true) => return Ok(true),
                Err(error) => {
                    return Err(CsvError::Read {
                        file: self.file.clone(),
                        source: io::Error::from(error),
                    });
                }
            }
        }
    }

    fn mark(&self, at: Option<usize>, role: Role) -> Result<Option<bool>, CsvError> {
        let Some(at) = at else { return Ok(None) };
        let cell = self.record[at].trim_ascii();
        let is_one_of = |words: &[&str]| {
            words
                .iter()
                .any(|w| cell.eq_ignore_ascii_case(w.as_bytes()))
        };
        let number = || std::str::from_utf8(cell).ok()?.parse::<f64>().ok();
        let (negative_words, expected) = match role {
            Role::Label => (
                &["0", "", "false", "unlabeled", "unlabelled"][..],
                LABEL_SPELLINGS,
            ),
            _ => (&["0", "false", "negative"][..], TRUTH_SPELLINGS),
        };
        if is_one_of(&["1", "true", "positive"]) {
            Ok(Some(true))
        } else if is_one_of(negative_words) {
            Ok(Some(false))
        } else {
            match number() {
                Some(1.0) => Ok(Some(true)),
                Some(0.0 | -1.0) => Ok(Some(false)),
                _ => Err(CsvError::NotAMark {
                    file: self.file.clone(),
                    line: self.line(),
                    column: self.header[at].clone(),
                    role,
                    expected,
                    found: shown(cell),
                }),
            }
        }
    }

    /// The line on which the current record begins.
    fn line(&self) -> u64 {
        let record = self.record.as_slice();
        let inside = record.iter().filter(|&&byte| byte == b'\n').count() as u64;
        // The LF after the record has been counted too, unless a quote never closed has swallowed it.
        let ended = u64::from(record.last() != Some(&b'\n'));
        let after = self.reader.position().line();
        after.saturating_sub(inside + ended)
    }

    fn ragged(&self) -> CsvError {
        let has_line_end = self.record.as_slice().contains(&b'\n');
        let hint = if has_line_end {
            "; is a quote opened here that is never closed?"
        } else {
            ""
        };
        CsvError::Ragged {
            file: self.file.clone(),
            line: self.line(),
            expected: self.header.len(),
            found: self.record.len(),
            hint: hint.to_owned(),
        }
    }

    /// The error for a feature cell that is no finite 32-bit number.
    fn bad_number(&self, at: usize) -> CsvError {
        let cell = self.record[at].trim_ascii();
        let (file, line, column) = (self.file.clone(), self.line(), self.header[at].clone());
        let found = shown(cell);
        let text = String::from_utf8_lossy(cell);
        match text.parse::<f64>() {
            // Whether "1e999" or "1e39": digits were given, so a number was meant.
            Ok(_) if text.contains(|c: char| c.is_ascii_digit()) => CsvError::TooLarge {
                file,
                line,
                column,
                found,
            },
            Ok(_) => CsvError::NotFinite {
                file,
                line,
                column,
                found,
            },
            Err(_) => CsvError::NotANumber {
                file,
                line,
                column,
                found,
                hint: hint_for_text(&text).to_owned(),
            },
        }
    }
}

/// Why a cell may not be a number, as the tail of a sentence.
fn hint_for_text(cell: &str) -> &'static str {
    const MISSING: [&str; 6] = ["", "na", "n/a", "null", "none", "?"];
    if MISSING.contains(&cell.to_ascii_lowercase().as_str()) {
        "; there are no missing values: fill the gap or drop the row"
    } else if cell.replacen(',', ".", 1).parse::<f64>().is_ok() {
        "; write a decimal point, not a comma"
    } else {
        "; leave a column of text out with --ignore"
    }
}

/// Rows in memory: what a CSV file says, with no judgement on whether it is fit for training.
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
        Self::collect(RowReader::open(path, columns)?)
    }

    /// Reads `raw`, which messages call `file`.
    pub fn read(file: &str, raw: impl Read, columns: &Columns) -> Result<Self, CsvError> {
        Self::collect(RowReader::new(file, raw, columns)?)
    }

    fn collect(mut reader: RowReader) -> Result<Self, CsvError> {
        let mut rows = Vec::new();
        let mut labeled = Vec::new();
        let mut truth = Vec::new();
        while let Some(marks) = reader.next_row(&mut rows)? {
            labeled.extend(marks.labeled);
            truth.extend(marks.truth);
        }
        if rows.is_empty() {
            return Err(CsvError::NoRows { file: reader.file });
        }
        Ok(Self {
            names: reader.names,
            rows,
            labeled: reader.plan.label.map(|_| labeled),
            truth: reader.plan.truth.map(|_| truth),
        })
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
        let mut writer = csv::Writer::from_writer(out);
        let marks = [(label, &self.labeled), (truth, &self.truth)];
        let present = || {
            marks
                .iter()
                .filter_map(|(name, marks)| marks.as_ref().map(|m| (*name, m)))
        };
        writer.write_record(
            self.names
                .iter()
                .map(String::as_str)
                .chain(present().map(|(name, _)| name)),
        )?;
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

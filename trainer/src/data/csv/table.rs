//! Rows in memory, and back to CSV.

use super::{Block, BlockReader, Columns, CsvError};
use std::io::{self, Read, Write};
use std::path::Path;

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
        Self::collect(BlockReader::open(path, columns)?)
    }

    /// Reads `raw`, which messages call `file`.
    pub fn read(file: &str, raw: impl Read + Send, columns: &Columns) -> Result<Self, CsvError> {
        Self::collect(BlockReader::new(file, raw, columns)?)
    }

    pub(super) fn collect(mut reader: BlockReader) -> Result<Self, CsvError> {
        let mut all = Block::default();
        while let Some(block) = reader.next_block()? {
            all.append(block);
        }
        Ok(Self {
            names: reader.names().to_vec(),
            rows: all.rows,
            labeled: reader.has_labels().then_some(all.labeled),
            truth: reader.has_truth().then_some(all.truth),
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

//! The flags that say what is trained on, shared by the commands that train.

use super::show;
use anyhow::{Context, Result};
use super::progress::Progress;
use pual_trainer::csv::{Columns, CsvError, RowReader};
use pual_trainer::dataset::Dataset;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub struct DataFlags {
    /// CSV file, plain or gzip; `-` is standard input
    data: PathBuf,
    /// Column that says which rows are labeled positive: 1/true/positive or 0/-1/false/unlabeled/empty
    #[arg(
        long,
        value_name = "NAME",
        default_value = "label",
        help_heading = "Columns"
    )]
    label_column: String,
    /// Columns to learn from, in the order the device gives them [default: all others]
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "NAMES",
        help_heading = "Columns"
    )]
    features: Option<Vec<String>>,
    /// Columns to leave out
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "NAMES",
        help_heading = "Columns"
    )]
    ignore: Vec<String>,
    /// Column that says which rows are really positive: never learned from, only compared with
    #[arg(long, value_name = "NAME", help_heading = "Columns")]
    truth_column: Option<String>,
}

impl DataFlags {
    pub fn path(&self) -> &Path {
        &self.data
    }

    pub fn label_column(&self) -> &str {
        &self.label_column
    }

    pub fn columns(&self) -> Columns {
        Columns {
            features: self.features.clone(),
            ignore: self.ignore.clone(),
            label: Some(self.label_column.clone()),
            truth: self.truth_column.clone(),
        }
    }

    /// Reads the rows, and says what there is to be said about them.
    pub fn open(&self) -> Result<Dataset> {
        let data = Dataset::open(&self.data, &self.columns())
            .with_context(|| format!("cannot train on {}", self.data.display()))?;
        for warning in data.warnings() {
            show::warn(warning);
        }
        Ok(data)
    }
}

/// Rows of a file that need not all be kept, some at a time.
pub struct RowsRead {
    reader: RowReader<'static>,
}

/// Some rows, row after row, and which of them are labeled.
pub struct Block {
    pub rows: Vec<f64>,
    pub labeled: Vec<bool>,
}

impl RowsRead {
    pub fn open(path: &Path, columns: &Columns) -> Result<Self, CsvError> {
        Ok(Self {
            reader: RowReader::open(path, columns)?,
        })
    }

    pub fn names(&self) -> &[String] {
        self.reader.names()
    }

    /// The next rows; none at the end.
    pub fn next(&mut self, _progress: &Progress) -> Result<Option<Block>, CsvError> {
        let mut block = Block {
            rows: Vec::new(),
            labeled: Vec::new(),
        };
        while block.labeled.len() < 65_536 {
            match self.reader.next_row(&mut block.rows)? {
                Some(marks) => block.labeled.push(marks.labeled == Some(true)),
                None => break,
            }
        }
        Ok((!block.labeled.is_empty()).then_some(block))
    }
}

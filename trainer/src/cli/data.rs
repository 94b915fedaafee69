//! The flags that say what is trained on, shared by the commands that train.

use super::show;
use anyhow::{Context, Result};
use pual_trainer::csv::Columns;
use pual_trainer::dataset::Dataset;
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct DataFlags {
    /// CSV, plain or gzip, or NPY (the label is its last column); `-` is standard input
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
    /// Reads the rows, and says what there is to be said about them.
    pub fn open(&self) -> Result<Dataset> {
        let columns = Columns {
            features: self.features.clone(),
            ignore: self.ignore.clone(),
            label: Some(self.label_column.clone()),
            truth: self.truth_column.clone(),
        };
        let data = Dataset::open(&self.data, &columns)
            .with_context(|| format!("cannot train on {}", self.data.display()))?;
        for warning in data.warnings() {
            show::warn(warning);
        }
        Ok(data)
    }
}

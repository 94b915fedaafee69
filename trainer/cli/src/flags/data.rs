//! The flags that say what is trained on, shared by the commands that train.

use crate::exit::Failure;
use crate::flags::streams::LogFlags;
use crate::progress::Progress;
use anyhow::{Context, Result};
use pual_trainer::{Block, BlockReader, Bytes, Columns, Dataset, LogOptions, Table};
use std::path::{Path, PathBuf};

/// Files that messages name, at most.
const MOST_FILES: usize = 3;

#[derive(clap::Args)]
pub struct DataFlags {
    /// CSV, plain or gzip, or NPY (the label is its last column); `-` is standard input. Several files are joined, each a group; with
    /// --window each is a recording
    #[arg(required = true)]
    data: Vec<PathBuf>,
    /// Column of labels: 1/true/positive, 0/false/unlabeled/empty if nothing is known, -1/normal/negative if known to be normal
    #[arg(long, value_name = "NAME", default_value = "label", help_heading = "Columns")]
    pub label_column: String,
    /// Columns to learn from (with --window, channels), in the order the device gives them [default: all others]
    #[arg(long, value_delimiter = ',', value_name = "NAMES", help_heading = "Columns")]
    features: Option<Vec<String>>,
    /// Columns to leave out
    #[arg(long, value_delimiter = ',', value_name = "NAMES", help_heading = "Columns")]
    ignore: Vec<String>,
    /// Column that says which rows are really positive: never learned from, only compared with
    #[arg(long, value_name = "NAME", help_heading = "Columns")]
    truth_column: Option<String>,
    /// Column that names the recording, machine or patient of each row [default: the file, if there are several]
    #[arg(long, value_name = "NAME", help_heading = "Columns")]
    group: Option<String>,
}

impl DataFlags {
    pub fn columns(&self) -> Columns {
        Columns {
            features: self.features.clone(),
            ignore: self.ignore.clone(),
            label: Some(self.label_column.clone()),
            truth: self.truth_column.clone(),
            group: self.group.clone(),
        }
    }

    /// Files, folders and patterns.
    pub fn paths(&self) -> &[PathBuf] {
        &self.data
    }

    /// How recordings are read. With a file of events there is no column of labels.
    pub fn log_options(&self, log: &LogFlags, events: Option<&Path>) -> LogOptions {
        LogOptions {
            channels: self.features.clone(),
            ignore: self.ignore.clone(),
            label: events.is_none().then(|| self.label_column.clone()),
            events: events.map(Path::to_owned),
            truth: self.truth_column.clone(),
            ..log.options()
        }
    }

    /// Reads the rows.
    pub fn open(&self, limit: Option<u64>, progress: &Progress) -> Result<Dataset> {
        let table = read_table(&self.data, &self.columns(), limit, progress);
        table.and_then(|table| Ok(Dataset::new(table)?)).with_context(|| format!("cannot train on {}", self.source()))
    }

    /// Goes through the rows, some at a time, none of which is kept.
    pub fn for_each_block(&self, progress: &Progress, work: impl FnMut(&[String], &Block)) -> Result<Vec<String>> {
        for_each_block(&self.data, &self.columns(), progress, work)
    }

    /// What the rows are read from, for people.
    pub fn source(&self) -> String {
        let name = |path: &PathBuf| match path.to_str() {
            Some("-") => "standard input".to_owned(),
            _ => path.display().to_string(),
        };
        let mut names: Vec<String> = self.data.iter().take(MOST_FILES).map(name).collect();
        if self.data.len() > MOST_FILES {
            let more = self.data.len() - MOST_FILES;
            names.push(format!("{more} more file{}", if more == 1 { "" } else { "s" }));
        }
        match names.split_last() {
            Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
            _ => names.concat(),
        }
    }
}

/// All rows of the files. Refused as soon as it shows that they take more than `limit` bytes.
fn read_table(paths: &[PathBuf], columns: &Columns, limit: Option<u64>, progress: &Progress) -> Result<Table> {
    let mut reader = BlockReader::open_all(paths, columns)?;
    let mut table = reader.empty_table();
    progress.reading(reader.total_bytes());
    while let Some(block) = reader.next_block()? {
        table.append(&block);
        let read = reader.bytes_read();
        progress.read_so_far(read);
        let bytes = 8 * table.rows.len() as u64;
        // What is read of the files says what the rest will take.
        let share = reader.total_bytes().map_or(1.0, |total| read as f64 / total.max(1) as f64);
        let expected = (bytes as f64 / share.clamp(1e-3, 1.0)) as u64;
        if let Some(limit) = limit.filter(|&limit| expected.max(bytes) > limit) {
            let message = format!("its rows alone take about {}, and {} may be used", Bytes(expected), Bytes(limit));
            let hint = "divide them among files: see `pual plan --help`";
            return Err(Failure::new(message, hint).into());
        }
    }
    Ok(table)
}

/// Goes through the rows of files, some at a time, none of which is kept.
pub fn for_each_block(
    paths: &[PathBuf],
    columns: &Columns,
    progress: &Progress,
    mut work: impl FnMut(&[String], &Block),
) -> Result<Vec<String>> {
    let mut reader = BlockReader::open_all(paths, columns)?;
    progress.reading(reader.total_bytes());
    while let Some(block) = reader.next_block()? {
        work(reader.names(), &block);
        progress.read_so_far(reader.bytes_read());
    }
    Ok(reader.names().to_vec())
}

//! Rows in blocks, in the order of the files and in little memory, for files of any size and number.

mod one_file;
#[cfg(test)]
mod tests;

use super::files::{check_paths, group_names};
use super::layout::Marks;
use super::source::Source;
use super::{Columns, CsvError, Table};
use crate::data::groups::Groups;
use one_file::FileReader;
use std::collections::VecDeque;
use std::io::Read;
use std::path::{Path, PathBuf};

/// About how many bytes of text or values a block has.
pub(super) const SEGMENT: usize = 4 << 20;

/// Some rows of a file, one after the other.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Block {
    /// The features, row after row. Each value fits a 32-bit float exactly.
    pub rows: Vec<f64>,
    /// Which rows are labeled positive; empty if there is no label column.
    pub labeled: Vec<bool>,
    /// Which rows are known to be normal; `None` if none is.
    pub normal: Option<Vec<bool>>,
    /// Which rows are really positive; empty if there is no truth column.
    pub truth: Vec<bool>,
    /// Which rows belong together; `None` if nothing says so.
    pub groups: Option<Groups>,
}

impl Block {
    /// Adds the marks of a row whose features are there.
    pub(super) fn push(&mut self, marks: &Marks<'_>) {
        append_normal(&mut self.normal, self.labeled.len(), marks.normal.then_some(&[true]), 1);
        self.labeled.extend(marks.labeled);
        self.truth.extend(marks.truth);
        if let Some(name) = &marks.group {
            self.groups.get_or_insert_default().push(name);
        }
    }

    /// Adds the rows of `next` after its own.
    pub(super) fn append(&mut self, next: Block) {
        if self.rows.is_empty() {
            *self = next;
            return;
        }
        append_normal(&mut self.normal, self.labeled.len(), next.normal.as_deref(), next.labeled.len());
        self.rows.extend_from_slice(&next.rows);
        self.labeled.extend_from_slice(&next.labeled);
        self.truth.extend_from_slice(&next.truth);
        if let (Some(all), Some(next)) = (&mut self.groups, &next.groups) {
            all.append(next);
        }
    }
}

/// Adds `count` rows after `before` others; marks are kept only if there is a normal row.
pub(super) fn append_normal(all: &mut Option<Vec<bool>>, before: usize, next: Option<&[bool]>, count: usize) {
    match next {
        Some(next) => all.get_or_insert_with(|| vec![false; before]).extend_from_slice(next),
        None => all.iter_mut().for_each(|all| all.resize(before + count, false)),
    }
}

/// Reads the rows of one file or several in blocks.
pub struct BlockReader<'a> {
    file: FileReader<'a>,
    /// The files after this one, each with the group that its rows are, if files are groups.
    later: VecDeque<(PathBuf, Option<String>)>,
    /// The group of the current file's rows.
    group: Option<String>,
    columns: Columns,
    /// The first file, and its features.
    first: (String, Vec<String>),
    /// Bytes read of the files before this one.
    bytes_before: u64,
    total_bytes: Option<u64>,
}

impl BlockReader<'static> {
    /// Opens `path`, or standard input for `-`, and reads the header.
    pub(crate) fn open(path: &Path, columns: &Columns) -> Result<Self, CsvError> {
        Self::start(Source::open(path)?, columns, SEGMENT)
    }

    /// The rows of several files, one after the other. Each file is a group, unless a column names the groups. All files have
    /// the features of the first, in any order.
    pub fn open_all(paths: &[PathBuf], columns: &Columns) -> Result<Self, CsvError> {
        check_paths(paths)?;
        let mut reader = Self::open(&paths[0], columns)?;
        let mut names = group_names(paths, columns).into_iter();
        reader.group = names.next().flatten();
        reader.later = paths[1..].iter().cloned().zip(names).collect();
        for path in &paths[1..] {
            let length = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map(|about| about.len());
            reader.total_bytes = reader.total_bytes.zip(length).map(|(all, length)| all + length);
        }
        Ok(reader)
    }
}

impl<'a> BlockReader<'a> {
    /// Reads the header of `raw`, which messages call `file`.
    pub fn new(file: &str, raw: impl Read + Send + 'a, columns: &Columns) -> Result<Self, CsvError> {
        Self::in_segments(file, raw, columns, SEGMENT)
    }

    /// As [`new`](Self::new), in blocks of about `segment` bytes: for tests, whose inputs are shorter than a block.
    #[doc(hidden)]
    pub fn in_segments(
        file: &str,
        raw: impl Read + Send + 'a,
        columns: &Columns,
        segment: usize,
    ) -> Result<Self, CsvError> {
        Self::start(Source::new(file, raw)?, columns, segment)
    }

    pub(super) fn start(source: Source<'a>, columns: &Columns, segment: usize) -> Result<Self, CsvError> {
        let file = FileReader::start(source, columns, segment)?;
        Ok(Self {
            later: VecDeque::new(),
            group: None,
            columns: columns.clone(),
            first: (file.layout.file.clone(), file.layout.names.clone()),
            bytes_before: 0,
            total_bytes: file.total_bytes,
            file,
        })
    }

    /// The features' names, in the order of a row's values.
    pub fn names(&self) -> &[String] {
        &self.first.1
    }

    /// A table with the file's columns and no rows yet.
    pub fn empty_table(&self) -> Table {
        let places = &self.file.layout.places;
        let has_groups = self.group.is_some() || places.group.is_some();
        Table {
            names: self.names().to_vec(),
            rows: Vec::new(),
            labeled: places.label.map(|_| Vec::new()),
            normal: None,
            truth: places.truth.map(|_| Vec::new()),
            groups: has_groups.then(Groups::default),
        }
    }

    /// Bytes read so far, before unpacking, read-ahead included.
    pub fn bytes_read(&self) -> u64 {
        self.bytes_before + self.file.bytes_read()
    }

    /// Length of all files, if they are files.
    pub fn total_bytes(&self) -> Option<u64> {
        self.total_bytes
    }

    /// The next rows, at least one, or `None` at the end of the last file. A file without any row is an error.
    pub fn next_block(&mut self) -> Result<Option<Block>, CsvError> {
        let next = self.advance();
        if next.is_err() {
            self.later.clear();
        }
        next
    }

    fn advance(&mut self) -> Result<Option<Block>, CsvError> {
        loop {
            if let Some(mut block) = self.file.next_block()? {
                if let Some(name) = &self.group {
                    let rows = block.rows.len() / self.names().len();
                    block.groups = Some(Groups::of_rows(std::iter::repeat_n(name, rows)));
                }
                return Ok(Some(block));
            }
            let Some((path, group)) = self.later.pop_front() else {
                return Ok(None);
            };
            self.bytes_before += self.file.bytes_read();
            self.file = FileReader::start(Source::open(&path)?, &self.columns, SEGMENT)?;
            self.file.arrange(&self.first.1, &self.first.0)?;
            self.group = group;
        }
    }
}

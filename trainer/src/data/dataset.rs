//! Rows fit for training: labeled positives, unlabeled rows, and features that vary.
//!
//! What is refused, and what is only warned of:
//!
//! | in the data | what happens |
//! |---|---|
//! | fewer than 2 labeled positives, no unlabeled row, no feature that varies | error |
//! | a constant column | dropped, with a warning: the device then takes one reading less |
//! | duplicated rows | kept, each counts; a warning when there are many |
//! | a column that looks like the answer | kept, with a warning |
//! | a column whose variation a 32-bit float barely resolves | kept, with a warning |
//! | a column that counts rows or time | kept, with a warning |
//! | rows known to be normal, and none unlabeled | a warning: -1 may have been meant as unlabeled |

mod warning;

pub(crate) use warning::of_few_labels;

use warning::FeatureColumn;

use crate::base::fnv::{self, fnv_1a};
use crate::base::warnings::{Warning, WarningId};
use crate::data::groups::Groups;
use crate::data::sequence::Ordered;
use crate::data::table::{Columns, CsvError, Table};
use crate::data::units::Units;
use std::io::Read;
use std::path::Path;

/// A training set that has passed every check.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    names: Vec<String>,
    rows: Vec<f64>,
    labeled: Vec<bool>,
    normal: Option<Vec<bool>>,
    truth: Option<Vec<bool>>,
    groups: Option<Groups>,
    /// What is held out together; none where rows are independent.
    units: Option<Units>,
    warnings: Vec<Warning>,
}

/// Why rows cannot be trained on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DatasetError {
    /// The file itself is at fault.
    #[error(transparent)]
    Csv(#[from] CsvError),
    /// No label column was given.
    #[error("nothing says which rows are labeled positive")]
    NoLabels,
    /// The parts of a table do not belong together.
    #[error("{what}: expected {expected}, found {found}")]
    Shape {
        /// Which part.
        what: &'static str,
        /// The count that would fit the other parts.
        expected: usize,
        /// The count there is.
        found: usize,
    },
    /// A value that is not a finite 32-bit number, in a table that was not read from a file.
    #[error("row {row}, feature `{feature}`: {value} is not a finite 32-bit number")]
    NotFinite {
        /// The row, from 0.
        row: usize,
        /// The feature's name.
        feature: String,
        /// The value.
        value: f64,
    },
    /// A row, from 0, that is labeled positive and known to be normal, in a table that was not read from a file.
    #[error("row {0} is marked both positive and normal")]
    PositiveAndNormal(usize),
    /// One positive shows no shape to learn.
    #[error("{found} of {rows} rows labeled positive; expected at least 2")]
    TooFewPositives {
        /// Labeled rows.
        found: usize,
        /// All rows.
        rows: usize,
    },
    /// Positives alone say nothing about where positives are not.
    #[error("all {0} rows are labeled positive; expected unlabeled rows too")]
    NoUnlabeled(usize),
    /// Every feature has one value only.
    #[error("every feature is constant ({0}); there is nothing to learn from")]
    OnlyConstants(String),
}

impl Dataset {
    /// Reads a training set from `path`, or from standard input for `-`; the column `label` says which rows are labeled.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, DatasetError> {
        Self::open_columns(path, &Columns::labeled_by("label"))
    }

    /// The same with these columns.
    pub fn open_columns(path: impl AsRef<Path>, columns: &Columns) -> Result<Self, DatasetError> {
        Self::new(Table::open(path.as_ref(), columns)?)
    }

    /// Reads a training set from `raw`, which messages call `file`.
    pub fn read(file: &str, raw: impl Read + Send, columns: &Columns) -> Result<Self, DatasetError> {
        Self::new(Table::read(file, raw, columns)?)
    }

    /// Checks `table` and drops its constant columns.
    pub fn new(table: Table) -> Result<Self, DatasetError> {
        check_shape(&table)?;
        let Table { mut names, mut rows, labeled, normal, truth, groups } = table;
        let labeled = labeled.ok_or(DatasetError::NoLabels)?;
        // What the device reads; a file's values are that already. Adding zero turns -0 into 0, so that equal rows are equal bits.
        rows.iter_mut().for_each(|x| *x = f64::from(*x as f32) + 0.0);
        let normal = normal.filter(|normal| normal.contains(&true));
        let positives = count(&labeled);
        let unlabeled = labeled.len() - positives - normal.as_deref().map_or(0, count);
        if positives < 2 {
            return Err(DatasetError::TooFewPositives { found: positives, rows: labeled.len() });
        }
        if positives == labeled.len() {
            return Err(DatasetError::NoUnlabeled(labeled.len()));
        }

        let mut warnings = Vec::new();
        let mut varies = Vec::with_capacity(names.len());
        for (at, name) in names.iter().enumerate() {
            let column = FeatureColumn::new(&rows, names.len(), at);
            varies.push(column.varies());
            warnings.extend(column.warning(name, &labeled, groups.as_ref()));
        }
        if !varies.contains(&true) {
            return Err(DatasetError::OnlyConstants(names.join(", ")));
        }
        if varies.contains(&false) {
            rows = keep_columns(rows, &varies);
            names = keep_columns(names, &varies);
        }
        warnings.extend(warning::of_duplicates(&rows, names.len()));
        warnings.extend(warning::of_no_unlabeled(unlabeled, labeled.len() - positives));
        let units = units(&rows, names.len(), &labeled, groups.as_ref());
        if units.as_ref().is_some_and(|units| units.is_detected) {
            warnings.push(warning::of_sequence(units.as_ref().map_or(0, Units::events)));
        }
        Ok(Self { names, rows, labeled, normal, truth, groups, units, warnings })
    }

    /// The same rows, each of them an observation of its own, whatever their order and their groups.
    #[must_use]
    pub fn independent(mut self) -> Self {
        self.units = None;
        self.groups = None;
        self.warnings.retain(|warning| warning.id != WarningId::RowsInSequence);
        self
    }

    /// The same rows, which stand in the order of time, recording by recording.
    #[must_use]
    pub(crate) fn in_sequence(mut self) -> Self {
        let group_of = self.groups.as_ref().map(Groups::of_row);
        let ordered = Ordered { rows: &self.rows, features: self.names.len(), group_of };
        self.units = Some(Units::new(ordered, &self.labeled).of_intervals());
        self.warnings.retain(|warning| warning.id != WarningId::RowsInSequence);
        self
    }

    /// The same rows with some of the features, in the order in which they stand.
    pub fn with_features(mut self, names: &[String]) -> Self {
        let keep: Vec<bool> = (self.names.iter()).map(|name| names.contains(name)).collect();
        if keep.contains(&false) {
            self.rows = keep_columns(self.rows, &keep);
            self.names = keep_columns(self.names, &keep);
        }
        self
    }

    /// The features' names, in the order of a row.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Number of features: the length of a row.
    pub fn features(&self) -> usize {
        self.names.len()
    }

    /// The features, row after row.
    pub fn rows(&self) -> &[f64] {
        &self.rows
    }

    /// Which rows are labeled positive.
    pub fn labeled(&self) -> &[bool] {
        &self.labeled
    }

    /// Which rows are known to be normal, if any is; none of them is labeled positive.
    pub(crate) fn normal(&self) -> Option<&[bool]> {
        self.normal.as_deref()
    }

    /// Which rows belong together, if anything says so.
    pub(crate) fn groups(&self) -> Option<&Groups> {
        self.groups.as_ref()
    }

    /// What is held out together; none where rows are independent.
    pub(crate) fn units(&self) -> Option<&Units> {
        self.units.as_ref()
    }

    /// Which rows are really positive, if a truth column was read. For evaluation only.
    pub fn truth(&self) -> Option<&[bool]> {
        self.truth.as_deref()
    }

    /// What the user should know.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Tells data sets apart: a hash of features and labels, and of normal rows and groups where there are any. FNV-1a.
    pub fn fingerprint(&self) -> u64 {
        let bytes = self.rows.iter().flat_map(|x| x.to_le_bytes());
        let labels = self.labeled.iter().map(|&labeled| u8::from(labeled));
        let mut hash = fnv_1a(fnv::START, bytes.chain(labels));
        if let Some(normal) = &self.normal {
            let marks = normal.iter().map(|&normal| u8::from(normal));
            hash = fnv_1a(hash, b"normal".iter().copied().chain(marks));
        }
        if let Some(groups) = &self.groups {
            // What the groups are called changes nothing.
            let ids = groups.of_row().iter().flat_map(|id| id.to_le_bytes());
            hash = fnv_1a(hash, b"groups".iter().copied().chain(ids));
        }
        hash
    }

    /// Number of rows.
    #[allow(clippy::len_without_is_empty)] // At least three rows: it is never empty.
    pub fn len(&self) -> usize {
        self.labeled.len()
    }

    /// Number of labeled positives.
    pub fn positives(&self) -> usize {
        count(&self.labeled)
    }
}

fn count(marks: &[bool]) -> usize {
    marks.iter().filter(|&&mark| mark).count()
}

/// Recordings, or blocks of time if rows and labels look like those of a log.
fn units(rows: &[f64], features: usize, labeled: &[bool], groups: Option<&Groups>) -> Option<Units> {
    let group_of = groups.map(Groups::of_row);
    let ordered = Ordered { rows, features, group_of };
    match groups.map_or(1, Groups::len) {
        1 => ordered.is_in_time_order(labeled).then(|| Units::new(ordered, labeled).detected()),
        // Each row a group of its own.
        count if count == labeled.len() => None,
        _ => Some(Units::new(ordered, labeled)),
    }
}

/// A table built by hand may be anything; one read from a file passes.
fn check_shape(table: &Table) -> Result<(), DatasetError> {
    let width = table.names.len();
    let labeled = table.labeled.as_ref().ok_or(DatasetError::NoLabels)?;
    let expect = |what, expected, found| match expected == found {
        true => Ok(()),
        false => Err(DatasetError::Shape { what, expected, found }),
    };
    if width == 0 {
        return expect("features", 1, 0);
    }
    expect("values", labeled.len() * width, table.rows.len())?;
    if let Some(truth) = &table.truth {
        expect("truth marks", labeled.len(), truth.len())?;
    }
    if let Some(groups) = &table.groups {
        expect("rows with a group", labeled.len(), groups.of_row().len())?;
    }
    if let Some(normal) = &table.normal {
        expect("normal marks", labeled.len(), normal.len())?;
        if let Some(row) = (0..labeled.len()).find(|&row| labeled[row] && normal[row]) {
            return Err(DatasetError::PositiveAndNormal(row));
        }
    }
    match table.rows.iter().position(|value| !(*value as f32).is_finite()) {
        None => Ok(()),
        Some(at) => Err(DatasetError::NotFinite {
            row: at / width,
            feature: table.names[at % width].clone(),
            value: table.rows[at],
        }),
    }
}

/// The entries of `cells`, row after row, whose column is marked in `keep`.
fn keep_columns<T>(cells: Vec<T>, keep: &[bool]) -> Vec<T> {
    let kept = keep.iter().cycle();
    cells.into_iter().zip(kept).filter_map(|(cell, keep)| keep.then_some(cell)).collect()
}

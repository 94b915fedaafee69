//! Several files as one table: which names their groups have.

use super::source::STANDARD_INPUT;
use super::{Columns, CsvError, CsvProblem};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// At least one file, and none of them twice.
pub(super) fn check_paths(paths: &[PathBuf]) -> Result<(), CsvError> {
    let mut seen = HashSet::new();
    match paths.iter().find(|path| !seen.insert(*path)) {
        Some(path) => Err(CsvError::new(&path.display().to_string(), CsvProblem::GivenTwice)),
        None if paths.is_empty() => Err(CsvError::new("data", CsvProblem::NoFiles)),
        None => Ok(()),
    }
}

/// The group that each file is: none for a single file, and none where a column names the groups.
///
/// It is the file's name without its ending, or the path where two files would share that.
pub(super) fn group_names(paths: &[PathBuf], columns: &Columns) -> Vec<Option<String>> {
    if paths.len() == 1 || columns.group.is_some() {
        return vec![None; paths.len()];
    }
    let stems: Vec<String> = paths.iter().map(|path| stem(path)).collect();
    let mut counts = HashMap::new();
    stems.iter().for_each(|stem| *counts.entry(stem).or_insert(0) += 1);
    let name = |(path, stem): (&PathBuf, &String)| match counts[stem] {
        1 => stem.clone(),
        _ => path.display().to_string(),
    };
    paths.iter().zip(&stems).map(|pair| Some(name(pair))).collect()
}

/// `log` for `data/log.csv.gz`.
pub(crate) fn stem(path: &Path) -> String {
    if path == Path::new("-") {
        return STANDARD_INPUT.to_owned();
    }
    let is_packed = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz"));
    let path = if is_packed { &path.with_extension("") } else { path };
    path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

//! Files that are either complete or absent: written next to their place, then renamed into it.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A file could not be written; whatever was there before is still there.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {path}: {source}")]
pub struct WriteError {
    /// Where the file was to go.
    pub path: PathBuf,
    /// What the operating system said.
    pub source: io::Error,
}

/// Puts `bytes` at `path`: written beside it, flushed to the disk, then renamed. On failure nothing is left behind and what was
/// at `path` stays.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let beside = name_beside(path);
    *unfinished() = Some(beside.clone());
    let written = write_new(&beside, bytes).and_then(|()| fs::rename(&beside, path));
    *unfinished() = None;
    written.map_err(|source| {
        // Whether it was created or not: there must be none.
        let _ = fs::remove_file(&beside);
        let path = path.to_owned();
        WriteError { path, source }
    })
}

/// The file being written, to be removed if the program ends now.
static UNFINISHED: Mutex<Option<PathBuf>> = Mutex::new(None);

fn unfinished() -> MutexGuard<'static, Option<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes a file that [`write_file`] has not finished, for a program that is about to end. Nothing is written after that.
pub fn discard_unfinished() {
    let unfinished = unfinished();
    if let Some(path) = unfinished.as_ref() {
        let _ = fs::remove_file(path);
    }
    // Kept for good: a write that would begin now waits for the end.
    std::mem::forget(unfinished);
}

fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// A name in the same directory, hence on the same disk, that no other running command uses.
pub fn name_beside(path: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or("model".as_ref()));
    name.push(format!(".{}.part", std::process::id()));
    path.with_file_name(name)
}

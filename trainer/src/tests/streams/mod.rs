//! Logs to recordings, windows and verdicts.

mod events;
mod logs;
mod windows;

use pual_trainer::errors::LogError;
use pual_trainer::{LogOptions, Recordings};
use std::path::{Path, PathBuf};

/// A folder that is gone when the test is.
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pual-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(super) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The message without the folder.
pub(super) fn message(folder: &Folder, error: &LogError) -> String {
    error.to_string().replace(&format!("{}/", folder.path().display()), "")
}

pub(super) fn open(paths: &[PathBuf], options: &LogOptions) -> Result<Recordings, LogError> {
    Recordings::open(paths, options)
}

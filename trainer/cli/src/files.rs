//! Files as the commands read and write them, with errors that say what to do.

use crate::exit::Failure;
use crate::hints::{directory, file_error};
use anyhow::Result;
use std::path::Path;

/// Refuses a place where no file can be written, before the work begins.
pub fn check_output(output: &Path) -> Result<()> {
    let path = output.display();
    let directory = directory(output);
    if output.is_dir() {
        let message = format!("--output {path} is a directory");
        return Err(Failure::new(message, "name a file in it").into());
    }
    if !directory.is_dir() {
        let directory = directory.display();
        let message = format!("--output {path}: there is no directory {directory}");
        return Err(Failure::new(message, "make it first").into());
    }
    Ok(())
}

/// Reads a whole file.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|error| {
        let message = format!("cannot read {}: {error}", path.display());
        match file_error(path, &error) {
            Some(hint) => Failure::new(message, hint).into(),
            None => anyhow::Error::msg(message),
        }
    })
}

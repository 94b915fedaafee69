//! Files as the commands read and write them, with errors that say what to do.

use crate::exit::Failure;
use crate::hints::{directory, file_error};
use anyhow::{Context, Result, bail};
use pual_trainer::write_file;
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

/// Refuses a directory in which no page `file` can be written, before the work begins.
pub fn check_page(directory: &Path, file: &str) -> Result<()> {
    let is_file = |path: &&Path| path.exists() && !path.is_dir();
    let name = directory.display();
    if let Some(found) = directory.ancestors().find(is_file) {
        bail!("--report {name}: {} is a file; name a directory", found.display());
    }
    if directory.join(file).is_dir() {
        bail!("--report {name}: {file} in it is a directory; name another one");
    }
    Ok(())
}

/// Writes a page into a directory, which is created.
pub fn write_page(directory: &Path, file: &str, html: &str) -> Result<()> {
    std::fs::create_dir_all(directory).with_context(|| format!("cannot create {}", directory.display()))?;
    Ok(write_file(&directory.join(file), html.as_bytes())?)
}

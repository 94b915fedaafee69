//! A model file, and which columns of a CSV file it reads.

use anyhow::{Context, Result, bail};
use pual_infer::{AnyModel, ModelBytes};
use pual_trainer::csv::Columns;
use std::path::Path;

/// Reads a model file. It is checked when it is decoded.
pub fn read(path: &Path) -> Result<ModelBytes> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(ModelBytes::new(&bytes))
}

/// Every check of the format, once, whatever the encoding.
pub fn decode<'a>(bytes: &'a ModelBytes, path: &Path) -> Result<AnyModel<'a>> {
    let hint = "expected a file written by `pual train`";
    bytes
        .decode_any()
        .with_context(|| format!("{} is not a usable model; {hint}", path.display()))
}

/// The names of the model's features, if it carries them.
pub fn names(model: &AnyModel<'_>) -> Option<Vec<String>> {
    (0..model.features())
        .map(|feature| model.name(feature).map(str::to_owned))
        .collect()
}

/// The model's columns: those the user names, or the model's own names, or, without names, the file's in their order.
pub fn columns(model: &AnyModel<'_>, chosen: Option<&[String]>) -> Columns {
    Columns {
        features: chosen.map(<[String]>::to_vec).or_else(|| names(model)),
        ..Columns::default()
    }
}

/// Refuses a file with more or fewer features than the model has.
pub fn check_width(model: &AnyModel<'_>, found: &[String], data: &Path) -> Result<()> {
    if found.len() != model.features() {
        bail!(
            "the model takes {} features, {} offers {} ({}); choose them with --features",
            model.features(),
            data.display(),
            found.len(),
            found.join(", ")
        );
    }
    Ok(())
}

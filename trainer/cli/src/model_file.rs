//! A model file, signed or not, and which columns of a CSV file it reads.

use crate::exit::Failure;
use anyhow::{Context, Result};
use pual_infer::{Model, ModelBytes, SIGNATURE_BYTES, signature_head};
use pual_trainer::data::table::Columns;
use std::path::Path;

/// Reads a model file, with its signature if it has one. It is checked when it is decoded.
pub fn read(path: &Path) -> Result<ModelBytes> {
    Ok(ModelBytes::new(&crate::files::read(path)?))
}

/// Every check of the format, once, whatever the encoding. A signature is left alone: `pual verify-signature` checks it.
pub fn decode<'a>(bytes: &'a ModelBytes, path: &Path) -> Result<Model<'a>> {
    let (model, _) = split_signature(bytes);
    Model::decode(model).with_context(|| format!("{} is not a usable model", path.display()))
}

/// The model without the signature behind it, and the version that is signed, if it is.
pub fn split_signature(bytes: &[u8]) -> (&[u8], Option<u32>) {
    let unsigned = (bytes, None);
    let Some(at) = bytes.len().checked_sub(SIGNATURE_BYTES) else {
        return unsigned;
    };
    let (model, signature) = bytes.split_at(at);
    let version = |head: &[u8; 12]| {
        let version = head
            .last_chunk()
            .map(|version| u32::from_le_bytes(*version))?;
        (*head == signature_head(version)).then_some(version)
    };
    match signature.first_chunk().and_then(version) {
        Some(version) => (model, Some(version)),
        None => unsigned,
    }
}

/// The names of the model's features, if it carries them.
pub fn names(model: &Model<'_>) -> Option<Vec<String>> {
    (0..model.features())
        .map(|feature| model.name(feature).map(str::to_owned))
        .collect()
}

/// The model's columns: those the user names, or the model's own names, or, without names, the file's in their order.
pub fn columns(model: &Model<'_>, chosen: Option<&[String]>) -> Columns {
    Columns {
        features: chosen.map(<[String]>::to_vec).or_else(|| names(model)),
        ..Columns::default()
    }
}

/// Refuses a file with more or fewer features than the model has.
pub fn check_width(model: &Model<'_>, found: &[String], data: &Path) -> Result<()> {
    if found.len() != model.features() {
        let message = format!(
            "the model takes {} features, {} offers {} ({})",
            model.features(),
            data.display(),
            found.len(),
            found.join(", ")
        );
        return Err(Failure::new(message, "choose them with --features").into());
    }
    Ok(())
}

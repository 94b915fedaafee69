//! A model file, signed or not, and which columns of a CSV file it reads.

use crate::exit::Failure;
use anyhow::{Context, Result};
use pual_infer::{Model, ModelBytes};
use pual_trainer::signing::unverified;
use pual_trainer::{Columns, LogOptions, Recordings};
use std::path::{Path, PathBuf};

/// Reads a model file, with its signature if it has one. Decoding checks it.
pub fn read(path: &Path) -> Result<ModelBytes> {
    Ok(ModelBytes::new(&crate::files::read(path)?))
}

/// Checks the format and decodes. A signature is ignored: `pual verify-signature` checks it.
pub fn decode<'a>(bytes: &'a ModelBytes, path: &Path) -> Result<Model<'a>> {
    let (model, _) = split_signature(bytes);
    Model::decode(model).with_context(|| format!("{} is not a usable model", path.display()))
}

/// The model without its signature, and the signed version if there is one.
pub fn split_signature(bytes: &[u8]) -> (&[u8], Option<u32>) {
    unverified(bytes).map_or((bytes, None), |(model, version)| (model, Some(version)))
}

/// The names of the model's features, if it carries them.
pub fn names(model: &Model<'_>) -> Option<Vec<String>> {
    (0..model.features()).map(|feature| model.name(feature).map(str::to_owned)).collect()
}

/// The model's columns: those the user names, or those with the model's feature names, or without names all of the file.
pub fn columns(model: &Model<'_>, chosen: Option<&[String]>) -> Columns {
    Columns { features: chosen.map(<[String]>::to_vec).or_else(|| names(model)), ..Columns::default() }
}

/// Refuses a file with more or fewer features than the model has.
pub fn check_width(model: &Model<'_>, found: &[String], data: &Path) -> Result<()> {
    if found.len() != model.features() {
        let message = format!(
            "the model takes {} features, {} has {} ({})",
            model.features(),
            data.display(),
            found.len(),
            found.join(", ")
        );
        return Err(Failure::new(message, "choose them with --features").into());
    }
    Ok(())
}

/// Recordings of raw samples with the model's channels.
pub fn recordings(model: &Model<'_>, paths: &[PathBuf], logs: LogOptions) -> Result<Recordings> {
    let names = model.recipe().map_or(Vec::new(), |recipe| {
        (0..recipe.raw_channels()).map(|at| recipe.name(at).unwrap_or_default().to_owned()).collect::<Vec<_>>()
    });
    let logs = LogOptions { channels: Some(logs.channels.unwrap_or_else(|| names.clone())), ..logs };
    let recordings = Recordings::open(paths, &logs);
    let listed = || format!("the model takes recordings of raw samples with the channels {}", names.join(", "));
    let recordings = recordings.with_context(listed)?;
    recordings.warnings.iter().cloned().for_each(crate::show::warn);
    match recordings.channels.len() == names.len() {
        true => Ok(recordings),
        false => {
            let message = format!("the model takes {} channels, {} are named", names.len(), recordings.channels.len());
            Err(Failure::new(message, format!("choose them with --features, in this order: {}", names.join(", ")))
                .into())
        }
    }
}

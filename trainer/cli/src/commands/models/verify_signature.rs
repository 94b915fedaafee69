//! `pual verify-signature`: would a device with this key accept this file?

use crate::exit::Failure;
use crate::hints::hint;
use crate::show;
use anyhow::{Context, Result};
use pual_infer::{ModelBytes, SignedModel};
use pual_trainer::signing::read_public_key;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

/// Check a model's signature, with the device's own code
///
/// Exit code 0: firmware with this key and minimum version runs the model. Exit code 3: it refuses the model.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  pual verify-signature fridge.signed --key fleet.public --minimum-version 3")]
pub struct Args {
    /// Signed model, written by `pual sign`
    signed: PathBuf,
    /// Public key, made by `pual keygen`
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// Oldest version to accept
    #[arg(long, default_value_t = 0, value_name = "N")]
    minimum_version: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct SignatureCheck {
    signed: String,
    model_version: u32,
    model_bytes: usize,
    features: usize,
    supports: usize,
}

impl Args {
    pub fn run(&self, out: &mut impl Write) -> Result<()> {
        let path = self.signed.display();
        let key = read_public_key(&self.key).context("cannot use --key")?;
        let bytes = crate::files::read(&self.signed)?;
        let bytes = ModelBytes::new(&bytes);
        let refused = |error: &(dyn std::error::Error + 'static)| {
            Failure::differs(format!("{path} is refused: {error}"), hint(error))
        };
        let signed = SignedModel::open(&bytes, &key, self.minimum_version).map_err(|error| refused(&error))?;
        let model = signed.decode().map_err(|error| refused(&error))?;
        let report = SignatureCheck {
            signed: path.to_string(),
            model_version: signed.version(),
            model_bytes: signed.model().len(),
            features: model.features(),
            supports: model.supports(),
        };
        if self.json {
            return show::json(out, &report);
        }
        let model = format!(
            "{} bytes, {} support instances, {} features",
            report.model_bytes, report.supports, report.features
        );
        show::facts(out, &[("genuine", report.signed), ("version", report.model_version.to_string()), ("model", model)])
    }
}

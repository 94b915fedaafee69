//! `pual sign`: a model in, the same model with a signature out.

use crate::files::check_output;
use crate::model_file;
use crate::show;
use anyhow::{Context, Result};
use pual_trainer::signing::{KeyPair, hexadecimal};
use pual_trainer::write_file;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

/// Sign a model, for firmware that runs only signed models
///
/// The signature (Ed25519) covers the model and a version counter; a device refuses versions below its minimum. Count up by one for
/// each model you release.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  pual sign fridge.pual --key fleet.secret --model-version 3 -o fridge.signed")]
pub struct Args {
    /// Model file written by `pual train`
    model: PathBuf,
    /// Secret key, made by `pual keygen`
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// Version counter of this model
    #[arg(long, value_name = "N")]
    model_version: u32,
    /// Where to write the signed model
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct SignedFile {
    model: String,
    output: String,
    model_version: u32,
    bytes: usize,
    public_key: String,
}

impl Args {
    pub fn run(&self, out: &mut impl Write) -> Result<()> {
        check_output(&self.output)?;
        let keys = KeyPair::read(&self.key).context("cannot use --key")?;
        let model = crate::files::read(&self.model)?;
        // A new signature replaces an old one.
        let (model, _) = model_file::split_signature(&model);
        let signed =
            keys.sign(model, self.model_version).with_context(|| format!("cannot sign {}", self.model.display()))?;
        write_file(&self.output, &signed)?;
        let report = SignedFile {
            model: self.model.display().to_string(),
            output: self.output.display().to_string(),
            model_version: self.model_version,
            bytes: signed.len(),
            public_key: hexadecimal(&keys.public()),
        };
        if self.json {
            return show::json(out, &report);
        }
        show::facts(
            out,
            &[
                ("signed", report.output),
                ("version", report.model_version.to_string()),
                ("bytes", report.bytes.to_string()),
                ("public key", report.public_key),
            ],
        )
    }
}

//! `pual keygen`: a pair of keys to sign models with.

use crate::files::check_output;
use crate::show;
use anyhow::Result;
use pual_trainer::signing::{KeyPair, hexadecimal};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Make a pair of keys to sign models with
///
/// Writes two files. Anyone who has NAME.secret can sign: keep it safe. Only its owner can read it. NAME.public is built into the
/// firmware. Neither file is ever overwritten.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  pual keygen -o fleet
  pual sign fridge.pual --key fleet.secret --model-version 1 -o fridge.signed
  pual verify-signature fridge.signed --key fleet.public")]
pub struct Args {
    /// Name of the files, without extension
    #[arg(short, long, value_name = "NAME")]
    output: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct KeyFiles {
    secret_key_file: String,
    public_key_file: String,
    public_key: String,
}

impl Args {
    pub fn run(&self, out: &mut impl Write) -> Result<()> {
        let [secret, public] = ["secret", "public"].map(|kind| with_extension(&self.output, kind));
        check_output(&secret)?;
        let keys = KeyPair::generate()?;
        keys.write(&secret, &public)?;
        let report = KeyFiles {
            secret_key_file: secret.display().to_string(),
            public_key_file: public.display().to_string(),
            public_key: hexadecimal(&keys.public()),
        };
        if self.json {
            return show::json(out, &report);
        }
        let array = keys.public().map(|byte| format!("{byte:#04x}")).join(", ");
        show::facts(
            out,
            &[
                ("secret key", report.secret_key_file),
                ("public key", report.public_key_file),
                ("for the firmware", format!("[{array}]")),
            ],
        )
    }
}

/// Adds an extension, and replaces none.
fn with_extension(name: &Path, extension: &str) -> PathBuf {
    let mut path = name.as_os_str().to_owned();
    path.push(".");
    path.push(extension);
    path.into()
}

//! `pual export`: a model as source code.

use crate::files::check_output;
use crate::model_file;
use crate::show;
use anyhow::Result;
use clap::ValueEnum;
use pual_device::byte_array;
use pual_trainer::write_file;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

/// Write a model as source code: an aligned array of bytes
///
/// For firmware with a built-in model, in C or where a Rust build cannot read other files. Otherwise Rust needs only
/// `pual_infer::include_model!`.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  pual export fridge.pual --format rust -o fridge.rs   # Model::decode(&MODEL.0)
  pual export fridge.pual --format c --name fridge -o fridge.c")]
pub struct Args {
    /// Model file, written by `pual train` or `pual sign`
    model: PathBuf,
    /// Language
    #[arg(long, value_enum)]
    format: Language,
    /// Name of the array [default: MODEL in Rust, pual_model in C]
    #[arg(long, value_parser = identifier)]
    name: Option<String>,
    /// Where to write the source
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
enum Language {
    /// A static of `pual_infer::Aligned`
    Rust,
    /// A constant array, for C and C++
    C,
}

fn identifier(text: &str) -> Result<String, String> {
    let first = |letter: char| letter.is_ascii_alphabetic() || letter == '_';
    let rest = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    if text.starts_with(first) && text.chars().all(rest) {
        Ok(text.to_owned())
    } else {
        Err("expected letters, digits and underscores, not starting with a digit".to_owned())
    }
}

#[derive(Serialize)]
struct ExportedSource {
    output: String,
    format: Language,
    name: String,
    model_bytes: usize,
}

impl Args {
    pub fn run(&self, out: &mut impl Write) -> Result<()> {
        check_output(&self.output)?;
        let bytes = model_file::read(&self.model)?;
        let model = model_file::decode(&bytes, &self.model)?;
        let mut comment = format!(
            "A model of {} features and {}, {}, by `pual export`.",
            model.features(),
            show::supports(model.supports()),
            model.encoding().name()
        );
        if let Some(names) = model_file::names(&model) {
            // Names come from a file: none of them may end the comment or have a meaning in it.
            let special = |letter: char| letter.is_control() || r"*/\?[]<>`".contains(letter);
            let names = names.join(", ").replace(special, "_");
            comment += &format!("\nReadings: {names}.");
        }
        let name = |default| self.name.as_deref().unwrap_or(default);
        let (name, text) = match self.format {
            Language::Rust => (name("MODEL"), byte_array::rust(name("MODEL"), &bytes, &comment)),
            Language::C => (name("pual_model"), byte_array::c(name("pual_model"), &bytes, &comment)),
        };
        write_file(&self.output, text.as_bytes())?;
        let report = ExportedSource {
            output: self.output.display().to_string(),
            format: self.format,
            name: name.to_owned(),
            model_bytes: bytes.len(),
        };
        if self.json {
            return show::json(out, &report);
        }
        let length = show::grouped(report.model_bytes);
        let array = format!("{}, {length} bytes", report.name);
        show::facts(out, &[("written", report.output), ("array", array)])
    }
}

//! The library's errors in the words of the command line.

use crate::exit::{Failure, usage_error};
use crate::flags::size;
use pual_trainer::errors::{MemoryError, OptionsError};
use pual_trainer::{Error, JournalFile, Options};

/// An error of `command`, which was run with these options.
pub fn explain(command: &str, options: &Options, error: Error) -> anyhow::Error {
    match error {
        Error::Options(error) => wrong_options(command, options, &error),
        Error::Compress(error) => size::explain(error),
        Error::Memory(error) => too_little_memory(&error).into(),
        error @ Error::OneSided { .. } => {
            let hint = "a model needs both: add parts that have the others";
            Failure::new(error.to_string(), hint).into()
        }
        // Unwrapped, so that hints know them.
        Error::Dataset(error) => error.into(),
        Error::Train(error) => error.into(),
        Error::Export(error) => error.into(),
        Error::Bulk(error) => error.into(),
        Error::Decode(error) => error.into(),
        error => error.into(),
    }
}

/// Options that do not go together, by their flags.
pub fn wrong_options(command: &str, options: &Options, error: &OptionsError) -> anyhow::Error {
    let flag = |option: &str| match (option, &options.journal) {
        ("tune", _) => "--no-tune".to_owned(),
        ("compress", _) => "--no-compress".to_owned(),
        ("journal", Some(JournalFile::Resume(_))) => "--resume".to_owned(),
        ("journal", _) => "--log".to_owned(),
        (option, _) => format!("--{}", option.replace('_', "-")),
    };
    usage_error(command, error.text(flag))
}

fn too_little_memory(error: &MemoryError) -> Failure {
    let graph = if error.fits_with_graph_of_sample { "--graph sample, " } else { "" };
    let hint = format!("give fewer --supports, {graph}or divide the rows: see `pual plan --help`");
    Failure::new(error.to_string(), hint)
}

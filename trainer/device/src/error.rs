//! Why a device could not be used.

use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

/// Why a device could not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// The firmware's sources are no longer where they were when this program was built.
    #[error("no firmware sources in {0}")]
    NoFirmware(PathBuf),
    /// A file could not be read or written, or a program could not be started.
    #[error("{what}: {error}")]
    Io {
        /// What was tried.
        what: String,
        /// The operating system's error.
        error: std::io::Error,
    },
    /// The firmware did not build, or QEMU could not be installed.
    #[error("`{command}` failed:\n{output}")]
    Command {
        /// The command line.
        command: String,
        /// What it printed.
        output: String,
    },
    /// A file is not an ELF file of a firmware, or is damaged.
    #[error("{path} is not a firmware image: {reason}")]
    NotAnImage {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The model does not fit its region.
    #[error("the model has {bytes} bytes, its flash region {region}")]
    ModelTooLarge {
        /// Bytes of the model.
        bytes: usize,
        /// Bytes of the region.
        region: usize,
    },
    /// The device did not answer in time; what it had printed before.
    #[error("no answer from the device within {0:?}{printed}", printed = printed(.1))]
    Silent(Duration, String),
    /// The emulated device stopped; what it had printed before.
    #[error("the device stopped with {0}{printed}", printed = printed(.1))]
    Stopped(ExitStatus, String),
    /// A file does not hold the flash of an emulated board.
    #[error("{0} is not the flash of an emulated board")]
    NotAFlash(PathBuf),
    /// Nothing came from the device after this many attempts.
    #[error("no answer from the device after {0} attempts")]
    NoAnswer(u32),
    /// The device's frames were damaged, or it reports that ours were.
    #[error("{0} attempts, and the device's answer was damaged each time")]
    Garbled(u32),
    /// A reading does not fit the protocol's frames.
    #[error(
        "a reading of {0} features is too long for the firmware's frames, which have room for {max}",
        max = pual_protocol::MAX_FEATURES
    )]
    ReadingTooLong(usize),
    /// The device did not take samples.
    #[error("the device refused the samples: {0}")]
    SamplesRefused(&'static str),
    /// The device sent something other than the answer.
    #[error("unexpected answer from the device: {0}")]
    Answer(String),
}

fn printed(text: &str) -> String {
    match text.trim() {
        "" => String::new(),
        text => format!("; it had printed:\n{text}"),
    }
}

/// Says what was tried when the operating system refused it.
pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> DeviceError {
    let what = what.into();
    move |error| DeviceError::Io { what, error }
}

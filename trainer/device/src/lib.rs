//! Chips from the workstation's side: builds the example firmware, puts a model into its image, boots it in QEMU,
//! and talks to it over the UART.
//!
//! ```text
//! firmware.rs  board, cargo build  ->  ELF file
//! image.rs     ELF file + model    ->  ELF file with that model in its flash region
//! qemu.rs      ELF file            ->  a running machine with a UART
//! thermometer.rs  QMP              ->  a temperature for an emulated sensor
//! link.rs      UART                ->  requests and responses
//! live.rs      a monitor with a thermometer, compared with the workstation at every measurement
//! flash.rs     file                ->  the flash of an emulated board, which outlives the machine
//! serial.rs    serial port         ->  frames, for updates of a real board
//! verify.rs    frames              ->  scores, beside the workstation's
//! chips.rs     name of a chip      ->  where models lie in its flash
//! image_file.rs  bytes, address    ->  Intel HEX, UF2, ELF
//! byte_array.rs  bytes             ->  source code
//! sizes.rs     ELF file            ->  bytes of flash and RAM
//! bench.rs     model               ->  what it costs, measured
//! cost.rs      model               ->  what it will cost, without running it
//! ```

pub mod bench;
pub mod byte_array;
pub mod chips;
pub mod cost;
mod elf;
pub mod firmware;
pub mod flash;
pub mod image;
pub mod image_file;
pub mod link;
#[cfg(unix)]
pub mod live;
pub mod qemu;
pub mod serial;
pub mod sizes;
#[cfg(unix)]
pub mod thermometer;
pub mod verify;

use std::path::PathBuf;
use std::time::Duration;

/// Why a device could not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// The sources of the firmware are not where they were when this program was built.
    #[error("no firmware sources in {0}")]
    NoFirmware(PathBuf),
    /// A file could not be read or written, or a program could not be started.
    #[error("{what}: {error}")]
    Io {
        /// What was tried.
        what: String,
        /// What the operating system said.
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
    /// The firmware image is not what the linker script says it is.
    #[error("{0} is not a firmware image with a model region")]
    NotAnImage(PathBuf),
    /// The model does not fit its region.
    #[error("the model has {bytes} bytes, its flash region {region}")]
    ModelTooLarge {
        /// Of the model.
        bytes: usize,
        /// Of the region.
        region: usize,
    },
    /// The machine did not answer in time.
    #[error("no answer from the device within {0:?}{1}")]
    Silent(Duration, Said),
    /// The machine stopped.
    #[error("the device stopped with {0}{1}")]
    Stopped(std::process::ExitStatus, Said),
    /// A file is not what the emulated board keeps its flash in.
    #[error("{0} is not the flash of an emulated board")]
    NotAFlash(PathBuf),
    /// Nothing came from the device, however often it was asked.
    #[error("no answer from the device, which was asked {0} times")]
    NoAnswer(u32),
    /// What came from the device was no frame, or it says so of ours.
    #[error("the device was asked {0} times, and what came back was damaged each time")]
    Garbled(u32),
    /// The protocol's frames have no room for it.
    #[error(
        "a reading of {0} features is too long for the firmware's frames, which have room for {max}",
        max = pual_protocol::MAX_FEATURES
    )]
    ReadingTooLong(usize),
    /// The device said something that was not asked for.
    #[error("unexpected answer from the device: {0}")]
    Answer(String),
}

/// What a machine had said before it failed, for the error message.
#[derive(Debug)]
pub struct Said(String);

impl std::fmt::Display for Said {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0.trim().is_empty() {
            return Ok(());
        }
        write!(f, "; it had said:\n{}", self.0.trim())
    }
}

fn io(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> DeviceError {
    let what = what.into();
    move |error| DeviceError::Io { what, error }
}

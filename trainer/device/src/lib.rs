//! Chips, from the workstation: builds the example firmware, puts a model into its image, boots it in QEMU and talks to it
//! over the UART; talks to real boards over a serial port; writes files for flashing tools; states what a model costs.
//!
//! A module uses only modules above it.
//!
//! | module | from | to |
//! |---|---|---|
//! | `error` | | why a device could not be used |
//! | [`byte_array`] | model | source code |
//! | [`cost`] | model | what it will cost on each core, without running it |
//! | [`image`] | ELF file, model | ELF file with that model; Intel HEX, UF2, ELF; sizes |
//! | [`firmware`] | board | ELF file, by `cargo build` |
//! | [`chips`] | name of a chip | where models lie in its flash |
//! | [`serial`] | serial port | frames |
//! | [`verify`] | frames | scores, compared with the workstation's |
//! | [`samples`] | frames, raw samples | verdicts of windows, compared with the workstation's |
//! | [`emulator`] | ELF file | a machine in QEMU: UART, flash, thermometer |
//! | [`mod@bench`] | model | what it costs, measured in QEMU |

#![deny(unreachable_pub)]

mod error;

pub mod byte_array;
pub mod cost;
pub mod image;

pub mod firmware;

pub mod chips;
pub mod serial;
pub mod verify;

pub mod samples;

pub mod emulator;

pub mod bench;

pub use error::DeviceError;

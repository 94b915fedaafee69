//! The example firmware: which boards there are, and how it is built for one of them.

use crate::{DeviceError, io};
use pual_trainer::model::signing::hexadecimal;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A board that QEMU emulates, and what is built for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Board {
    /// ARM MPS2 with a Cortex-M4F.
    CortexM4F,
    /// ARM MPS2 with a Cortex-M3.
    CortexM3,
    /// Cortex-M0 code on the MPS2 with a Cortex-M3: room for models that the micro:bit's flash has none for.
    CortexM0OnMps2,
    /// BBC micro:bit with a Cortex-M0.
    Microbit,
    /// ARM MPS2 with a Cortex-M7, whose code is the Cortex-M4F's.
    CortexM7,
    /// ARM MPS2 with a Cortex-M33.
    CortexM33,
}

impl Board {
    /// Every board.
    pub const ALL: [Self; 6] = [
        Self::CortexM4F,
        Self::CortexM3,
        Self::CortexM0OnMps2,
        Self::Microbit,
        Self::CortexM7,
        Self::CortexM33,
    ];

    /// What people call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::CortexM4F => "Cortex-M4F (mps2-an386)",
            Self::CortexM3 => "Cortex-M3 (mps2-an385)",
            Self::CortexM0OnMps2 => "Cortex-M0 code (mps2-an385)",
            Self::Microbit => "Cortex-M0 (microbit)",
            Self::CortexM7 => "Cortex-M7 (mps2-an500)",
            Self::CortexM33 => "Cortex-M33 (mps2-an505)",
        }
    }

    /// The core that its code is for.
    #[must_use]
    pub fn core(self) -> &'static str {
        match self {
            Self::CortexM4F => "Cortex-M4F",
            Self::CortexM3 => "Cortex-M3",
            Self::CortexM0OnMps2 | Self::Microbit => "Cortex-M0",
            Self::CortexM7 => "Cortex-M7",
            Self::CortexM33 => "Cortex-M33",
        }
    }

    /// QEMU's name of the machine.
    #[must_use]
    pub fn machine(self) -> &'static str {
        match self {
            Self::CortexM4F => "mps2-an386",
            Self::CortexM3 | Self::CortexM0OnMps2 => "mps2-an385",
            Self::Microbit => "microbit",
            Self::CortexM7 => "mps2-an500",
            Self::CortexM33 => "mps2-an505",
        }
    }

    /// Rust's name of the target.
    #[must_use]
    pub fn target(self) -> &'static str {
        match self {
            Self::CortexM4F | Self::CortexM7 => "thumbv7em-none-eabihf",
            Self::CortexM3 => "thumbv7m-none-eabi",
            Self::CortexM0OnMps2 | Self::Microbit => "thumbv6m-none-eabi",
            Self::CortexM33 => "thumbv8m.main-none-eabihf",
        }
    }

    fn feature(self) -> &'static str {
        match self {
            Self::Microbit => "microbit",
            Self::CortexM33 => "an505",
            _ => "mps2",
        }
    }
}

/// The directory of the firmware's sources.
///
/// # Errors
/// If it is not there (any more).
pub fn sources() -> Result<PathBuf, DeviceError> {
    let directory = std::env::var_os("PUAL_FIRMWARE").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../firmware-example"),
        PathBuf::from,
    );
    if directory.join("setup.sh").is_file() {
        Ok(directory)
    } else {
        Err(DeviceError::NoFirmware(directory))
    }
}

/// The firmware that takes new models over the UART.
pub const UPDATABLE: &str = "updatable";

/// Builds a program of the firmware package (`firmware-example` is the firmware itself) and returns its ELF file.
/// Gets the bare-metal target first if that is missing.
///
/// # Errors
/// If the build fails.
pub fn build(board: Board, program: &str) -> Result<PathBuf, DeviceError> {
    build_with(board, program, None)
}

/// [`UPDATABLE`], for models that are signed with this key's counterpart and no others.
///
/// # Errors
/// If the build fails.
pub fn build_signed(board: Board, public_key: &[u8; 32]) -> Result<PathBuf, DeviceError> {
    build_with(board, UPDATABLE, Some(public_key))
}

fn build_with(
    board: Board,
    program: &str,
    public_key: Option<&[u8; 32]>,
) -> Result<PathBuf, DeviceError> {
    let sources = sources()?;
    // Boards with one target and different features would overwrite each other's files.
    let target_dir = match public_key {
        None => board.feature().to_owned(),
        Some(_) => format!("{}-signed", board.feature()),
    };
    let target_dir = sources.join("target").join(target_dir);
    let features = match program {
        UPDATABLE if public_key.is_some() => format!("{},signed", board.feature()),
        UPDATABLE | "no_panic_update" => format!("{},update", board.feature()),
        _ => board.feature().to_owned(),
    };
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .current_dir(&sources)
        .args([
            "build",
            "--release",
            "--quiet",
            "--locked",
            "--no-default-features",
        ])
        .args([
            "--features",
            &features,
            "--target",
            board.target(),
            "--bin",
            program,
        ])
        .arg("--target-dir")
        .arg(&target_dir)
        .env("RUSTC_WRAPPER", sources.join("rustc.sh"))
        // Which compiler stands behind the wrapper may change: cargo must ask it each time.
        .env("CARGO_CACHE_RUSTC_INFO", "0");
    // What the caller's own build was told must not reach this one.
    for name in [
        "RUSTFLAGS",
        "CARGO_ENCODED_RUSTFLAGS",
        "CARGO_BUILD_TARGET",
        "CARGO_TARGET_DIR",
        "RUSTC",
    ] {
        command.env_remove(name);
    }
    command.env_remove("PUAL_MINIMUM_VERSION");
    if let Some(key) = public_key {
        command.env("PUAL_PUBLIC_KEY", hexadecimal(key));
    }
    run(command)?;
    Ok(target_dir
        .join(board.target())
        .join("release")
        .join(program))
}

/// Which compiler builds the firmware.
///
/// # Errors
/// If it does not say so.
pub fn compiler() -> Result<String, DeviceError> {
    let wrapper = sources()?.join("rustc.sh");
    let output = Command::new(&wrapper).args(["rustc", "-V"]).output();
    let output = output.map_err(io(format!("cannot run {}", wrapper.display())))?;
    let said = String::from_utf8_lossy(&output.stdout);
    Ok(said.trim().to_owned())
}

/// Makes sure that QEMU is there, installing it where that is possible.
///
/// # Errors
/// If it is missing and cannot be installed: the error says what to do.
pub fn need_qemu() -> Result<(), DeviceError> {
    let mut command = Command::new(sources()?.join("setup.sh"));
    command.arg("qemu");
    run(command)
}

/// Runs a command. What set-up announces (an installation, a download) is passed on as it comes; the rest is kept
/// for the error message.
fn run(mut command: Command) -> Result<(), DeviceError> {
    let line = format!("{:?}", command.get_program()).replace('"', "")
        + &command.get_args().fold(String::new(), |line, argument| {
            line + " " + &argument.to_string_lossy()
        });
    let cannot_run = || format!("cannot run {line}");
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(io(cannot_run()))?;
    let mut output = String::new();
    for text in BufReader::new(child.stderr.take().expect("it is piped")).lines() {
        let text = text.map_err(io(cannot_run()))?;
        if text.starts_with("setup: ") {
            eprintln!("{text}");
        }
        output += &text;
        output.push('\n');
    }
    let status = child.wait().map_err(io(cannot_run()))?;
    if status.success() {
        return Ok(());
    }
    Err(DeviceError::Command {
        command: line,
        output,
    })
}

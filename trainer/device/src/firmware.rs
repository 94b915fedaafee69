//! The example firmware: the boards that it runs on in QEMU, and how it is built.

use crate::error::{DeviceError, io};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

/// A board that QEMU emulates, and what is built for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Board {
    /// ARM MPS2 with a Cortex-M4F.
    CortexM4F,
    /// ARM MPS2 with a Cortex-M3.
    CortexM3,
    /// Cortex-M0 code on the MPS2 with a Cortex-M3, which has room for larger models than the micro:bit.
    CortexM0OnMps2,
    /// BBC micro:bit with a Cortex-M0.
    Microbit,
    /// ARM MPS2 with a Cortex-M7, which runs the Cortex-M4F's code.
    CortexM7,
    /// ARM MPS2 with a Cortex-M33.
    CortexM33,
}

impl Board {
    /// Every board.
    pub const ALL: [Self; 6] =
        [Self::CortexM4F, Self::CortexM3, Self::CortexM0OnMps2, Self::Microbit, Self::CortexM7, Self::CortexM33];

    /// Name for people, core, QEMU's machine, Rust's target, the firmware's feature.
    fn names(self) -> [&'static str; 5] {
        #[rustfmt::skip]
        let names = match self {
            Self::CortexM4F => ["Cortex-M4F (mps2-an386)", "Cortex-M4F", "mps2-an386", "thumbv7em-none-eabihf", "mps2"],
            Self::CortexM3 => ["Cortex-M3 (mps2-an385)", "Cortex-M3", "mps2-an385", "thumbv7m-none-eabi", "mps2"],
            Self::CortexM0OnMps2 => ["Cortex-M0 code (mps2-an385)", "Cortex-M0", "mps2-an385", "thumbv6m-none-eabi", "mps2"],
            Self::Microbit => ["Cortex-M0 (microbit)", "Cortex-M0", "microbit", "thumbv6m-none-eabi", "microbit"],
            Self::CortexM7 => ["Cortex-M7 (mps2-an500)", "Cortex-M7", "mps2-an500", "thumbv7em-none-eabihf", "mps2"],
            Self::CortexM33 => ["Cortex-M33 (mps2-an505)", "Cortex-M33", "mps2-an505", "thumbv8m.main-none-eabihf", "an505"],
        };
        names
    }

    /// Its name for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.names()[0]
    }

    /// The core that its code is built for.
    #[must_use]
    pub fn core(self) -> &'static str {
        self.names()[1]
    }

    /// QEMU's name for the machine.
    #[must_use]
    pub fn machine(self) -> &'static str {
        self.names()[2]
    }
}

/// The directory of the firmware's sources.
pub fn sources() -> Result<PathBuf, DeviceError> {
    let directory = std::env::var_os("PUAL_FIRMWARE")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../firmware-example"), PathBuf::from);
    if directory.join("setup.sh").is_file() { Ok(directory) } else { Err(DeviceError::NoFirmware(directory)) }
}

/// The firmware itself, without updates.
pub(crate) const EXAMPLE: &str = "firmware-example";
/// The firmware that takes new models over the UART.
pub const UPDATABLE: &str = "updatable";

/// Builds a program of the firmware package and returns its ELF file. Installs the bare-metal target if it is missing.
pub fn build(board: Board, program: &str) -> Result<PathBuf, DeviceError> {
    let [.., target, feature] = board.names();
    build_for(feature, target, program)
}

/// As [`build`], by the names of the board's feature and Rust target: also for boards that QEMU does not emulate.
pub fn build_for(feature: &str, target: &str, program: &str) -> Result<PathBuf, DeviceError> {
    let features = match program {
        UPDATABLE | "no_panic_update" => format!("{feature},update"),
        "bench_bands" | "footprint_bands" | "no_panic_stream" => format!("{feature},bands"),
        _ => feature.to_owned(),
    };
    let [elf] = cargo_build(feature, &features, target, [program], &[])?;
    Ok(elf)
}

/// As [`build`], for several programs without updates at once.
pub(crate) fn build_all<const N: usize>(board: Board, programs: [&str; N]) -> Result<[PathBuf; N], DeviceError> {
    let [.., target, feature] = board.names();
    cargo_build(feature, feature, target, programs, &[])
}

/// [`UPDATABLE`], for models that are signed with this key's counterpart and no others.
pub(crate) fn build_signed(board: Board, public_key: &[u8; 32]) -> Result<PathBuf, DeviceError> {
    let [.., target, feature] = board.names();
    let (directory, features) = (format!("{feature}-signed"), format!("{feature},signed"));
    let key: String = public_key.iter().map(|byte| format!("{byte:02x}")).collect();
    let key = ("PUAL_PUBLIC_KEY", key.as_str());
    let [elf] = cargo_build(&directory, &features, target, [UPDATABLE], &[key])?;
    Ok(elf)
}

/// Boards with one target and different features need directories of their own.
fn cargo_build<const N: usize>(
    directory: &str,
    features: &str,
    target: &str,
    programs: [&str; N],
    environment: &[(&str, &str)],
) -> Result<[PathBuf; N], DeviceError> {
    // What each file was built with by this process: the sources do not change while it runs.
    static BUILT: Mutex<BTreeMap<PathBuf, String>> = Mutex::new(BTreeMap::new());
    let built = || BUILT.lock().expect("no holder panics");
    let sources = sources()?;
    let target_dir = sources.join("target").join(directory);
    let elfs = programs.map(|program| target_dir.join(target).join("release").join(program));
    let settings = format!("{features} {environment:?}");
    if elfs.iter().all(|elf| built().get(elf) == Some(&settings)) {
        return Ok(elfs);
    }
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(&sources);
    command.args("build --release --quiet --locked --no-default-features".split(' '));
    command.args(["--features", features, "--target", target]);
    command.args(programs.iter().flat_map(|program| ["--bin", program]));
    command.arg("--target-dir").arg(&target_dir);
    // The caller's own build settings must not reach this one.
    for name in [
        "RUSTFLAGS",
        "CARGO_ENCODED_RUSTFLAGS",
        "CARGO_BUILD_TARGET",
        "CARGO_TARGET_DIR",
        "RUSTC",
        "PUAL_MINIMUM_VERSION",
    ] {
        command.env_remove(name);
    }
    command.env("RUSTC_WRAPPER", sources.join("rustc.sh"));
    // The compiler behind the wrapper may change: cargo must ask it each time.
    command.env("CARGO_CACHE_RUSTC_INFO", "0");
    command.envs(environment.iter().copied());
    run(command)?;
    built().extend(elfs.iter().map(|elf| (elf.clone(), settings.clone())));
    Ok(elfs)
}

/// The version of the compiler that builds the firmware.
pub(crate) fn compiler() -> Result<String, DeviceError> {
    let wrapper = sources()?.join("rustc.sh");
    let output = Command::new(&wrapper).args(["rustc", "-V"]).output();
    let output = output.map_err(io(format!("cannot run {}", wrapper.display())))?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Makes sure that QEMU is there, and installs it where that is possible.
///
/// # Errors
/// If it is missing and cannot be installed: the error says what to do.
pub fn need_qemu() -> Result<(), DeviceError> {
    let mut command = Command::new(sources()?.join("setup.sh"));
    command.arg("qemu");
    run(command)
}

/// Runs a command. What set-up announces (an installation, a download) is passed on at once; the rest is for the error
/// message.
fn run(mut command: Command) -> Result<(), DeviceError> {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    let line = words.join(" ");
    let cannot_run = || io(format!("cannot run {line}"));
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().map_err(cannot_run())?;
    let mut output = String::new();
    for text in BufReader::new(child.stderr.take().expect("it is piped")).lines() {
        let text = text.map_err(cannot_run())?;
        if text.starts_with("setup: ") {
            eprintln!("{text}");
        }
        output += &text;
        output.push('\n');
    }
    if child.wait().map_err(cannot_run())?.success() {
        Ok(())
    } else {
        Err(DeviceError::Command { command: line, output })
    }
}

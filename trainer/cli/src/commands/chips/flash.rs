//! `pual flash`: a model as a file that flashing tools write to the right place.

use crate::exit::usage_error;
use crate::files::check_output;
use crate::model_file;
use crate::show;
use anyhow::{Result, bail};
use clap::ValueEnum;
use pual_device::chips::{self, Chip};
use pual_device::image_file::{UF2_SECTOR, elf, intel_hex, uf2};
use pual_infer::ALIGNMENT;
use pual_infer::store::slot_image;
use pual_trainer::base::files::write_file;
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Write a model as a file for flashing tools, and flash it
///
/// The file holds the model alone and goes where the example firmware expects it on that chip, so that the firmware stays as it is. What
/// follows the model in its region is filled as erased flash, so that nothing is left of a longer one. With --slot it goes to one of the two
/// slots of a model store instead, as `pual push` would leave it there: header, model and mark. Then probe-rs writes it to the chip
/// (--run), or the commands for that are printed.
#[derive(clap::Args)]
#[command(after_help = "\
Examples: a Nucleo board, a Raspberry Pi Pico by its boot drive, another place
  pual flash fridge.pual --chip stm32f411 -o fridge.elf --run
  pual flash fridge.pual --chip rp2040 -o fridge.uf2
  pual flash fridge.pual --chip nRF52840_xxAA --address 0xC0000 --fill 8192 -o fridge.hex")]
pub struct Args {
    /// Model file, written by `pual train` or `pual sign`
    model: PathBuf,
    /// stm32f401, f405, f407, f411 or f446, nrf52840, rp2040, nrf51822, mps2 (emulated), or a full name such as STM32F411CEUx
    #[arg(long, value_name = "NAME", value_parser = target)]
    chip: Target,
    /// Where it goes, or where the slot begins [default: by the memory maps of firmware-example]
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    address: Option<u32>,
    /// Fill up to so many bytes as erased flash [default: the whole region, with --address or --slot nothing]
    #[arg(long, value_name = "BYTES")]
    fill: Option<u32>,
    /// Write a slot of a model store
    #[arg(long, value_enum)]
    slot: Option<Slot>,
    /// Kept with the model in its slot: the version counter of a signed one
    #[arg(long, default_value_t = 0, value_name = "N", requires = "slot")]
    model_version: u32,
    /// Number of the slot's mark: the device runs the slot with the higher one (`pual push --status` tells it)
    #[arg(long, default_value_t = 1, value_name = "N", requires = "slot")]
    sequence: u32,
    /// Format of the file [default: by its ending]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Where to write the file
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Flash it with probe-rs
    #[arg(long)]
    run: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
enum Format {
    /// The bytes alone
    Bin,
    /// Intel HEX
    Hex,
    /// For bootloaders that show up as a drive; filled up to whole sectors of 4 KiB
    Uf2,
    /// As a linker writes it
    Elf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
enum Slot {
    /// The first
    A,
    /// The second
    B,
}

/// A chip, and what probe-rs calls it.
#[derive(Clone, Debug)]
struct Target {
    chip: &'static Chip,
    probe_rs: Option<String>,
}

fn target(name: &str) -> Result<Target, String> {
    let (chip, probe_rs) = chips::find(name)?;
    Ok(Target { chip, probe_rs })
}

fn address(text: &str) -> Result<u32, String> {
    let plain = text.replace('_', "");
    let hexadecimal = plain
        .strip_prefix("0x")
        .or_else(|| plain.strip_prefix("0X"));
    match hexadecimal {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => plain.parse(),
    }
    .map_err(|_| "expected an address of 32 bits, such as 0x08010000".to_owned())
}

#[derive(Serialize)]
struct Report {
    output: String,
    format: Format,
    chip: &'static str,
    slot: Option<Slot>,
    address: String,
    /// Of the model, with what a slot needs beside it.
    bytes: usize,
    /// Bytes of flash that are written.
    filled_to: usize,
    /// To flash it with.
    commands: Vec<String>,
    flashed: bool,
}

impl Args {
    pub fn run(&self, out: &mut impl Write) -> Result<()> {
        check_output(&self.output)?;
        let chip = self.chip.chip;
        let format = self.format()?;
        if self.run && self.chip.probe_rs.is_none() {
            return Err(usage_error(
                "flash",
                format!(
                    "--run: {} is emulated, there is nothing to flash",
                    chip.name
                ),
            ));
        }
        let model = model_file::read(&self.model)?;
        model_file::decode(&model, &self.model)?;
        let mut bytes = match self.slot {
            None => model.to_vec(),
            Some(_) => slot_image(&model, self.model_version, self.sequence),
        };
        let used = bytes.len();
        let (address, length) = self.place(used, format)?;
        // As erased flash: the firmware refuses a region with anything else behind its model.
        bytes.resize(length, 0xFF);
        let file = match (format, chip.uf2_family) {
            (Format::Bin, _) => bytes.clone(),
            (Format::Hex, _) => intel_hex(address, &bytes).into_bytes(),
            (Format::Elf, _) => elf(address, &bytes),
            (Format::Uf2, Some(family)) => uf2(address, &bytes, family),
            (Format::Uf2, None) => bail!(
                "--format uf2: {} has no UF2 family; take hex or elf",
                chip.name
            ),
        };
        write_file(&self.output, &file)?;
        let commands = self.commands(format, address);
        if self.run {
            commands.iter().try_for_each(|command| run(command))?;
        }
        let report = Report {
            output: self.output.display().to_string(),
            format,
            chip: chip.name,
            slot: self.slot,
            address: format!("{address:#010x}"),
            bytes: used,
            filled_to: length,
            commands: commands.iter().map(|command| shown(command)).collect(),
            flashed: self.run,
        };
        match self.json {
            true => show::json(out, &report),
            false => report.show(out),
        }
    }

    fn format(&self) -> Result<Format> {
        let by_ending = || {
            let ending = self.output.extension()?.to_str()?;
            Format::from_str(ending, true).ok()
        };
        match self.format.or_else(by_ending) {
            Some(format) => Ok(format),
            None => Err(usage_error(
                "flash",
                format!(
                    "--output {} ends with none of .bin, .hex, .uf2 and .elf; choose with --format",
                    self.output.display()
                ),
            )),
        }
    }

    /// Where so many bytes go, if they can go there, and how many are written.
    fn place(&self, used: usize, format: Format) -> Result<(u32, usize)> {
        let chip = self.chip.chip;
        let (region, what) = match self.slot {
            None => (&chip.model, "the model's region"),
            Some(Slot::A) => (&chip.slots[0], "slot a"),
            Some(Slot::B) => (&chip.slots[1], "slot b"),
        };
        let (address, end, what) = match self.address {
            None => (region.start, region.end, what),
            Some(address) => (address, chip.flash.end, "the flash from --address on"),
        };
        let flash = &chip.flash;
        if !flash.contains(&address) {
            let (start, end) = (flash.start, flash.end);
            bail!(
                "--address {address:#010x} is not in the flash of {}: {start:#010x} to {end:#010x}",
                chip.name
            );
        }
        let step = match (format, self.slot) {
            (Format::Uf2, _) => UF2_SECTOR,
            (_, Some(_)) => 32,
            _ => ALIGNMENT as u32,
        };
        if !address.is_multiple_of(step) {
            bail!("--address {address:#010x} must be a multiple of {step} for this");
        }
        let room = (end - address) as usize;
        let length = match (self.fill, self.slot, self.address) {
            (Some(fill), ..) => fill as usize,
            (None, None, None) => room,
            _ => used,
        };
        if used > length.min(room) {
            let what = match length < room {
                true => "--fill".to_owned(),
                false => format!("{what} of {}", chip.name),
            };
            bail!(
                "{} takes {} bytes, {what} has {}; make it smaller with `pual compress`",
                self.model.display(),
                show::grouped(used as u64),
                show::grouped(length.min(room) as u64)
            );
        }
        if length > room {
            let room = show::grouped(room as u64);
            bail!("--fill {length}: {what} of {} has {room} bytes", chip.name);
        }
        Ok((address, length))
    }

    /// What flashes the file, each a program and its arguments.
    fn commands(&self, format: Format, address: u32) -> Vec<Vec<String>> {
        let file = self.output.display().to_string();
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let base = format!("{address:#010x}");
        let Some(chip) = &self.chip.probe_rs else {
            let loader = match format {
                Format::Bin => format!("loader,file={file},addr={base},force-raw=on"),
                _ => format!("loader,file={file}"),
            };
            let firmware = ["qemu-system-arm", "-M", "mps2-an386", "-kernel", "FIRMWARE"];
            return vec![words(&[&firmware[..], &["-device", &loader]].concat())];
        };
        let name = match format {
            Format::Bin => "bin",
            Format::Hex => "hex",
            Format::Uf2 => "uf2",
            Format::Elf => "elf",
        };
        let mut download: Vec<String> = words(&[
            "probe-rs",
            "download",
            "--chip",
            chip,
            "--binary-format",
            name,
        ]);
        if format == Format::Bin {
            download.extend(["--base-address".to_owned(), base]);
        }
        download.push(file);
        vec![download, words(&["probe-rs", "reset", "--chip", chip])]
    }
}

/// Runs a command; what it says goes to standard error, which is not for results.
fn run(command: &[String]) -> Result<()> {
    let line = shown(command);
    show::progress(&line);
    let mut child = Command::new(&command[0]);
    child
        .args(&command[1..])
        .stdin(Stdio::null())
        .stdout(io::stderr());
    let status = child.status().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => anyhow::anyhow!(
            "--run: there is no {} here (cargo install probe-rs-tools --locked); the file is written, flash it with\n  {line}",
            command[0]
        ),
        _ => anyhow::Error::new(error).context(format!("--run: cannot run {line}")),
    })?;
    if !status.success() {
        bail!("--run: `{line}` failed ({status})");
    }
    Ok(())
}

/// A command as a shell takes it.
fn shown(command: &[String]) -> String {
    let quoted = |word: &String| {
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./=,:+@%".contains(letter);
        match !word.is_empty() && word.chars().all(plain) {
            true => word.clone(),
            false => format!("'{}'", word.replace('\'', r"'\''")),
        }
    };
    command.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

impl Report {
    fn show(&self, out: &mut impl Write) -> Result<()> {
        let place = match self.slot {
            None => String::new(),
            Some(Slot::A) => ", slot a".to_owned(),
            Some(Slot::B) => ", slot b".to_owned(),
        };
        let bytes = show::grouped(self.bytes as u64);
        let filled = match self.filled_to > self.bytes {
            true => format!(", filled up to {}", show::grouped(self.filled_to as u64)),
            false => String::new(),
        };
        let mut facts = vec![
            ("written", self.output.clone()),
            (
                "for",
                format!(
                    "{bytes} bytes at {} of {}{place}{filled}",
                    self.address, self.chip
                ),
            ),
        ];
        if self.flashed {
            facts.push(("flashed", "yes, and the chip was reset".to_owned()));
        } else {
            let mut title = "flash it with";
            for command in &self.commands {
                facts.push((title, command.clone()));
                title = "";
            }
            if self.format == Format::Uf2 {
                facts.push((
                    "or",
                    "copy it to the drive that the board's bootloader shows".to_owned(),
                ));
            }
        }
        show::facts(out, &facts)
    }
}

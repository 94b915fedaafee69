//! `pual flash`: a model as a file that flashing tools write to the right place.

use crate::exit::usage_error;
use crate::files::check_output;
use crate::{model_file, show};
use anyhow::{Context, Result, bail};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use pual_device::chips::{self, Chip};
use pual_device::image::FileFormat;
use pual_infer::store::slot_image;
use pual_trainer::write_file;
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Write a model as a file for flashing tools, and flash it
///
/// The file holds only the model, at the address where the example firmware expects it on that chip; the firmware itself is not touched.
/// The rest of the model's region is padded as erased flash, so nothing is left of a longer, older model. With --slot the model goes to one
/// of the two slots of a model store instead, as `pual push` would leave it there: header, model and mark. --run flashes the file with
/// probe-rs; without it the commands are printed.
#[derive(clap::Args)]
#[command(after_help = "\
Examples: a Nucleo board, a Raspberry Pi Pico by its boot drive, another address
  pual flash fridge.pual --chip stm32f411 -o fridge.elf --run
  pual flash fridge.pual --chip rp2040 -o fridge.uf2
  pual flash fridge.pual --chip nRF52840_xxAA --address 0xC0000 --fill 8192 -o fridge.hex")]
pub struct Args {
    /// Model file, written by `pual train` or `pual sign`
    model: PathBuf,
    /// stm32f401, f405, f407, f411 or f446, nrf52840, rp2040, nrf51822, mps2 (emulated), or a full name such as STM32F411CEUx
    #[arg(long, value_name = "NAME", value_parser = target)]
    chip: TargetChip,
    /// Address of the model, or of the slot [default: from the memory maps of firmware-example]
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    address: Option<u32>,
    /// Pad to this many bytes as erased flash [default: the whole region; with --address or --slot no padding]
    #[arg(long, value_name = "BYTES")]
    fill: Option<u32>,
    /// Write the first or second slot of a model store
    #[arg(long, value_parser = ["a", "b"])]
    slot: Option<String>,
    /// Version to store with the model in its slot: the version counter of a signed model
    #[arg(long, default_value_t = 0, value_name = "N", requires = "slot")]
    model_version: u32,
    /// Number of the slot's mark: the device runs the slot with the higher number (`pual push --status` shows it)
    #[arg(long, default_value_t = 1, value_name = "N", requires = "slot")]
    sequence: u32,
    /// Format of the file: the bytes alone, Intel HEX, for boot drives (padded to sectors of 4 KiB), or as a linker writes it [default: by
    /// its ending]
    #[arg(long, value_parser = format())]
    format: Option<FileFormat>,
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

fn format() -> impl TypedValueParser<Value = FileFormat> {
    PossibleValuesParser::new(FileFormat::ALL.map(FileFormat::name)).try_map(|name| name.parse())
}

/// A chip, and its name in probe-rs.
#[derive(Clone, Debug)]
struct TargetChip {
    chip: &'static Chip,
    probe_rs: Option<String>,
}

fn target(name: &str) -> Result<TargetChip, String> {
    let (chip, probe_rs) = chips::find(name)?;
    Ok(TargetChip { chip, probe_rs })
}

fn address(text: &str) -> Result<u32, String> {
    let plain = text.replace('_', "");
    let hexadecimal = plain.strip_prefix("0x").or_else(|| plain.strip_prefix("0X"));
    match hexadecimal {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => plain.parse(),
    }
    .map_err(|_| "expected a 32-bit address, such as 0x08010000".to_owned())
}

#[derive(Serialize)]
struct FlashReport {
    output: String,
    format: FileFormat,
    chip: &'static str,
    slot: Option<String>,
    address: String,
    /// Bytes of the model, with a slot's header and mark.
    bytes: usize,
    /// Bytes of flash that are written.
    filled_to: usize,
    /// Commands that flash it.
    commands: Vec<String>,
    flashed: bool,
}

impl Args {
    pub fn run(&self, out: &mut impl Write) -> Result<()> {
        check_output(&self.output)?;
        let chip = self.chip.chip;
        let format = self.format()?;
        if self.run && self.chip.probe_rs.is_none() {
            let message = format!("--run: {} is emulated, there is nothing to flash", chip.name);
            return Err(usage_error("flash", message));
        }
        let model = model_file::read(&self.model)?;
        model_file::decode(&model, &self.model)?;
        let mut bytes = match self.slot {
            None => model.to_vec(),
            Some(_) => slot_image(&model, self.model_version, self.sequence),
        };
        let used = bytes.len();
        let (address, length) = self.place(used, format)?;
        // As erased flash: the firmware refuses a region with anything else after its model.
        bytes.resize(length, 0xFF);
        let no_family = || format!("--format uf2: {} has no UF2 family; use hex or elf", chip.name);
        let file = format.file(address, &bytes, chip.uf2_family);
        let file = file.with_context(no_family)?;
        write_file(&self.output, &file)?;
        let commands = self.commands(format, address);
        if self.run {
            commands.iter().try_for_each(|command| run(command))?;
        }
        let report = FlashReport {
            output: self.output.display().to_string(),
            format,
            chip: chip.name,
            slot: self.slot.clone(),
            address: format!("{address:#010x}"),
            bytes: used,
            filled_to: length,
            commands: commands.iter().map(|command| shown(command)).collect(),
            flashed: self.run,
        };
        show::result(self.json, out, &report, FlashReport::show)
    }

    fn format(&self) -> Result<FileFormat> {
        let by_ending = || {
            let ending = self.output.extension()?.to_str()?;
            ending.to_lowercase().parse().ok()
        };
        self.format.or_else(by_ending).ok_or_else(|| {
            let output = self.output.display();
            let message = format!("--output {output} does not end in .bin, .hex, .uf2 or .elf; choose with --format");
            usage_error("flash", message)
        })
    }

    /// The address of this many bytes, if they can go there, and how many are written.
    fn place(&self, used: usize, format: FileFormat) -> Result<(u32, usize)> {
        let chip = self.chip.chip;
        let (region, what) = match self.slot.as_deref() {
            None => (&chip.model, "the model's region"),
            Some("a") => (&chip.slots[0], "slot a"),
            Some(_) => (&chip.slots[1], "slot b"),
        };
        let (address, end, what) = match self.address {
            None => (region.start, region.end, what),
            Some(address) => (address, chip.flash.end, "the flash from --address on"),
        };
        let flash = &chip.flash;
        if !flash.contains(&address) {
            let (start, end) = (flash.start, flash.end);
            bail!("--address {address:#010x} is not in the flash of {}: {start:#010x} to {end:#010x}", chip.name);
        }
        let slot_alignment = if self.slot.is_some() { 32 } else { 1 };
        let step = format.alignment().max(slot_alignment);
        if !address.is_multiple_of(step) {
            bail!("--address {address:#010x} must be a multiple of {step} here");
        }
        let room = (end - address) as usize;
        let length = match (self.fill, &self.slot, self.address) {
            (Some(fill), ..) => fill as usize,
            (None, None, None) => room,
            _ => used,
        };
        if used > length.min(room) {
            let what = if length < room { "--fill".to_owned() } else { format!("{what} of {}", chip.name) };
            bail!(
                "{} takes {} bytes, {what} has {}; make it smaller with `pual compress`",
                self.model.display(),
                show::grouped(used),
                show::grouped(length.min(room))
            );
        }
        if length > room {
            let room = show::grouped(room);
            bail!("--fill {length}: {what} of {} has {room} bytes", chip.name);
        }
        Ok((address, length))
    }

    /// The commands that flash the file, each a program and its arguments.
    fn commands(&self, format: FileFormat, address: u32) -> Vec<Vec<String>> {
        let file = self.output.display().to_string();
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let base = format!("{address:#010x}");
        let Some(chip) = &self.chip.probe_rs else {
            let loader = match format {
                FileFormat::Bin => format!("loader,file={file},addr={base},force-raw=on"),
                _ => format!("loader,file={file}"),
            };
            let firmware = ["qemu-system-arm", "-M", "mps2-an386", "-kernel", "FIRMWARE"];
            return vec![words(&[&firmware[..], &["-device", &loader]].concat())];
        };
        let name = format.name();
        let mut download: Vec<String> = words(&["probe-rs", "download", "--chip", chip, "--binary-format", name]);
        if format == FileFormat::Bin {
            download.extend(["--base-address".to_owned(), base]);
        }
        download.push(file);
        vec![download, words(&["probe-rs", "reset", "--chip", chip])]
    }
}

/// Runs a command; its output goes to standard error, since standard output is for results.
fn run(command: &[String]) -> Result<()> {
    let line = shown(command);
    show::progress(&line);
    let mut child = Command::new(&command[0]);
    child.args(&command[1..]).stdin(Stdio::null()).stdout(io::stderr());
    let status = child.status().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => anyhow::anyhow!(
            "--run: {} is not installed (cargo install probe-rs-tools --locked); the file is written, flash it with\n  {line}",
            command[0]
        ),
        _ => anyhow::Error::new(error).context(format!("--run: cannot run {line}")),
    })?;
    if !status.success() {
        bail!("--run: `{line}` failed ({status})");
    }
    Ok(())
}

/// A command, quoted for a shell.
fn shown(command: &[String]) -> String {
    command.iter().map(|word| show::shell_word(word)).collect::<Vec<_>>().join(" ")
}

impl FlashReport {
    fn show(&self, out: &mut impl Write) -> Result<()> {
        let slot = self.slot.as_ref();
        let slot = slot.map_or(String::new(), |slot| format!(", slot {slot}"));
        let padded = if self.filled_to > self.bytes {
            format!(", padded to {}", show::grouped(self.filled_to))
        } else {
            String::new()
        };
        let (bytes, address) = (show::grouped(self.bytes), &self.address);
        let content = format!("{bytes} bytes at {address} of {}{slot}{padded}", self.chip);
        let mut facts = vec![("written", self.output.clone()), ("content", content)];
        if self.flashed {
            facts.push(("flashed", "yes, and the chip was reset".to_owned()));
        } else {
            let mut title = "flash it with";
            for command in &self.commands {
                facts.push((title, command.clone()));
                title = "";
            }
            if self.format == FileFormat::Uf2 {
                facts.push(("or", "copy it to the bootloader's drive".to_owned()));
            }
        }
        show::facts(out, &facts)
    }
}

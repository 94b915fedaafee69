//! `pual push`: sends a model to a running device, which keeps scoring meanwhile.

use crate::exit::Failure;
use crate::flags::device::{self, Device};
use crate::{model_file, show};
use anyhow::{Context, Result, bail};
use pual_device::DeviceError;
use pual_device::emulator::{Flash, Updatable};
use pual_device::firmware::Board;
use pual_device::serial::{self, Serial};
use pual_infer::{ModelBytes, SignedModel};
use pual_protocol::update::{Client, Transport};
use pual_trainer::signing::read_public_key;
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Send a model to a running device, over its serial port
///
/// The device keeps two models. It scores with the old one until the new one has arrived and been checked and committed; after a
/// power cut at any moment it runs one of the two. Rerun the command to resume an interrupted transfer.
///
/// Firmware built with a public key accepts only models signed with the matching secret key, refuses versions older than the one it
/// runs, and refuses to roll back.
#[derive(clap::Args)]
#[command(after_help = "\
Examples: an emulated board, then a real one, then an emulated board that accepts signed models only
  pual push fridge.pual --device qemu
  pual push --rollback --device qemu
  pual push fridge.pual --device serial:/dev/ttyACM0
  pual push fridge.signed --public-key fleet.public --device qemu --flash signed.img")]
pub struct Args {
    /// Model file, written by `pual train` or `pual sign`
    #[arg(required_unless_present_any = ["status", "rollback"], conflicts_with_all = ["status", "rollback"])]
    model: Option<PathBuf>,
    /// qemu, qemu:an385, or serial:PATH
    #[arg(long, value_parser = device)]
    device: Device,
    /// Show what runs, and change nothing
    #[arg(long, conflicts_with = "rollback")]
    status: bool,
    /// Return to the model that ran before
    #[arg(long)]
    rollback: bool,
    /// Version to store with the model [default: that of a signed model, else 0]
    #[arg(long, value_name = "N")]
    model_version: Option<u32>,
    /// Check the signature before sending; a new emulated board is built with this key
    #[arg(long, value_name = "FILE")]
    public_key: Option<PathBuf>,
    /// Flash of the emulated board; if the file does not exist, the board is new and has MODEL built in
    #[arg(long, default_value = "pual-flash.img", value_name = "FILE")]
    flash: PathBuf,
    /// Speed of the serial port
    #[arg(long, default_value_t = 115_200, value_name = "N")]
    baud: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// An answer may take as long as erasing a slot.
const SERIAL_LIMIT: Duration = Duration::from_secs(1);
const QEMU_LIMIT: Duration = Duration::from_secs(10);

fn device(text: &str) -> Result<Device, String> {
    // The boards with a flash.
    device::parse(text, &[Board::CortexM4F, Board::CortexM3])
}

#[derive(Serialize)]
struct PushReport {
    device: String,
    /// Bytes of the model that was sent.
    pushed_bytes: Option<usize>,
    /// What runs now: first, second or built-in.
    runs: &'static str,
    model_bytes: u32,
    model_version: u32,
    features: u16,
    sequence: u32,
    first_slot: String,
    second_slot: String,
    /// Bytes received of an unfinished update.
    received_bytes: Option<u32>,
    repeated_commands: u32,
}

/// A model to send.
struct Payload<'a> {
    /// All bytes, with the signature.
    bytes: &'a [u8],
    /// The model's bytes.
    model: &'a [u8],
    features: u16,
    version: u32,
}

impl Args {
    pub fn run(&self, out: &mut impl Write) -> Result<()> {
        let key = self.public_key.as_deref().map(read_public_key).transpose();
        let key = key.context("cannot use --public-key")?;
        let bytes = self.model.as_deref().map(model_file::read).transpose()?;
        let payload = bytes.as_ref().zip(self.model.as_deref());
        let payload = payload.map(|(bytes, path)| self.payload(bytes, path, key.as_ref()));
        let payload = payload.transpose()?;
        let payload = payload.as_ref();
        let report = match &self.device {
            Device::Serial(path) => {
                let port = serial::open(path, self.baud).context("cannot use --device")?;
                let mut client = Client::new(Serial::new(port, SERIAL_LIMIT));
                let name = path.display().to_string();
                self.converse(&mut client, name, payload)?
            }
            Device::Qemu(board) => {
                let flash = self.board_flash(payload, key.as_ref())?;
                show::progress("booting the emulated board (and building its firmware if needed)");
                let updatable = Updatable::new(*board, &flash, "push")?;
                let mut client = Client::new(updatable.boot(&flash, QEMU_LIMIT)?);
                let report = self.converse(&mut client, board.name().to_owned(), payload)?;
                client.into_transport().stop()?;
                report
            }
        };
        show::result(self.json, out, &report, PushReport::show)
    }

    fn payload<'a>(&self, bytes: &'a ModelBytes, path: &Path, key: Option<&[u8; 32]>) -> Result<Payload<'a>> {
        let file = path.display();
        if let Some(key) = key {
            SignedModel::open(bytes, key, 0).with_context(|| format!("{file} does not match --public-key"))?;
        }
        let (model, version) = model_file::split_signature(bytes);
        if let (Some(signed), Some(asked)) = (version, self.model_version)
            && signed != asked
        {
            bail!("{file} is signed as version {signed}, --model-version says {asked}");
        }
        let features = model_file::decode(&ModelBytes::new(model), path)?.features();
        Ok(Payload {
            bytes,
            model,
            features: u16::try_from(features).unwrap_or(u16::MAX),
            version: version.or(self.model_version).unwrap_or(0),
        })
    }

    fn board_flash(&self, payload: Option<&Payload<'_>>, key: Option<&[u8; 32]>) -> Result<Flash> {
        let file = self.flash.display();
        if !self.flash.exists() {
            let Some(payload) = payload else {
                let message = format!("--flash {file} does not exist: there is no emulated board yet");
                return Err(Failure::new(message, "push a model first").into());
            };
            return Flash::create(&self.flash, payload.model, key).context("cannot use --flash");
        }
        let flash = Flash::open(&self.flash).context("cannot use --flash")?;
        if key.is_some() && key != flash.public_key() {
            bail!("the board of --flash {file} was built without --public-key, or with another key");
        }
        Ok(flash)
    }

    /// Does what the flags ask for, over any line.
    fn converse<T: Transport<Error = DeviceError>>(
        &self,
        client: &mut Client<T>,
        device: String,
        payload: Option<&Payload<'_>>,
    ) -> Result<PushReport> {
        let status = match payload {
            None if self.rollback => client.rollback().context("cannot roll back")?,
            None => client.status()?,
            Some(model) => {
                let bar = show::bar("bytes");
                bar.set_length(model.bytes.len() as u64);
                let progress = |arrived: u32| bar.set_position(arrived.into());
                let pushed = client.push(model.bytes, model.version, model.features, progress);
                bar.finish_and_clear();
                pushed.context("the model was not pushed; the device runs what it ran before")?
            }
        };
        Ok(PushReport {
            device,
            pushed_bytes: payload.map(|payload| payload.bytes.len()),
            runs: match status.slot {
                1 => "first",
                2 => "second",
                _ => "built-in",
            },
            model_bytes: status.length,
            model_version: status.version,
            features: status.features,
            sequence: status.sequence,
            first_slot: status.first.to_string(),
            second_slot: status.second.to_string(),
            received_bytes: status.received,
            repeated_commands: client.repeated,
        })
    }
}

impl PushReport {
    fn show(&self, out: &mut impl Write) -> Result<()> {
        let mut facts = vec![("device", self.device.clone())];
        if let Some(bytes) = self.pushed_bytes {
            let repeated = match self.repeated_commands {
                0 => String::new(),
                count => format!(", {count} commands sent again"),
            };
            let bytes = show::grouped(bytes);
            facts.push(("pushed", format!("{bytes} bytes{repeated}")));
        }
        let (bytes, version) = (show::grouped(self.model_bytes), self.model_version);
        let runs = match (self.runs, self.sequence) {
            ("built-in", _) => "the built-in model".to_owned(),
            (slot, number) => {
                format!("the {slot} slot's model, {bytes} bytes, version {version}, number {number}")
            }
        };
        facts.extend([
            ("runs", runs),
            ("first slot", self.first_slot.clone()),
            ("second slot", self.second_slot.clone()),
        ]);
        if let Some(received) = self.received_bytes {
            let text = format!("{} bytes of an update have arrived", show::grouped(received));
            facts.push(("unfinished", text));
        }
        show::facts(out, &facts)
    }
}

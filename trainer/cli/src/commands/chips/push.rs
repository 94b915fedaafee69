//! `pual push`: a model into a running device, which goes on scoring meanwhile.

use crate::exit::Failure;
use crate::flags::device::{self, Device};
use crate::model_file;
use crate::show;
use anyhow::{Context, Result, bail};
use pual_device::DeviceError;
use pual_device::firmware::Board;
use pual_device::flash::{Flash, Updatable};
use pual_device::serial::{self, Serial};
use pual_infer::{ModelBytes, SignedModel};
use pual_protocol::update::{Client, Status, Transport};
use pual_trainer::model::signing::{read_public_key, unverified};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Put a model into a running device, over its serial port
///
/// The device keeps two models. It goes on scoring with the old one until the new one is there, checked and committed; a
/// power cut at any moment leaves one of them. What broke off is gone on with by the same command.
///
/// Firmware that is built with a public key takes models that are signed with its counterpart, none of an older version than
/// the one that runs, and goes back to none.
#[derive(clap::Args)]
#[command(after_help = "\
Examples: an emulated board, then a real one, then an emulated board that takes signed models only
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
    /// Say what runs, and change nothing
    #[arg(long, conflicts_with = "rollback")]
    status: bool,
    /// Go back to the model that ran before
    #[arg(long)]
    rollback: bool,
    /// Kept with the model [default: a signed one's own version, else 0]
    #[arg(long, value_name = "N")]
    model_version: Option<u32>,
    /// Check the signature before anything is sent; a new emulated board is built with this key
    #[arg(long, value_name = "FILE")]
    public_key: Option<PathBuf>,
    /// Flash of the emulated board; if there is none, the board is new and has MODEL built in
    #[arg(long, default_value = "pual-flash.img", value_name = "FILE")]
    flash: PathBuf,
    /// Speed of the serial port
    #[arg(long, default_value_t = 115_200, value_name = "N")]
    baud: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// An answer takes as long as erasing a slot.
const SERIAL_LIMIT: Duration = Duration::from_secs(1);
const QEMU_LIMIT: Duration = Duration::from_secs(10);

fn device(text: &str) -> Result<Device, String> {
    // Those with a flash.
    device::parse(text, &[Board::CortexM4F, Board::CortexM3])
}

#[derive(Serialize)]
struct Report {
    device: String,
    /// Of the model that was sent.
    pushed_bytes: Option<usize>,
    /// What runs now: first, second or built-in.
    runs: &'static str,
    model_bytes: u32,
    model_version: u32,
    features: u16,
    sequence: u32,
    first_slot: String,
    second_slot: String,
    /// Of an update that has not ended.
    received_bytes: Option<u32>,
    repeated_commands: u32,
}

/// What is to be sent.
struct Sent<'a> {
    /// All bytes, a signature included.
    bytes: &'a [u8],
    /// Those of the model.
    model: &'a [u8],
    features: u16,
    version: u32,
}

impl Args {
    pub fn run(&self, out: &mut impl Write) -> Result<()> {
        let key = match &self.public_key {
            Some(path) => Some(read_public_key(path).context("cannot use --public-key")?),
            None => None,
        };
        let bytes = self.model.as_deref().map(model_file::read).transpose()?;
        let sent = match (&bytes, &self.model) {
            (Some(bytes), Some(path)) => Some(self.sent(bytes, path, key.as_ref())?),
            _ => None,
        };
        let report = match &self.device {
            Device::Serial(path) => {
                let port = serial::open(path, self.baud).context("cannot use --device")?;
                let mut client = Client::new(Serial::new(port, SERIAL_LIMIT));
                let name = path.display().to_string();
                self.converse(&mut client, name, sent.as_ref())?
            }
            Device::Qemu(board) => {
                let flash = self.board_flash(sent.as_ref(), key.as_ref())?;
                show::progress("booting the emulated board (its firmware is built if need be)");
                let updatable = Updatable::new(*board, &flash, "push")?;
                let mut client = Client::new(updatable.boot(&flash, QEMU_LIMIT)?);
                let report = self.converse(&mut client, board.name().to_owned(), sent.as_ref())?;
                client.into_transport().stop()?;
                report
            }
        };
        if self.json {
            return show::json(out, &report);
        }
        report.show(out)
    }

    fn sent<'a>(
        &self,
        bytes: &'a ModelBytes,
        path: &Path,
        key: Option<&[u8; 32]>,
    ) -> Result<Sent<'a>> {
        let file = path.display();
        if let Some(key) = key {
            SignedModel::open(bytes, key, 0)
                .with_context(|| format!("{file} does not fit --public-key"))?;
        }
        let (model, version) = match unverified(bytes) {
            Some((model, version)) => (model, Some(version)),
            None => (&**bytes, None),
        };
        if let (Some(signed), Some(asked)) = (version, self.model_version)
            && signed != asked
        {
            bail!("{file} is signed as version {signed}, --model-version says {asked}");
        }
        let features = model_file::decode(&ModelBytes::new(model), path)?.features();
        Ok(Sent {
            bytes,
            model,
            features: u16::try_from(features).unwrap_or(u16::MAX),
            version: version.or(self.model_version).unwrap_or(0),
        })
    }

    fn board_flash(&self, sent: Option<&Sent<'_>>, key: Option<&[u8; 32]>) -> Result<Flash> {
        let file = self.flash.display();
        if !self.flash.exists() {
            let Some(sent) = sent else {
                let message = format!("there is no board whose flash is --flash {file}");
                return Err(Failure::new(message, "push a model first").into());
            };
            return Flash::create(&self.flash, sent.model, key).context("cannot use --flash");
        }
        let flash = Flash::open(&self.flash).context("cannot use --flash")?;
        if key.is_some() && key != flash.public_key() {
            bail!(
                "the board whose flash is --flash {file} was built without --public-key, or with another"
            );
        }
        Ok(flash)
    }

    /// What was asked for, over any line.
    fn converse<T: Transport<Error = DeviceError>>(
        &self,
        client: &mut Client<T>,
        device: String,
        sent: Option<&Sent<'_>>,
    ) -> Result<Report> {
        let status = match sent {
            None if self.rollback => client.rollback().context("no rollback")?,
            None => client.status()?,
            Some(sent) => {
                let bar = show::bar("bytes");
                bar.set_length(sent.bytes.len() as u64);
                let progress = |arrived: u32| bar.set_position(arrived.into());
                let pushed = client.push(sent.bytes, sent.version, sent.features, progress);
                bar.finish_and_clear();
                pushed.context("the model was not pushed; the device runs what it ran before")?
            }
        };
        let pushed = sent.map(|sent| sent.bytes.len());
        Ok(Report::new(device, pushed, &status, client.repeated))
    }
}

impl Report {
    fn new(device: String, pushed_bytes: Option<usize>, status: &Status, repeated: u32) -> Self {
        Self {
            device,
            pushed_bytes,
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
            repeated_commands: repeated,
        }
    }

    fn show(&self, out: &mut impl Write) -> Result<()> {
        let mut facts = vec![("device", self.device.clone())];
        if let Some(bytes) = self.pushed_bytes {
            let repeated = match self.repeated_commands {
                0 => String::new(),
                count => format!(", {count} commands sent again"),
            };
            let bytes = show::grouped(bytes as u64);
            facts.push(("pushed", format!("{bytes} bytes{repeated}")));
        }
        facts.push((
            "runs",
            match self.runs {
                "built-in" => "the built-in model".to_owned(),
                slot => format!(
                    "the {slot} slot's model, {} bytes, version {}, number {}",
                    show::grouped(self.model_bytes),
                    self.model_version,
                    self.sequence
                ),
            },
        ));
        facts.push(("first slot", self.first_slot.clone()));
        facts.push(("second slot", self.second_slot.clone()));
        if let Some(received) = self.received_bytes {
            let bytes = show::grouped(received);
            facts.push((
                "under way",
                format!("{bytes} bytes of an update have arrived"),
            ));
        }
        show::facts(out, &facts)
    }
}

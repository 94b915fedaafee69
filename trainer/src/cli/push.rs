//! `pual push`: a model into a running device, which goes on scoring meanwhile.

use super::device::{self, Device};
use super::exit::Failure;
use super::{model_file, show};
use anyhow::{Context, Result};
use pual_infer::AnyModel;
use pual_protocol::update::{Client, Status, Transport};
use pual_trainer::device::DeviceError;
use pual_trainer::device::firmware::Board;
use pual_trainer::device::flash::{Flash, Updatable};
use pual_trainer::device::serial::{self, Serial};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

/// Put a model into a running device, over its serial port
///
/// The device keeps two models. It goes on scoring with the old one until the new one is there, checked and committed; a
/// power cut at any moment leaves one of them. What broke off is gone on with by the same command.
#[derive(clap::Args)]
#[command(after_help = "\
Examples: an emulated board, then a real one
  pual push fridge.pual --device qemu
  pual push --rollback --device qemu
  pual push fridge.pual --device serial:/dev/ttyACM0")]
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
    /// Kept with the model: the version counter of a signed one
    #[arg(long, default_value_t = 0, value_name = "N")]
    model_version: u32,
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

impl Args {
    pub fn run(&self, out: &mut impl Write) -> Result<()> {
        let bytes = self.model.as_deref().map(model_file::read).transpose()?;
        let model = match (&bytes, &self.model) {
            (Some(bytes), Some(path)) => Some((&**bytes, model_file::decode(bytes, path)?)),
            _ => None,
        };
        let report = match &self.device {
            Device::Serial(path) => {
                let port = serial::open(path, self.baud).context("cannot use --device")?;
                let mut client = Client::new(Serial::new(port, SERIAL_LIMIT));
                let name = path.display().to_string();
                self.converse(&mut client, name, model.as_ref())?
            }
            Device::Qemu(board) => {
                let flash = self.board_flash(bytes.as_deref())?;
                show::progress("booting the emulated board (its firmware is built if need be)");
                let updatable = Updatable::new(*board, flash.built_in(), "push")?;
                let mut client = Client::new(updatable.boot(&flash, QEMU_LIMIT)?);
                let report = self.converse(&mut client, board.name().to_owned(), model.as_ref())?;
                client.into_transport().stop()?;
                report
            }
        };
        if self.json {
            return show::json(out, &report);
        }
        report.show(out)
    }

    fn board_flash(&self, model: Option<&[u8]>) -> Result<Flash> {
        if self.flash.exists() {
            return Flash::open(&self.flash).context("cannot use --flash");
        }
        let Some(model) = model else {
            let flash = self.flash.display();
            let message = format!("there is no board whose flash is --flash {flash}");
            return Err(Failure::new(message, "push a model first").into());
        };
        Flash::create(&self.flash, model).context("cannot use --flash")
    }

    /// What was asked for, over any line.
    fn converse<T: Transport<Error = DeviceError>>(
        &self,
        client: &mut Client<T>,
        device: String,
        model: Option<&(&[u8], AnyModel<'_>)>,
    ) -> Result<Report> {
        let status = match model {
            None if self.rollback => client.rollback().context("no rollback")?,
            None => client.status()?,
            Some((bytes, model)) => {
                let bar = show::bar("bytes");
                bar.set_length(bytes.len() as u64);
                let features = u16::try_from(model.features()).unwrap_or(u16::MAX);
                let progress = |arrived: u32| bar.set_position(arrived.into());
                let pushed = client.push(bytes, self.model_version, features, progress);
                bar.finish_and_clear();
                pushed.context("the model was not pushed; the device runs what it ran before")?
            }
        };
        let pushed = model.map(|(bytes, _)| bytes.len());
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

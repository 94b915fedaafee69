//! The line to a device: an emulated board's UART, or a serial port. Shared by the commands that compare.

use crate::flags::device::{self, Device};
use crate::flags::values::positive;
use crate::show;
use anyhow::{Context, Result, bail};
use pual_device::DeviceError;
use pual_device::emulator::{Clock, Link};
use pual_device::firmware::Board;
use pual_device::serial::{self, Serial};
use pual_device::verify::Asker;
use pual_infer::Model;
use pual_protocol::update::Transport;
use pual_protocol::{CostUnit, Frame, Hello};
use std::fs::File;
use std::path::Path;
use std::time::Duration;

/// How long an emulated board may take to answer, on a busy machine.
const QEMU_LIMIT: Duration = Duration::from_secs(20);

#[derive(clap::Args)]
pub struct LineFlags {
    /// qemu (or qemu:an385, qemu:an500, qemu:an505, qemu:microbit), or serial:PATH
    #[arg(long, value_parser = device)]
    device: Device,
    /// Speed of the serial port
    #[arg(long, default_value_t = 115_200, value_name = "N")]
    baud: u32,
    /// How long an answer may take on the serial port
    #[arg(long, default_value_t = 2.0, value_parser = positive, value_name = "SECONDS")]
    timeout: f64,
}

fn device(text: &str) -> Result<Device, String> {
    let boards = [Board::CortexM4F, Board::CortexM3, Board::CortexM7, Board::CortexM33, Board::Microbit];
    device::parse(text, &boards)
}

/// A line to a device.
pub enum Line {
    Qemu(Link),
    Serial(Box<Serial<File>>),
}

impl Line {
    /// Ends an emulated board; a real one goes on.
    pub fn stop(self) -> Result<()> {
        if let Self::Qemu(link) = self {
            link.stop()?;
        }
        Ok(())
    }
}

impl Transport for Line {
    type Error = DeviceError;

    fn send(&mut self, bytes: &[u8]) -> Result<(), DeviceError> {
        match self {
            Self::Qemu(link) => link.send(bytes),
            Self::Serial(port) => port.send(bytes),
        }
    }

    fn receive(&mut self) -> Result<Option<Frame>, DeviceError> {
        match self {
            Self::Qemu(link) => link.receive(),
            Self::Serial(port) => port.receive(),
        }
    }
}

impl LineFlags {
    /// Is it a real board?
    pub fn is_serial(&self) -> bool {
        matches!(self.device, Device::Serial(_))
    }

    /// The device's name, for people.
    pub fn name(&self) -> String {
        match &self.device {
            Device::Qemu(board) => format!("{}, in QEMU", board.name()),
            Device::Serial(path) => path.display().to_string(),
        }
    }

    /// Boots an emulated board with this model, or opens the serial port. `name` is the command's.
    pub fn open(&self, bytes: &[u8], name: &str) -> Result<Asker<Line>> {
        let line = match &self.device {
            Device::Qemu(board) => {
                show::progress("booting the emulated board (and building its firmware if needed)");
                Line::Qemu(Link::boot(*board, bytes, name, Clock::Instructions, QEMU_LIMIT)?)
            }
            Device::Serial(path) => {
                let port = serial::open(path, self.baud).context("cannot use --device")?;
                Line::Serial(Box::new(Serial::new(port, Duration::from_secs_f64(self.timeout))))
            }
        };
        Ok(Asker::new(line))
    }

    /// Makes sure that the device runs this model, which is in this file.
    pub fn hello(&self, asker: &mut Asker<Line>, model: &Model<'_>, file: &Path) -> Result<Hello> {
        let hello = asker.hello().with_context(|| self.no_answer())?;
        let how = self.how_to_install(file);
        let file = file.display();
        let Some(hello) = hello else {
            bail!("the device has no valid model; install {file} first: {how}");
        };
        let (length, checksum) = (model.length() as u32, model.checksum());
        if (hello.model_length, hello.model_checksum) != (length, checksum) {
            bail!(
                "the device runs another model ({} bytes, checksum {:08x}) than {file} ({length} bytes, checksum {checksum:08x}); \
                 install it first: {how}",
                hello.model_length,
                hello.model_checksum,
            );
        }
        Ok(hello)
    }

    /// What to check when a device does not answer.
    fn no_answer(&self) -> String {
        match &self.device {
            Device::Qemu(_) => "the emulated board does not answer".to_owned(),
            Device::Serial(path) => format!(
                "no connection to {}: is the board powered, does it run the example firmware, is --baud {} right?",
                path.display(),
                self.baud
            ),
        }
    }

    /// How to get the model onto the device.
    fn how_to_install(&self, model: &Path) -> String {
        let model = model.display();
        match &self.device {
            Device::Serial(path) => format!(
                "pual flash {model} --chip NAME -o model.elf --run, or pual push {model} --device serial:{}",
                path.display()
            ),
            Device::Qemu(_) => format!("pual push {model} --device qemu"),
        }
    }
}

/// What a device's costs are counted in.
pub fn unit_of(hello: &Hello) -> &'static str {
    match hello.cost_unit {
        CostUnit::Instructions => "instructions",
        CostUnit::Cycles => "cycles",
    }
}

//! A real board on a serial port: frames over anything that reads and writes, with a limit on how long it may be silent.

use crate::error::{DeviceError, io};
use pual_protocol::update::Transport;
use pual_protocol::{Assembler, Frame};
use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::time::{Duration, Instant};

/// Frames over a port whose `read` returns after a while, with nothing if nothing came.
#[derive(Debug)]
pub struct Serial<P> {
    port: P,
    limit: Duration,
    assembler: Assembler,
    /// Frames that came together with the last one.
    frames: VecDeque<Frame>,
}

impl<P: Read + Write> Serial<P> {
    /// Waits up to `limit` for an answer.
    pub fn new(port: P, limit: Duration) -> Self {
        Self { port, limit, assembler: Assembler::new(), frames: VecDeque::new() }
    }
}

impl<P: Read + Write> Transport for Serial<P> {
    type Error = DeviceError;

    fn send(&mut self, bytes: &[u8]) -> Result<(), DeviceError> {
        self.port.write_all(bytes).and_then(|()| self.port.flush()).map_err(io("cannot write to the device"))
    }

    fn receive(&mut self) -> Result<Option<Frame>, DeviceError> {
        let start = Instant::now();
        let mut buffer = [0; 512];
        while self.frames.is_empty() {
            let length = match self.port.read(&mut buffer) {
                Ok(length) => length,
                Err(error) => match error.kind() {
                    ErrorKind::TimedOut | ErrorKind::WouldBlock | ErrorKind::Interrupted => 0,
                    _ => return Err(io("cannot read from the device")(error)),
                },
            };
            for &byte in &buffer[..length] {
                self.frames.extend(self.assembler.push(byte));
            }
            if length == 0 && start.elapsed() >= self.limit {
                return Ok(None);
            }
        }
        Ok(self.frames.pop_front())
    }
}

/// Opens a serial port: 8 data bits, no parity, no flow control, raw bytes.
#[cfg(unix)]
pub fn open(path: &std::path::Path, baud: u32) -> Result<std::fs::File, DeviceError> {
    use rustix::termios::{ControlModes, OptionalActions, SpecialCodeIndex, tcgetattr, tcsetattr};
    use std::os::unix::fs::OpenOptionsExt;

    let name = path.display();
    let port = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        // Must not become this process's terminal.
        .custom_flags(rustix::fs::OFlags::NOCTTY.bits() as i32)
        .open(path)
        .map_err(io(format!("cannot open {name}")))?;
    let set_up = || -> rustix::io::Result<()> {
        let mut settings = tcgetattr(&port)?;
        settings.make_raw();
        settings.control_modes |= ControlModes::CREAD | ControlModes::CLOCAL;
        settings.control_modes -= ControlModes::CRTSCTS | ControlModes::CSTOPB;
        // A read waits a tenth of a second at most.
        settings.special_codes[SpecialCodeIndex::VMIN] = 0;
        settings.special_codes[SpecialCodeIndex::VTIME] = 1;
        settings.set_speed(baud)?;
        tcsetattr(&port, OptionalActions::Flush, &settings)
    };
    set_up().map_err(|error| io(format!("{name} is not a serial port"))(error.into()))?;
    Ok(port)
}

/// Serial ports are supported on Unix only.
#[cfg(not(unix))]
pub fn open(path: &std::path::Path, _baud: u32) -> Result<std::fs::File, DeviceError> {
    let unsupported = std::io::Error::from(ErrorKind::Unsupported);
    Err(io(format!("cannot open {}", path.display()))(unsupported))
}

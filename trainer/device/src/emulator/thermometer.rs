//! Sets the temperature of an emulated sensor by QEMU's own protocol (QMP, one JSON object per line each way) over a socket.
//!
//! QEMU connects to us and not the other way round: the socket is there before QEMU is, and its file can be removed at once.

use crate::error::{DeviceError, io};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

/// QEMU's name for the thermometer.
const NAME: &str = "thermometer";
/// The address at which the firmware looks for it.
const ADDRESS: &str = "0x48";

/// A socket that a machine's QMP will connect to.
pub(super) struct Socket {
    listener: UnixListener,
    path: PathBuf,
}

impl Socket {
    /// Opens it. Nothing else in this process may use the name.
    pub(super) fn open(name: &str) -> Result<Self, DeviceError> {
        let path = std::env::temp_dir().join(format!("pual-{name}-{}.qmp", std::process::id()));
        // Left behind by a process with the same number.
        let _ = std::fs::remove_file(&path);
        let listener = UnixListener::bind(&path).map_err(io(format!("cannot open the socket {}", path.display())))?;
        Ok(Self { listener, path })
    }

    /// Adds a thermometer and this socket to a machine.
    pub(super) fn attach(&self, qemu: &mut Command) {
        // QEMU separates options by commas; a literal comma is doubled.
        let path = self.path.to_string_lossy().replace(',', ",,");
        qemu.arg("-device")
            .arg(format!("tmp105,id={NAME},bus=i2c,address={ADDRESS}"))
            .arg("-chardev")
            .arg(format!("socket,id=qmp,path={path}"))
            .args(["-mon", "chardev=qmp,mode=control"]);
    }

    /// Waits for the machine. `None`: it did not connect in time, or has ended.
    pub(super) fn accept(
        self,
        limit: Duration,
        mut has_ended: impl FnMut() -> bool,
    ) -> Result<Option<Thermometer>, DeviceError> {
        let failed = || "QEMU's socket".to_owned();
        self.listener.set_nonblocking(true).map_err(io(failed()))?;
        let start = Instant::now();
        while start.elapsed() < limit && !has_ended() {
            match self.listener.accept() {
                Ok((stream, _)) => {
                    let set_up = stream.set_nonblocking(false).and_then(|()| stream.set_read_timeout(Some(limit)));
                    set_up.map_err(io(failed()))?;
                    return Thermometer::begin(stream).map(Some);
                }
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                    std::thread::sleep(Duration::from_millis(2));
                }
                Err(error) => return Err(io(failed())(error)),
            }
        }
        Ok(None)
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// A machine's thermometer.
#[derive(Debug)]
pub(super) struct Thermometer {
    qmp: BufReader<UnixStream>,
}

impl Thermometer {
    fn begin(stream: UnixStream) -> Result<Self, DeviceError> {
        let mut thermometer = Self { qmp: BufReader::new(stream) };
        // QEMU greets, and expects this before anything else.
        thermometer.line()?;
        thermometer.command(&json!({ "execute": "qmp_capabilities" }))?;
        Ok(thermometer)
    }

    /// Sets its temperature; measurements give it as soon as this returns. Fails outside -128 to 128 degrees.
    pub(super) fn expose(&mut self, millidegrees: i32) -> Result<(), DeviceError> {
        self.command(&json!({
            "execute": "qom-set",
            "arguments": {
                "path": format!("/machine/peripheral/{NAME}"),
                "property": "temperature",
                "value": millidegrees,
            },
        }))
    }

    fn command(&mut self, command: &Value) -> Result<(), DeviceError> {
        let text = format!("{command}\n");
        let sent = self.qmp.get_mut().write_all(text.as_bytes());
        sent.map_err(io("cannot write to QEMU"))?;
        loop {
            let answer = self.line()?;
            // Events may come before the answer.
            if answer.get("return").is_some() {
                return Ok(());
            }
            if let Some(error) = answer.get("error") {
                return Err(DeviceError::Answer(format!("QEMU: {error}")));
            }
        }
    }

    fn line(&mut self) -> Result<Value, DeviceError> {
        let mut line = String::new();
        let length = self.qmp.read_line(&mut line);
        match length.map_err(io("cannot read from QEMU"))? {
            0 => Err(DeviceError::Answer("QEMU closed its socket".into())),
            _ => serde_json::from_str(&line).map_err(|error| DeviceError::Answer(format!("QEMU: {error} in {line}"))),
        }
    }
}

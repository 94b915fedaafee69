//! A machine in QEMU, with the UART on pipes and a limit on how long it may be silent.

use super::flash::Flash;
#[cfg(unix)]
use super::thermometer::{Socket, Thermometer};
use crate::error::{DeviceError, io};
use crate::firmware::{Board, need_qemu};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Whether the machine's clock counts instructions, which makes it slower.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// As fast as possible: the firmware's cost figures mean nothing.
    Fast,
    /// `-icount shift=6`: 64 ns of virtual time per instruction, which SysTick counts exactly.
    Instructions,
    /// `-icount shift=0`: 1 ns per instruction, where SysTick could not count them all at 64.
    ManyInstructions,
}

/// A running machine. Dropping it ends it.
#[derive(Debug)]
pub(super) struct Qemu {
    child: Child,
    frames: Receiver<Vec<u8>>,
    printed: Arc<Mutex<String>>,
    listener: Option<JoinHandle<()>>,
    limit: Duration,
}

impl Qemu {
    /// Boots an ELF file, if wanted with a flash that outlives the machine. A machine that is silent for longer than `limit`
    /// when an answer is due counts as dead.
    pub(super) fn boot(
        board: Board,
        elf: &Path,
        flash: Option<&Flash>,
        clock: Clock,
        limit: Duration,
    ) -> Result<Self, DeviceError> {
        let mut command = Command::new("qemu-system-arm");
        let mut machine = board.machine().to_owned();
        if let Some(flash) = flash {
            command.arg("-object").arg(flash.backend("flash"));
            machine += ",memory-backend=flash";
        }
        Self::start(command, &machine, elf, clock, limit)
    }

    /// As [`boot`](Self::boot), with a thermometer on the board's I2C bus (MPS2 boards). Nothing else in this process may use
    /// the name.
    #[cfg(unix)]
    pub(super) fn boot_with_thermometer(
        board: Board,
        elf: &Path,
        name: &str,
        clock: Clock,
        limit: Duration,
    ) -> Result<(Self, Thermometer), DeviceError> {
        let socket = Socket::open(name)?;
        let mut command = Command::new("qemu-system-arm");
        socket.attach(&mut command);
        let mut machine = Self::start(command, board.machine(), elf, clock, limit)?;
        let has_ended = || !matches!(machine.child.try_wait(), Ok(None));
        match socket.accept(limit, has_ended)? {
            Some(thermometer) => Ok((machine, thermometer)),
            None => Err(DeviceError::Stopped(machine.wait()?, machine.printed())),
        }
    }

    /// Runs QEMU with the options that every machine here has.
    fn start(
        mut command: Command,
        machine: &str,
        elf: &Path,
        clock: Clock,
        limit: Duration,
    ) -> Result<Self, DeviceError> {
        need_qemu()?;
        command
            .args(["-M", machine, "-display", "none", "-monitor", "none", "-serial", "stdio"])
            .args(["-semihosting-config", "enable=on,target=native", "-kernel"])
            .arg(elf)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        match clock {
            Clock::Fast => {}
            Clock::Instructions => _ = command.args(["-icount", "shift=6"]),
            Clock::ManyInstructions => _ = command.args(["-icount", "shift=0"]),
        }
        let mut child = command.spawn().map_err(io("cannot start qemu-system-arm"))?;

        let (sender, frames) = channel();
        let mut stdout = BufReader::new(child.stdout.take().expect("it is piped"));
        std::thread::spawn(move || {
            loop {
                let mut frame = Vec::new();
                match stdout.read_until(0, &mut frame) {
                    Ok(length) if length > 0 && sender.send(frame).is_ok() => {}
                    _ => return,
                }
            }
        });
        let printed = Arc::new(Mutex::new(String::new()));
        let heard = Arc::clone(&printed);
        let mut stderr = child.stderr.take().expect("it is piped");
        let listener = std::thread::spawn(move || {
            let mut buffer = [0; 1024];
            while let Ok(length @ 1..) = stderr.read(&mut buffer) {
                let text = String::from_utf8_lossy(&buffer[..length]);
                heard.lock().expect("no holder panics").push_str(&text);
            }
        });
        Ok(Self { child, frames, printed, listener: Some(listener), limit })
    }

    /// The machine's UART, to write to. There is one: the second call gets nothing.
    pub(super) fn uart(&mut self) -> Option<ChildStdin> {
        self.child.stdin.take()
    }

    /// Waits for the next frame from the machine, with its zero byte.
    pub(super) fn frame(&mut self) -> Result<Vec<u8>, DeviceError> {
        let frame = self.frames.recv_timeout(self.limit);
        frame.or_else(|error| match error {
            RecvTimeoutError::Timeout => Err(DeviceError::Silent(self.limit, self.printed())),
            RecvTimeoutError::Disconnected => Err(DeviceError::Stopped(self.wait()?, self.printed())),
        })
    }

    /// Waits for the machine to end by itself.
    pub(super) fn wait(&mut self) -> Result<ExitStatus, DeviceError> {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().map_err(io("waiting for QEMU"))? {
                // The listener ends when it has read everything.
                if let Some(listener) = self.listener.take() {
                    let _ = listener.join();
                }
                return Ok(status);
            }
            if start.elapsed() > self.limit {
                return Err(DeviceError::Silent(self.limit, self.printed()));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Ends the machine at once.
    pub(super) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// What the machine has printed so far.
    fn printed(&self) -> String {
        self.printed.lock().expect("no holder panics").clone()
    }
}

impl Drop for Qemu {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Boots a program that needs no input, waits for its end and returns its exit code and what it printed.
pub fn run(board: Board, elf: &Path, clock: Clock, limit: Duration) -> Result<(Option<i32>, String), DeviceError> {
    let mut machine = Qemu::boot(board, elf, None, clock, limit)?;
    let status = machine.wait()?;
    Ok((status.code(), machine.printed()))
}

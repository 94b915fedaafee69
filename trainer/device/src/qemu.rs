//! A machine in QEMU, with the UART on pipes and a limit on how long it may be silent.

use crate::firmware::{Board, need_qemu};
use crate::flash::Flash;
#[cfg(unix)]
use crate::thermometer::{Socket, Thermometer};
use crate::{DeviceError, Said, io};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Does the machine's clock count instructions? It does at a price in speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// As fast as it goes: the firmware's cost figures mean nothing.
    Fast,
    /// `-icount shift=6`: 64 ns of virtual time an instruction, which SysTick counts exactly.
    Instructions,
    /// `-icount shift=0`: 1 ns an instruction, for what takes more of them than SysTick can count at 64.
    ManyInstructions,
}

/// A running machine. Dropping it ends it.
#[derive(Debug)]
pub struct Qemu {
    child: Child,
    frames: Receiver<Vec<u8>>,
    said: Arc<Mutex<String>>,
    listener: Option<JoinHandle<()>>,
    limit: Duration,
}

impl Qemu {
    /// Boots an ELF file. The machine is ended when it is silent for longer than `limit` while something is
    /// expected of it.
    ///
    /// # Errors
    /// If QEMU is missing and cannot be installed, or does not start.
    pub fn boot(
        board: Board,
        elf: &Path,
        clock: Clock,
        limit: Duration,
    ) -> Result<Self, DeviceError> {
        Self::boot_with(board, elf, None, clock, limit)
    }

    /// As [`boot`](Self::boot), with a flash that outlives the machine.
    ///
    /// # Errors
    /// As [`boot`](Self::boot).
    pub fn boot_with(
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

    /// As [`boot`](Self::boot), with a thermometer on the board's I2C bus (MPS2 boards). The name is one that nothing else in
    /// this process uses.
    ///
    /// # Errors
    /// As [`boot`](Self::boot).
    #[cfg(unix)]
    pub fn boot_with_thermometer(
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
            None => Err(DeviceError::Stopped(machine.wait()?, machine.said())),
        }
    }

    /// Runs QEMU with what every machine here has.
    fn start(
        mut command: Command,
        machine: &str,
        elf: &Path,
        clock: Clock,
        limit: Duration,
    ) -> Result<Self, DeviceError> {
        need_qemu()?;
        command
            .args([
                "-M", machine, "-display", "none", "-monitor", "none", "-serial", "stdio",
            ])
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
        let mut child = command
            .spawn()
            .map_err(io("cannot start qemu-system-arm"))?;

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
        let said = Arc::new(Mutex::new(String::new()));
        let heard = Arc::clone(&said);
        let mut stderr = child.stderr.take().expect("it is piped");
        let listener = std::thread::spawn(move || {
            let mut buffer = [0; 1024];
            while let Ok(length @ 1..) = stderr.read(&mut buffer) {
                let text = String::from_utf8_lossy(&buffer[..length]);
                heard
                    .lock()
                    .expect("no thread panics with it")
                    .push_str(&text);
            }
        });
        Ok(Self {
            child,
            frames,
            said,
            listener: Some(listener),
            limit,
        })
    }

    /// The machine's UART, to write to. There is one: the second call gets nothing.
    pub fn uart(&mut self) -> Option<ChildStdin> {
        self.child.stdin.take()
    }

    /// Waits for the next frame from the machine, its zero byte included.
    ///
    /// # Errors
    /// If the machine stops or is silent for too long.
    pub fn frame(&mut self) -> Result<Vec<u8>, DeviceError> {
        match self.frames.recv_timeout(self.limit) {
            Ok(frame) => Ok(frame),
            Err(RecvTimeoutError::Timeout) => Err(DeviceError::Silent(self.limit, self.said())),
            Err(RecvTimeoutError::Disconnected) => {
                Err(DeviceError::Stopped(self.wait()?, self.said()))
            }
        }
    }

    /// Waits for the machine to end by itself.
    ///
    /// # Errors
    /// If it does not within the limit.
    pub fn wait(&mut self) -> Result<ExitStatus, DeviceError> {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().map_err(io("waiting for QEMU"))? {
                // All that it said has been heard when its end of the pipe is closed.
                if let Some(listener) = self.listener.take() {
                    let _ = listener.join();
                }
                return Ok(status);
            }
            if start.elapsed() > self.limit {
                return Err(DeviceError::Silent(self.limit, self.said()));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Ends the machine at once.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// What the machine has said to people so far.
    #[must_use]
    pub fn said(&self) -> Said {
        Said(self.said.lock().expect("no thread panics with it").clone())
    }
}

impl Drop for Qemu {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Boots a program that needs no input, waits for its end and returns its exit code and what it said.
///
/// # Errors
/// If it does not start, or does not end in time.
pub fn run(
    board: Board,
    elf: &Path,
    clock: Clock,
    limit: Duration,
) -> Result<(Option<i32>, String), DeviceError> {
    let mut machine = Qemu::boot(board, elf, clock, limit)?;
    let status = machine.wait()?;
    Ok((status.code(), machine.said().0))
}

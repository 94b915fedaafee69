//! A QEMU whose UART is a pseudo-terminal: to the program, a board on a serial port.

use crate::OrPanic;
use pual_device::firmware::need_qemu;
use pual_device::serial::{self, Serial};
use pual_device::verify::Asker;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A running machine. It ends with this.
pub struct SerialMachine {
    qemu: Child,
    /// The UART's path.
    pub port: PathBuf,
    /// A port that nobody holds open hangs up, and QEMU takes a second to notice the next one who opens it.
    _held: File,
}

impl SerialMachine {
    /// Runs a command that is QEMU with `-serial pty`, and waits until the firmware answers.
    pub fn boot(command: &mut Command) -> Self {
        need_qemu().or_panic();
        let mut qemu = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("QEMU starts");
        let stdout = BufReader::new(qemu.stdout.take().expect("it is piped"));
        // "char device redirected to /dev/pts/3 (label serial0)"
        let port = stdout.lines().find_map(|line| {
            let line = line.expect("QEMU prints text");
            let mut words = line.split_whitespace();
            words.find(|word| word.starts_with("/dev/")).map(PathBuf::from)
        });
        let port = port.expect("QEMU names the port before it ends");
        let open = || serial::open(&port, 115_200).or_panic();
        let held = open();
        // What arrives before the firmware has turned its UART on is lost, so several attempts may be needed.
        let mut board = Asker::new(Serial::new(open(), Duration::from_millis(100)));
        let answers = (0..100).any(|_| board.hello().is_ok());
        assert!(answers, "no answer over {}", port.display());
        Self { qemu, port, _held: held }
    }
}

impl Drop for SerialMachine {
    fn drop(&mut self) {
        let _ = self.qemu.kill();
        let _ = self.qemu.wait();
    }
}

//! A pseudo-terminal: a thread of the test plays the device at one end, `pual` uses the other as a serial port.

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
use std::fs::File;
use std::io::{Read, Write};

/// Starts the thread, which makes a device, passes it what arrives, and writes its answers back. Returns the port's path.
pub fn played_by<D>(make: impl FnOnce() -> D + Send + 'static) -> String
where
    D: FnMut(&[u8]) -> Vec<Vec<u8>>,
{
    let port = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&port).unwrap();
    unlockpt(&port).unwrap();
    let path = ptsname(&port, Vec::new()).unwrap().into_string().unwrap();
    // Held open here too: a port that nobody holds open hangs up.
    let held = File::options().read(true).write(true).open(&path).unwrap();
    let mut settings = tcgetattr(&held).unwrap();
    settings.make_raw();
    tcsetattr(&held, OptionalActions::Now, &settings).unwrap();
    std::thread::spawn(move || {
        let _held = held;
        let mut port = File::from(port);
        let mut device = make();
        let mut buffer = [0; 256];
        while let Ok(length @ 1..) = port.read(&mut buffer) {
            for answer in device(&buffer[..length]) {
                port.write_all(&answer).unwrap();
            }
        }
    });
    path
}

/// Drops every `one_in`-th byte of a stream; none if 0.
pub fn losing(one_in: usize) -> impl FnMut(&[u8]) -> Vec<u8> {
    let mut heard = 0_usize;
    move |bytes| {
        let mut kept = bytes.to_vec();
        kept.retain(|_| {
            heard += 1;
            one_in == 0 || !heard.is_multiple_of(one_in)
        });
        kept
    }
}

//! The line to a board: it scores readings before each command, and may cut the power.

use pual_device::DeviceError;
use pual_device::emulator::Link;
use pual_protocol::Frame;
use pual_protocol::update::Transport;
use std::time::{Duration, Instant};

/// A line that keeps scoring, and on which power may fail.
pub struct Line<'b> {
    pub link: Link,
    pub readings: &'b [Vec<f32>],
    /// What ran when it began, and what runs from some moment on.
    pub old: &'b [u32],
    pub new: &'b [u32],
    pub switched: bool,
    /// After which command, and how long after it was sent, power fails.
    pub cut: Option<(usize, Duration)>,
    pub sent: Instant,
    pub times: Vec<Duration>,
    pub scores: u64,
    pub wrong: u64,
}

impl Line<'_> {
    pub fn score(&mut self) -> Result<(), DeviceError> {
        let answers = self.link.score(self.readings)?;
        let found: Vec<_> = answers.into_iter().map(|answer| answer.map(|scored| scored.score_bits)).collect();
        let differ = |bits: &[u32]| -> u64 {
            let pairs = found.iter().zip(bits);
            pairs.filter(|(found, bits)| **found != Some(**bits)).count() as u64
        };
        self.scores += found.len() as u64;
        self.switched |= differ(self.new) == 0;
        self.wrong += differ(if self.switched { self.new } else { self.old });
        Ok(())
    }
}

impl Transport for Line<'_> {
    type Error = DeviceError;

    fn send(&mut self, bytes: &[u8]) -> Result<(), DeviceError> {
        self.score()?;
        Transport::send(&mut self.link, bytes)?;
        self.sent = Instant::now();
        if let Some((command, after)) = self.cut
            && command == self.times.len()
        {
            while self.sent.elapsed() < after {
                std::hint::spin_loop();
            }
            self.link.kill();
            return Err(DeviceError::Answer("power is cut".into()));
        }
        Ok(())
    }

    fn receive(&mut self) -> Result<Option<Frame>, DeviceError> {
        let frame = Transport::receive(&mut self.link)?;
        self.times.push(self.sent.elapsed());
        Ok(frame)
    }
}

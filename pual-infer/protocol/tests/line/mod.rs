//! A line between a client and a simulated device, with a configurable error rate.

use crate::device::{Device, Random};
use pual_protocol::Frame;
use pual_protocol::update::{Client, Transport};
use std::collections::VecDeque;
use std::convert::Infallible;

/// A line that damages one in N frames, for each kind of damage; 0 for none.
pub struct Line {
    pub device: Device,
    random: Random,
    harm: usize,
    /// The device is restarted once in this many frames; 0 for never.
    restarts: usize,
    /// On their way to the host.
    answers: VecDeque<Vec<u8>>,
    /// Held back on their way to the device.
    held: VecDeque<Vec<u8>>,
    /// Frames that it damaged.
    pub harmed: u32,
    /// Every frame that was sent.
    pub sent: Vec<Vec<u8>>,
}

impl Line {
    pub fn new(device: Device, seed: u64, harm: usize, restarts: usize) -> Self {
        Self {
            device,
            random: Random(seed),
            harm,
            restarts,
            answers: VecDeque::new(),
            held: VecDeque::new(),
            harmed: 0,
            sent: Vec::new(),
        }
    }

    /// A client at the end of a line that damages nothing.
    pub fn good(device: Device) -> Client<Self> {
        Client::new(Self::new(device, 1, 0, 0))
    }

    /// What comes out at the other end.
    fn carry(&mut self, frame: &[u8]) -> Vec<Vec<u8>> {
        let mut frame = frame.to_vec();
        if self.harm == 0 || !self.random.chance(self.harm) {
            return vec![frame];
        }
        self.harmed += 1;
        let at = self.random.below(frame.len());
        match self.random.below(6) {
            0 => return vec![],
            1 => return vec![frame.clone(), frame],
            2 => {
                self.held.push_back(frame);
                return vec![];
            }
            3 => frame[at] ^= 1 << self.random.below(8),
            4 => frame.truncate(at),
            _ => frame.insert(at, self.random.next() as u8),
        }
        vec![frame]
    }
}

impl Transport for Line {
    type Error = Infallible;

    fn send(&mut self, bytes: &[u8]) -> Result<(), Infallible> {
        self.sent.push(bytes.to_vec());
        if self.restarts > 0 && self.random.chance(self.restarts) {
            self.device.restart();
        }
        let mut arriving = self.carry(bytes);
        if !self.held.is_empty() && self.random.chance(3) {
            arriving.extend(self.held.pop_front());
        }
        for bytes in arriving {
            for answer in self.device.hear(&bytes) {
                let carried = self.carry(&answer);
                self.answers.extend(carried);
            }
        }
        Ok(())
    }

    fn receive(&mut self) -> Result<Option<Frame>, Infallible> {
        let answer = self.answers.pop_front();
        Ok(answer.map(|bytes| Frame::from_slice(&bytes[..bytes.len().min(272)]).unwrap()))
    }
}

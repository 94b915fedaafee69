//! Requests and responses over a machine's UART.

use super::qemu::{Clock, Qemu};
use crate::error::{DeviceError, io};
use crate::firmware::{Board, EXAMPLE, build};
use crate::image::Image;
use pual_protocol::update::Transport;
use pual_protocol::{Counts, Frame, Hello, MAX_FRAME, Reading, Request, Response, Sample, Scan, Scored, ScoredCounts};
use std::io::Write;
use std::time::Duration;

/// A machine that runs the example firmware.
#[derive(Debug)]
pub struct Link {
    machine: Qemu,
    uart: std::process::ChildStdin,
}

impl Link {
    /// Takes over a machine's UART, and waits until it answers.
    pub(super) fn answering(mut machine: Qemu) -> Result<Self, DeviceError> {
        let uart = machine.uart().ok_or_else(|| DeviceError::Answer("the UART is in use".into()))?;
        let mut link = Self { machine, uart };
        link.hello()?;
        Ok(link)
    }

    /// Builds the example firmware, boots it with this model, and waits until it answers. No other running command or test
    /// may use the name.
    pub fn boot(board: Board, model: &[u8], name: &str, clock: Clock, limit: Duration) -> Result<Self, DeviceError> {
        let image = Image::read(&build(board, EXAMPLE)?)?;
        let elf = image.with_model(model, &format!("{name}-{}", board.machine()))?;
        let link = Qemu::boot(board, &elf, None, clock, limit).and_then(Self::answering);
        // QEMU has read it by the time that the firmware answers.
        let _ = std::fs::remove_file(elf);
        link
    }

    /// Asks which model the device runs. `None`: its model region holds no valid model.
    pub fn hello(&mut self) -> Result<Option<Hello>, DeviceError> {
        match self.exchange(&frame(&Request::Hello))? {
            Response::Hello(hello) => Ok(Some(hello)),
            Response::ModelRefused => Ok(None),
            other => Err(DeviceError::Answer(format!("{other:?}"))),
        }
    }

    /// Sends raw bytes, which need not be a frame, and returns the answer.
    pub fn exchange(&mut self, bytes: &[u8]) -> Result<Response, DeviceError> {
        send(&mut self.uart, bytes)?;
        receive(&mut self.machine)
    }

    /// Scores readings. They are sent without waiting for the answers, which come in the same order; `None` where the device
    /// refused a reading.
    ///
    /// # Errors
    /// If the device stops answering, or a reading has more features than a frame has room for.
    pub fn score(&mut self, readings: &[Vec<f32>]) -> Result<Vec<Option<Scored>>, DeviceError> {
        let request = |reading: &Vec<f32>| Reading::from_slice(reading).map(Request::Score).ok();
        self.ask(readings, request, score_of)
    }

    /// As [`score`](Self::score), for counts.
    pub fn score_counts(&mut self, counts: &[Vec<i16>]) -> Result<Vec<Option<ScoredCounts>>, DeviceError> {
        let request = |counts: &Vec<i16>| Counts::from_slice(counts).map(Request::ScoreCounts).ok();
        self.ask(counts, request, |response| match response {
            Response::ScoreCounts(scored) => Some(*scored),
            _ => None,
        })
    }

    /// As [`score`](Self::score), for Wi-Fi scans.
    pub fn score_scans(&mut self, scans: &[Scan]) -> Result<Vec<Option<Scored>>, DeviceError> {
        let request = |scan: &Scan| Some(Request::Scan(scan.clone()));
        self.ask(scans, request, score_of)
    }

    /// Makes the device measure once. `None`: it has no sensor, the sensor does not answer, or the model is not for it.
    pub fn sample(&mut self) -> Result<Option<Sample>, DeviceError> {
        match self.exchange(&frame(&Request::Sample))? {
            Response::Sample(sample) => Ok(Some(sample)),
            Response::ReadingRefused => Ok(None),
            other => Err(DeviceError::Answer(format!("{other:?}"))),
        }
    }

    fn ask<R, T>(
        &mut self,
        readings: &[R],
        request: impl Fn(&R) -> Option<Request>,
        answer: impl Fn(&Response) -> Option<T>,
    ) -> Result<Vec<Option<T>>, DeviceError> {
        let mut frames = Vec::new();
        for reading in readings {
            let too_long = || DeviceError::Answer("a reading is too long for a frame".into());
            let request = request(reading).ok_or_else(too_long)?;
            frames.extend_from_slice(&frame(&request));
        }
        let uart = &mut self.uart;
        let machine = &mut self.machine;
        std::thread::scope(|scope| {
            let sender = scope.spawn(move || send(uart, &frames));
            let mut next = || {
                let response = receive(machine)?;
                match answer(&response) {
                    None if response != Response::ReadingRefused => Err(DeviceError::Answer(format!("{response:?}"))),
                    scored => Ok(scored),
                }
            };
            let scores: Result<Vec<_>, _> = readings.iter().map(|_| next()).collect();
            if scores.is_err() {
                // Unblocks the sender, in case the device has stopped reading.
                machine.kill();
            }
            let sent = sender.join().expect("sending does not panic");
            let scores = scores?;
            sent?;
            Ok(scores)
        })
    }

    /// Ends the program and returns its exit code.
    pub fn stop(mut self) -> Result<Option<i32>, DeviceError> {
        send(&mut self.uart, &frame(&Request::Stop))?;
        Ok(self.machine.wait()?.code())
    }

    /// Cuts the machine's power.
    pub fn kill(&mut self) {
        self.machine.kill();
    }
}

impl Transport for Link {
    type Error = DeviceError;

    fn send(&mut self, bytes: &[u8]) -> Result<(), DeviceError> {
        send(&mut self.uart, bytes)
    }

    fn receive(&mut self) -> Result<Option<Frame>, DeviceError> {
        match self.machine.frame() {
            // A frame that is too long counts as empty.
            Ok(frame) => Ok(Some(Frame::from_slice(&frame).unwrap_or_default())),
            Err(DeviceError::Silent(..)) => Ok(None),
            Err(other) => Err(other),
        }
    }
}

fn score_of(response: &Response) -> Option<Scored> {
    if let Response::Score(scored) = response { Some(*scored) } else { None }
}

fn receive(machine: &mut Qemu) -> Result<Response, DeviceError> {
    let mut frame = machine.frame()?;
    pual_protocol::decode(&mut frame).ok_or_else(|| DeviceError::Answer(format!("a damaged frame {frame:02x?}")))
}

fn frame(request: &Request) -> Vec<u8> {
    let mut buffer = [0; MAX_FRAME];
    pual_protocol::encode(request, &mut buffer).expect("every request fits the longest frame").to_vec()
}

fn send(uart: &mut impl Write, bytes: &[u8]) -> Result<(), DeviceError> {
    uart.write_all(bytes).and_then(|()| uart.flush()).map_err(io("cannot write to the device"))
}

//! Asks a device for scores, one reading at a time, and computes the workstation's answer to the same reading.
//!
//! A frame that was lost or damaged on the line is sent again, once the line is silent: from then on the next answer belongs
//! to the next question. Frames of scores carry no checksum, so a damaged frame that still decodes looks like a wrong score;
//! asking again tells them apart.

use crate::error::DeviceError;
use pual_infer::{Class, Envelope, Model, ReadingError};
use pual_protocol::update::Transport;
use pual_protocol::{Hello, MAX_FRAME, Reading, Request, Response, Scored, decode, encode};

/// How often a question is asked at most.
const ATTEMPTS: u32 = 3;
/// Frames that are dropped while waiting for silence: a device that is never silent is not ours.
const MOST_DROPPED: usize = 1000;

/// Asks a device, and asks again if need be.
#[derive(Debug)]
pub struct Asker<T> {
    line: T,
    /// Questions that had to be asked again.
    pub repeated: u32,
}

impl<T: Transport<Error = DeviceError>> Asker<T> {
    /// Asks over this line.
    pub fn new(line: T) -> Self {
        Self { line, repeated: 0 }
    }

    /// Gives the line back.
    pub fn into_line(self) -> T {
        self.line
    }

    /// Which model does the device run? None: its model region holds no valid model.
    pub fn hello(&mut self) -> Result<Option<Hello>, DeviceError> {
        self.ask(&Request::Hello, |response| match response {
            Response::Hello(hello) => Some(Some(*hello)),
            Response::ModelRefused => Some(None),
            _ => None,
        })
    }

    /// The device's score of a reading. None: it refuses the reading.
    ///
    /// # Errors
    /// If it does not answer, or answers something else, or a frame has no room for the reading.
    pub fn score(&mut self, reading: &[f32]) -> Result<Option<Scored>, DeviceError> {
        let too_long = |_| DeviceError::ReadingTooLong(reading.len());
        let reading = Reading::from_slice(reading).map_err(too_long)?;
        self.ask(&Request::Score(reading), |response| match response {
            Response::Score(scored) => Some(Some(*scored)),
            Response::ReadingRefused => Some(None),
            _ => None,
        })
    }

    /// Sends a request without waiting for its answer.
    pub(crate) fn send(&mut self, request: &Request) -> Result<(), DeviceError> {
        let mut buffer = [0; MAX_FRAME];
        self.line.send(encode(request, &mut buffer).expect("every request fits the longest frame"))
    }

    /// The next answer, to whatever was sent.
    pub(crate) fn next_answer(&mut self) -> Result<Response, DeviceError> {
        let frame = self.line.receive()?;
        let mut frame = frame.ok_or(DeviceError::NoAnswer(1))?;
        decode(&mut frame).ok_or(DeviceError::Garbled(1))
    }

    /// Asks until an answer to this question comes: answers to someone before us may come first.
    pub(crate) fn ask<A>(
        &mut self,
        request: &Request,
        answer: impl Fn(&Response) -> Option<A>,
    ) -> Result<A, DeviceError> {
        let mut buffer = [0; MAX_FRAME];
        let frame = encode(request, &mut buffer).expect("every request fits the longest frame");
        let mut error = DeviceError::NoAnswer(ATTEMPTS);
        for attempt in 0..ATTEMPTS {
            if attempt > 0 {
                self.repeated += 1;
                // Ends what the device has received of the last attempt; its answer to that is dropped.
                self.line.send(&[0])?;
                self.wait_for_silence()?;
            }
            self.line.send(frame)?;
            let Some(mut received) = self.line.receive()? else {
                continue;
            };
            error = match decode(&mut received) {
                None | Some(Response::BadFrame) => DeviceError::Garbled(ATTEMPTS),
                Some(response) => match answer(&response) {
                    Some(answer) => return Ok(answer),
                    None => DeviceError::Answer(format!("{response:?}")),
                },
            };
        }
        Err(error)
    }

    fn wait_for_silence(&mut self) -> Result<(), DeviceError> {
        for _ in 0..MOST_DROPPED {
            if self.line.receive()?.is_none() {
                return Ok(());
            }
        }
        Err(DeviceError::Garbled(ATTEMPTS))
    }
}

/// The part of an answer that must be identical on chip and workstation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The bits of the score.
    pub score_bits: u32,
    /// The class.
    pub positive: bool,
    /// Is the reading outside the model's training range?
    pub outside_envelope: bool,
}

impl From<Scored> for Answer {
    fn from(scored: Scored) -> Self {
        Self { score_bits: scored.score_bits, positive: scored.positive, outside_envelope: scored.outside_envelope }
    }
}

/// The workstation's answer, computed by the device's code.
pub fn on_workstation(model: &Model<'_>, reading: &[f32]) -> Result<Answer, ReadingError> {
    let mut scratch = vec![0.0; model.features()];
    let verdict = model.judge_with_scratch(reading, &mut scratch)?;
    Ok(Answer {
        score_bits: verdict.score.to_bits(),
        positive: verdict.class == Class::Positive,
        outside_envelope: matches!(verdict.envelope, Envelope::Outside { .. }),
    })
}

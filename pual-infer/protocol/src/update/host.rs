//! The host's side: asks until it gets an answer, and resumes where the device is.

use super::{Answer, Begin, Command, MAX_CHUNK, Refusal, Sealed, Status};
use crate::{Frame, MAX_FRAME, Request, Response, decode, encode};
use core::fmt;
use pual_infer::store::crc32;

/// A line to a device. It may lose, damage, repeat and reorder what it carries.
pub trait Transport {
    /// Ends the conversation: the line is closed.
    type Error;

    /// Sends bytes.
    fn send(&mut self, bytes: &[u8]) -> Result<(), Self::Error>;

    /// The next frame, with or without its zero byte. `None` if nothing came for as long as an answer may take.
    fn receive(&mut self) -> Result<Option<Frame>, Self::Error>;
}

/// How often a command is sent again before giving up.
pub const RETRIES: u32 = 20;
/// How often an update starts over after the device was restarted or found the checksum wrong.
const RESTARTS: u32 = 5;
/// Frames that are not the answer before a command is sent again: the device may be answering others too.
const OTHERS: u32 = 1000;

/// Why an update did not happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClientError<E> {
    /// The line is closed.
    Transport(E),
    /// The device does not answer.
    NoAnswer,
    /// The device answers, but not to these commands: its firmware takes no updates.
    NoUpdates,
    /// The device refused it.
    Refused(Refusal),
    /// The device's answer makes no sense.
    Answer,
}

impl<E: fmt::Display> fmt::Display for ClientError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Transport(error) => error.fmt(f),
            Self::NoAnswer => f.write_str("no answer from the device"),
            Self::NoUpdates => f.write_str("the device's firmware takes no updates"),
            Self::Refused(why) => write!(f, "the device refuses: {why}"),
            Self::Answer => f.write_str("an answer from the device that makes no sense"),
        }
    }
}

impl<E: fmt::Debug + fmt::Display> core::error::Error for ClientError<E> {}

/// A connection to a device.
#[derive(Debug)]
pub struct Client<T> {
    transport: T,
    number: u16,
    /// Commands that had to be sent again.
    pub repeated: u32,
}

impl<T: Transport> Client<T> {
    /// Uses this line.
    pub fn new(transport: T) -> Self {
        Self { transport, number: 0, repeated: 0 }
    }

    /// The line, for other messages.
    pub fn transport(&mut self) -> &mut T {
        &mut self.transport
    }

    /// Returns the line.
    pub fn into_transport(self) -> T {
        self.transport
    }

    /// What runs on the device, and why.
    pub fn status(&mut self) -> Result<Status, ClientError<T::Error>> {
        self.expect(&Command::Status, |answer| match answer {
            Answer::Status(status) => Some(status),
            _ => None,
        })
    }

    /// Sends a model, and returns what runs afterwards. Resumes an interrupted update with the same model. `progress` gets
    /// the number of bytes that have arrived.
    ///
    /// # Errors
    /// The old model still runs (or either, if the answer to the last command is missing).
    pub fn push(
        &mut self,
        model: &[u8],
        version: u32,
        features: u16,
        mut progress: impl FnMut(u32),
    ) -> Result<Status, ClientError<T::Error>> {
        let before = self.status()?;
        let begin = Begin {
            sequence: before.sequence,
            length: u32::try_from(model.len()).unwrap_or(u32::MAX),
            version,
            features,
            checksum: crc32(model),
        };
        let mut last = Refusal::NoUpdate;
        for _ in 0..RESTARTS {
            match self.attempt(model, begin, &mut progress) {
                Ok(()) => return self.status(),
                Err(ClientError::Refused(why @ (Refusal::NoUpdate | Refusal::Checksum))) => last = why,
                Err(other) => return Err(other),
            }
            // Was it committed, and the answer lost?
            let status = self.status()?;
            let ours = (begin.sequence.wrapping_add(1), begin.length, version);
            if (status.sequence, status.length, status.version) == ours {
                return Ok(status);
            }
        }
        Err(ClientError::Refused(last))
    }

    fn attempt(
        &mut self,
        model: &[u8],
        begin: Begin,
        progress: &mut dyn FnMut(u32),
    ) -> Result<(), ClientError<T::Error>> {
        let update = begin.checksum;
        let mut next = self.next(&Command::Begin(begin))?;
        let mut stuck = 0;
        while next < begin.length {
            progress(next);
            let rest = model.get(next as usize..).unwrap_or_default();
            let chunk = Command::Chunk { update, offset: next, bytes: rest.get(..MAX_CHUNK).unwrap_or(rest) };
            let then = self.next(&chunk)?;
            stuck = if then > next { 0 } else { stuck + 1 };
            if stuck > RETRIES {
                return Err(ClientError::Answer);
            }
            next = then;
        }
        progress(next);
        self.expect(&Command::Verify { update }, |answer| (answer == Answer::Verified).then_some(()))?;
        self.committed(&Command::Commit { update })
    }

    /// Returns to the model in the other slot, and returns what runs afterwards.
    ///
    /// # Errors
    /// If there is none, or the device does not confirm it.
    pub fn rollback(&mut self) -> Result<Status, ClientError<T::Error>> {
        let sequence = self.status()?.sequence;
        match self.committed(&Command::Rollback { sequence }) {
            // Done, and the answer lost.
            Err(ClientError::Refused(Refusal::Stale(now))) if now == sequence.wrapping_add(1) => {}
            other => other?,
        }
        self.status()
    }

    fn committed(&mut self, command: &Command<'_>) -> Result<(), ClientError<T::Error>> {
        self.expect(command, |answer| matches!(answer, Answer::Committed(_)).then_some(()))
    }

    fn next(&mut self, command: &Command<'_>) -> Result<u32, ClientError<T::Error>> {
        self.expect(command, |answer| match answer {
            Answer::Next(offset) => Some(offset),
            _ => None,
        })
    }

    /// Asks, and takes what is expected from the answer.
    fn expect<R>(
        &mut self,
        command: &Command<'_>,
        take: impl FnOnce(Answer) -> Option<R>,
    ) -> Result<R, ClientError<T::Error>> {
        match self.ask(command)? {
            Answer::Refused(why) => Err(ClientError::Refused(why)),
            answer => take(answer).ok_or(ClientError::Answer),
        }
    }

    /// Sends a command until it is answered.
    pub fn ask(&mut self, command: &Command<'_>) -> Result<Answer, ClientError<T::Error>> {
        self.number = self.number.wrapping_add(1);
        let request = Sealed::new(self.number, command).map(Request::Update).ok_or(ClientError::Answer)?;
        let mut buffer = [0; MAX_FRAME];
        let frame = encode(&request, &mut buffer).ok_or(ClientError::Answer)?;
        let (mut heard, mut updates) = (0, false);
        for attempt in 0..=RETRIES {
            if attempt > 0 {
                self.repeated += 1;
                // Ends whatever the device may have received of the last one, or of line noise.
                self.transport.send(&[0]).map_err(ClientError::Transport)?;
            }
            self.transport.send(frame).map_err(ClientError::Transport)?;
            for _ in 0..OTHERS {
                let received = self.transport.receive().map_err(ClientError::Transport)?;
                let Some(mut received) = received else { break };
                heard += 1;
                if let Some(Response::Update(sealed)) = decode(&mut received) {
                    updates = true;
                    // Otherwise it is damaged, or late.
                    if let Some((number, answer)) = sealed.open::<Answer>()
                        && number == self.number
                    {
                        return Ok(answer);
                    }
                }
            }
        }
        Err(if heard > RETRIES && !updates { ClientError::NoUpdates } else { ClientError::NoAnswer })
    }
}

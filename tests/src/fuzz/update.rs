//! The update protocol, from the wire to the flash: whatever is asked in whatever order, the model that runs is the last that
//! was committed whole, a restart finds the same one, and the next command is understood.
//!
//! Input: a byte that says how (1: both slots hold models to begin with), then steps of two
//! bytes, the second being an argument:
//!
//! | step modulo 12 | |
//! |---|---|
//! | 0 | status |
//! | 1 | begin: the argument's lowest bits say with which model, the others what is wrong about it |
//! | 2 | the next chunk, of that many bytes |
//! | 3 | a chunk of eight bytes at that offset |
//! | 4, 5 | verify, commit |
//! | 6 | rollback, of the sequence number less that |
//! | 7 | restart |
//! | 8 | that byte on the wire |
//! | 9 | one bit of the next frame flips |
//! | 10 | one byte of the model to be sent changes |
//! | 11 | a message of as many bytes as the argument says, which follow; they get the right checksum |

use super::checksum::crc32;
use super::flash::{Content, ERASED, FLASH, Flash, SLOTS, update_to};
use crate::models::{Shape, seeded_model};
use pual_infer::store::{Store, Stored, Unfit};
use pual_infer::{Aligned, ModelBytes};
use pual_protocol::update::{Answer, Begin, Command, MAX_CHUNK, Sealed, Updater};
use pual_protocol::{Assembler, Frame, MAX_FRAME, Request, Response, decode, encode};
use std::cell::RefCell;
use std::sync::LazyLock;

const FEATURES: usize = 1;
/// Bytes of a flash word: the longest there are. Target `store` has others too.
const WORD: usize = 32;

/// The target.
pub fn update(data: &[u8]) {
    let Some((&how, steps)) = data.split_first() else {
        return;
    };
    let flash = RefCell::new(match how & 1 {
        0 => ERASED,
        _ => Aligned(*BOTH_SLOTS),
    });
    Device::new(&flash).run(steps);
}

/// Small ones, since all is read many times; the last one has a feature too many.
static MODELS: LazyLock<[ModelBytes; 3]> = LazyLock::new(|| {
    [(Shape::Linear, 1), (Shape::RbfI8, 1), (Shape::Linear, 2)]
        .map(|(shape, features)| seeded_model(1, shape, 1, features))
});

/// Flash after two updates.
static BOTH_SLOTS: LazyLock<[u8; FLASH]> = LazyLock::new(|| {
    let flash = RefCell::new(ERASED);
    let mut store = Store::new(Flash::<WORD>(&flash), SLOTS).expect("the slots are good ones");
    for model in &MODELS[..2] {
        store.boot(|_| Ok(()));
        update_to(&mut store, model);
    }
    flash.into_inner().0
});

/// A device, and what the host knows of it.
struct Device<'f> {
    flash: &'f RefCell<Content>,
    updater: Updater<Flash<'f, WORD>>,
    assembler: Assembler,
    /// What runs, and what ran before: a copy.
    running: Vec<u8>,
    before: Option<Vec<u8>>,
    /// What is being sent: the model, its checksum as announced, and where it goes on.
    model: Vec<u8>,
    announced: u32,
    next: u32,
    sequence: u32,
    flip: Option<u8>,
    /// The answer to the last command that was understood.
    answer: Option<Answer>,
}

fn accept(flash: &RefCell<Content>, stored: &Stored) -> Result<(), Unfit> {
    stored.decode(&flash.borrow().0, FEATURES).map(drop)
}

fn start(flash: &RefCell<Content>) -> Updater<Flash<'_, WORD>> {
    let store = Store::new(Flash(flash), SLOTS).expect("the slots are good ones");
    Updater::new(store, FEATURES as u16, |stored| accept(flash, stored))
}

impl<'f> Device<'f> {
    fn new(flash: &'f RefCell<Content>) -> Self {
        let mut device = Self {
            flash,
            sequence: 0,
            before: None,
            running: Vec::new(),
            model: MODELS[0].to_vec(),
            announced: 0,
            next: 0,
            updater: start(flash),
            assembler: Assembler::new(),
            flip: None,
            answer: None,
        };
        device.running = device.look();
        if !device.running.is_empty() {
            device.sequence = 2;
            device.before = Some(MODELS[0].to_vec());
        }
        device
    }

    /// The model that is to run; empty for the one that is built in.
    fn look(&self) -> Vec<u8> {
        let stored = self.updater.boot().model;
        stored.map_or_else(Vec::new, |model| {
            model.bytes(&self.flash.borrow().0).expect("it is within the flash").to_vec()
        })
    }

    fn run(mut self, mut steps: &[u8]) {
        while let [step, argument, rest @ ..] = steps {
            steps = rest;
            if step % 12 == 11 {
                let (message, rest) = rest.split_at(rest.len().min((*argument).into()));
                self.send_raw(message);
                steps = rest;
            } else {
                self.step(step % 12, *argument);
            }
        }
        // Whatever hangs about on the wire ends with a zero byte.
        self.flip = None;
        self.hear(&[0]);
        self.send(&Command::Status);
        let Some(Answer::Status(status)) = self.answer else {
            panic!("out of step: {:?}", self.answer);
        };
        assert_eq!(status.sequence, self.sequence);
        assert_eq!(status.length as usize, self.running.len());
        self.restart();
    }

    fn step(&mut self, step: u8, argument: u8) {
        let update = self.announced;
        let number = u32::from(argument);
        match step {
            0 => self.send(&Command::Status),
            1 => self.begin(argument),
            2 | 3 => {
                let model = self.model.clone();
                let (offset, count) = if step == 2 { (self.next, argument.into()) } else { (number, 8) };
                let rest = model.get(offset as usize..).unwrap_or_default();
                let bytes = &rest[..rest.len().min(count).min(MAX_CHUNK)];
                self.send(&Command::Chunk { update, offset, bytes });
            }
            4 => self.send(&Command::Verify { update }),
            5 => self.send(&Command::Commit { update }),
            6 => {
                let sequence = self.sequence.wrapping_sub(number);
                self.send(&Command::Rollback { sequence });
            }
            7 => self.restart(),
            8 => self.hear(&[argument]),
            9 => self.flip = Some(argument),
            _ => {
                let at = usize::from(argument) % self.model.len();
                self.model[at] ^= argument | 1;
            }
        }
    }

    fn begin(&mut self, argument: u8) {
        match argument & 3 {
            3 => {} // as it is, with what has been changed
            index => self.model = MODELS[usize::from(index)].to_vec(),
        }
        let wrong = |bit: u8| u32::from(argument >> bit & 1);
        self.announced = crc32(&[&self.model]).wrapping_add(wrong(2));
        self.next = 0;
        self.send(&Command::Begin(Begin {
            sequence: self.sequence.wrapping_sub(wrong(3)),
            length: self.model.len() as u32 + wrong(4) + 0x1_0000 * wrong(5),
            version: argument.into(),
            features: (FEATURES as u32 + wrong(6)) as u16,
            checksum: self.announced,
        }));
    }

    fn send(&mut self, command: &Command<'_>) {
        let sealed = Sealed::new(7, command).expect("it fits");
        let mut buffer = [0; MAX_FRAME];
        let frame = encode(&Request::Update(sealed), &mut buffer).expect("it fits");
        self.send_frame(Frame::from_slice(frame).expect("it fits"));
    }

    /// A message whose contents are anything, as [`Request::Update`] carries it.
    fn send_raw(&mut self, message: &[u8]) {
        let check = crc32(&[message]).to_le_bytes();
        let mut buffer = [0; MAX_FRAME];
        if let Some(frame) = encode(&(UPDATE, check, message), &mut buffer) {
            self.send_frame(Frame::from_slice(frame).expect("it fits"));
        }
    }

    fn send_frame(&mut self, mut frame: Frame) {
        self.answer = None;
        if let Some(flip) = self.flip.take() {
            let at = usize::from(flip) % frame.len();
            frame[at] ^= 1 << (flip & 7);
        }
        self.hear(&frame);
    }

    /// What the firmware does with what comes.
    fn hear(&mut self, bytes: &[u8]) {
        let flash = self.flash;
        for &byte in bytes {
            if let Some(mut frame) = self.assembler.push(byte)
                && let Some(Request::Update(sealed)) = decode(&mut frame)
                && let Some(answer) = self.updater.answer(&sealed, |stored| accept(flash, stored))
            {
                let (_, meant) = answer.open::<Answer>().expect("its own words");
                self.check(&sealed, meant);
                self.answer = Some(meant);
                match meant {
                    Answer::Next(offset) => self.next = offset,
                    Answer::Committed(sequence) => self.sequence = sequence,
                    _ => {}
                }
                let mut buffer = [0; MAX_FRAME];
                let frame = encode(&Response::Update(answer), &mut buffer);
                frame.expect("every answer fits a frame");
            }
        }
    }

    /// Does the right model run after a command?
    fn check(&mut self, command: &Sealed, answer: Answer) {
        let now = self.look();
        if !matches!(answer, Answer::Committed(_)) {
            assert!(now == self.running, "{answer:?}");
            return;
        }
        match command.open::<Command<'_>>() {
            Some((_, Command::Commit { update })) => {
                assert_eq!(crc32(&[&now]), update);
            }
            Some((_, Command::Rollback { .. })) => {
                assert!(self.before.as_ref() == Some(&now), "another model than before");
            }
            other => panic!("committed by {other:?}"),
        }
        self.before = Some(std::mem::replace(&mut self.running, now));
    }

    fn restart(&mut self) {
        self.updater = start(self.flash);
        self.assembler = Assembler::new();
        assert!(self.look() == self.running, "not the model that ran");
    }
}

/// How [`Request::Update`] begins.
const UPDATE: u8 = 4;

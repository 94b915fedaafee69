//! A device without a chip: bytes in, bytes out, and a flash that can be inspected.
#![allow(dead_code)] // each test uses its part

#[path = "../../../tests/flash/mod.rs"]
pub mod flash;

use flash::{Chip, Flash};
use pual_infer::store::{Store, Stored, Unfit, crc32};
use pual_infer::{Encoding, ModelBytes, ModelSpec, SIGNATURE_BYTES, SpecKernel, encode, encode_fixed};
use pual_protocol::update::{Begin, Updater};
use pual_protocol::{Assembler, MAX_FRAME, Reading, Request, Response, Scored, decode};

pub const FEATURES: usize = 2;
pub const READINGS: [[f32; FEATURES]; 3] = [[0.25, -1.0], [3.5, 0.5], [-2.0, 4.0]];
pub const SLOT: u32 = 2048;

pub type SimFlash = Flash<4, 8, 256>;

/// Models with different scores; some are shorter than a chunk, some longer.
pub fn model(index: usize) -> ModelBytes {
    let coefficient = |i: usize| 1.0 + 0.125 * index as f64 + i as f64 / 64.0;
    let coefficients: Vec<_> = (0..1 + 17 * (index % 5)).map(coefficient).collect();
    let spec = ModelSpec {
        kernel: SpecKernel::Rbf { bandwidth: 1.0 },
        offsets: &[0.5, 0.0],
        scales: &[1.0, 0.5],
        supports: &vec![0.25; FEATURES * coefficients.len()],
        coefficients: &coefficients,
        bias: -0.5,
        threshold: 0.0,
        envelope: None,
        names: None,
        recipe: None,
    };
    if index.is_multiple_of(2) { encode(&spec).unwrap() } else { encode_fixed(&spec, Encoding::I16).unwrap() }
}

pub fn scores(model: &[u8]) -> [u32; 3] {
    let bytes = ModelBytes::new(model);
    let model = bytes.decode().unwrap();
    READINGS.map(|reading| model.score(&reading).unwrap().to_bits())
}

pub fn frame(message: &impl serde::Serialize) -> Vec<u8> {
    pual_protocol::encode(message, &mut [0; MAX_FRAME]).unwrap().to_vec()
}

/// Announces a model.
pub fn begin(bytes: &[u8], sequence: u32) -> Begin {
    Begin { sequence, length: bytes.len() as u32, version: 0, features: FEATURES as u16, checksum: crc32(bytes) }
}

/// What the firmware does, with a key or without.
fn accept(flash: &SimFlash, stored: &Stored, key: Option<[u8; 32]>, minimum: u32) -> Result<(), Unfit> {
    let bytes = ModelBytes::new(&flash.mapped(stored.offset, stored.length).map_err(|_| Unfit::NotMapped)?);
    if let Some(key) = key {
        return stored.decode_signed(&bytes, FEATURES, &key, minimum).map(drop);
    }
    let model = bytes.decode().map_err(Unfit::Model)?;
    if model.features() == FEATURES { Ok(()) } else { Err(Unfit::Features) }
}

/// A device, as the firmware does it.
pub struct Device {
    pub flash: SimFlash,
    pub updater: Updater<SimFlash>,
    assembler: Assembler,
    key: Option<[u8; 32]>,
    /// Bytes of the model that runs.
    pub running: ModelBytes,
}

impl Device {
    /// With erased slots, and model 0 built in.
    pub fn new() -> Self {
        Self::on(SimFlash::new(Chip::new(2 * SLOT as usize, 8, 1)))
    }

    /// Boots with this flash.
    pub fn on(flash: SimFlash) -> Self {
        Self::with_key(flash, None)
    }

    /// With a key, it takes signed models only.
    pub fn with_key(flash: SimFlash, key: Option<[u8; 32]>) -> Self {
        let store = Store::new(flash.clone(), [0..SLOT, SLOT..2 * SLOT]).unwrap();
        let updater = Updater::new(store, FEATURES as u16, |stored| accept(&flash, stored, key, 0));
        let mut device = Self { flash, updater, assembler: Assembler::new(), key, running: model(0) };
        device.take_model();
        device
    }

    /// Power off and on again.
    pub fn restart(&mut self) {
        *self = Self::with_key(self.flash.clone(), self.key);
    }

    fn take_model(&mut self) {
        self.running = self.updater.boot().model.map_or(model(0), |stored| {
            let bytes = self.flash.mapped(stored.offset, stored.length).unwrap();
            let signature = self.key.map_or(0, |_| SIGNATURE_BYTES);
            ModelBytes::new(&bytes[..bytes.len() - signature])
        });
    }

    /// Takes bytes from the line and returns the frames that it answers with.
    pub fn hear(&mut self, bytes: &[u8]) -> Vec<Vec<u8>> {
        let mut answers = Vec::new();
        for &byte in bytes {
            if let Some(mut arrived) = self.assembler.push(byte) {
                answers.push(frame(&self.respond(decode::<Request>(&mut arrived))));
            }
        }
        answers
    }

    fn respond(&mut self, request: Option<Request>) -> Response {
        match request {
            Some(Request::Update(sealed)) => {
                let flash = self.flash.clone();
                let (before, key) = (self.updater.boot().model, self.key);
                let minimum = before.map_or(0, |stored| stored.version);
                let answer = self.updater.answer(&sealed, |stored| accept(&flash, stored, key, minimum));
                if self.updater.boot().model != before {
                    self.take_model();
                }
                answer.map_or(Response::BadFrame, Response::Update)
            }
            Some(Request::Score(reading)) => match self.running.decode().unwrap().score(&reading) {
                Ok(score) => Response::Score(Scored {
                    score_bits: score.to_bits(),
                    positive: false,
                    outside_envelope: false,
                    cost: 0,
                }),
                Err(_) => Response::ReadingRefused,
            },
            Some(_) => Response::ReadingRefused,
            None => Response::BadFrame,
        }
    }

    /// Scores the readings over the line.
    pub fn scores(&mut self) -> [u32; 3] {
        READINGS.map(|reading| self.score(&reading))
    }

    pub fn score(&mut self, reading: &[f32]) -> u32 {
        let answers = self.hear(&frame(&Request::Score(Reading::from_slice(reading).unwrap())));
        match decode(&mut answers.last().unwrap().clone()) {
            Some(Response::Score(scored)) => scored.score_bits,
            _ => panic!("no score: {answers:?}"),
        }
    }
}

/// Random numbers, the same everywhere.
#[derive(Clone)]
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    pub fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }
}

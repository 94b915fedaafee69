//! A digest of what a model says about random readings: chips and workstations with equal digests score to the same bits.
//!
//! The readings come from the model itself, so that only the model and the digest have to cross a wire. One in eight has an
//! extreme value in it.

use pual_infer::{Class, Encoding, Envelope, Model};

use crate::MAX_FEATURES;

/// Digest of every score, class and envelope, and how many there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Digest {
    /// Scores of f32 readings.
    pub scores: u32,
    /// Scores of counts: integer models only.
    pub counts: u32,
    /// FNV-1a, 64 bits.
    pub hash: u64,
}

impl Digest {
    /// Scores at most 4,000 readings, fewer with a large model, so that every model takes about the same time. With an
    /// integer model, scores as many counts too.
    pub fn of(model: &Model<'_>) -> Self {
        let mut digest = Self { hash: 0xCBF2_9CE4_8422_2325, ..Self::default() };
        let work = match model.encoding() {
            Encoding::F32 => 600_000,
            _ => 2_000_000,
        };
        let readings = (work / (20 + model.supports() * (model.features() + 4))).clamp(50, 4000);
        let mut draws = Draws(model.checksum() | 1);
        for number in 0..readings {
            digest.add_reading(model, &mut draws, number);
        }
        digest
    }

    fn add_reading(&mut self, model: &Model<'_>, draws: &mut Draws, number: usize) {
        let (mut values, mut counts) = ([0.0; MAX_FEATURES], [0; MAX_FEATURES]);
        let tables = model.description().offsets().iter().zip(model.description().scales());
        for (feature, ((value, count), (offset, scale))) in values.iter_mut().zip(&mut counts).zip(tables).enumerate() {
            // Near a support instance's value, or anywhere towards the middle.
            let index = draws.below(model.supports() as u32) as usize;
            let scaled = model.support(index, feature).unwrap_or_default();
            let stretch = draws.below(1 << 16) as f32 / 65_536.0 + 0.25;
            *value = scaled * stretch / scale + offset;
            *count = *value as i16;
        }
        let features = model.features().min(MAX_FEATURES);
        if number.is_multiple_of(8) {
            let feature = draws.below(features as u32) as usize;
            let extreme = draws.below(EXTREMES.len() as u32) as usize;
            if let (Some(value), Some(count)) = (values.get_mut(feature), counts.get_mut(feature)) {
                *value = EXTREMES.get(extreme).copied().unwrap_or_default();
                *count = *value as i16;
            }
        }
        let (values, counts) = (values.get(..features), counts.get(..features));
        let (values, counts) = (values.unwrap_or_default(), counts.unwrap_or_default());
        self.scores += 1;
        self.add(model.score(values).map_or(0, f32::to_bits));
        match model.judge(values) {
            Ok(verdict) => self.add_verdict(verdict.score.to_bits(), verdict.class, verdict.envelope),
            Err(_) => self.add(u32::MAX - 1),
        }
        if let Model::Fixed(model) = model {
            self.counts += 1;
            self.add(model.score_counts(counts).unwrap_or_default() as u32);
            match model.judge_counts(counts) {
                Ok(verdict) => self.add_verdict(verdict.score as u32, verdict.class, verdict.envelope),
                Err(_) => self.add(u32::MAX - 1),
            }
        }
    }

    fn add_verdict(&mut self, score: u32, class: Class, envelope: Envelope) {
        self.add(score);
        self.add(class as u32);
        self.add(match envelope {
            Envelope::Inside => 0,
            Envelope::Outside { feature } => 1 + feature as u32,
            Envelope::Unknown => u32::MAX,
        });
    }

    fn add(&mut self, word: u32) {
        for byte in word.to_le_bytes() {
            self.hash = (self.hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
        }
    }
}

/// Values that arithmetic is most likely to get wrong.
const EXTREMES: [f32; 10] =
    [0.0, -0.0, f32::MAX, f32::MIN, f32::MIN_POSITIVE, 1e-45, -1.1e-38, 1e30, 32_767.0, -32_768.0];

/// FNV-1a, 64 bits.
pub(crate) struct Fnv(pub(crate) u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }
}

impl Fnv {
    pub(crate) fn add(&mut self, word: u32) {
        for byte in word.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
        }
    }
}

pub(crate) struct Draws(u32);

impl Draws {
    /// Of this seed, which is not 0.
    pub(crate) fn new(seed: u32) -> Self {
        Self(seed)
    }

    /// Below `end`, by xorshift; 0 for no end.
    pub(crate) fn below(&mut self, end: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        (self.0 >> 8).checked_rem(end).unwrap_or_default()
    }
}

//! Boards that lose power in the middle of an update: a machine in QEMU is killed (SIGKILL) at a random moment and boots
//! again with the flash that it left behind. Readings are scored before every command; their bits are the old model's or the
//! new one's, never anything else.

mod line;

use crate::bits::LIMIT;
use crate::models::{Shape, seeded_model};
use line::Line;
use pual_device::DeviceError;
use pual_device::emulator::{Flash, Link, Updatable};
use pual_device::firmware::{Board, sources};
use pual_infer::Model;
use pual_protocol::update::{Client, ClientError};
use pual_trainer::signing::KeyPair;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::time::{Duration, Instant};

const FEATURES: usize = 3;
/// Readings from near each model that are scored before every command.
const READINGS: usize = 20;

/// The models that are pushed, from less than a chunk to many.
const SHAPES: [(Shape, usize); 6] = [
    (Shape::Rbf, 20),
    (Shape::RbfI8, 5),
    (Shape::RbfI16, 64),
    (Shape::Rbf, 150),
    (Shape::RbfI8, 90),
    (Shape::Linear, 1),
];

/// The secret key of the models that are signed: the same each time, so that the firmware is built once.
pub const SECRET: [u8; 32] = [7; 32];

/// What happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Updates that went through.
    pub updates: u64,
    /// Rollbacks that went through.
    pub rollbacks: u64,
    /// Rollbacks that were refused: nothing to go back to, no mark left, or an older version where only newer ones may run.
    pub refused: u64,
    /// Power cuts in an update or a rollback.
    pub cuts: u64,
    /// After how many of them the old model ran, and after how many the new one.
    pub old: u64,
    /// See `old`.
    pub new: u64,
    /// Cuts before the commit was sent, or in a rollback that is refused: all of them must be among `old`.
    pub before_commit: u64,
    /// Scores that were compared.
    pub scores: u64,
    /// Of those, scores with a bit that belongs to neither model.
    pub wrong: u64,
}

/// A model, and the bits of its scores.
struct Known {
    bytes: Vec<u8>,
    bits: Vec<u32>,
}

/// A board, its flash, and what runs there.
pub struct PoweredBoard {
    updatable: Updatable,
    flash: Flash,
    /// Firmware that takes signed models only has a key, and versions that rise; else a model's version is its number.
    keys: Option<KeyPair>,
    version: u32,
    models: Vec<Known>,
    readings: Vec<Vec<f32>>,
    rng: ChaCha8Rng,
    running: usize,
    /// What ran before that.
    before: usize,
    /// Of an update without a cut, by model: how long each command took.
    times: Vec<Vec<Duration>>,
    /// Of a rollback without a cut.
    rollback_time: Option<Duration>,
    /// What happened so far.
    pub tally: Tally,
}

impl PoweredBoard {
    /// A new board, with the first model built in. With keys, its firmware takes signed models only. The name is one that
    /// nothing else uses.
    pub fn new(board: Board, seed: u64, keys: Option<KeyPair>, name: &str) -> Result<Self, DeviceError> {
        let encoded =
            (seed..).zip(SHAPES).map(|(seed, (shape, supports))| seeded_model(seed, shape, supports, FEATURES));
        let encoded: Vec<_> = encoded.collect();
        let decoded = || encoded.iter().map(|bytes| bytes.decode().expect("a valid model"));
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut readings = Vec::new();
        for model in decoded() {
            readings.extend((0..READINGS).map(|_| reading(&model, &mut rng)));
        }
        let score = |model: &Model<'_>, reading| model.score(reading).expect("finite").to_bits();
        let bits = |model| readings.iter().map(|reading| score(&model, reading)).collect();
        let models = encoded.iter().zip(decoded());
        let models: Vec<_> = models.map(|(bytes, model)| Known { bytes: bytes.to_vec(), bits: bits(model) }).collect();
        for (index, model) in models.iter().enumerate() {
            let same = |other: &Known| other.bits == model.bits;
            assert!(!models[..index].iter().any(same), "models that look alike");
        }
        let flash = sources()?.join("target").join(format!("{name}-{}.flash", std::process::id()));
        let public = keys.as_ref().map(KeyPair::public);
        let flash = Flash::create(&flash, &models[0].bytes, public.as_ref())?;
        Ok(Self {
            updatable: Updatable::new(board, &flash, name)?,
            flash,
            keys,
            version: 0,
            times: vec![Vec::new(); models.len()],
            models,
            readings,
            rng,
            running: 0,
            before: 0,
            rollback_time: None,
            tally: Tally::default(),
        })
    }

    fn below(&mut self, end: usize) -> usize {
        (self.rng.next_u64() % end as u64) as usize
    }

    /// Updates to a random model, with a power cut at a random moment or without.
    pub fn update(&mut self, cut: bool) -> Result<(), ClientError<DeviceError>> {
        let next = (self.running + 1 + self.below(self.models.len() - 1)) % self.models.len();
        if self.times[next].is_empty() && cut {
            // How long it takes must be known first.
            return self.update_to(next, None);
        }
        let cut = cut.then(|| self.moment(next));
        self.update_to(next, cut)
    }

    fn boot(&self) -> Result<Link, ClientError<DeviceError>> {
        self.updatable.boot(&self.flash, LIMIT).map_err(ClientError::Transport)
    }

    /// Boots the board, for a conversation after which this model may run.
    fn line(&self, new: usize, cut: Option<(usize, Duration)>) -> Result<Line<'_>, ClientError<DeviceError>> {
        Ok(Line {
            link: self.boot()?,
            readings: &self.readings,
            old: &self.models[self.running].bits,
            new: &self.models[new].bits,
            switched: false,
            cut,
            sent: Instant::now(),
            times: Vec::new(),
            scores: 0,
            wrong: 0,
        })
    }

    /// A random moment: of the time that the update takes, or in one command like in any other.
    fn moment(&mut self, model: usize) -> (usize, Duration) {
        let times = self.times[model].clone();
        let draw = f64::from(self.rng.next_u32()) / f64::from(u32::MAX);
        if self.below(2) == 0 {
            let command = self.below(times.len());
            return (command, times[command].mul_f64(draw));
        }
        let mut left = times.iter().sum::<Duration>().mul_f64(draw);
        for (command, &time) in times.iter().enumerate() {
            if left <= time {
                return (command, left);
            }
            left -= time;
        }
        (times.len() - 1, times[times.len() - 1])
    }

    fn update_to(&mut self, new: usize, cut: Option<(usize, Duration)>) -> Result<(), ClientError<DeviceError>> {
        let model = &self.models[new].bytes;
        let (model, version) = match &self.keys {
            None => (model.clone(), new as u32),
            Some(keys) => {
                self.version += 1;
                let signed = keys.sign(model, self.version);
                (signed.expect("a valid model"), self.version)
            }
        };
        let mut client = Client::new(self.line(new, cut)?);
        let pushed = client.push(&model, version, FEATURES as u16, |_| ());
        let mut line = client.into_transport();
        if cut.is_none() {
            line.score().map_err(ClientError::Transport)?;
            line.wrong += u64::from(!line.switched);
        } else {
            line.link.kill();
        }
        let times = line.times;
        self.finish(line.scores, line.wrong);
        if let Some((command, _)) = cut {
            self.tally.cuts += 1;
            // The last two commands are the commit, and the question what runs then.
            return self.after_cut(new, command + 2 < self.times[new].len());
        }
        pushed?;
        self.tally.updates += 1;
        self.times[new] = times;
        self.switch_to(new);
        Ok(())
    }

    /// Which of the two models runs?
    fn after_cut(&mut self, new: usize, before_commit: bool) -> Result<(), ClientError<DeviceError>> {
        let answers = self.boot()?.score(&self.readings).map_err(ClientError::Transport)?;
        let found: Vec<_> = answers.iter().flatten().map(|scored| scored.score_bits).collect();
        self.tally.scores += self.readings.len() as u64;
        self.tally.before_commit += u64::from(before_commit);
        if found == self.models[self.running].bits {
            self.tally.old += 1;
        } else if found == self.models[new].bits && !before_commit {
            self.tally.new += 1;
            self.switch_to(new);
        } else {
            self.tally.wrong += self.readings.len() as u64;
        }
        Ok(())
    }

    /// Goes back to the model that ran before, with a power cut at a random moment or without; if its slot was not erased
    /// meanwhile and has room for a mark. Firmware that takes signed models only refuses, since that one is older.
    pub fn rollback(&mut self, cut: bool) -> Result<(), ClientError<DeviceError>> {
        let draw = f64::from(self.rng.next_u32()) / f64::from(u32::MAX);
        // The first command asks for the sequence number.
        let cut = self.rollback_time.filter(|_| cut).map(|time| (1, time.mul_f64(draw)));
        let mut client = Client::new(self.line(self.before, cut)?);
        let rolled = client.rollback();
        let mut line = client.into_transport();
        let time = line.times.get(1).copied();
        if cut.is_some() {
            line.link.kill();
            self.finish(line.scores, line.wrong);
            self.tally.cuts += 1;
            return self.after_cut(self.before, self.keys.is_some());
        }
        let right = match &rolled {
            Ok(status) => self.keys.is_none() && status.version as usize == self.before,
            Err(ClientError::Refused(_)) => true,
            Err(_) => return rolled.map(drop),
        };
        line.score().map_err(ClientError::Transport)?;
        line.wrong += u64::from(!right || line.switched != rolled.is_ok());
        self.finish(line.scores, line.wrong);
        self.rollback_time = time;
        if rolled.is_ok() {
            self.tally.rollbacks += 1;
            self.switch_to(self.before);
        } else {
            self.tally.refused += 1;
        }
        Ok(())
    }

    fn switch_to(&mut self, model: usize) {
        self.before = std::mem::replace(&mut self.running, model);
    }

    fn finish(&mut self, scores: u64, wrong: u64) {
        self.tally.scores += scores;
        self.tally.wrong += wrong;
    }

    /// Any of these, by chance.
    pub fn anything(&mut self) -> Result<(), ClientError<DeviceError>> {
        match self.below(8) {
            0 => self.rollback(false),
            1 => self.rollback(true),
            2 | 3 => self.update(false),
            _ => self.update(true),
        }
    }
}

impl Drop for PoweredBoard {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(self.flash.path());
    }
}

/// A reading within reach of a model's support instances.
fn reading(model: &Model<'_>, rng: &mut ChaCha8Rng) -> Vec<f32> {
    let tables = model.description().offsets().iter().zip(model.description().scales());
    let value = |(offset, scale): (&f32, &f32)| {
        let draw = rng.next_u32() as f32 / u32::MAX as f32;
        offset + (2.0 * draw - 1.0) / scale
    };
    tables.map(value).collect()
}

//! A digest of what a stream model says about hostile samples: chips and workstations with equal digests compute the same bits.
//!
//! The samples come from a generator that the model and a seed start, so that nothing but the model and the digest has to cross a
//! wire. Each channel goes through phases: extremes, constants, alternating extremes, noise, walks, ramps. Between phases
//! samples are lost; one phase in four is pushed as f32 in the channels' units, with values that do not fit 16 bits, subnormals,
//! infinities and NaN (which must be refused, and change nothing).

use crate::digest::{Draws, Fnv};
use pual_infer::{Envelope, Model, Recipe, SampleError, Stream, StreamError, StreamVerdict};

/// Raw channels at most.
const CHANNELS: usize = 32;
/// Samples of a phase at most: several windows of most recipes.
const LONGEST_PHASE: u32 = 600;

/// Digest of the features, scores, classes, envelopes, alarms and drift flags of many windows, and of every refusal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamDigest {
    /// Samples pushed.
    pub samples: u32,
    /// Samples that were refused.
    pub refused: u32,
    /// Windows with a verdict.
    pub windows: u32,
    /// FNV-1a, 64 bits.
    pub hash: u64,
}

impl StreamDigest {
    /// Pushes samples until there have been this many windows with a verdict.
    ///
    /// # Errors
    /// If the model has no recipe, or needs more than the stream has.
    pub fn of<'m, const C: usize, const B: usize, const W: usize>(
        model: &'m Model<'m>,
        windows: u32,
    ) -> Result<Self, StreamError> {
        let mut stream = Stream::<C, B, W>::new(model)?;
        let recipe = *stream.recipe();
        let mut run = Run { digest: Self::default(), hash: Fnv::default() };
        let mut draws = Draws::new(model.checksum() | 1);
        let mut phases = [Phase::default(); CHANNELS];
        // A recipe with a long baseline and many gaps might never come to a verdict.
        let most = u64::from(windows) * (4 * recipe.window() as u64 + 64) + 100_000;
        while run.digest.windows < windows && u64::from(run.digest.samples) < most {
            let gap = draws.below(4) == 0;
            if gap {
                stream.gap();
            }
            let units = draws.below(4) == 0;
            for phase in &mut phases {
                *phase = Phase::new(&mut draws);
            }
            // Long enough for a window, with gaps between every four phases on average.
            let length = 1 + draws.below(LONGEST_PHASE + recipe.window() as u32);
            for place in 0..length {
                if run.digest.windows >= windows {
                    break;
                }
                let mut counts = [0_i16; CHANNELS];
                for (count, phase) in counts.iter_mut().zip(&mut phases) {
                    *count = phase.next(place, &mut draws);
                }
                let counts = counts.get(..recipe.raw_channels()).unwrap_or_default();
                let pushed = if units {
                    let values = in_units(&recipe, counts, &mut draws);
                    stream.push(values.get(..counts.len()).unwrap_or_default())
                } else {
                    stream.push(counts)
                };
                run.add(pushed, stream.features());
            }
        }
        run.digest.hash = run.hash.0;
        Ok(run.digest)
    }
}

struct Run {
    digest: StreamDigest,
    hash: Fnv,
}

impl Run {
    fn add(&mut self, pushed: Result<Option<StreamVerdict>, SampleError>, features: &[f32]) {
        self.digest.samples = self.digest.samples.wrapping_add(1);
        match pushed {
            Ok(None) => {}
            Ok(Some(verdict)) => {
                self.digest.windows = self.digest.windows.wrapping_add(1);
                for feature in features {
                    self.hash.add(feature.to_bits());
                }
                self.hash.add(verdict.score.to_bits());
                let outside = match verdict.envelope {
                    Envelope::Inside => 0,
                    Envelope::Outside { feature } => 1 + feature as u32,
                    Envelope::Unknown => 1 << 16,
                };
                let flags = u32::from(verdict.alarm) << 30 | u32::from(verdict.drift) << 31;
                self.hash.add(outside << 1 | verdict.class as u32 | flags);
            }
            Err(error) => {
                self.digest.refused = self.digest.refused.wrapping_add(1);
                self.hash.add(match error {
                    SampleError::NotFinite { channel } => 0x4000_0000 | channel as u32,
                    _ => 0x5000_0000,
                });
            }
        }
    }
}

/// What a channel does for a while.
#[derive(Clone, Copy, Default)]
struct Phase {
    kind: u32,
    level: i16,
    width: u32,
}

impl Phase {
    fn new(draws: &mut Draws) -> Self {
        Self { kind: draws.below(9), level: draws.below(1 << 16) as i16, width: 1 << draws.below(15) }
    }

    fn next(&mut self, place: u32, draws: &mut Draws) -> i16 {
        let noise = draws.below(self.width) as i16;
        match self.kind {
            0 => i16::MAX,
            1 => i16::MIN,
            2 => self.level,
            3 => 0,
            // Alternating extremes.
            4 if (place / self.width.min(64)).is_multiple_of(2) => i16::MAX,
            4 => i16::MIN,
            // A walk, which wraps around now and then.
            5 => {
                self.level = self.level.wrapping_add(noise).wrapping_sub((self.width / 2) as i16);
                self.level
            }
            // A ramp.
            6 => self.level.wrapping_add(place.wrapping_mul(self.width) as i16),
            // Anything.
            7 => draws.below(1 << 16) as i16,
            _ => self.level.saturating_add(noise),
        }
    }
}

/// The counts as values in the channels' units, a little off, and now and then something else.
fn in_units(recipe: &Recipe<'_>, counts: &[i16], draws: &mut Draws) -> [f32; CHANNELS] {
    let mut values = [0.0; CHANNELS];
    for (channel, (value, count)) in values.iter_mut().zip(counts).enumerate() {
        let (offset, step) = (recipe.offset(channel).unwrap_or_default(), recipe.step(channel).unwrap_or(1.0));
        let off = draws.below(1 << 10) as f32 / 1024.0 - 0.5;
        *value = (f32::from(*count) + off) * step + offset;
        if draws.below(256) == 0 {
            *value = SPECIAL.get(draws.below(SPECIAL.len() as u32) as usize).copied().unwrap_or_default();
        }
    }
    values
}

/// Values that arithmetic is most likely to get wrong.
const SPECIAL: [f32; 12] = [
    0.0,
    -0.0,
    f32::MAX,
    f32::MIN,
    f32::MIN_POSITIVE,
    1e-45,
    -1.1e-38,
    1e30,
    0.5,
    f32::NAN,
    f32::INFINITY,
    f32::NEG_INFINITY,
];

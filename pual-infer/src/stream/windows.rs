//! Sliding windows of samples, kept as blocks of exact sums.
//!
//! A window is B blocks of H samples (H is the hop). The ring has B slots per channel; the current block accumulates in the
//! place of the oldest. Memory, in words of four bytes, with C channels and w words per block (see `block.rs`):
//!
//! ```text
//! ring      B slots of C blocks of w words
//! traces    C words, if there are crossings or differences
//! samples   C times half a block, if there are bands, and a word per bin of the bands
//! features  d words, of the last window
//! baseline  d words, if there is a baseline: sums of the first R windows' features, then their means
//! ```

use super::block::{COMMON, Sums, Trace, add_common, add_extremes, add_more};
use super::features::feature;
use super::sample::{Sample, magnitude};
use crate::error::{SampleError, StreamError};
use crate::format::recipe::{Feature, FeatureKind};
#[cfg(feature = "bands")]
use crate::read::recipe::BandCount;
use crate::read::recipe::{Needs, Recipe};
use crate::rolled::keep_rolled;

/// From samples to features, without a model. `M` is the memory: an array on a device, `Vec<u32>` on a host. A
/// [`Stream`](crate::Stream) adds the model, its alarm and its drift flag.
#[derive(Clone, Debug)]
pub struct Windows<M> {
    memory: M,
    /// Where the current slot begins, and the features.
    current: u32,
    features: u32,
    /// Words of a slot.
    slot_words: u16,
    hop: u16,
    /// Samples that the current block lacks.
    left: u16,
    /// Complete windows, up to those of the baseline.
    baseline: u16,
    windows: u32,
    words: u8,
    /// The last of these words: one per band.
    #[cfg_attr(not(feature = "bands"), allow(dead_code))]
    bands: u8,
    raw_channels: u8,
    blocks: u8,
    groups: u8,
    /// The slot of the current block.
    slot: u8,
    /// Complete blocks since the start or the last gap, at most one window's.
    complete: u8,
    /// The raw channels if there are no magnitudes and only common sums, otherwise more than there can be.
    simple_channels: u8,
}

impl<M: AsRef<[u32]> + AsMut<[u32]>> Windows<M> {
    /// Empty windows, for this recipe alone. The memory has at least [`Recipe::memory`] words.
    ///
    /// # Errors
    /// [`StreamError::Memory`] if it has fewer.
    pub fn new(memory: M, recipe: &Recipe<'_>) -> Result<Self, StreamError> {
        let (mut memory, needs) = (memory, Needs::new(recipe));
        let needed = needs.memory;
        let words = memory.as_mut().get_mut(..needed).ok_or(StreamError::Memory { needed })?;
        for word in words {
            *word = 0;
        }
        Ok(Self::of_zeros(memory, recipe, &needs))
    }

    /// With memory that is large enough and all zeros.
    #[inline(always)]
    pub(super) fn of_zeros(memory: M, recipe: &Recipe<'_>, needs: &Needs) -> Self {
        Self {
            memory,
            current: 0,
            features: needs.features as u32,
            slot_words: (needs.words * recipe.channels()) as u16,
            hop: recipe.hop() as u16,
            left: recipe.hop() as u16,
            baseline: 0,
            windows: 0,
            words: needs.words as u8,
            bands: needs.bands as u8,
            raw_channels: recipe.raw_channels() as u8,
            blocks: recipe.blocks() as u8,
            groups: needs.groups,
            slot: 0,
            complete: 0,
            simple_channels: if needs.words == COMMON && recipe.channels() == recipe.raw_channels() {
                recipe.raw_channels() as u8
            } else {
                u8::MAX
            },
        }
    }

    /// Takes a sample: a value per raw channel. `Ok(true)` if it completed a window (and the baseline is there): its features are
    /// in `features` then, which otherwise is unchanged. The recipe is the one given to [`new`](Self::new).
    ///
    /// # Errors
    /// A sample of another length, or with a NaN or an infinity, or `features` that are not as many as the recipe's. Nothing
    /// has changed then.
    pub fn push<S: Sample>(
        &mut self,
        recipe: &Recipe<'_>,
        sample: &[S],
        features: &mut [f32],
    ) -> Result<bool, SampleError> {
        let needed = recipe.features();
        if features.len() != needed {
            return Err(SampleError::Features { needed });
        }
        let complete = self.advance(recipe, sample)?;
        if complete {
            for (to, from) in features.iter_mut().zip(self.features(recipe)) {
                *to = *from;
            }
        }
        Ok(complete)
    }

    /// The features of the last window; zeros before the first.
    #[must_use]
    pub fn features(&self, recipe: &Recipe<'_>) -> &[f32] {
        let words = self.memory.as_ref().get(self.features as usize..);
        bytemuck::cast_slice(words.and_then(|words| words.get(..recipe.features())).unwrap_or_default())
    }

    /// Samples were lost: new windows begin with the next one. What the baseline has learnt stays.
    pub fn gap(&mut self) {
        self.left = self.hop;
        self.complete = 0;
        (self.slot, self.current) = (0, 0);
        let ring_words = self.ring_words();
        for word in self.memory.as_mut().iter_mut().take(ring_words) {
            *word = 0;
            keep_rolled();
        }
    }

    /// Complete windows since the start, those of the baseline included.
    #[must_use]
    pub fn windows(&self) -> u32 {
        self.windows
    }

    /// Takes a sample of `C` integers if that is all there is to do: no other sums, and not the last of its block.
    #[inline(always)]
    pub(super) fn took_simply<const C: usize>(&mut self, sample: &[i16; C]) -> bool {
        if usize::from(self.simple_channels) != C || self.left < 2 {
            return false;
        }
        let at = self.current as usize / COMMON;
        let Some(blocks) = self.memory.as_mut().as_chunks_mut::<COMMON>().0.get_mut(at..at + C) else {
            return false;
        };
        for (block, q) in blocks.iter_mut().zip(sample) {
            add_common(block, *q);
        }
        if self.groups & Needs::EXTREMES != 0 {
            let first = self.left == self.hop;
            for (block, q) in blocks.iter_mut().zip(sample) {
                add_extremes(block, *q, first);
            }
        }
        self.left -= 1;
        true
    }

    /// As [`push`](Self::push), without copying the features.
    #[inline(never)]
    pub(super) fn advance<S: Sample>(&mut self, recipe: &Recipe<'_>, sample: &[S]) -> Result<bool, SampleError> {
        let expected = usize::from(self.raw_channels);
        if sample.len() != expected {
            return Err(SampleError::WrongLength { expected, found: sample.len() });
        }
        for (channel, x) in sample.iter().enumerate() {
            if !x.is_usable() {
                return Err(SampleError::NotFinite { channel });
            }
            keep_rolled();
        }
        self.add(recipe, sample);
        self.left = self.left.wrapping_sub(1);
        Ok(self.left == 0 && self.finish_block(recipe))
    }

    #[inline(always)]
    fn add<S: Sample>(&mut self, recipe: &Recipe<'_>, sample: &[S]) {
        let place = u32::from(self.hop) - u32::from(self.left);
        let (first, fresh, groups) = (place == 0, place == 0 && self.complete == 0, self.groups);
        let (current, words, ring_words) = (self.current as usize, usize::from(self.words), self.ring_words());
        let (traces, hop) = (self.traces(recipe), usize::from(self.hop));
        let Some((ring, rest)) = self.memory.as_mut().split_at_mut_checked(ring_words) else {
            return;
        };
        let mut blocks = ring.get_mut(current..).unwrap_or_default();
        let (traces, samples) = rest.split_at_mut_checked(traces).unwrap_or_default();
        let mut traces = traces.iter_mut();
        for channel in 0..recipe.channels() {
            let Some((block, others)) = blocks.split_at_mut_checked(words) else {
                return;
            };
            blocks = others;
            let raw = |channel: usize| sample.get(channel).map_or(0, |x| in_steps(recipe, channel, *x));
            let q = if channel < sample.len() {
                raw(channel)
            } else {
                magnitude(recipe.magnitude_of(channel).unwrap_or_default(), raw)
            };
            let Some((common, more)) = block.split_first_chunk_mut::<COMMON>() else {
                return;
            };
            add_common(common, q);
            add_extremes(common, q, first);
            keep_rolled();
            if groups & !Needs::EXTREMES == 0 {
                continue;
            }
            let mut none = 0;
            let place_of_trace = traces.next().unwrap_or(&mut none);
            let trace = if fresh { Trace::new(q, q) } else { Trace(*place_of_trace) };
            add_more(more, q, place, groups, trace, recipe, channel);
            *place_of_trace = trace.followed_by(q).0;
            if cfg!(feature = "bands") && groups & Needs::BANDS != 0 {
                let samples: &mut [i16] = bytemuck::cast_slice_mut(samples);
                if let Some(place) = samples.get_mut(channel * hop.next_multiple_of(2) + place as usize) {
                    *place = q;
                }
            }
        }
    }

    /// Ends the current block, and returns whether there are new features.
    #[inline(never)]
    fn finish_block(&mut self, recipe: &Recipe<'_>) -> bool {
        self.left = self.hop;
        if self.complete < self.blocks {
            self.complete += 1;
        }
        #[cfg(feature = "bands")]
        self.finish_bands(recipe);
        let full = self.complete == self.blocks;
        let complete = full && self.summarise(recipe);
        if self.groups & Needs::CROSSINGS != 0 {
            self.set_references(recipe);
        }
        self.slot += 1;
        self.current = self.current.wrapping_add(self.slot_words.into());
        if self.slot >= self.blocks {
            (self.slot, self.current) = (0, 0);
        }
        self.clear_slot();
        complete
    }

    /// Puts the energies of the block's bands into its last words.
    #[cfg(feature = "bands")]
    #[inline(always)]
    fn finish_bands(&mut self, recipe: &Recipe<'_>) {
        if self.groups & Needs::BANDS == 0 {
            return;
        }
        let (current, words) = (self.current as usize, usize::from(self.words));
        let (ring_words, traces, hop) = (self.ring_words(), self.traces(recipe), usize::from(self.hop));
        let (ring, rest) = self.memory.as_mut().split_at_mut_checked(ring_words).unwrap_or_default();
        let (samples, bins) = { rest.get_mut(traces..).unwrap_or_default() }
            .split_at_mut_checked(recipe.channels() * hop.div_ceil(2))
            .unwrap_or_default();
        super::bands::prepare(recipe, bins);
        let blocks = ring.get_mut(current..).unwrap_or_default();
        super::bands::finish_block(recipe, blocks, [words, self.bands.into()], samples, bins);
    }

    /// Computes the features, and returns whether the baseline is complete.
    #[inline(always)]
    fn summarise(&mut self, recipe: &Recipe<'_>) -> bool {
        self.windows = self.windows.saturating_add(1);
        let window = u32::from(self.hop) * u32::from(self.blocks);
        let to_learn = recipe.baseline() as u16;
        let learning = self.baseline < to_learn;
        if learning {
            self.baseline += 1;
        }
        let (at, count) = (self.features as usize, recipe.features());
        let mut sums = Sums::NONE;
        let mut of = u8::MAX;
        #[cfg(feature = "bands")]
        let (mut mean_square, mut bands) = (0.0, BandCount::default());
        for (index, word) in recipe.feature_words().iter().enumerate() {
            keep_rolled();
            let Feature { kind, channel, relative } = Feature::read(*word);
            if channel != of && !matches!(kind, FeatureKind::Band { .. }) {
                of = channel;
                self.sums(channel.into(), &mut sums);
            }
            let about = recipe.channel(channel.into());
            let mut value = about.map_or(0.0, |about| match kind {
                #[cfg(feature = "bands")]
                FeatureKind::Band { .. } => {
                    if mean_square == 0.0 {
                        mean_square = super::bands::mean_square(self.hop, self.blocks);
                    }
                    libm::sqrtf(self.band(channel, bands.before(recipe, index, channel)) * mean_square) * about.step()
                }
                _ => feature(kind, &sums, &about, window),
            });
            let words = self.memory.as_mut().get_mut(at..).unwrap_or_default();
            if relative && let Some(baseline) = words.get_mut(count + index) {
                let known = f32::from_bits(*baseline);
                if learning {
                    let sum = known + value;
                    *baseline = if self.baseline == to_learn { sum / f32::from(to_learn) } else { sum }.to_bits();
                } else {
                    value -= known;
                }
            }
            if let Some(place) = words.get_mut(index) {
                *place = value.to_bits();
            }
        }
        !learning
    }

    /// The energy of a band of a window: of all blocks, the oldest first.
    #[cfg(feature = "bands")]
    #[inline(never)]
    fn band(&self, channel: u8, band: usize) -> f32 {
        let words = usize::from(self.words);
        let word = words * (usize::from(channel) + 1) - usize::from(self.bands) + band;
        let (mut energy, mut slot) = (0.0, self.slot);
        for _ in 0..self.blocks {
            slot = if slot + 1 >= self.blocks { 0 } else { slot + 1 };
            let at = word + usize::from(slot) * usize::from(self.slot_words);
            energy += f32::from_bits(self.memory.as_ref().get(at).copied().unwrap_or_default());
            keep_rolled();
        }
        energy
    }

    /// The sums of a channel's complete blocks: of all slots, since others are zero. The current slot is the newest.
    #[inline(never)]
    fn sums(&self, channel: usize, sums: &mut Sums) {
        sums.clear();
        let (slot_words, hop) = (usize::from(self.slot_words), u32::from(self.hop));
        let window = hop * u32::from(self.blocks);
        let mut start = window - hop * (u32::from(self.slot) + 1);
        let mut rest = self.memory.as_ref().get(channel * usize::from(self.words)..).unwrap_or_default();
        for _ in 0..self.blocks {
            keep_rolled();
            sums.add(rest, start, self.groups);
            rest = rest.get(slot_words..).unwrap_or_default();
            start += hop;
            if start == window {
                start = 0;
            }
        }
    }

    /// Crossings are counted of the mean of the blocks that are complete, rounded down.
    #[inline(never)]
    fn set_references(&mut self, recipe: &Recipe<'_>) {
        let samples = i32::from(self.hop).wrapping_mul(self.complete.into()).max(1);
        let at = self.ring_words();
        for channel in 0..recipe.channels() {
            let mut sums = Sums::NONE;
            self.sums(channel, &mut sums);
            let reference = sums.sum.div_euclid(samples) as i16;
            if let Some(trace) = self.memory.as_mut().get_mut(at + channel) {
                *trace = Trace::new(reference, Trace(*trace).last()).0;
            }
        }
    }

    fn clear_slot(&mut self) {
        let after = self.memory.as_mut().get_mut(self.current as usize..).unwrap_or_default();
        for word in after.iter_mut().take(self.slot_words.into()) {
            *word = 0;
            keep_rolled();
        }
    }

    fn ring_words(&self) -> usize {
        usize::from(self.slot_words) * usize::from(self.blocks)
    }

    fn traces(&self, recipe: &Recipe<'_>) -> usize {
        if self.groups & Needs::TRACED == 0 { 0 } else { recipe.channels() }
    }
}

/// A raw channel's value as an integer.
#[inline(always)]
fn in_steps<S: Sample>(recipe: &Recipe<'_>, channel: usize, x: S) -> i16 {
    x.steps(|| {
        let channel = recipe.channel(channel).unwrap_or_default();
        (channel.offset, channel.steps_per_unit())
    })
}

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

use super::block::{COMMON, Sums, Trace, add_common, add_more, clear};
use super::features::feature;
use super::sample::{Sample, magnitude};
use crate::error::{SampleError, StreamError};
use crate::format::recipe::Feature;
#[cfg(feature = "bands")]
use crate::format::recipe::FeatureKind;
use crate::read::recipe::{Needs, Recipe};

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
    /// Samples in the current block.
    place: u16,
    /// Complete windows, up to those of the baseline.
    baseline: u16,
    windows: u32,
    words: u8,
    raw_channels: u8,
    blocks: u8,
    groups: u8,
    /// The slot of the current block.
    slot: u8,
    /// Complete blocks since the start or the last gap, at most one window's.
    complete: u8,
    /// No magnitudes, and only common sums.
    simple: bool,
}

impl<M: AsRef<[u32]> + AsMut<[u32]>> Windows<M> {
    /// Empty windows, for this recipe alone. The memory has at least [`Recipe::memory`] words.
    ///
    /// # Errors
    /// [`StreamError::Memory`] if it has fewer.
    pub fn new(memory: M, recipe: &Recipe<'_>) -> Result<Self, StreamError> {
        let needs = Needs::new(recipe);
        let slot_words = needs.words * recipe.channels();
        let mut windows = Self {
            memory,
            current: 0,
            features: needs.features as u32,
            slot_words: slot_words as u16,
            hop: recipe.hop() as u16,
            place: 0,
            baseline: 0,
            windows: 0,
            words: needs.words as u8,
            raw_channels: recipe.raw_channels() as u8,
            blocks: recipe.blocks() as u8,
            groups: needs.groups,
            slot: 0,
            complete: 0,
            simple: needs.words == COMMON && recipe.channels() == recipe.raw_channels(),
        };
        let needed = needs.memory;
        let memory = windows.memory.as_mut().get_mut(..needed).ok_or(StreamError::Memory { needed })?;
        for word in memory.iter_mut() {
            *word = 0;
        }
        #[cfg(feature = "bands")]
        if needs.groups & Needs::BANDS != 0 {
            let bins = memory.get_mut(needs.bins..needs.features);
            super::bands::prepare(recipe, bins.unwrap_or_default());
        }
        windows.clear_slot();
        Ok(windows)
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

    /// Samples were lost: windows begin anew with the next one. What the baseline has learnt stays.
    pub fn gap(&mut self) {
        self.place = 0;
        self.complete = 0;
        self.clear_slot();
    }

    /// Complete windows since the start, those of the baseline included.
    #[must_use]
    pub fn windows(&self) -> u32 {
        self.windows
    }

    /// As [`push`](Self::push), without copying the features.
    #[inline(always)]
    pub(super) fn advance<S: Sample>(&mut self, recipe: &Recipe<'_>, sample: &[S]) -> Result<bool, SampleError> {
        let expected = usize::from(self.raw_channels);
        if sample.len() != expected {
            return Err(SampleError::WrongLength { expected, found: sample.len() });
        }
        if let Some(channel) = sample.iter().position(|x| !x.is_usable()) {
            return Err(SampleError::NotFinite { channel });
        }
        if self.simple {
            self.add_simple(recipe, sample);
        } else {
            self.add(recipe, sample);
        }
        self.place = self.place.wrapping_add(1);
        Ok(self.place >= self.hop && self.finish_block(recipe))
    }

    #[inline(always)]
    fn add_simple<S: Sample>(&mut self, recipe: &Recipe<'_>, sample: &[S]) {
        let first = self.place == 0;
        let after = self.memory.as_mut().get_mut(self.current as usize..).unwrap_or_default();
        let (blocks, _) = after.as_chunks_mut::<COMMON>();
        for (channel, (block, x)) in blocks.iter_mut().zip(sample).enumerate() {
            add_common(block, in_steps(recipe, channel, *x), first);
        }
    }

    #[inline(never)]
    fn add<S: Sample>(&mut self, recipe: &Recipe<'_>, sample: &[S]) {
        let fresh = self.place == 0 && self.complete == 0;
        let (first, place, groups) = (self.place == 0, self.place.into(), self.groups);
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
            let q = match recipe.magnitude_of(channel) {
                Some(mask) => magnitude(mask, raw),
                None => raw(channel),
            };
            let Some((common, more)) = block.split_first_chunk_mut::<COMMON>() else {
                return;
            };
            add_common(common, q, first);
            let mut none = 0;
            let place_of_trace = traces.next().unwrap_or(&mut none);
            let trace = if fresh { Trace::new(q, q) } else { Trace(*place_of_trace) };
            add_more(more, q, place, groups, trace, || recipe.channel(channel));
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
        self.place = 0;
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
        super::bands::finish_block(recipe, ring.get_mut(current..).unwrap_or_default(), words, samples, bins);
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
        let last_to_learn = learning && self.baseline == to_learn;
        let (at, count) = (self.features as usize, recipe.features());
        let mut sums = Sums::EMPTY;
        let mut of = u8::MAX;
        for (index, word) in recipe.feature_words().iter().enumerate() {
            let Feature { kind, channel, relative } = Feature::read(*word);
            if channel != of {
                of = channel;
                sums = self.sums(channel.into());
            }
            let about = recipe.channel(channel.into());
            let mut value = about.map_or(0.0, |about| match kind {
                #[cfg(feature = "bands")]
                FeatureKind::Band { .. } => self.band(recipe, index, channel) * about.step(),
                _ => feature(kind, &sums, &about, window),
            });
            let words = self.memory.as_mut().get_mut(at..).unwrap_or_default();
            if relative && let Some(baseline) = words.get_mut(count + index) {
                let known = f32::from_bits(*baseline);
                if learning {
                    let sum = known + value;
                    *baseline = if last_to_learn { sum / f32::from(to_learn) } else { sum }.to_bits();
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

    /// A band of a window, in steps: of all blocks, in the order of their slots.
    #[cfg(feature = "bands")]
    #[inline(never)]
    fn band(&self, recipe: &Recipe<'_>, index: usize, channel: u8) -> f32 {
        let words = usize::from(self.words);
        let word = words * (usize::from(channel) + 1) - recipe.most_bands() + recipe.bands_before(index, channel);
        let mut energy = 0.0;
        let mut at = word;
        for _ in 0..self.blocks {
            energy += f32::from_bits(self.memory.as_ref().get(at).copied().unwrap_or_default());
            at += usize::from(self.slot_words);
        }
        super::bands::root_mean_square(energy, self.hop, self.blocks)
    }

    /// The sums of a channel's complete blocks. The current slot is the newest of them.
    #[inline(never)]
    fn sums(&self, channel: usize) -> Sums {
        let mut sums = Sums::EMPTY;
        let ring = self.memory.as_ref();
        let (words, slot_words) = (usize::from(self.words), usize::from(self.slot_words));
        let complete = self.complete.min(self.blocks);
        // The oldest slot: `complete - 1` before the current one.
        let mut slot = (self.slot + 1).wrapping_sub(complete);
        if slot >= self.blocks {
            slot = slot.wrapping_add(self.blocks);
        }
        let mut at = usize::from(slot) * slot_words + channel * words;
        let mut start = 0;
        for _ in 0..complete {
            sums.add(ring.get(at..at + words).unwrap_or_default(), start, self.groups);
            start += u32::from(self.hop);
            at += slot_words;
            slot += 1;
            if slot >= self.blocks {
                slot = 0;
                at = channel * words;
            }
        }
        sums
    }

    /// Crossings are counted of the mean of the blocks that are complete, rounded down.
    #[inline(never)]
    fn set_references(&mut self, recipe: &Recipe<'_>) {
        let samples = i32::from(self.hop).wrapping_mul(self.complete.into()).max(1);
        let at = self.ring_words();
        for channel in 0..recipe.channels() {
            let reference = self.sums(channel).sum.div_euclid(samples) as i16;
            if let Some(trace) = self.memory.as_mut().get_mut(at + channel) {
                *trace = Trace::new(reference, Trace(*trace).last()).0;
            }
        }
    }

    fn clear_slot(&mut self) {
        let (current, words) = (self.current as usize, usize::from(self.words));
        let after = self.memory.as_mut().get_mut(current..).unwrap_or_default();
        if let Some(slot) = after.get_mut(..self.slot_words.into()) {
            clear(slot, words);
        }
    }

    fn ring_words(&self) -> usize {
        usize::from(self.slot_words) * usize::from(self.blocks)
    }

    fn traces(&self, recipe: &Recipe<'_>) -> usize {
        if self.groups & (Needs::CROSSINGS | Needs::DIFFERENCES) == 0 { 0 } else { recipe.channels() }
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

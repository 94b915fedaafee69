//! Exact sums of a block of one channel's samples q_0, q_1, .. in words of four bytes, and of several blocks together.
//!
//! ```text
//! word 0     sum q                     32 bits: at most 32,768 samples of a window
//! words 1, 2 sum q^2                   64 bits
//! word 3     smallest q, and the largest minus it, 16 bits each
//! then, if the recipe's features need them:
//! crossings  (q_t >= r) != (q_t-1 >= r)            32 bits; r is the floor of the last window's mean
//! diff       sum |q_t - q_t-1|                     32 bits
//! slope      sum k q_k                             32 bits for blocks of up to 256 samples, else 64
//! moments    sum u, u^2, u^3, u^4                  32, 64, 64, 64 bits; u = clamp((q - centre) >> shift, -2048, 2047)
//! ```
//!
//! An empty block is all zeros: the first sample's extremes replace what is there.
//!
//! Nothing overflows: |u| <= 2^11, so that sum u^4 <= 2^15 2^44.

use crate::read::recipe::{Needs, Recipe};
use crate::rolled::keep_rolled;
use core::slice::IterMut;

/// Words of sum, squares and extremes.
pub(super) const COMMON: usize = Needs::COMMON;

/// Adds a sample to sum and squares.
#[inline(always)]
pub(super) fn add_common(block: &mut [u32; COMMON], q: i16) {
    let [sum, low, high, _] = block;
    let value = i32::from(q);
    *sum = sum.wrapping_add(value as u32);
    let squares = (joined(*low, *high) as i64).wrapping_add((value * value).into());
    (*low, *high) = (squares as u32, (squares >> 32) as u32);
}

/// Adds a sample to the extremes.
#[inline(always)]
pub(super) fn add_extremes(block: &mut [u32; COMMON], q: i16, first: bool) {
    let [.., extremes] = block;
    let above = i32::from(q).wrapping_sub((*extremes as i16).into()) as u32;
    if above > *extremes >> 16 {
        *extremes = widened(*extremes, q, first);
    }
}

/// The extremes with a sample that lies outside. In an empty block both are 0, which counts if it is not the first sample.
#[inline(always)]
fn widened(extremes: u32, q: i16, first: bool) -> u32 {
    let (minimum, span) = (i32::from(extremes as i16), (extremes >> 16) as i32);
    let q = i32::from(q);
    let (mut minimum, mut maximum) = (minimum.min(q), (minimum + span).max(q));
    if first {
        (minimum, maximum) = (q, q);
    }
    (maximum - minimum) as u32 * 65_536 + u32::from(minimum as u16)
}

fn joined(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// What a channel remembers of the samples before: r in the lower half, the last sample in the upper.
#[derive(Clone, Copy)]
pub(super) struct Trace(pub u32);

impl Trace {
    pub(super) fn new(reference: i16, last: i16) -> Self {
        Self(u32::from(reference as u16) | u32::from(last as u16) << 16)
    }

    fn reference(self) -> i16 {
        self.0 as i16
    }

    pub(super) fn last(self) -> i16 {
        (self.0 >> 16) as i16
    }

    pub(super) fn followed_by(self, q: i16) -> Self {
        Self::new(self.reference(), q)
    }
}

/// Adds a sample to the sums behind the common ones. `place` is its place in the block.
#[inline(never)] // or the compiler makes a copy for each set of groups
pub(super) fn add_more(
    rest: &mut [u32],
    q: i16,
    place: u32,
    groups: u8,
    trace: Trace,
    recipe: &Recipe<'_>,
    channel: usize,
) {
    let mut words = rest.iter_mut();
    if groups & Needs::CROSSINGS != 0 {
        let r = trace.reference();
        add(&mut words, ((q >= r) != (trace.last() >= r)).into());
    }
    if groups & Needs::DIFFERENCES != 0 {
        add(&mut words, q.abs_diff(trace.last()).into());
    }
    if groups & Needs::RAMP != 0 {
        let product = i32::from(q).wrapping_mul(place as i32); // below 2^15 2^15
        if groups & Needs::WIDE == 0 {
            add(&mut words, product as u32);
        } else {
            add_wide(&mut words, product.into());
        }
    }
    if groups & Needs::MOMENTS != 0 {
        let Some(channel) = recipe.channel(channel) else { return };
        let centred = i32::from(q) - i32::from(channel.moment_centre);
        let u = (centred >> (channel.moment_shift & 15)).clamp(-2048, 2047);
        let square = u * u;
        add(&mut words, u as u32);
        add_wide(&mut words, square.into());
        add_wide(&mut words, i64::from(square) * i64::from(u));
        add_wide(&mut words, i64::from(square) * i64::from(square));
    }
}

fn add(words: &mut IterMut<'_, u32>, value: u32) {
    if let Some(word) = words.next() {
        *word = word.wrapping_add(value);
    }
}

fn add_wide(words: &mut IterMut<'_, u32>, value: i64) {
    if let (Some(low), Some(high)) = (words.next(), words.next()) {
        let sum = joined(*low, *high).wrapping_add(value as u64);
        (*low, *high) = (sum as u32, (sum >> 32) as u32);
    }
}

/// The sums of a window of one channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sums {
    pub sum: i32,
    pub squares: u64,
    pub minimum: i32,
    pub maximum: i32,
    /// Crossings, sum |q_t - q_t-1|, sum k q with k from the window's first sample, sum u, u^2, u^3, u^4.
    pub more: [i64; MORE],
}

/// Sums behind the common ones.
const MORE: usize = 7;
pub(super) const CROSSINGS: usize = 0;
pub(super) const DIFFERENCES: usize = 1;
pub(super) const RAMP: usize = 2;
/// Where the four moments begin.
pub(super) const MOMENTS: usize = 3;

impl Sums {
    /// All zeros: a place for sums.
    pub(super) const NONE: Self = Self { sum: 0, squares: 0, minimum: 0, maximum: 0, more: [0; MORE] };

    /// Without copying 88 bytes, which would link the compiler's `memcpy`.
    pub(super) fn clear(&mut self) {
        (self.sum, self.squares, self.minimum, self.maximum) = (0, 0, i32::MAX, i32::MIN);
        for sum in &mut self.more {
            *sum = 0;
            keep_rolled();
        }
    }

    /// Adds a block whose first sample is the window's sample number `start`.
    #[inline(always)]
    pub(super) fn add(&mut self, block: &[u32], start: u32, groups: u8) {
        let Some((&[sum, low, high, extremes], rest)) = block.split_first_chunk::<COMMON>() else {
            return;
        };
        self.sum = self.sum.wrapping_add(sum as i32);
        self.squares = self.squares.wrapping_add(joined(low, high));
        let minimum = i32::from(extremes as i16);
        self.minimum = self.minimum.min(minimum);
        self.maximum = self.maximum.max(minimum + (extremes >> 16) as i32);
        if groups & !Needs::EXTREMES != 0 {
            self.add_more(rest, i64::from(start as i32) * i64::from(sum as i32), groups);
        }
    }

    /// `before` is the block's part of the ramp that counts from the window's first sample.
    #[inline(never)]
    fn add_more(&mut self, words: &[u32], before: i64, groups: u8) {
        let [crossings, differences, ramp, first, others @ ..] = &mut self.more;
        let mut words = words.iter().copied();
        let mut next = || words.next().unwrap_or_default();
        if groups & Needs::CROSSINGS != 0 {
            *crossings += i64::from(next());
        }
        if groups & Needs::DIFFERENCES != 0 {
            *differences += i64::from(next());
        }
        if groups & Needs::RAMP != 0 {
            let low = next();
            let inside = if groups & Needs::WIDE == 0 { i64::from(low as i32) } else { joined(low, next()) as i64 };
            *ramp = ramp.wrapping_add(inside).wrapping_add(before);
        }
        if groups & Needs::MOMENTS != 0 {
            *first += i64::from(next() as i32);
            for moment in others {
                let low = next();
                *moment = moment.wrapping_add(joined(low, next()) as i64);
                keep_rolled();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_are_those_of_the_samples() {
        for samples in
            [&[32_767][..], &[-32_768], &[-32_768, 32_767], &[32_767, -32_768, 0], &[5, 4, 3, 9, -1], &[7, 7]]
        {
            let mut block = [0; COMMON];
            for (at, &q) in samples.iter().enumerate() {
                add_extremes(&mut block, q, at == 0);
            }
            let mut sums = Sums::NONE;
            sums.clear();
            sums.add(&block, 0, 0);
            assert_eq!(sums.minimum, samples.iter().copied().min().unwrap().into());
            assert_eq!(sums.maximum, samples.iter().copied().max().unwrap().into());
        }
    }
}

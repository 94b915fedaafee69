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
//! Nothing overflows: |u| <= 2^11, so that sum u^4 <= 2^15 2^44.

use crate::read::recipe::{Channel, Needs};
use core::slice::IterMut;

/// Words of sum, squares and extremes.
pub(super) const COMMON: usize = Needs::COMMON;

/// Extremes of no sample: whatever comes first is below, or is this.
const NO_EXTREMES: u32 = i16::MAX as u32;

/// Empties blocks of that many words each.
pub(super) fn clear(blocks: &mut [u32], words: usize) {
    let mut at = 0;
    for word in blocks {
        *word = if at == 3 { NO_EXTREMES } else { 0 };
        at += 1;
        if at == words {
            at = 0;
        }
    }
}

/// Adds a sample to the common sums.
#[inline(always)]
pub(super) fn add_common(block: &mut [u32; COMMON], q: i16, first: bool) {
    let [sum, low, high, extremes] = block;
    let value = i32::from(q);
    *sum = sum.wrapping_add(value as u32);
    let squares = joined(*low, *high).wrapping_add((value * value) as u32 as u64);
    (*low, *high) = (squares as u32, (squares >> 32) as u32);
    let above = value.wrapping_sub((*extremes as i16).into()) as u32;
    if above > *extremes >> 16 {
        *extremes = widened(*extremes, q, first);
    }
}

/// The extremes with a sample that lies outside.
#[inline(always)]
fn widened(extremes: u32, q: i16, first: bool) -> u32 {
    let (minimum, span) = (i32::from(extremes as i16), (extremes >> 16) as i32);
    let q = i32::from(q);
    let (minimum, maximum) = if first { (q, q) } else { (minimum.min(q), (minimum + span).max(q)) };
    (maximum - minimum) as u32 as u16 as u32 * 65_536 + u32::from(minimum as u16)
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
pub(super) fn add_more(
    rest: &mut [u32],
    q: i16,
    place: u32,
    groups: u8,
    trace: Trace,
    channel: impl FnOnce() -> Option<Channel>,
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
        let Some(channel) = channel() else { return };
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
    pub minimum: i16,
    pub maximum: i16,
    pub crossings: u32,
    pub differences: u32,
    /// sum k q, k from the window's first sample.
    pub ramp: i64,
    /// sum u, u^2, u^3, u^4.
    pub moments: [i64; 4],
}

impl Sums {
    pub(super) const EMPTY: Self = Self {
        sum: 0,
        squares: 0,
        minimum: i16::MAX,
        maximum: i16::MIN,
        crossings: 0,
        differences: 0,
        ramp: 0,
        moments: [0; 4],
    };

    /// Adds a block whose first sample is the window's sample number `start`.
    pub(super) fn add(&mut self, block: &[u32], start: u32, groups: u8) {
        let Some((&[sum, low, high, extremes], rest)) = block.split_first_chunk::<COMMON>() else {
            return;
        };
        self.sum = self.sum.wrapping_add(sum as i32);
        self.squares = self.squares.wrapping_add(joined(low, high));
        let (minimum, span) = (extremes as i16, (extremes >> 16) as i16);
        self.minimum = self.minimum.min(minimum);
        self.maximum = self.maximum.max(minimum.wrapping_add(span));
        if groups == 0 {
            return;
        }
        let mut words = rest.iter().copied();
        let mut next = || words.next().unwrap_or_default();
        if groups & Needs::CROSSINGS != 0 {
            self.crossings = self.crossings.wrapping_add(next());
        }
        if groups & Needs::DIFFERENCES != 0 {
            self.differences = self.differences.wrapping_add(next());
        }
        if groups & Needs::RAMP != 0 {
            let low = next();
            let ramp = if groups & Needs::WIDE == 0 { i64::from(low as i32) } else { joined(low, next()) as i64 };
            let before = i64::from(start as i32) * i64::from(sum as i32);
            self.ramp = self.ramp.wrapping_add(ramp).wrapping_add(before);
        }
        if groups & Needs::MOMENTS != 0 {
            let [first, others @ ..] = &mut self.moments;
            *first = first.wrapping_add((next() as i32).into());
            for moment in others {
                let low = next();
                *moment = moment.wrapping_add(joined(low, next()) as i64);
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
            let mut block = [9; COMMON];
            clear(&mut block, COMMON);
            for (at, &q) in samples.iter().enumerate() {
                add_common(&mut block, q, at == 0);
            }
            let mut sums = Sums::EMPTY;
            sums.add(&block, 0, 0);
            assert_eq!(Some(&sums.minimum), samples.iter().min());
            assert_eq!(Some(&sums.maximum), samples.iter().max());
        }
    }
}

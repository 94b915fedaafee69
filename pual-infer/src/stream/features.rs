//! Features of a window, from its exact sums.
//!
//! For the W integers q_0 .. q_{W-1} of a channel's window, value = q * step + offset, with
//!
//! ```text
//! S1 = sum q,   V = W sum q^2 - S1^2,   R = 2 sum k q_k - (W - 1) S1        exact
//!
//! mean      = (S1 / W) step + offset
//! sd        = sqrt(V) / W * step
//! rms       = sqrt(V / W^2 + m^2) * step,   m = S1 / W + offset / step
//! min, max  = q * step + offset
//! p2p       = (largest q - smallest q) * step
//! slope     = 6 R / (W (W^2 - 1)) * step          (numerator and denominator in integers; 0 for W = 1)
//! crossings = their number
//! crest     = max(W largest q - S1, S1 - W smallest q) / sqrt(V)       (0 for V = 0)
//! diff      = sum |q_t - q_t-1| / W * step
//! ```
//!
//! Skewness and kurtosis are those of u (see `block.rs`), with s_n = sum u^n and a the integer nearest to s_1 / W. The
//! sums around a are exact in 64 bits: with |u - a| <= 2^12 and W <= 2^15 they and all parts wrap around to below 2^63.
//!
//! ```text
//! M_n = sum (u - a)^n,   U = W M_2 - M_1^2,   d = M_1 / W,   |d| <= 1/2
//! m_2 = U / W^2
//! m_3 = M_3 / W - 3 d (M_2 / W) + 2 d^3
//! m_4 = M_4 / W - 4 d (M_3 / W) + 6 d^2 (M_2 / W) - 3 d^4
//! skewness = m_3 / (m_2 sqrt(m_2)),   kurtosis = m_4 / m_2^2           (0 for U = 0)
//! ```
//!
//! An integer becomes an f32 rounded to nearest even; from there on each operation is one in f32, in the order that
//! FORMAT.md states. Steps are powers of two between 2^-60 and 2^60, offsets are below 2^40 steps and integers below 2^60,
//! so that nothing overflows.

use super::block::{CROSSINGS, DIFFERENCES, MOMENTS, RAMP, Sums};
use crate::format::recipe::FeatureKind;
use crate::read::recipe::Channel;

/// A feature of a window of that many samples, in the channel's unit.
#[inline(never)]
pub(super) fn feature(kind: FeatureKind, sums: &Sums, channel: &Channel, window: u32) -> f32 {
    let (count, step) = (window as f32, channel.step());
    let more = |index: usize| sums.more.get(index).copied().unwrap_or_default();
    // An integer, and what to divide it by.
    let (integer, divisor) = match kind {
        FeatureKind::Mean => (sums.sum.into(), count),
        FeatureKind::Min => (sums.minimum.into(), 1.0),
        FeatureKind::Max => (sums.maximum.into(), 1.0),
        FeatureKind::P2p => (i64::from(sums.maximum) - i64::from(sums.minimum), 1.0),
        FeatureKind::Crossings => (more(CROSSINGS), 1.0),
        FeatureKind::Diff => (more(DIFFERENCES), count),
        FeatureKind::Slope if window > 1 => sums.slope(window),
        FeatureKind::Crest => sums.crest(window),
        FeatureKind::Sd => return root(sums.variation(window)) / count * step,
        FeatureKind::Rms => {
            let m = sums.sum as f32 / count + channel.offset * channel.steps_per_unit();
            return libm::sqrtf(sums.variation(window) as f32 / (count * count) + m * m) * step;
        }
        FeatureKind::Skewness => return sums.standardised_moment(window, false),
        FeatureKind::Kurtosis => return sums.standardised_moment(window, true),
        FeatureKind::Slope | FeatureKind::Band { .. } => (0, 1.0),
    };
    let mut value = integer as f32;
    if divisor != 1.0 {
        value /= divisor;
    }
    match kind {
        FeatureKind::Crossings | FeatureKind::Crest => value,
        FeatureKind::Mean | FeatureKind::Min | FeatureKind::Max => value * step + channel.offset,
        _ => value * step,
    }
}

#[inline(never)]
fn root(square: i64) -> f32 {
    libm::sqrtf(square as f32)
}

impl Sums {
    /// V: at most 2^15 2^45.
    #[inline(never)]
    fn variation(&self, window: u32) -> i64 {
        let sum = i64::from(self.sum);
        (self.squares as i64).wrapping_mul(window.into()).wrapping_sub(sum * sum)
    }

    /// Numerator and denominator, for more than one sample.
    #[inline(always)]
    fn slope(&self, window: u32) -> (i64, f32) {
        let count = i64::from(window);
        let around = self.more[RAMP].wrapping_mul(2).wrapping_sub((count - 1).wrapping_mul(self.sum.into()));
        let below = count.wrapping_mul(count.wrapping_mul(count) - 1);
        (around.wrapping_mul(6), below as f32)
    }

    /// The largest deviation times W, and the root.
    #[inline(always)]
    fn crest(&self, window: u32) -> (i64, f32) {
        let variation = self.variation(window);
        if variation == 0 {
            return (0, 1.0);
        }
        // Both differences are between 0 and 2^31.
        let times = |q: i32| q.wrapping_mul(window as i32);
        let above = times(self.maximum).wrapping_sub(self.sum) as u32;
        let below = self.sum.wrapping_sub(times(self.minimum)) as u32;
        (above.max(below).into(), root(variation))
    }

    /// Skewness, or kurtosis.
    #[inline(never)]
    fn standardised_moment(&self, window: u32, fourth: bool) -> f32 {
        let [s1, s2, s3, s4] = [0, 1, 2, 3].map(|n| self.more[MOMENTS + n]);
        let w = i64::from(window);
        let a = i64::from(nearest(s1 as i32, window));
        let around = |s: i64, inner: i64| s.wrapping_sub(a.wrapping_mul(inner));
        // By Horner's rule: M_1 = s_1 - a w, M_2 = s_2 - a (2 s_1 - a w), and so on.
        let m1 = around(s1, w);
        let m2 = around(s2, around(s1.wrapping_mul(2), w));
        let m3 = around(s3, around(s2.wrapping_mul(3), around(s1.wrapping_mul(3), w)));
        let variation = w.wrapping_mul(m2).wrapping_sub(m1.wrapping_mul(m1));
        if variation <= 0 {
            return 0.0;
        }
        let count = window as f32;
        let mean = |sum: i64| sum as f32 / count;
        let (d, m2, m3) = (mean(m1), mean(m2), mean(m3));
        let second = variation as f32 / (count * count);
        if fourth {
            let inner = around(s2.wrapping_mul(6), around(s1.wrapping_mul(4), w));
            let m4 = mean(around(s4, around(s3.wrapping_mul(4), inner)));
            (m4 - 4.0 * d * m3 + 6.0 * d * d * m2 - 3.0 * d * d * d * d) / (second * second)
        } else {
            (m3 - 3.0 * d * m2 + 2.0 * d * d * d) / (second * libm::sqrtf(second))
        }
    }
}

/// The integer nearest to sum / window, halves up. |sum| is at most 2^26.
fn nearest(sum: i32, window: u32) -> i32 {
    let twice = 2 * window.max(1) as i32;
    (2 * sum + window as i32).div_euclid(twice)
}

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
    let count = window as f32;
    let mean = || sums.sum as f32 / count;
    let (steps, place) = match kind {
        FeatureKind::Mean => (mean(), true),
        FeatureKind::Min => (sums.minimum as f32, true),
        FeatureKind::Max => (sums.maximum as f32, true),
        FeatureKind::Sd => (root(sums.variation(window)) / count, false),
        FeatureKind::Rms => {
            let m = mean() + channel.offset * channel.steps_per_unit();
            (libm::sqrtf(sums.variation(window) as f32 / (count * count) + m * m), false)
        }
        FeatureKind::P2p => ((sums.maximum - sums.minimum) as f32, false),
        FeatureKind::Diff => (sums.more[DIFFERENCES] as f32 / count, false),
        FeatureKind::Slope => (sums.slope(window), false),
        FeatureKind::Crossings => return sums.more[CROSSINGS] as f32,
        FeatureKind::Crest => return sums.crest(window),
        FeatureKind::Skewness => return Moments::new(sums, window).map_or(0.0, |m| m.skewness()),
        FeatureKind::Kurtosis => return Moments::new(sums, window).map_or(0.0, |m| m.kurtosis()),
        FeatureKind::Band { .. } => return 0.0,
    };
    let value = steps * channel.step();
    if place { value + channel.offset } else { value }
}

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

    fn slope(&self, window: u32) -> f32 {
        if window < 2 {
            return 0.0;
        }
        let count = i64::from(window);
        let around = self.more[RAMP].wrapping_mul(2).wrapping_sub((count - 1).wrapping_mul(self.sum.into()));
        let below = count.wrapping_mul(count.wrapping_mul(count) - 1);
        around.wrapping_mul(6) as f32 / below as f32
    }

    fn crest(&self, window: u32) -> f32 {
        let variation = self.variation(window);
        if variation == 0 {
            return 0.0;
        }
        // Both differences are between 0 and 2^31.
        let times = |q: i32| q.wrapping_mul(window as i32);
        let above = times(self.maximum).wrapping_sub(self.sum) as u32;
        let below = self.sum.wrapping_sub(times(self.minimum)) as u32;
        above.max(below) as f32 / root(variation)
    }
}

/// The moments around a, the integer nearest to the mean, divided by W.
struct Moments {
    d: f32,
    second_around_a: f32,
    third_around_a: f32,
    fourth_around_a: f32,
    second: f32,
}

impl Moments {
    fn new(sums: &Sums, window: u32) -> Option<Self> {
        let [s1, s2, s3, s4] = [0, 1, 2, 3].map(|n| sums.more[MOMENTS + n]);
        let w = i64::from(window);
        let a = i64::from(nearest(s1 as i32, window));
        let first = s1 - a * w;
        let second = s2 - 2 * a * s1 + a * a * w;
        let times = i64::wrapping_mul;
        let third = s3.wrapping_sub(times(3 * a, s2)).wrapping_add(times(3 * a * a, s1)).wrapping_sub(a * a * a * w);
        let fourth = { s4.wrapping_sub(times(4 * a, s3)) }
            .wrapping_add(times(6 * a * a, s2))
            .wrapping_sub(times(4 * a * a * a, s1))
            .wrapping_add(times(a * a * a * a, w));
        let variation = w * second - first * first;
        let count = window as f32;
        (variation > 0).then(|| Self {
            d: first as f32 / count,
            second_around_a: second as f32 / count,
            third_around_a: third as f32 / count,
            fourth_around_a: fourth as f32 / count,
            second: variation as f32 / (count * count),
        })
    }

    fn skewness(&self) -> f32 {
        let d = self.d;
        let third = self.third_around_a - 3.0 * d * self.second_around_a + 2.0 * d * d * d;
        third / (self.second * libm::sqrtf(self.second))
    }

    fn kurtosis(&self) -> f32 {
        let d = self.d;
        let fourth = self.fourth_around_a - 4.0 * d * self.third_around_a + 6.0 * d * d * self.second_around_a
            - 3.0 * d * d * d * d;
        fourth / (self.second * self.second)
    }
}

/// The integer nearest to sum / window, halves up. |sum| is at most 2^26.
fn nearest(sum: i32, window: u32) -> i32 {
    let twice = 2 * window.max(1) as i32;
    (2 * sum + window as i32).div_euclid(twice)
}

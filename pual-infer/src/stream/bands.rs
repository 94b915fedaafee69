//! What lies in a band of frequencies, block by block, in integers: Goertzel's filter.
//!
//! For bin b of a block of H samples, w = 2 pi b / H, and x the samples minus their mean m = floor(sum q / H), clamped to 16 bits:
//!
//! ```text
//! c = 2^15 cos w, rounded,  n = min(floor(sqrt(2^30 - c^2)), 32767)             16 bits
//! s_t  = x_t + 4 floor(c s_(t-1) / 2^16) - s_(t-2)          s_-1 = s_-2 = 0
//! re = floor((2^15 s_(H-1) - c s_(H-2)) / 2^15),   im = floor(n s_(H-2) / 2^15)
//! re^2 + im^2 = |sum_t x_t e^(-iwt)|^2
//! ```
//!
//! **No overflow.** |s| <= sum |x| / sin w <= 2^15 H^2 / (2 pi b) (and likewise near H/2, which no bin reaches): below 2^31 for
//! H <= 512, with the rounding of c. Then |re| and |im| are at most 2^25.
//!
//! **Error.** Rounding a product down by less than 4 adds, over the block, at most 4 H / sin w to s, and on average
//! 1.2 sqrt(H / 2) / sin w: in re and im that of 1.2 sqrt(H) per sample, as if the samples had noise of about a step. Rounding c moves
//! the frequency by at most 2^-16 / sin w: of a bin's width H / 2^16 / (2 pi sin w), 0.6 % for the first bin of 128 samples, 10 % for
//! that of 512.
//! That is why the mean is subtracted: a constant, which is zero in every bin, would leak by as much.

use super::sample::root;
use crate::format::recipe::{Feature, FeatureKind, ROUND};
use crate::read::recipe::{BandCount, Recipe};
use crate::rolled::keep_rolled;

/// Cosine and sine of a bin: c in the lower half, n in the upper.
#[derive(Clone, Copy)]
struct Bin(u32);

impl Bin {
    fn new(bin: u8, hop: u16) -> Self {
        let (quarter, hop) = (4 * i32::from(bin), i32::from(hop));
        // cos w = sin(pi z / 2) with z = 1 - 4 b / H. The sine is that of the frequency that c really has.
        let z = (hop - quarter) as f32 / hop as f32;
        let cosine = sine_of_quarters(z);
        let sine = root((1 << 30) - i32::from(cosine).pow(2) as u32);
        Self(u32::from(cosine as u16) | u32::from(sine as u16) << 16)
    }

    fn cosine(self) -> i16 {
        self.0 as i16
    }

    fn sine(self) -> i16 {
        (self.0 >> 16) as i16
    }

    fn energy(self, x: &[i16]) -> u64 {
        let (s1, s2) = filter(x, self.cosine());
        let (last, before) = (i64::from(s1), i64::from(s2));
        let re = ((last << 15).wrapping_sub(before.wrapping_mul(self.cosine().into()))) >> 15;
        let im = before.wrapping_mul(self.sine().into()) >> 15;
        square(re as i32).wrapping_add(square(im as i32))
    }
}

fn square(n: i32) -> u64 {
    let n = u64::from(n.unsigned_abs());
    n.wrapping_mul(n)
}

/// 2^15 sin(pi z / 2) for -1 <= z <= 1, to the nearest integer, at most 32,767. Taylor's polynomial, to 4e-6.
fn sine_of_quarters(z: f32) -> i16 {
    #[expect(clippy::approx_constant, reason = "FORMAT.md has this number")]
    const TERMS: [f32; 5] = [1.570_796_3, -0.645_964_1, 0.079_692_63, -0.004_681_754, 0.000_160_441_2];
    let square = z * z;
    let mut sum = 0.0;
    for term in TERMS.iter().rev() {
        sum = sum * square + term;
        keep_rolled();
    }
    let scaled = (sum * z * 32_768.0).clamp(-32_767.0, 32_767.0);
    (scaled + ROUND).to_bits().wrapping_sub(ROUND.to_bits()) as i16
}

/// floor(c s / 2^16).
#[inline(always)]
fn product(c: i16, s: i32) -> i32 {
    // A core without compare-and-swap is a Cortex-M0: it has no product of 64 bits either.
    if cfg!(target_has_atomic = "32") { product_wide(c, s) } else { product_in_halves(c, s) }
}

#[inline(always)]
fn product_wide(c: i16, s: i32) -> i32 {
    ((i64::from(c) * i64::from(s)) >> 16) as i32
}

#[inline(always)]
fn product_in_halves(c: i16, s: i32) -> i32 {
    let c = i32::from(c);
    (s >> 16).wrapping_mul(c).wrapping_add(i32::from(s as u16).wrapping_mul(c) >> 16)
}

#[inline(always)]
fn step(x: i16, c: i16, s1: i32, s2: i32, four: i32) -> i32 {
    i32::from(x).wrapping_sub(s2).wrapping_add(product(c, s1).wrapping_mul(four))
}

/// The last two values of s, the last first.
#[inline(never)]
fn filter(x: &[i16], c: i16) -> (i32, i32) {
    // A 4 that the compiler does not know: it would merge both shifts into three instructions; so each product is one, and
    // multiplying and adding another. (The Cortex-M0 has no such instructions, and shifts.)
    let four = if cfg!(target_has_atomic = "32") { core::hint::black_box(4) } else { 4 };
    let (mut s1, mut s2) = (0, 0);
    let (fours, rest) = x.as_chunks::<4>();
    for chunk in fours {
        s2 = step(chunk[0], c, s1, s2, four);
        s1 = step(chunk[1], c, s2, s1, four);
        s2 = step(chunk[2], c, s1, s2, four);
        s1 = step(chunk[3], c, s2, s1, four);
        keep_rolled();
    }
    for x in rest {
        (s1, s2) = (step(*x, c, s1, s2, four), s1);
        keep_rolled();
    }
    (s1, s2)
}

/// Fills the table of the bins of all bands, in the order of the recipe's features, unless it is filled. (No bin is all zeros.)
pub(super) fn prepare(recipe: &Recipe<'_>, table: &mut [u32]) {
    if table.first().is_none_or(|bin| *bin != 0) {
        return;
    }
    let mut words = table.iter_mut();
    for index in 0..recipe.features() {
        if let Some(FeatureKind::Band { first, last }) = recipe.feature(index).map(|feature| feature.kind) {
            for bin in first..=last {
                if let Some(word) = words.next() {
                    *word = Bin::new(bin, recipe.hop() as u16).0;
                }
                keep_rolled();
            }
        }
    }
}

/// Ends a block: the energies of its bands go to the last words of its channels' blocks. The lengths are the words of a
/// block, and how many of them are for bands.
#[inline(never)]
pub(super) fn finish_block(
    recipe: &Recipe<'_>,
    blocks: &mut [u32],
    [words, bands]: [usize; 2],
    samples: &mut [u32],
    bins: &[u32],
) {
    let (hop, mut count) = (recipe.hop(), BandCount::default());
    let mut bins = bins;
    for index in 0..recipe.features() {
        let Some(Feature { kind: FeatureKind::Band { first, last }, channel, .. }) = recipe.feature(index) else {
            continue;
        };
        keep_rolled();
        let of_this = bins.split_at_checked(1 + usize::from(last - first)).unwrap_or_default();
        bins = of_this.1;
        let after = samples.get_mut(usize::from(channel) * hop.div_ceil(2)..).unwrap_or_default();
        let x: &mut [i16] = bytemuck::cast_slice_mut(after);
        let x = x.get_mut(..hop).unwrap_or_default();
        let block = blocks.get_mut(words * usize::from(channel)..).unwrap_or_default();
        let before = count.before(recipe, index, channel);
        if before == 0 {
            centre(x, block.first().map_or(0, |sum| *sum as i32));
        }
        if let Some(word) = block.get_mut(words - bands + before) {
            *word = energy(x, of_this.0).to_bits();
        }
    }
}

/// Subtracts the mean.
fn centre(x: &mut [i16], sum: i32) {
    let mean = sum.div_euclid((x.len() as i32).max(1));
    for x in x {
        *x = i32::from(*x).wrapping_sub(mean).clamp(i16::MIN.into(), i16::MAX.into()) as i16;
        keep_rolled();
    }
}

/// The energy of bins of a block, in steps.
fn energy(x: &[i16], bins: &[u32]) -> f32 {
    let mut sum = 0_u64;
    for bin in bins {
        sum = sum.wrapping_add(Bin(*bin).energy(x));
        keep_rolled();
    }
    sum as f32
}

/// 2 / (H^2 B): times the energies of a band in B blocks of H samples, this is, by Parseval's theorem, the mean square of what lies
/// in the band.
#[inline(never)]
pub(super) fn mean_square(hop: u16, blocks: u8) -> f32 {
    let hop = u32::from(hop);
    2.0 / (hop * hop * u32::from(blocks)) as f32 // at most 2^18 2^6: exact as an f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cosines_and_sines_are_the_right_integers() {
        for hop in 3..=512_u16 {
            for bin in (1..=255).filter(|bin| 2 * u16::from(*bin) < hop) {
                let w = core::f64::consts::TAU * f64::from(bin) / f64::from(hop);
                let bin = Bin::new(bin, hop);
                let (c, n) = (f64::from(bin.cosine()), f64::from(bin.sine()));
                let exact = (32_768.0 * libm::cos(w)).clamp(-32_767.0, 32_767.0);
                assert!(libm::fabs(c - exact) < 0.75, "{w}");
                let sine = libm::sqrt(32_768.0 * 32_768.0 - c * c);
                assert!(n <= sine && sine < n + 1.001, "{w}");
            }
        }
    }

    #[test]
    fn both_products_are_one() {
        for c in [i16::MIN, -32_767, -12_345, -1, 0, 1, 777, 32_766, i16::MAX] {
            for s in [i32::MIN, -65_537, -65_536, -65_535, -1, 0, 1, 65_535, 65_536, 123_456_789, i32::MAX] {
                assert_eq!(product_wide(c, s), product_in_halves(c, s), "{c} {s}");
            }
        }
    }
}

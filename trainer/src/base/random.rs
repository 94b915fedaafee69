//! Seeded random draws with the same bits on every machine and with every version of `rand`.
//!
//! Only the ChaCha8 stream itself is taken from a crate. How its words become uniforms, normals and permutations is
//! written out here with `libm`, because those conversions are exactly what random-number crates change between versions.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A stream of draws, fixed by `(seed, stream)`.
///
/// Streams of one seed are independent: give each fold, repeat or purpose its own, and its draws do not depend on how
/// many another one took.
#[derive(Debug, Clone)]
pub struct Random {
    words: ChaCha8Rng,
    /// Box-Muller yields normals in pairs; the second one waits here.
    spare_normal: Option<f64>,
}

impl Random {
    /// Stream number `stream` of `seed`.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        let mut words = ChaCha8Rng::from_seed(key);
        words.set_stream(stream);
        Self { words, spare_normal: None }
    }

    /// Uniform on [0, 1), a multiple of 2^-53.
    pub fn uniform(&mut self) -> f64 {
        (self.words.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform on [low, high).
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// Standard normal, by Box and Muller.
    pub fn normal(&mut self) -> f64 {
        if let Some(spare) = self.spare_normal.take() {
            return spare;
        }
        // 1 - uniform lies in (0, 1]: the logarithm is finite.
        let radius = (-2.0 * libm::log(1.0 - self.uniform())).sqrt();
        let angle = std::f64::consts::TAU * self.uniform();
        self.spare_normal = Some(radius * libm::sin(angle));
        radius * libm::cos(angle)
    }

    /// Exponential waiting time with the given mean.
    pub fn waiting_time(&mut self, mean: f64) -> f64 {
        -mean * libm::log(1.0 - self.uniform())
    }

    /// Uniform on `0..bound`; 0 when `bound` is 0.
    ///
    /// The high half of a 128-bit product. Its bias is below `bound` / 2^64: nothing at any size that fits in memory.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.words.next_u64()) * bound as u128) >> 64) as usize
    }

    /// Puts `items` in random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bits_of_a_stream_never_change() {
        // Recorded results and committed data depend on these: a change here is a breaking change. The values were computed
        // from the definition of ChaCha8 by another implementation.
        let mut random = Random::new(7, 0);
        assert_eq!(random.uniform().to_bits(), 0x3fe8_7394_ce45_8897);
        assert_eq!(random.normal().to_bits(), 0x3ff1_e8c2_9e67_d8de);
        assert_eq!(random.below(1000), 301);
    }

    #[test]
    fn streams_and_seeds_differ() {
        let first = |seed, stream| Random::new(seed, stream).uniform();
        assert_ne!(first(1, 0), first(2, 0));
        assert_ne!(first(1, 0), first(1, 1));
        assert_eq!(first(1, 1), first(1, 1));
    }

    #[test]
    fn normals_have_the_moments_of_a_normal() {
        let mut random = Random::new(3, 0);
        let draws: Vec<f64> = (0..100_000).map(|_| random.normal()).collect();
        let moment = |k: i32| draws.iter().map(|x| x.powi(k)).sum::<f64>() / draws.len() as f64;
        // Five standard errors of each sample moment.
        assert!(moment(1).abs() < 0.016, "{}", moment(1));
        assert!((moment(2) - 1.0).abs() < 0.023, "{}", moment(2));
        assert!(moment(3).abs() < 0.062, "{}", moment(3));
        assert!((moment(4) - 3.0).abs() < 0.155, "{}", moment(4));
    }

    #[test]
    fn shuffle_is_a_fair_permutation() {
        let mut random = Random::new(11, 0);
        let mut counts = [[0u32; 4]; 4];
        for _ in 0..12_000 {
            let mut items = [0, 1, 2, 3];
            random.shuffle(&mut items);
            for (place, &item) in items.iter().enumerate() {
                counts[place][item] += 1;
            }
        }
        // 3000 expected in each cell, standard deviation 47.
        assert!(counts.iter().flatten().all(|c| c.abs_diff(3000) < 240), "{counts:?}");
    }
}

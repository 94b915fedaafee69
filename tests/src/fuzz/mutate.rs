//! Changed copies of inputs, without a fuzzer's feedback: what `cargo test` can do anywhere, the same on every machine.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Numbers at which programs go wrong.
const EDGES: [u32; 10] = [
    0,
    1,
    0x7F,
    0x80,
    0x7FFF,
    0xFFFF,
    0x7FFF_FFFF,
    u32::MAX,
    0x7F80_0000, // infinity
    0x4E80_0000, // MAX_SCALED
];

/// Changes inputs.
pub struct Mutator(ChaCha8Rng);

impl Mutator {
    /// The same changes for the same seed.
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// One of `corpus`, changed in some places.
    pub fn input(&mut self, corpus: &[Vec<u8>]) -> Vec<u8> {
        let mut input = corpus[self.below(corpus.len())].clone();
        for _ in 0..=self.below(4) {
            self.change(&mut input, corpus);
        }
        input
    }

    fn change(&mut self, input: &mut Vec<u8>, corpus: &[Vec<u8>]) {
        let at = self.below(input.len() + 1);
        let left = input.len() - at;
        match self.below(8) {
            0 => input.truncate(at),
            1 => input.insert(at, self.0.next_u32() as u8),
            2 => drop(input.drain(at..at + self.below(left.min(8) + 1))),
            3 => {
                let other = &corpus[self.below(corpus.len())];
                let from = self.below(other.len() + 1);
                input.truncate(at);
                input.extend(&other[from..]);
            }
            4 => {
                let edge = EDGES[self.below(EDGES.len())].to_le_bytes();
                let count = [1, 2, 4][self.below(3)].min(left);
                input[at..at + count].copy_from_slice(&edge[..count]);
            }
            5 if left > 0 => input[at] = self.0.next_u32() as u8,
            6 if left > 0 => {
                let count = 1 + self.below(left.min(16));
                let copy = input[at..at + count].to_vec();
                input.splice(at..at, copy);
            }
            _ if left > 0 => input[at] ^= 1 << self.below(8),
            _ => {}
        }
    }

    fn below(&mut self, count: usize) -> usize {
        self.0.next_u32() as usize % count.max(1)
    }
}

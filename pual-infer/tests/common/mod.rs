//! The golden models, and random ones.
#![allow(dead_code)] // each test uses its part

pub mod naive;
pub mod random;
pub mod streams;

use pual_infer::{Encoding, ModelBytes, ModelSpec, SpecKernel, encode, encode_fixed};

/// A golden model of format version 1. Its file was written once and is never written again: what it scores
/// is what devices in the field score.
pub struct Golden {
    pub name: &'static str,
    pub bytes: &'static [u8],
    /// Lines of raw readings and score bits, both in hexadecimal.
    pub scores: &'static str,
}

macro_rules! golden {
    ($name:literal) => {
        Golden {
            name: $name,
            bytes: include_bytes!(concat!("../golden/", $name, ".pual")),
            scores: include_str!(concat!("../golden/", $name, ".scores")),
        }
    };
}

/// Three models: an RBF one with envelope and names, one whose last block is full and that has neither, and a
/// linear one.
pub const GOLDEN: [Golden; 3] = [golden!("v1-rbf-named"), golden!("v1-rbf-plain"), golden!("v1-linear")];

/// Integer models: i16 with envelope and names, i8 with the envelope alone and a last block that is not full, i8 with neither.
pub const GOLDEN_FIXED: [Golden; 3] = [golden!("v1-i16-named"), golden!("v1-i8-enveloped"), golden!("v1-i8-plain")];

/// All six.
pub fn all() -> impl Iterator<Item = Golden> {
    GOLDEN.into_iter().chain(GOLDEN_FIXED)
}

/// Counts and their scores in 1/65,536, in decimal, of each of [`GOLDEN_FIXED`].
pub fn golden_counts() -> [Vec<(Vec<i16>, i32)>; 3] {
    let line = |line: &str| {
        let (counts, score) = line.rsplit_once(' ').expect("a line ends with the score");
        let counts = counts.split(' ').map(|count| count.parse().expect("a count"));
        (counts.collect(), score.parse().expect("a score"))
    };
    [
        include_str!("../golden/v1-i16-named.counts"),
        include_str!("../golden/v1-i8-enveloped.counts"),
        include_str!("../golden/v1-i8-plain.counts"),
    ]
    .map(|text| text.lines().filter(|line| !line.starts_with('#')).map(line).collect())
}

impl Golden {
    pub fn aligned(&self) -> ModelBytes {
        ModelBytes::new(self.bytes)
    }

    /// Readings and the bits of their scores.
    pub fn scores(&self) -> Vec<(Vec<f32>, u32)> {
        let hex = |text: &str| u32::from_str_radix(text, 16).expect("a hexadecimal number");
        let line = |line: &str| {
            let mut numbers: Vec<_> = line.split_whitespace().map(hex).collect();
            let bits = numbers.pop().expect("a line ends with the score");
            (numbers.into_iter().map(f32::from_bits).collect(), bits)
        };
        self.scores.lines().filter(|line| !line.starts_with('#')).map(line).collect()
    }

    /// What the model was encoded from: simple fractions, so that every machine computes the same.
    pub fn spec_bytes(&self) -> ModelBytes {
        let (bandwidth, supports, features) = match self.name {
            "v1-rbf-named" | "v1-i16-named" => (0.75, 5, 2),
            "v1-rbf-plain" => (1.5, 16, 3),
            "v1-i8-enveloped" => (1.25, 6, 3),
            "v1-i8-plain" => (1.5, 20, 4),
            _ => (0.0, 1, 4),
        };
        let enveloped = !self.name.ends_with("plain");
        let named = enveloped && self.name != "v1-i8-enveloped";
        let fraction = |index: usize, step: usize| ((index * step) % 17) as f64 / 8.0 - 1.0;
        let offsets: Vec<_> = (0..features).map(|j| 4.5 - 2.0 * j as f64).collect();
        let scales: Vec<_> = (0..features).map(|j| 0.25 * (j + 1) as f64).collect();
        let points: Vec<_> = (0..supports * features).map(|i| fraction(i, 5)).collect();
        let coefficients: Vec<_> = (0..supports).map(|i| fraction(i, 7)).collect();
        let minima: Vec<_> = offsets.iter().map(|offset| offset - 8.0).collect();
        let maxima: Vec<_> = offsets.iter().map(|offset| offset + 8.0).collect();
        let names = ["temperature °C", "slope", "humidity", "light"];
        let spec = ModelSpec {
            kernel: if bandwidth > 0.0 { SpecKernel::Rbf { bandwidth } } else { SpecKernel::Linear },
            offsets: &offsets,
            scales: &scales,
            coefficients: &coefficients,
            supports: &points,
            bias: 0.25,
            threshold: 0.125,
            envelope: enveloped.then_some((&minima, &maxima)),
            names: named.then_some(&names[..features]),
            recipe: None,
        };
        let bytes = match self.name.get(..5) {
            Some("v1-i1") => encode_fixed(&spec, Encoding::I16),
            Some("v1-i8") => encode_fixed(&spec, Encoding::I8),
            _ => encode(&spec),
        };
        bytes.expect("golden models are valid")
    }
}

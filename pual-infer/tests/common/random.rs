//! Random models, the same on every machine, with their scores in f64.

use pual_infer::{ModelSpec, SpecKernel};

/// A small generator, so that these tests need no other crate.
pub struct Random(pub u64);

impl Random {
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        low + (high - low) * ((self.0 >> 11) as f64 / (1_u64 << 53) as f64)
    }

    fn numbers(&mut self, count: usize, low: f64, high: f64) -> Vec<f64> {
        (0..count).map(|_| self.between(low, high)).collect()
    }
}

/// A model in f64 with scores of order 1. Raw readings have the range of an analog-to-digital converter's counts.
pub struct RandomModel {
    pub kernel: SpecKernel,
    pub offsets: Vec<f64>,
    pub scales: Vec<f64>,
    pub coefficients: Vec<f64>,
    pub supports: Vec<f64>,
    pub bias: f64,
    pub minima: Vec<f64>,
    pub maxima: Vec<f64>,
}

impl RandomModel {
    /// An RBF model; the kernel can be changed afterwards.
    pub fn new(seed: u64, supports: usize, features: usize) -> Self {
        let mut random = Random(seed);
        let size = 2.0 / (supports as f64).sqrt();
        let offsets = random.numbers(features, -2000.0, 2000.0);
        Self {
            kernel: SpecKernel::Rbf { bandwidth: (features as f64).sqrt() * random.between(0.4, 1.0) },
            scales: random.numbers(features, 1.0 / 500.0, 1.0 / 100.0),
            coefficients: random.numbers(supports, -size, size),
            supports: random.numbers(supports * features, -2.0, 2.0),
            bias: 0.1,
            minima: offsets.iter().map(|offset| offset - 400.0).collect(),
            maxima: offsets.iter().map(|offset| offset + 400.0).collect(),
            offsets,
        }
    }

    pub fn with_bandwidth(self, bandwidth: f64) -> Self {
        Self { kernel: SpecKernel::Rbf { bandwidth }, ..self }
    }

    pub fn linear(seed: u64, features: usize) -> Self {
        Self { kernel: SpecKernel::Linear, ..Self::new(seed, 1, features) }
    }

    pub fn spec(&self) -> ModelSpec<'_> {
        ModelSpec {
            kernel: self.kernel,
            offsets: &self.offsets,
            scales: &self.scales,
            coefficients: &self.coefficients,
            supports: &self.supports,
            bias: self.bias,
            threshold: 0.05,
            envelope: Some((&self.minima, &self.maxima)),
            names: None,
            recipe: None,
        }
    }

    /// A reading in the region of the support instances.
    pub fn reading(&self, random: &mut Random) -> Vec<f32> {
        let tables = self.offsets.iter().zip(&self.scales);
        tables.map(|(offset, scale)| (offset + random.between(-2.2, 2.2) / scale) as f32).collect()
    }

    /// The same in whole counts.
    pub fn counts(&self, random: &mut Random) -> Vec<i16> {
        self.reading(random).into_iter().map(|value| value as i16).collect()
    }

    pub fn score(&self, reading: &[f32]) -> f64 {
        let z: Vec<_> = (reading.iter().zip(&self.offsets).zip(&self.scales))
            .map(|((x, offset), scale)| (f64::from(*x) - offset) * scale)
            .collect();
        let kernel = |support: &[f64]| -> f64 {
            let pairs = z.iter().zip(support);
            match self.kernel {
                SpecKernel::Rbf { bandwidth } => {
                    let squared: f64 = pairs.map(|(z, s)| (z - s) * (z - s)).sum();
                    libm::exp(-squared / (2.0 * bandwidth * bandwidth))
                }
                SpecKernel::Linear => pairs.map(|(z, s)| z * s).sum(),
            }
        };
        let terms = self.coefficients.iter().zip(self.supports.chunks(self.offsets.len()));
        terms.map(|(c, support)| c * kernel(support)).sum::<f64>() + self.bias
    }
}

pub fn floats(counts: &[i16]) -> Vec<f32> {
    counts.iter().copied().map(f32::from).collect()
}

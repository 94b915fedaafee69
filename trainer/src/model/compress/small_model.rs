//! From a network to device bytes: round the centres as the encoding will, refit the coefficients to the rounded centres, encode.
//!
//! The scales that the fit found go into the scaling of readings, z_j = (x_j - offset_j) * scale_j e^{s_j}, so the device needs no
//! more than it has. Targets were in units of the full model's score: coefficients and bias go back to that score.

use pual_infer::{EncodeError, Encoding, ModelBytes, ModelSpec, SpecKernel, encode, encode_fixed, quantised_supports};

use super::network::Network;
use super::points::Points;

/// What a model carries in addition to its score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extras {
    pub names: bool,
    /// The training range of each feature.
    pub envelope: bool,
}

impl Extras {
    /// From all to nothing, in the order in which things are left out when bytes are short.
    pub(crate) const LEVELS: [Self; 3] = [
        Self { names: true, envelope: true },
        Self { names: false, envelope: true },
        Self { names: false, envelope: false },
    ];

    /// `spec` without what is left out.
    pub(super) fn of<'a>(self, spec: &ModelSpec<'a>) -> ModelSpec<'a> {
        ModelSpec {
            names: spec.names.filter(|_| self.names),
            envelope: spec.envelope.filter(|_| self.envelope),
            ..*spec
        }
    }
}

/// A small model, short of bytes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SmallModel {
    encoding: Encoding,
    kernel: SpecKernel,
    scales: Vec<f64>,
    supports: Vec<f64>,
    pub coefficients: Vec<f64>,
    bias: f64,
}

impl SmallModel {
    /// Rounds and refits `network`, which was fitted to `points` in units of `unit`, to take the place of `full_model`.
    pub(super) fn new(
        network: &Network,
        points: &Points,
        encoding: Encoding,
        large: &ModelSpec<'_>,
        unit: f64,
    ) -> Result<Self, EncodeError> {
        let factors = network.factors();
        let scale = |(scale, factor): (&f64, &f64)| f64::from((scale * factor) as f32);
        let centres = network.centres.iter().zip(factors.iter().cycle());
        let mut small = Self {
            encoding,
            kernel: SpecKernel::Rbf { bandwidth: network.bandwidth },
            scales: large.scales.iter().zip(&factors).map(scale).collect(),
            supports: centres.map(|(c, factor)| c * factor).collect(),
            coefficients: network.coefficients.clone(),
            bias: network.bias,
        };
        if encoding != Encoding::F32 {
            small.supports = quantised_supports(&small.spec(large), encoding)?;
        }
        let supports = small.supports.iter().zip(factors.iter().cycle());
        let mut rounded = Network { centres: supports.map(|(s, factor)| s / factor).collect(), ..network.clone() };
        rounded.refit(points);
        small.coefficients = rounded.coefficients.iter().map(|a| a * unit).collect();
        small.bias = rounded.bias * unit + large.threshold;
        Ok(small)
    }

    /// The terms of `full_model` as they are.
    pub(super) fn own(large: &ModelSpec<'_>, encoding: Encoding) -> Self {
        Self {
            encoding,
            kernel: large.kernel,
            scales: large.scales.to_vec(),
            supports: large.supports.to_vec(),
            coefficients: large.coefficients.to_vec(),
            bias: large.bias,
        }
    }

    fn spec<'a>(&'a self, large: &ModelSpec<'a>) -> ModelSpec<'a> {
        ModelSpec {
            kernel: self.kernel,
            scales: &self.scales,
            coefficients: &self.coefficients,
            supports: &self.supports,
            bias: self.bias,
            ..*large
        }
    }

    pub(super) fn encode(&self, large: &ModelSpec<'_>, extras: Extras) -> Result<ModelBytes, EncodeError> {
        let spec = extras.of(&self.spec(large));
        match self.encoding {
            Encoding::F32 => encode(&spec),
            integers => encode_fixed(&spec, integers),
        }
    }
}

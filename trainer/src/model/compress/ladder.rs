//! The rungs of the ladder, from the smallest up.
//!
//! Each rung's network grows from the last one's, is polished, and is measured in every encoding allowed. If none is tolerable, the
//! full model's own terms are stored as integers. The last rung is the full model itself.

use pual_infer::{EncodeError, Encoding, ModelBytes, SpecKernel, encode};

use super::measure::Yardstick;
use super::network::Network;
use super::points::Points;
use super::small_model::{Extras, SmallModel};
use super::{CompressError, CompressOptions, FullModel, Goal, Rung, Step};

/// Support instances of the ladder's rungs: multiples of 4, which the encodings fill up to anyway.
const SIZES: [usize; 11] = [4, 8, 12, 16, 20, 24, 32, 40, 48, 64, 96];
/// Rungs shown beyond the one taken.
const FURTHER: usize = 2;
/// Steps of polishing a rung.
const STEPS: usize = 15;

pub(super) struct Climb<'a> {
    pub large: &'a FullModel<'a>,
    pub points: &'a Points,
    pub yardstick: &'a Yardstick,
    pub unit: f64,
    pub candidates: Vec<usize>,
    pub options: &'a CompressOptions,
}

impl Climb<'_> {
    /// All rungs, in the order of their bytes.
    pub(super) fn rungs(&self, step: Step<'_>) -> Result<Vec<Rung>, CompressError> {
        let Self { large, options, .. } = self;
        let mut rungs = match large.spec.kernel {
            SpecKernel::Rbf { bandwidth } => self.small_rungs(bandwidth, step)?,
            SpecKernel::Linear => Vec::new(),
        };
        rungs.extend(self.whole()?);
        if rungs.is_empty() && large.spec.kernel == SpecKernel::Linear {
            return Err(CompressError::Linear);
        }
        // Nothing larger than the full model is of use, unless it was requested.
        if options.goal == Goal::Tolerance && options.encoding.is_none() {
            rungs.retain(|rung| rung.as_trained || rung.bytes < large.bytes.len());
        }
        rungs.sort_by_key(|rung| (rung.bytes, rung.as_trained, rung.supports));
        Ok(rungs)
    }

    /// Networks from the smallest up, until it is clear which one to take.
    fn small_rungs(&self, bandwidth: f64, step: Step<'_>) -> Result<Vec<Rung>, CompressError> {
        let features = self.large.spec.offsets.len();
        let mut network = Network::empty(features, bandwidth);
        let sizes = self.sizes();
        let mut rungs: Vec<Rung> = Vec::new();
        let mut tolerable = 0;
        for (at, &size) in sizes.iter().enumerate() {
            network.grow(self.points, &self.candidates, size);
            if network.coefficients.is_empty() {
                // A constant: the format wants a term, be it 0.
                network.centres = self.points.centre(0);
                network.coefficients = vec![0.0];
            }
            network.polish(self.points, STEPS);
            let grown = self.rungs_of(&network)?;
            step(at + 1, sizes.len());
            let is_tolerable = |rung: &Rung| rung.measured.loss <= self.options.tolerance;
            tolerable += usize::from(tolerable > 0 || grown.iter().any(is_tolerable));
            rungs.extend(grown);
            let full = network.coefficients.len() < size;
            if full || (self.options.goal == Goal::Tolerance && tolerable > FURTHER) {
                break;
            }
        }
        if tolerable == 0 && !matches!(self.options.goal, Goal::Supports(_)) {
            rungs.extend(self.own_terms(bandwidth)?);
        }
        Ok(rungs)
    }

    /// The full model's own terms as integers, if nothing smaller will do.
    fn own_terms(&self, bandwidth: f64) -> Result<Vec<Rung>, CompressError> {
        let spec = &self.large.spec;
        let own = Network {
            bandwidth,
            shifts: vec![0.0; spec.offsets.len()],
            centres: spec.supports.to_vec(),
            coefficients: spec.coefficients.iter().map(|c| c / self.unit).collect(),
            bias: (spec.bias - spec.threshold) / self.unit,
        };
        let mut rungs = Vec::new();
        if self.is_allowed(Encoding::I8) {
            let refitted = SmallModel::new(&own, self.points, Encoding::I8, spec, self.unit);
            rungs.extend(self.rung(refitted)?);
        }
        if self.is_allowed(Encoding::I16) {
            // So fine that nothing needs a refit.
            rungs.extend(self.rung(Ok(SmallModel::own(spec, Encoding::I16)))?);
        }
        Ok(rungs)
    }

    fn sizes(&self) -> Vec<usize> {
        match self.options.goal {
            Goal::Supports(count) => {
                let below = SIZES.into_iter().filter(|&size| size < count);
                below.chain([count.max(1)]).collect()
            }
            Goal::Tolerance => {
                let most = self.large.spec.coefficients.len().max(SIZES[0]);
                SIZES.into_iter().filter(|&size| size <= most).collect()
            }
            Goal::Budget(budget) => {
                // A term takes no less than its coefficient and one byte a feature.
                let most = budget / (self.large.spec.offsets.len() + 2);
                SIZES.into_iter().filter(|&size| size <= most.max(SIZES[0])).collect()
            }
        }
    }

    /// The network in every allowed encoding that can hold it.
    fn rungs_of(&self, network: &Network) -> Result<Vec<Rung>, CompressError> {
        let mut rungs = Vec::new();
        for encoding in [Encoding::I8, Encoding::I16, Encoding::F32] {
            if self.is_allowed(encoding) {
                let spec = &self.large.spec;
                let small = SmallModel::new(network, self.points, encoding, spec, self.unit);
                rungs.extend(self.rung(small)?);
            }
        }
        Ok(rungs)
    }

    fn is_allowed(&self, encoding: Encoding) -> bool {
        self.options.encoding.is_none_or(|asked| asked == encoding)
    }

    /// A small model as a rung, if its encoding can hold it.
    fn rung(&self, small: Result<SmallModel, EncodeError>) -> Result<Option<Rung>, CompressError> {
        let spec = &self.large.spec;
        let encoded = small.and_then(|small| {
            let bytes = small.encode(spec, Extras::LEVELS[0])?;
            Ok((small, bytes))
        });
        let (small, bytes) = match encoded {
            Ok(encoded) => encoded,
            Err(EncodeError::NotForIntegers) => return Ok(None),
            Err(error) => return Err(CompressError::Encode(error)),
        };
        let encode = |extras| small.encode(spec, extras).ok();
        let rung = self.measured(&bytes, encode)?;
        Ok(Some(Rung { supports: small.coefficients.len(), as_trained: false, small: Some(small), ..rung }))
    }

    /// The full model as a rung, if its encoding is allowed.
    fn whole(&self) -> Result<Option<Rung>, CompressError> {
        let bytes = self.large.bytes;
        if !self.is_allowed(bytes.decode().map_err(CompressError::Decode)?.encoding()) {
            return Ok(None);
        }
        self.measured(bytes, |extras| whole_with(self.large, extras)).map(Some)
    }

    /// The rung of a model as it is in `bytes`; `encode` gives it with fewer extras.
    fn measured(
        &self,
        bytes: &ModelBytes,
        encode: impl Fn(Extras) -> Option<ModelBytes>,
    ) -> Result<Rung, CompressError> {
        let model = bytes.decode().map_err(CompressError::Decode)?;
        Ok(Rung {
            supports: model.supports(),
            encoding: model.encoding(),
            bytes: bytes.len(),
            measured: self.yardstick.measure(&model).map_err(CompressError::Reading)?,
            as_trained: true,
            taken: false,
            bytes_of: Extras::LEVELS.map(|extras| encode(extras).map(|bytes| bytes.len())),
            small: None,
        })
    }
}

/// The full model with fewer extras. Integer models are left as they are.
pub(super) fn whole_with(large: &FullModel<'_>, extras: Extras) -> Option<ModelBytes> {
    if extras == Extras::LEVELS[0] {
        return Some(large.bytes.clone());
    }
    let is_f32 = large.bytes.decode().is_ok();
    encode(&extras.of(&large.spec)).ok().filter(|_| is_f32)
}

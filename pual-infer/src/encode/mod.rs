//! The only writer of the model format: f64 in, device bytes out, decoded again before they are returned.

mod encode_fixed;
mod recipe;
mod threshold;

pub use encode_fixed::{encode_fixed, quantised_supports};
pub use recipe::{ChannelSpec, MagnitudeSpec, RecipeBytes, RecipeSpec, with_recipe};
pub use threshold::with_threshold;

use crate::error::DecodeError;
use crate::format::crc::crc32;
use crate::format::wire::{
    CHECKSUM_BYTES, Encoding, FORMAT_VERSION, HAS_ENVELOPE, HAS_NAMES, Head, Header, Kernel, LANES, MAGIC, MAX_SCALED,
    RECIPE_VERSION,
};
use crate::model::FixedModel;
use crate::model::FloatModel;
use crate::model::Model;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Deref;

/// sqrt(log2(e) / 2): with readings and instances multiplied by this and divided by the bandwidth l,
/// exp(-|x - s|^2 / (2 l^2)) = 2^-|z - t|^2, which the device evaluates without another multiplication.
pub(crate) const RBF_FOLD: f64 = 0.849_321_800_288_019_1;

/// The kernel of a [`ModelSpec`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SpecKernel {
    /// exp(-|z - s|^2 / (2 bandwidth^2)) of scaled vectors.
    Rbf {
        /// l, in units of the scaled features.
        bandwidth: f64,
    },
    /// The inner product of scaled vectors.
    Linear,
}

/// A model as the trainer knows it: f(x) = sum_b coefficient_b k(z, support_b) + bias, z = (x - offset) * scale.
#[derive(Clone, Copy, Debug)]
pub struct ModelSpec<'a> {
    /// The kernel.
    pub kernel: SpecKernel,
    /// Subtracted from each raw feature.
    pub offsets: &'a [f64],
    /// Multiplied with the difference; positive.
    pub scales: &'a [f64],
    /// Omega.
    pub coefficients: &'a [f64],
    /// The support instances, scaled, one after the other.
    pub supports: &'a [f64],
    /// beta_0.
    pub bias: f64,
    /// Scores above this are positive.
    pub threshold: f64,
    /// Smallest and largest raw value of each feature in the training data.
    pub envelope: Option<(&'a [f64], &'a [f64])>,
    /// The features' names, each at most 255 bytes of UTF-8.
    pub names: Option<&'a [&'a str]>,
    /// How the features are made of raw samples. A model with a recipe has format version 2.
    pub recipe: Option<&'a RecipeSpec>,
}

/// Why a [`ModelSpec`] cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EncodeError {
    /// A slice's length does not match the number of features or coefficients.
    WrongLength,
    /// More than 65,535 features or support instances, or more than 4 GiB.
    TooLarge,
    /// A name is longer than 255 bytes, or the number of names is not the number of features.
    Names,
    /// A number does not fit an f32.
    NotFinite,
    /// The support instances lie too far apart, in bandwidths, for an integer encoding; or the kernel has none.
    NotForIntegers,
    /// The decoder would refuse the result.
    Refused(DecodeError),
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongLength => f.write_str("the numbers of features and support instances do not match"),
            Self::TooLarge => f.write_str("the model is too large for the format"),
            Self::Names => f.write_str("feature names: each feature needs one of at most 255 bytes"),
            Self::NotFinite => f.write_str("a number does not fit an f32"),
            Self::NotForIntegers => f.write_str(
                "integers cannot hold this model: support instances too many bandwidths apart, or a linear kernel",
            ),
            Self::Refused(error) => write!(f, "the encoded model would be refused: {error}"),
        }
    }
}

impl core::error::Error for EncodeError {}

/// The bytes of a model, aligned so that they can be decoded in place.
#[derive(Clone, PartialEq, Eq)]
pub struct ModelBytes {
    words: Vec<u32>,
    length: usize,
}

impl ModelBytes {
    /// Copies bytes to an aligned place. They are not checked: [`decode`](Self::decode) does that.
    #[must_use]
    pub fn new(bytes: &[u8]) -> Self {
        let mut words = Vec::with_capacity(bytes.len().div_ceil(4));
        words.extend(bytes.chunks(4).map(|chunk| {
            let mut word = [0xFF; 4];
            word[..chunk.len()].copy_from_slice(chunk);
            u32::from_ne_bytes(word)
        }));
        Self { words, length: bytes.len() }
    }

    /// [`Model::decode`] of these bytes.
    ///
    /// # Errors
    /// As [`Model::decode`].
    pub fn decode(&self) -> Result<Model<'_>, DecodeError> {
        Model::decode(self)
    }

    /// [`FloatModel::decode`] of these bytes.
    ///
    /// # Errors
    /// As [`FloatModel::decode`].
    pub fn decode_float(&self) -> Result<FloatModel<'_>, DecodeError> {
        FloatModel::decode(self)
    }

    /// [`FixedModel::decode`] of these bytes.
    ///
    /// # Errors
    /// As [`FixedModel::decode`].
    pub fn decode_fixed(&self) -> Result<FixedModel<'_>, DecodeError> {
        FixedModel::decode(self)
    }
}

impl Deref for ModelBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[..self.length]
    }
}

impl fmt::Debug for ModelBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ModelBytes({} bytes)", self.length)
    }
}

/// Writes an f32 model. The result has already been decoded successfully.
///
/// # Errors
/// Counts that do not match each other or do not fit the format, numbers that do not fit an f32.
pub fn encode(spec: &ModelSpec<'_>) -> Result<ModelBytes, EncodeError> {
    let (kernel, fold) = match spec.kernel {
        SpecKernel::Rbf { bandwidth } => (Kernel::Rbf, RBF_FOLD / bandwidth),
        SpecKernel::Linear => (Kernel::Linear, 1.0),
    };
    let header = spec.header(kernel, Encoding::F32)?;
    let mut bytes = Vec::new();
    spec.write_scaling(&mut bytes, fold)?;
    if let Some((minima, maxima)) = spec.envelope {
        write_all(&mut bytes, minima, 1.0)?;
        write_all(&mut bytes, maxima, 1.0)?;
    }
    write_expansion(&mut bytes, spec, kernel, fold)?;
    let bytes = spec.seal(header, bytes)?;
    bytes.decode().map_err(EncodeError::Refused)?;
    Ok(bytes)
}

impl ModelSpec<'_> {
    /// Checks the counts and returns the header, without the length.
    pub(crate) fn header(&self, kernel: Kernel, encoding: Encoding) -> Result<Header, EncodeError> {
        let features = self.offsets.len();
        let supports = self.coefficients.len();
        if self.scales.len() != features || features.checked_mul(supports) != Some(self.supports.len()) {
            return Err(EncodeError::WrongLength);
        }
        if self.envelope.is_some_and(|(minima, maxima)| minima.len() != features || maxima.len() != features) {
            return Err(EncodeError::WrongLength);
        }
        if self.names.is_some_and(|names| names.len() != features || names.iter().any(|name| name.len() > 255)) {
            return Err(EncodeError::Names);
        }
        let bandwidth = match self.kernel {
            SpecKernel::Rbf { bandwidth } => bandwidth,
            SpecKernel::Linear => 0.0,
        };
        let mut flags = 0;
        if self.envelope.is_some() {
            flags |= HAS_ENVELOPE;
        }
        if self.names.is_some() {
            flags |= HAS_NAMES;
        }
        Ok(Header {
            magic: MAGIC,
            version: if self.recipe.is_some() { RECIPE_VERSION } else { FORMAT_VERSION },
            kernel: kernel.tag(),
            encoding: encoding.tag(),
            flags,
            features: features.try_into().map_err(|_| EncodeError::TooLarge)?,
            supports: supports.try_into().map_err(|_| EncodeError::TooLarge)?,
            length: 0,
            bias: narrow(self.bias)?,
            threshold: narrow(self.threshold)?,
            bandwidth: narrow(bandwidth)?,
        })
    }

    /// Offsets and scales.
    pub(crate) fn write_scaling(&self, bytes: &mut Vec<u8>, fold: f64) -> Result<(), EncodeError> {
        write_all(bytes, self.offsets, 1.0)?;
        write_all(bytes, self.scales, fold)
    }

    /// Puts the header before the payload, and names and checksum after it.
    pub(crate) fn seal(&self, mut header: Header, payload: Vec<u8>) -> Result<ModelBytes, EncodeError> {
        let mut bytes = alloc::vec![0; Head::BYTES];
        bytes.extend_from_slice(&payload);
        for name in self.names.unwrap_or_default() {
            bytes.push(name.len() as u8); // at most 255: `header` has checked
            bytes.extend_from_slice(name.as_bytes());
        }
        if let Some(recipe) = self.recipe {
            recipe::append(&mut bytes, recipe)?;
        }
        header.length = (bytes.len() + CHECKSUM_BYTES).try_into().map_err(|_| EncodeError::TooLarge)?;
        postcard::to_slice(&header, &mut bytes).map_err(|_| EncodeError::TooLarge)?;
        let checksum = crc32(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        Ok(ModelBytes::new(&bytes))
    }
}

/// Omega and the support instances, interleaved as the kernel's loop reads them.
fn write_expansion(bytes: &mut Vec<u8>, spec: &ModelSpec<'_>, kernel: Kernel, fold: f64) -> Result<(), EncodeError> {
    let features = spec.offsets.len();
    let lanes = match kernel {
        Kernel::Rbf => LANES,
        Kernel::Linear => 1,
    };
    for first in (0..spec.coefficients.len()).step_by(lanes) {
        // The padding of the last block has zero coefficients, which add nothing.
        for lane in first..first + lanes {
            let coefficient = spec.coefficients.get(lane).copied().unwrap_or(0.0);
            bytes.extend_from_slice(&narrow(coefficient)?.to_le_bytes());
        }
        for feature in 0..features {
            for lane in first..first + lanes {
                let support = spec.supports.get(lane * features + feature).copied().unwrap_or(0.0);
                let scaled = narrow(support * fold)?;
                bytes.extend_from_slice(&scaled.clamp(-MAX_SCALED, MAX_SCALED).to_le_bytes());
            }
        }
    }
    Ok(())
}

fn write_all(bytes: &mut Vec<u8>, numbers: &[f64], factor: f64) -> Result<(), EncodeError> {
    for number in numbers {
        bytes.extend_from_slice(&narrow(number * factor)?.to_le_bytes());
    }
    Ok(())
}

pub(crate) fn narrow(number: f64) -> Result<f32, EncodeError> {
    let narrowed = number as f32;
    if narrowed.is_finite() { Ok(narrowed) } else { Err(EncodeError::NotFinite) }
}

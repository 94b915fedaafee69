//! The writer of recipes, and models with another one.

use super::{EncodeError, ModelBytes};
use crate::error::DecodeError;
use crate::format::crc::crc32;
use crate::format::recipe::{ChannelFields, Chart, ChartFields, Feature, HeadFields, Input, MAX_CHANNELS, MAX_NAME};
use crate::format::wire::{CHECKSUM_BYTES, LENGTH_OFFSET, RECIPE_VERSION, VERSION_OFFSET};
use crate::read::check_recipe;
use crate::read::recipe::{AlarmRule, DriftRule, Recipe};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use serde::{Deserialize, Serialize};

/// A recipe as the trainer knows it: how samples become features, and classes an alarm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecipeSpec {
    /// What the trainer's samples are.
    pub input: Input,
    /// Samples per second.
    pub rate: f32,
    /// Samples from one window to the next, 1 to 32,767.
    pub hop: u16,
    /// Blocks of a hop's length in a window, 1 to 64. A window has at most 32,768 samples.
    pub blocks: u8,
    /// Windows after the start that relative features are compared with. While they last there is no verdict.
    pub baseline: u16,
    /// When the alarm switches.
    pub alarm: AlarmRule,
    /// When the drift flag is raised.
    pub drift: DriftRule,
    /// The values of a sample, 1 to 32.
    pub channels: Vec<ChannelSpec>,
    /// Magnitudes of several of them, at most 32: channels behind the raw ones.
    pub magnitudes: Vec<MagnitudeSpec>,
    /// The model's features in their order.
    pub features: Vec<Feature>,
}

/// A raw channel. Samples in its unit are rounded to integers: value = integer * 2^exponent + offset.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ChannelSpec {
    /// Its name, with the unit: at most 255 bytes.
    pub name: String,
    /// The value of the integer 0, below 2^(40 + exponent) in magnitude.
    pub offset: f32,
    /// -60 to 60.
    pub exponent: i8,
    /// For skewness and kurtosis: u = (integer - centre) >> shift, clamped to -2048 .. 2047. 0 to 8.
    pub moment_shift: u8,
    /// See `moment_shift`.
    pub moment_centre: i16,
}

/// The magnitude of several raw channels, which have the same exponent and no offset.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MagnitudeSpec {
    /// Raw channels.
    pub of: Vec<u8>,
    /// As for a raw channel.
    pub moment_shift: u8,
    /// As for a raw channel.
    pub moment_centre: i16,
}

/// A recipe's bytes without a model: for windows on a host before there is one.
#[derive(Clone, PartialEq, Eq)]
pub struct RecipeBytes(ModelBytes);

impl RecipeBytes {
    /// The recipe.
    #[must_use]
    pub fn recipe(&self) -> Recipe<'_> {
        Recipe::split(&self.0).expect("it has been checked")
    }
}

impl fmt::Debug for RecipeBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RecipeBytes({} bytes)", self.0.len())
    }
}

impl RecipeSpec {
    /// The recipe's bytes. They have already been read successfully.
    ///
    /// # Errors
    /// Whatever a decoder would refuse, as [`DecodeError::Recipe`].
    pub fn encode(&self) -> Result<RecipeBytes, EncodeError> {
        let bytes = ModelBytes::new(&self.write()?);
        let refused = |field| EncodeError::Refused(DecodeError::Recipe(field));
        check_recipe::recipe(&bytes, self.features.len() as u16).map_err(refused)?;
        Ok(RecipeBytes(bytes))
    }

    pub(super) fn write(&self) -> Result<Vec<u8>, EncodeError> {
        let count = |length: usize| u8::try_from(length).map_err(|_| EncodeError::TooLarge);
        let chart = |chart: Chart| ChartFields { hit: chart.hit, miss: chart.miss, limit: chart.limit };
        let head = HeadFields {
            input: match self.input {
                Input::Counts => 0,
                Input::Units => 1,
            },
            channels: count(self.channels.len())?,
            magnitudes: count(self.magnitudes.len())?,
            blocks: self.blocks,
            hop: self.hop,
            baseline: self.baseline,
            rate: self.rate,
            alarm: [self.alarm.of, self.alarm.on, self.alarm.off, 0],
            features: self.features.len().try_into().map_err(|_| EncodeError::TooLarge)?,
            reserved: 0,
            outside_share: self.drift.outside_share,
            positive_share: self.drift.positive_share,
            charts: [self.drift.outside, self.drift.more_positive, self.drift.less_positive].map(chart),
        };
        let mut bytes = serialised(&head)?;
        for channel in &self.channels {
            bytes.extend(serialised(&ChannelFields {
                first: channel.offset.to_bits(),
                exponent: channel.exponent,
                moment_shift: channel.moment_shift,
                moment_centre: channel.moment_centre,
            })?);
        }
        for magnitude in &self.magnitudes {
            let mut mask = 0_u32;
            for &channel in &magnitude.of {
                let bit = 1_u32.checked_shl(channel.into()).filter(|_| usize::from(channel) < MAX_CHANNELS);
                mask |= bit.ok_or(EncodeError::TooLarge)?;
            }
            let first = magnitude.of.first().and_then(|first| self.channels.get(usize::from(*first)));
            bytes.extend(serialised(&ChannelFields {
                first: mask,
                exponent: first.map_or(0, |channel| channel.exponent),
                moment_shift: magnitude.moment_shift,
                moment_centre: magnitude.moment_centre,
            })?);
        }
        for feature in &self.features {
            bytes.extend_from_slice(&feature.write());
        }
        for ChannelSpec { name, .. } in &self.channels {
            if name.len() > MAX_NAME {
                return Err(EncodeError::Names);
            }
            bytes.push(name.len() as u8);
            bytes.extend_from_slice(name.as_bytes());
        }
        Ok(bytes)
    }
}

fn serialised(fields: &impl Serialize) -> Result<Vec<u8>, EncodeError> {
    let mut place = [0; 64];
    let written = postcard::to_slice(fields, &mut place).map_err(|_| EncodeError::TooLarge)?;
    Ok(written.to_vec())
}

/// Puts padding and recipe behind a model's names.
pub(super) fn append(bytes: &mut Vec<u8>, recipe: &RecipeSpec) -> Result<(), EncodeError> {
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes.extend(recipe.write()?);
    Ok(())
}

/// The same model with this recipe, instead of another one or of none. Version, length and checksum change with it; everything
/// else is copied, so every score keeps its bits.
///
/// # Errors
/// Bytes that are no model, or a recipe that a decoder would refuse.
pub fn with_recipe(model: &ModelBytes, recipe: &RecipeSpec) -> Result<ModelBytes, EncodeError> {
    let decoded = model.decode().map_err(EncodeError::Refused)?;
    let tail = decoded.description().after_names().len();
    let mut bytes = model[..decoded.length() - CHECKSUM_BYTES - tail].to_vec();
    append(&mut bytes, recipe)?;
    let length = u32::try_from(bytes.len() + CHECKSUM_BYTES).map_err(|_| EncodeError::TooLarge)?;
    bytes[VERSION_OFFSET] = RECIPE_VERSION;
    bytes[LENGTH_OFFSET..][..4].copy_from_slice(&length.to_le_bytes());
    let checksum = crc32(&bytes);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    let bytes = ModelBytes::new(&bytes);
    bytes.decode().map_err(EncodeError::Refused)?;
    Ok(bytes)
}

impl From<&Recipe<'_>> for RecipeSpec {
    fn from(recipe: &Recipe<'_>) -> Self {
        let raw = recipe.raw_channels();
        let channels = (0..raw).filter_map(|index| Some((index, recipe.channel(index)?)));
        let magnitudes = (raw..recipe.channels()).filter_map(|index| recipe.channel(index));
        Self {
            input: recipe.input(),
            rate: recipe.rate(),
            hop: recipe.hop() as u16,
            blocks: recipe.blocks() as u8,
            baseline: recipe.baseline() as u16,
            alarm: recipe.alarm(),
            drift: recipe.drift(),
            channels: channels
                .map(|(index, channel)| ChannelSpec {
                    name: recipe.name(index).unwrap_or_default().into(),
                    offset: channel.offset,
                    exponent: channel.exponent as i8,
                    moment_shift: channel.moment_shift,
                    moment_centre: channel.moment_centre,
                })
                .collect(),
            magnitudes: magnitudes
                .map(|channel| MagnitudeSpec {
                    of: (0..32).filter(|bit| channel.mask >> bit & 1 == 1).collect(),
                    moment_shift: channel.moment_shift,
                    moment_centre: channel.moment_centre,
                })
                .collect(),
            features: (0..recipe.features()).filter_map(|index| recipe.feature(index)).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::recipe::{CHANNEL_WORDS, ChannelWords, FeatureKind, HEAD_WORDS, RecipeHead};

    #[test]
    fn recipes_are_postcard() {
        let chart =
            |seed: i16| ChartFields { hit: 0x102 + seed, miss: -0x304 - seed, limit: 0x0506_0708 + seed as u32 };
        let fields = HeadFields {
            input: 1,
            channels: 2,
            magnitudes: 3,
            blocks: 4,
            hop: 0x0506,
            baseline: 0x0708,
            rate: 12.5,
            alarm: [9, 10, 11, 12],
            features: 0x0D0E,
            reserved: 0x0F10,
            outside_share: 0x1112,
            positive_share: 0x1314,
            charts: [chart(0), chart(0x1111), chart(0x2222)],
        };
        let bytes = ModelBytes::new(&serialised(&fields).unwrap());
        assert_eq!(bytes.len(), 4 * HEAD_WORDS);
        let words: &[u32] = bytemuck::cast_slice(&bytes);
        let head = RecipeHead(words.first_chunk().unwrap());
        let read = HeadFields {
            input: head.input(),
            channels: head.channels(),
            magnitudes: head.magnitudes(),
            blocks: head.blocks(),
            hop: head.hop(),
            baseline: head.baseline(),
            rate: f32::from_bits(head.rate_bits()),
            alarm: head.alarm(),
            features: head.features(),
            reserved: head.reserved(),
            outside_share: head.outside_share(),
            positive_share: head.positive_share(),
            charts: head.charts().map(|c| ChartFields { hit: c.hit, miss: c.miss, limit: c.limit }),
        };
        assert_eq!(read, fields);

        let fields = ChannelFields { first: 0x0102_0304, exponent: -5, moment_shift: 6, moment_centre: -0x708 };
        let bytes = ModelBytes::new(&serialised(&fields).unwrap());
        assert_eq!(bytes.len(), 4 * CHANNEL_WORDS);
        let words = ChannelWords(*bytemuck::cast_slice(&bytes).first_chunk().unwrap());
        let exponent = words.exponent() as i8;
        let (first, moment_shift, moment_centre) = (words.first(), words.moment_shift(), words.moment_centre());
        assert_eq!(ChannelFields { first, exponent, moment_shift, moment_centre }, fields);

        for tag in 0..crate::format::recipe::KINDS {
            let bins = if tag == 12 { [3, 7] } else { [0, 0] };
            let word = u32::from_le_bytes([tag | 0x80, 5, bins[0], bins[1]]);
            let feature = Feature::read(word);
            assert_eq!((feature.write(), feature.channel, feature.relative), (word.to_le_bytes(), 5, true));
            assert_eq!(matches!(feature.kind, FeatureKind::Band { first: 3, last: 7 }), tag == 12);
        }
    }
}

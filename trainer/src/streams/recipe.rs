//! What the user asks of a window to the recipe that the chip runs.
//!
//! A feature is written as it is called in tables: `mean` of every channel, or `Current mean` of one; with `relative` behind it, minus its
//! mean over the first windows. Energy in a band of frequencies is `band:50-200Hz`.
//!
//! Samples become integers, q = (x - offset) / 2^exponent: the offset is the middle of the training range, and the exponent such that the
//! range takes 2^13 to 2^14 steps, which leaves as much again on either side. Channels of a magnitude have offset 0 and one exponent.

use pual_infer::{AlarmRule, ChannelSpec, DriftRule, Feature, FeatureKind, Input, MagnitudeSpec, RecipeSpec};

use super::Recordings;
use super::error::did_you_mean;

/// log2 of the steps that the training range takes, at least.
const RANGE_BITS: i32 = 13;
const MOST_EXPONENT: i32 = 60;
/// The largest offset, in steps, as a power of two.
const OFFSET_BITS: i32 = 39;
/// Samples of 2^13 steps and their deviations fit the sums of moments without these bits.
const MOMENT_SHIFT: u8 = 2;
/// Kinds without an argument, by their names.
const KINDS: [FeatureKind; 12] = [
    FeatureKind::Mean,
    FeatureKind::Sd,
    FeatureKind::Rms,
    FeatureKind::Min,
    FeatureKind::Max,
    FeatureKind::P2p,
    FeatureKind::Slope,
    FeatureKind::Crossings,
    FeatureKind::Crest,
    FeatureKind::Skewness,
    FeatureKind::Kurtosis,
    FeatureKind::Diff,
];
const RELATIVE: &str = "relative";

/// A length of time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Span {
    /// In samples.
    Samples(usize),
    /// In seconds.
    Seconds(f64),
}

impl Span {
    /// Whole samples, at least one.
    pub(crate) fn samples(self, period: f64) -> usize {
        match self {
            Self::Samples(samples) => samples,
            Self::Seconds(seconds) => ((seconds / period).round() as usize).max(1),
        }
    }
}

/// Why there is no recipe.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RecipeError {
    /// Windows could not share their blocks.
    #[error("a hop of {hop} samples does not divide the window of {window}; take {}", of_divisors(*window, *hop))]
    Hop {
        /// Samples from one window to the next.
        hop: usize,
        /// Samples of a window.
        window: usize,
    },
    /// More than the chip's sums hold.
    #[error(
        "a window of {window} samples in steps of {hop} is more than a recipe holds: at most 32,768 samples in at most 64 steps"
    )]
    TooLong {
        /// Samples of a window.
        window: usize,
        /// Samples from one window to the next.
        hop: usize,
    },
    /// No such feature.
    #[error("unknown feature `{name}`{hint}; there are {} and band:LOW-HIGHHz", KINDS.map(FeatureKind::name).join(", "))]
    Feature {
        /// As it was written.
        name: String,
        /// The nearest name; or nothing.
        hint: String,
    },
    /// No such channel.
    #[error("no channel `{name}` (for the feature `{feature}`){hint}")]
    Channel {
        /// As it was written.
        name: String,
        /// The feature.
        feature: String,
        /// The nearest name; or nothing.
        hint: String,
    },
    /// A band that blocks of a hop's length cannot resolve.
    #[error(
        "`{feature}`: with {rate} samples per second and a hop of {hop} samples, bands lie between {low} and {high} Hz"
    )]
    Band {
        /// As it was written.
        feature: String,
        /// Samples per second.
        rate: String,
        /// Samples of a block.
        hop: usize,
        /// The lowest frequency.
        low: String,
        /// The highest frequency.
        high: String,
    },
    /// Relative to nothing.
    #[error("`{0}` is relative to the first windows; say how long they last with a baseline")]
    NoBaseline(String),
    /// The chip would refuse it.
    #[error("the recipe: {0}")]
    Refused(String),
}

fn of_divisors(window: usize, hop: usize) -> String {
    let mut divisors: Vec<usize> =
        (1..=window).filter(|hop| window.is_multiple_of(*hop) && window / hop <= 64).collect();
    divisors.sort_by_key(|divisor| divisor.abs_diff(hop));
    divisors.truncate(3);
    divisors.sort_unstable();
    let texts: Vec<String> = divisors.iter().map(usize::to_string).collect();
    texts.join(" or ")
}

/// Windows and what is computed of them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WindowPlan {
    /// Samples.
    pub window: usize,
    /// Samples from one window to the next.
    pub hop: usize,
    /// Features as the user writes them.
    pub features: Vec<String>,
    /// Windows.
    pub baseline: usize,
    /// Channels of each magnitude.
    pub magnitudes: Vec<Vec<String>>,
}

impl WindowPlan {
    /// The window and hop that are meant.
    pub(crate) fn lengths(window: Span, hop: Option<Span>, period: f64) -> Result<(usize, usize), RecipeError> {
        let window = window.samples(period);
        let hop = match hop {
            Some(hop) => hop.samples(period),
            // Half of it, or the longest part that there is.
            None => (2..=64).find(|blocks| window.is_multiple_of(*blocks)).map_or(window, |blocks| window / blocks),
        };
        match window.is_multiple_of(hop) {
            false => Err(RecipeError::Hop { hop, window }),
            true if window > 32_768 || hop > 32_767 || window / hop > 64 => Err(RecipeError::TooLong { window, hop }),
            true => Ok((window, hop)),
        }
    }

    /// The recipe. Its alarm and drift flag are not chosen yet.
    pub(crate) fn recipe(&self, recordings: &Recordings) -> Result<RecipeSpec, RecipeError> {
        let magnitudes = self.magnitude_channels(&recordings.channels)?;
        let names = channel_names(&recordings.channels, &self.magnitudes);
        let mut features = Vec::new();
        for text in &self.features {
            for feature in self.parse(text, &names, recordings.period)? {
                if !features.contains(&feature) {
                    features.push(feature);
                }
            }
        }
        // A chip sums channel by channel.
        features.sort_by_key(|feature| feature.channel);
        let channels = channels(recordings, &magnitudes);
        Ok(RecipeSpec {
            input: Input::Units,
            channels,
            magnitudes: magnitudes.iter().map(|of| magnitude(of)).collect(),
            hop: self.hop as u16,
            blocks: (self.window / self.hop) as u8,
            rate: (1.0 / recordings.period) as f32,
            baseline: self.baseline.min(usize::from(u16::MAX)) as u16,
            alarm: AlarmRule { on: 1, of: 1, off: 1 },
            drift: DriftRule::default(),
            features,
        })
    }

    fn magnitude_channels(&self, names: &[String]) -> Result<Vec<Vec<usize>>, RecipeError> {
        let find = |name: &String| {
            names.iter().position(|known| known == name).ok_or_else(|| {
                let hint = did_you_mean(name, names.iter().map(String::as_str));
                RecipeError::Channel { name: name.clone(), feature: "magnitude".to_owned(), hint }
            })
        };
        self.magnitudes.iter().map(|of| of.iter().map(find).collect()).collect()
    }

    /// One feature, or one per channel.
    fn parse(&self, text: &str, names: &[String], period: f64) -> Result<Vec<Feature>, RecipeError> {
        let bare = text.trim().strip_suffix(RELATIVE).map(str::trim_end);
        let relative = bare.is_some_and(|bare| !bare.is_empty());
        let rest = bare.filter(|_| relative).unwrap_or(text.trim());
        let (channel, kind) =
            rest.rsplit_once(' ').map_or((None, rest), |(channel, kind)| (Some(channel.trim()), kind));
        let kind = match kind.strip_prefix("band:") {
            Some(band) => self.band(text, band, 1.0 / period)?,
            None => KINDS.into_iter().find(|known| known.name() == kind).ok_or_else(|| RecipeError::Feature {
                name: kind.to_owned(),
                hint: did_you_mean(kind, KINDS.map(FeatureKind::name)),
            })?,
        };
        if relative && self.baseline == 0 {
            return Err(RecipeError::NoBaseline(text.to_owned()));
        }
        let feature = |channel: usize| Feature { kind, channel: channel as u8, relative };
        match channel {
            None => Ok((0..names.len()).map(feature).collect()),
            Some(name) => match names.iter().position(|known| known == name) {
                Some(channel) => Ok(vec![feature(channel)]),
                None => Err(RecipeError::Channel {
                    name: name.to_owned(),
                    feature: text.to_owned(),
                    hint: did_you_mean(name, names.iter().map(String::as_str)),
                }),
            },
        }
    }

    /// The bins of `50-200Hz`.
    fn band(&self, feature: &str, text: &str, rate: f64) -> Result<FeatureKind, RecipeError> {
        let width = rate / self.hop as f64;
        let refuse = || RecipeError::Band {
            feature: feature.to_owned(),
            rate: super::recordings::rate_text(rate),
            hop: self.hop,
            low: super::recordings::rate_text(width),
            high: super::recordings::rate_text(rate / 2.0),
        };
        let text = text.trim_end_matches("Hz").trim_end_matches("hz");
        let (low, high) = text.split_once('-').ok_or_else(refuse)?;
        let bin = |text: &str| text.trim().parse::<f64>().ok().map(|frequency| frequency / width);
        let (low, high) = (bin(low).ok_or_else(refuse)?, bin(high).ok_or_else(refuse)?);
        let (first, last) = ((low - 1e-9).ceil().max(1.0), (high + 1e-9).floor().min((self.hop / 2) as f64).min(255.0));
        match first <= last && high >= low {
            true => Ok(FeatureKind::Band { first: first as u8, last: last as u8 }),
            false => Err(refuse()),
        }
    }
}

/// Names of raw channels and magnitudes.
pub(crate) fn channel_names(channels: &[String], magnitudes: &[Vec<String>]) -> Vec<String> {
    let magnitude = |of: &Vec<String>| format!("|{}|", of.join(" "));
    channels.iter().cloned().chain(magnitudes.iter().map(magnitude)).collect()
}

/// What a feature is called in tables and models.
pub(crate) fn feature_name(feature: &Feature, channels: &[String], rate: f64, hop: usize) -> String {
    let channel = channels.get(usize::from(feature.channel)).map_or("?", String::as_str);
    let kind = match feature.kind {
        FeatureKind::Band { first, last } => {
            let frequency = |bin: u8| super::recordings::rate_text(f64::from(bin) * rate / hop as f64);
            format!("band:{}-{}Hz", frequency(first), frequency(last))
        }
        kind => kind.name().to_owned(),
    };
    let relative = if feature.relative { " relative" } else { "" };
    format!("{channel} {kind}{relative}")
}

/// Offset and exponent of each raw channel.
fn channels(recordings: &Recordings, magnitudes: &[Vec<usize>]) -> Vec<ChannelSpec> {
    let width = recordings.channels.len();
    let mut ranges = vec![(f32::INFINITY, f32::NEG_INFINITY); width];
    for recording in &recordings.all {
        for sample in recording.samples.chunks_exact(width) {
            for (range, &x) in ranges.iter_mut().zip(sample) {
                *range = (range.0.min(x), range.1.max(x));
            }
        }
    }
    // What reaches furthest from 0, of the channels that are in a magnitude together.
    let reach = |channel: usize| {
        let with = magnitudes.iter().filter(|of| of.contains(&channel)).flatten();
        let reach = |at: &usize| f64::from(ranges[*at].0.abs().max(ranges[*at].1.abs()));
        with.map(reach).fold(0.0, f64::max)
    };
    let channel = |at: usize| {
        let (low, high) = (f64::from(ranges[at].0), f64::from(ranges[at].1));
        let (offset, exponent) = match reach(at) {
            reach if reach > 0.0 => (0.0, exponent_of(2.0 * reach)),
            _ => {
                let offset = (0.5 * (low + high)) as f32;
                let of_offset = exponent_of(f64::from(offset.abs())) + RANGE_BITS - OFFSET_BITS;
                let of_range = if high > low { exponent_of(high - low) } else { exponent_of(low.abs()) };
                (offset, of_range.max(of_offset).clamp(-MOST_EXPONENT, MOST_EXPONENT))
            }
        };
        ChannelSpec {
            name: recordings.channels[at].clone(),
            offset,
            exponent: exponent as i8,
            moment_shift: MOMENT_SHIFT,
            moment_centre: 0,
        }
    };
    (0..width).map(channel).collect()
}

/// Magnitudes lie above 0, and reach a little further than their channels.
fn magnitude(of: &[usize]) -> MagnitudeSpec {
    MagnitudeSpec {
        of: of.iter().map(|&channel| channel as u8).collect(),
        moment_shift: MOMENT_SHIFT + 1,
        moment_centre: 1 << RANGE_BITS,
    }
}

/// The exponent of steps of which this range takes 2^13 to 2^14.
fn exponent_of(range: f64) -> i32 {
    match range > 0.0 {
        true => (range.log2().floor() as i32 - RANGE_BITS).clamp(-MOST_EXPONENT, MOST_EXPONENT),
        false => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_and_hops_are_samples() {
        let lengths = |window, hop| WindowPlan::lengths(window, hop, 0.5);
        assert_eq!(lengths(Span::Seconds(20.0), Some(Span::Seconds(10.0))), Ok((40, 20)));
        assert_eq!(lengths(Span::Samples(20), None), Ok((20, 10)));
        assert_eq!(lengths(Span::Samples(21), None), Ok((21, 7)));
        let error = lengths(Span::Samples(20), Some(Span::Samples(7))).unwrap_err().to_string();
        assert_eq!(error, "a hop of 7 samples does not divide the window of 20; take 4 or 5 or 10");
        assert!(matches!(lengths(Span::Samples(200), Some(Span::Samples(1))), Err(RecipeError::TooLong { .. })));
    }

    #[test]
    fn features_are_written_as_they_are_called() {
        let plan = WindowPlan { window: 20, hop: 10, features: Vec::new(), baseline: 3, magnitudes: Vec::new() };
        let names = ["Flow Rate".to_owned(), "b".to_owned()];
        let parse = |text: &str| plan.parse(text, &names, 0.01).map_err(|error| error.to_string());
        assert_eq!(parse("sd").unwrap().len(), 2);
        for text in ["Flow Rate mean", "b sd relative", "b band:10-30Hz"] {
            let features = parse(text).unwrap();
            assert_eq!((features.len(), feature_name(&features[0], &names, 100.0, 10)), (1, text.to_owned()));
        }
        assert!(parse("b meen").unwrap_err().starts_with("unknown feature `meen`; did you mean `mean`?"));
        assert_eq!(parse("c mean").unwrap_err(), "no channel `c` (for the feature `c mean`); did you mean `b`?");
        assert!(parse("band:1-3Hz").unwrap_err().contains("bands lie between 10 and 50 Hz"));
        let without = WindowPlan { baseline: 0, ..plan.clone() };
        assert!(without.parse("mean relative", &names, 1.0).unwrap_err().to_string().contains("with a baseline"));
    }

    #[test]
    fn a_range_takes_its_steps() {
        for range in [1e-6, 0.3, 1.0, 7.9, 4e5] {
            let steps = range / f64::from(exponent_of(range)).exp2();
            assert!((8192.0..16_384.0).contains(&steps), "{range}: {steps}");
        }
    }
}

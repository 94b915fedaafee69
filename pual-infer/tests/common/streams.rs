//! The golden streams: models with a recipe, samples, and what a device said to them.

use pual_infer::{
    AlarmRule, ChannelSpec, Chart, DriftRule, Encoding, Feature, FeatureKind, Input, MagnitudeSpec, ModelBytes,
    ModelSpec, RecipeSpec, SpecKernel, encode, encode_fixed,
};

/// Written once, as all golden files.
pub struct GoldenStream {
    pub name: &'static str,
    pub bytes: &'static [u8],
    /// `s` and a sample in hexadecimal, 16 bits per value or the bits of an f32; after the last sample of a window with a verdict `v`
    /// and the bits of its features and score, whether the alarm is on, and whether the drift flag is raised; `gap` where samples are lost.
    pub lines: &'static str,
}

/// i16, integers, every feature without bands, relative ones, a magnitude; and f32, values in units, bands.
pub const GOLDEN_STREAMS: [GoldenStream; 2] = [
    GoldenStream {
        name: "v2-i16-counts",
        bytes: include_bytes!("../golden/v2-i16-counts.pual"),
        lines: include_str!("../golden/v2-i16-counts.stream"),
    },
    GoldenStream {
        name: "v2-rbf-bands",
        bytes: include_bytes!("../golden/v2-rbf-bands.pual"),
        lines: include_str!("../golden/v2-rbf-bands.stream"),
    },
];

fn feature(kind: FeatureKind, channel: u8, relative: bool) -> Feature {
    Feature { kind, channel, relative }
}

/// What the golden model of that name was encoded from.
pub fn golden_recipe(name: &str) -> RecipeSpec {
    use FeatureKind::{Band, Crest, Crossings, Diff, Kurtosis, Max, Mean, Min, P2p, Rms, Sd, Skewness, Slope};
    let channel = |name: &str, offset, exponent| ChannelSpec {
        name: name.into(),
        offset,
        exponent,
        moment_shift: 3,
        moment_centre: 20,
    };
    let chart = |hit, miss, limit| Chart { hit, miss, limit };
    let drift = DriftRule {
        outside_share: 655,
        positive_share: 20_000,
        outside: chart(9, -2, 40),
        more_positive: chart(3, -3, 60),
        less_positive: chart(-4, 1, 50),
    };
    let alarm = AlarmRule { on: 2, of: 4, off: 3 };
    match name {
        "v2-i16-counts" => RecipeSpec {
            input: Input::Counts,
            rate: 50.0,
            hop: 5,
            blocks: 4,
            baseline: 3,
            alarm,
            drift,
            channels: vec![channel("x [g]", 0.0, -4), channel("y [g]", 0.0, -4), channel("current [A]", 1.5, -2)],
            magnitudes: vec![MagnitudeSpec { of: vec![0, 1], moment_shift: 4, moment_centre: -7 }],
            features: vec![
                feature(Mean, 0, true),
                feature(Sd, 3, false),
                feature(Rms, 2, true),
                feature(Min, 0, false),
                feature(Max, 1, false),
                feature(P2p, 2, false),
                feature(Slope, 2, false),
                feature(Crossings, 1, false),
                feature(Crest, 0, true),
                feature(Skewness, 3, false),
                feature(Kurtosis, 1, true),
                feature(Diff, 2, false),
            ],
        },
        _ => RecipeSpec {
            input: Input::Units,
            rate: 1000.0,
            hop: 32,
            blocks: 2,
            baseline: 0,
            alarm,
            drift,
            channels: vec![channel("vibration [m/s²]", 0.0, -9), channel("temperature [°C]", 20.0, -6)],
            magnitudes: vec![],
            features: vec![
                feature(Band { first: 1, last: 3 }, 0, false),
                feature(Mean, 1, false),
                feature(Band { first: 4, last: 15 }, 0, false),
                feature(Band { first: 2, last: 2 }, 1, false),
            ],
        },
    }
}

/// The golden model as the encoder writes it.
pub fn golden_model(name: &str) -> ModelBytes {
    let recipe = golden_recipe(name);
    let d = recipe.features.len();
    let fraction = |index: usize, step: usize| ((index * step) % 17) as f64 / 8.0 - 1.0;
    let numbers = |count: usize, step: usize| -> Vec<f64> { (0..count).map(|i| fraction(i, step)).collect() };
    let spec = ModelSpec {
        kernel: SpecKernel::Rbf { bandwidth: 4.0 },
        offsets: &vec![0.25; d],
        scales: &vec![0.125; d],
        coefficients: &numbers(9, 7),
        supports: &numbers(9 * d, 5),
        bias: 0.0,
        threshold: if name == "v2-i16-counts" { -0.25 } else { -0.5 },
        envelope: Some((&vec![-200.0; d], &vec![90.0; d])),
        names: None,
        recipe: Some(&recipe),
    };
    let bytes = if name == "v2-i16-counts" { encode_fixed(&spec, Encoding::I16) } else { encode(&spec) };
    bytes.expect("golden models are valid")
}

/// A line of a golden stream.
pub enum Line {
    Counts(Vec<i16>),
    Units(Vec<f32>),
    Gap,
    /// Bits of features and score, alarm, drift.
    Verdict(Vec<u32>, bool, bool),
}

impl GoldenStream {
    pub fn aligned(&self) -> ModelBytes {
        ModelBytes::new(self.bytes)
    }

    pub fn lines(&self) -> impl Iterator<Item = Line> {
        self.lines.lines().filter(|line| !line.starts_with('#')).map(|line| {
            let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
            let words: Vec<&str> = rest.split_whitespace().collect();
            let hex = |word: &&str| u32::from_str_radix(word, 16).expect("a hexadecimal number");
            match kind {
                "gap" => Line::Gap,
                "s" if words[0].len() == 4 => Line::Counts(words.iter().map(|word| hex(word) as u16 as i16).collect()),
                "s" => Line::Units(words.iter().map(|word| f32::from_bits(hex(word))).collect()),
                _ => {
                    let (bits, flags) = words.split_at(words.len() - 2);
                    Line::Verdict(bits.iter().map(hex).collect(), flags[0] == "1", flags[1] == "1")
                }
            }
        })
    }
}

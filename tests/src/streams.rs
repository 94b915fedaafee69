//! Host against device: the same stream model, the same hostile samples, the same bits?

use crate::OrPanic;
use crate::bits::LIMIT;
use pual_device::emulator::{Clock, run};
use pual_device::firmware::{Board, build};
use pual_device::image::Image;
use pual_infer::{
    AlarmRule, ChannelSpec, Chart, DriftRule, Encoding, Feature, FeatureKind, Input, MagnitudeSpec, ModelBytes,
    ModelSpec, RecipeSpec, SpecKernel, Windows, encode, encode_fixed,
};
use pual_protocol::StreamDigest;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

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
/// Short hops are frequent: they cost little, and nearly all of the arithmetic is per window.
const HOPS: [u16; 20] = [1, 1, 2, 2, 3, 3, 4, 5, 5, 8, 8, 8, 13, 13, 16, 16, 31, 31, 64, 300];
const BLOCKS: [u8; 8] = [1, 2, 3, 4, 5, 8, 13, 16];
/// Bytes of the boards' model regions.
const REGION: usize = 64 << 10;
/// Windows from which a random model's features get their scales.
const WINDOWS_TO_SCALE: usize = 200;

struct Draws(ChaCha8Rng);

impl Draws {
    fn below(&mut self, end: usize) -> usize {
        (self.0.next_u64() % end.max(1) as u64) as usize
    }

    fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

/// A random recipe that every board's firmware has room for.
pub fn random_recipe(seed: u64) -> RecipeSpec {
    let draws = &mut Draws(ChaCha8Rng::seed_from_u64(seed));
    let raw = 1 + draws.below(3);
    let magnitude = raw > 1 && draws.below(2) == 0;
    let common = draws.below(20) as i8 - 14;
    let channels: Vec<_> = (0..raw)
        .map(|channel| ChannelSpec {
            name: format!("channel {channel} [V]"),
            offset: if magnitude { 0.0 } else { (1000.0 * (draws.uniform() - 0.5)) as f32 },
            exponent: if magnitude { common } else { draws.below(20) as i8 - 14 },
            moment_shift: draws.below(9) as u8,
            moment_centre: draws.below(20_000) as i16 - 10_000,
        })
        .collect();
    let of = (0..raw as u8).collect();
    let magnitudes = if magnitude {
        vec![MagnitudeSpec { of, moment_shift: draws.below(9) as u8, moment_centre: draws.below(20_000) as i16 }]
    } else {
        Vec::new()
    };
    let baseline = if draws.below(3) == 0 { 1 + draws.below(4) as u16 } else { 0 };
    let all = raw + magnitudes.len();
    let features = (0..1 + draws.below(12))
        .map(|_| Feature {
            kind: draws.one(&KINDS),
            channel: draws.below(all) as u8,
            relative: baseline > 0 && draws.below(2) == 0,
        })
        .collect();
    let of = 1 + draws.below(32) as u8;
    let chart = |hit: i16, miss: i16, limit: u32| Chart { hit, miss, limit };
    RecipeSpec {
        input: draws.one(&[Input::Counts, Input::Units]),
        rate: 50.0,
        hop: draws.one(&HOPS),
        blocks: draws.one(&BLOCKS),
        baseline,
        alarm: AlarmRule { on: 1 + draws.below(of.into()) as u8, of, off: 1 + draws.below(6) as u8 },
        drift: DriftRule {
            outside_share: draws.below(20_000) as u16,
            positive_share: draws.below(20_000) as u16,
            outside: chart(1 + draws.below(9) as i16, -(draws.below(9) as i16), draws.below(20_000) as u32),
            more_positive: chart(1 + draws.below(9) as i16, -(draws.below(9) as i16), draws.below(20_000) as u32),
            less_positive: chart(-(draws.below(9) as i16), 1 + draws.below(9) as i16, draws.below(20_000) as u32),
        },
        channels,
        magnitudes,
        features,
    }
}

/// A random model with a random recipe; its scales suit the features of random samples.
pub fn random_stream_model(seed: u64) -> ModelBytes {
    let recipe = random_recipe(seed);
    let draws = &mut Draws(ChaCha8Rng::seed_from_u64(seed ^ 0xABCD));
    let (means, spreads) = moments(&recipe, draws);
    let features = recipe.features.len();
    let supports = 1 + draws.below(40);
    let points: Vec<_> = (0..supports * features).map(|_| 3.0 * draws.uniform() - 1.5).collect();
    let coefficients: Vec<_> = (0..supports).map(|_| draws.uniform() - 0.5).collect();
    let scales: Vec<_> = spreads.iter().map(|spread| 1.0 / spread).collect();
    let at =
        |side: f64| -> Vec<f64> { means.iter().zip(&spreads).map(|(mean, spread)| mean + side * spread).collect() };
    let (minima, maxima) = (at(-1.5), at(1.5));
    let spec = ModelSpec {
        kernel: SpecKernel::Rbf { bandwidth: (features as f64).sqrt() },
        offsets: &means,
        scales: &scales,
        coefficients: &coefficients,
        supports: &points,
        bias: 0.2 * (draws.uniform() - 0.5),
        threshold: 0.0,
        envelope: Some((&minima, &maxima)),
        names: None,
        recipe: Some(&recipe),
    };
    let fixed = match seed % 3 {
        0 => encode_fixed(&spec, Encoding::I16).ok(),
        1 => encode_fixed(&spec, Encoding::I8).ok(),
        _ => None,
    };
    fixed.unwrap_or_else(|| encode(&spec).expect("a random model is a valid model"))
}

/// Mean and spread of each feature over windows of noise whose level and width change.
fn moments(recipe: &RecipeSpec, draws: &mut Draws) -> (Vec<f64>, Vec<f64>) {
    let bytes = recipe.encode().expect("a random recipe is a valid recipe");
    let recipe = bytes.recipe();
    let mut windows = Windows::new(vec![0; recipe.memory()], &recipe).expect("there is as much memory as it needs");
    let count = recipe.features();
    let mut features = vec![0.0; count];
    let (mut sums, mut squares, mut seen) = (vec![0.0; count], vec![0.0; count], 0);
    while seen < WINDOWS_TO_SCALE {
        let (level, width) = (draws.below(40_000) as i32 - 20_000, 1 << draws.below(13));
        for _ in 0..recipe.window() {
            let sample: Vec<i16> =
                (0..recipe.raw_channels()).map(|_| (level + draws.below(width) as i32) as i16).collect();
            if windows.push(&recipe, &sample, &mut features).expect("a sample of counts is never refused") {
                seen += 1;
                for (at, &feature) in features.iter().enumerate() {
                    sums[at] += f64::from(feature);
                    squares[at] += f64::from(feature) * f64::from(feature);
                }
            }
        }
    }
    let means: Vec<f64> = sums.iter().map(|sum| sum / seen as f64).collect();
    let spread = |(mean, square): (&f64, &f64)| (square / seen as f64 - mean * mean).max(0.0).sqrt().max(1e-3);
    let spreads = means.iter().zip(&squares).map(spread).collect();
    (means, spreads)
}

/// What a comparison of streams found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamsCompared {
    /// Models compared.
    pub models: usize,
    /// Samples pushed on each side.
    pub samples: u64,
    /// Of these, refused: not finite.
    pub refused: u64,
    /// Windows compared.
    pub windows: u64,
    /// Models with a feature, score, class, envelope, alarm, drift flag or refusal that was not the host's.
    pub different: usize,
}

/// Compares this many windows of each of these models.
pub fn compare_streams(board: Board, seeds: impl IntoIterator<Item = u64>, windows: u32) -> StreamsCompared {
    let firmware = build(board, "stream_bits").and_then(|elf| Image::read(&elf)).or_panic();
    let mut total = StreamsCompared::default();
    for seed in seeds {
        let bytes = random_stream_model(seed);
        let model = bytes.decode().expect("a valid model");
        // More room than any board has: only the memory differs.
        let host = StreamDigest::of::<8, 64, 16>(&model, windows).expect("a stream model");
        // The firmware finds the number of windows in the region's last bytes.
        let mut region = bytes.to_vec();
        region.resize(REGION - 4, 0xFF);
        region.extend(windows.to_le_bytes());
        let name = format!("stream-bits-{}-{seed}", board.machine());
        let elf = firmware.with_model(&region, &name).or_panic();
        let result = run(board, &elf, Clock::Fast, LIMIT);
        let _ = std::fs::remove_file(elf);
        let (code, said) = result.or_panic();
        assert_eq!(code, Some(0), "{name}: {said}");
        let expected = format!("{} {} {} {:016x}", host.samples, host.refused, host.windows, host.hash);
        total.models += 1;
        total.samples += u64::from(host.samples);
        total.refused += u64::from(host.refused);
        total.windows += u64::from(host.windows);
        if said.trim() != expected {
            println!("{name}: {} on the device, {expected} here", said.trim());
            total.different += 1;
        }
    }
    total
}

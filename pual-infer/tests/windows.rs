//! Windows and their features against textbook formulas in f64, sliding against computing anew, and hostile samples.

mod common;

use common::naive::{self, in_steps, with_magnitudes};
use pual_infer::{
    AlarmRule, ChannelSpec, DriftRule, Feature, FeatureKind, Input, MagnitudeSpec, RecipeSpec, SampleError,
    StreamError, Windows,
};

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

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 16
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }
}

/// All features of all channels.
fn spec(hop: u16, blocks: u8, channels: &[(f32, i8)], magnitudes: &[&[u8]]) -> RecipeSpec {
    let features = |channel: usize| KINDS.map(|kind| Feature { kind, channel: channel as u8, relative: false });
    RecipeSpec {
        input: Input::Counts,
        rate: 100.0,
        hop,
        blocks,
        baseline: 0,
        alarm: AlarmRule { on: 1, of: 1, off: 1 },
        drift: DriftRule::default(),
        channels: channels
            .iter()
            .map(|&(offset, exponent)| ChannelSpec {
                name: "x".into(),
                offset,
                exponent,
                moment_shift: 4,
                moment_centre: 0,
            })
            .collect(),
        magnitudes: magnitudes
            .iter()
            .map(|of| MagnitudeSpec { of: of.to_vec(), moment_shift: 4, moment_centre: 0 })
            .collect(),
        features: (0..channels.len() + magnitudes.len()).flat_map(features).collect(),
    }
}

/// Runs samples through windows, with a gap before each sample of `gaps`, and compares every window with the reference.
fn compare(spec: &RecipeSpec, samples: &[Vec<i16>], gaps: &[usize]) -> usize {
    let bytes = spec.encode().unwrap();
    let recipe = bytes.recipe();
    let mut windows = Windows::new(vec![0_u32; recipe.memory()], &recipe).unwrap();
    let mut features = vec![f32::NAN; recipe.features()];
    let (hop, window) = (recipe.hop(), recipe.window());
    let all: Vec<Vec<i16>> = samples.iter().map(|raw| with_magnitudes(spec, raw)).collect();
    let (mut start, mut seen) = (0, 0);
    // The crossings' level of each sample since the gap.
    let mut levels: Vec<Vec<i16>> = Vec::new();
    for (at, raw) in samples.iter().enumerate() {
        if gaps.contains(&at) {
            windows.gap();
            (start, levels) = (at, Vec::new());
        }
        let since = at - start;
        levels.push(match since {
            0 => all[at].clone(),
            _ if since.is_multiple_of(hop) => {
                let complete = since.min(window);
                let mean = |channel: usize| {
                    let sum: i64 = all[at - complete..at].iter().map(|q| i64::from(q[channel])).sum();
                    sum.div_euclid(complete as i64) as i16
                };
                (0..recipe.channels()).map(mean).collect()
            }
            _ => levels[since - 1].clone(),
        });
        let complete = windows.push(&recipe, raw, &mut features).unwrap();
        let end = since + 1;
        assert_eq!(complete, end >= window && end.is_multiple_of(hop));
        if !complete {
            continue;
        }
        seen += 1;
        for (index, value) in features.iter().enumerate() {
            let feature = recipe.feature(index).unwrap();
            let channel = usize::from(feature.channel);
            let first = at + 1 - window;
            let q: Vec<i16> = all[first..=at].iter().map(|q| q[channel]).collect();
            let references: Vec<i16> = levels[end - window..end].iter().map(|level| level[channel]).collect();
            let naive = naive::Window {
                references: &references,
                before: if first == start { q[0] } else { all[first - 1][channel] },
                q: &q,
                offset: recipe.offset(channel).unwrap().into(),
                step: recipe.step(channel).unwrap().into(),
                moment_shift: 4,
                moment_centre: 0,
            };
            let (expected, tolerance) = naive.feature(feature.kind);
            let error = (f64::from(*value) - expected).abs();
            assert!(
                error <= tolerance,
                "{feature:?} of window at {at}: {value}, not {expected} ({error:e} > {tolerance:e})"
            );
        }
    }
    seen
}

/// Noise, a ramp, a sine with spikes, and rarely changing steps, one per channel.
fn ordinary(random: &mut Random, count: usize, channels: usize) -> Vec<Vec<i16>> {
    let mut level = 0_i64;
    let mut sample = |t: usize| {
        let noise = random.below(2001) as i16 - 1000;
        if random.below(20) == 0 {
            level = random.below(60_000) as i64 - 30_000;
        }
        let spike = if random.below(50) == 0 { 20_000.0 } else { 0.0 };
        let sine = 8000.0 * (t as f64 / 5.0).sin() + spike;
        let kinds = [noise, (t % 3000) as i16 * 9 - 12_000, sine as i16, level as i16];
        (0..channels).map(|channel| kinds[channel % 4]).collect()
    };
    (0..count).map(&mut sample).collect()
}

#[test]
fn features_are_those_of_textbooks() {
    let mut random = Random(1);
    let plain = [(0.0, 0); 4];
    let shifted = [(20.5, -8), (-1.0, 3), (0.0, -60), (1e9, 60)];
    for (hop, blocks) in [(16, 8), (1, 1), (1, 5), (7, 3), (300, 2), (128, 1), (2, 64), (257, 3)] {
        for channels in [&plain, &shifted] {
            let spec = spec(hop, blocks, channels, &[]);
            let window = usize::from(hop) * usize::from(blocks);
            let samples = ordinary(&mut random, 3 * window + 40, 4);
            let gaps = [window + 3, window + 4];
            assert!(compare(&spec, &samples, &gaps) > 0);
        }
    }
    let spec = spec(16, 8, &plain, &[&[0, 1, 2], &[3]]);
    assert!(compare(&spec, &ordinary(&mut random, 1000, 4), &[500]) > 30);
}

#[test]
fn nothing_overflows_at_the_extremes() {
    let extremes: [fn(usize) -> i16; 6] = [
        |_| i16::MAX,
        |_| i16::MIN,
        |t| if t % 2 == 0 { i16::MIN } else { i16::MAX },
        |t| if t % 997 == 0 { i16::MIN } else { i16::MAX },
        |t| if t < 20_000 { i16::MIN } else { i16::MAX },
        |_| 0,
    ];
    for (hop, blocks) in [(512, 64), (32_767, 1), (16_384, 2)] {
        let spec = spec(hop, blocks, &[(0.0, 0); 6], &[&[0, 1, 2, 3]]);
        let samples: Vec<Vec<i16>> = (0..40_000).map(|t| extremes.map(|value| value(t)).to_vec()).collect();
        assert!(compare(&spec, &samples, &[]) > 0);
    }
}

#[test]
fn blocks_that_slide_are_blocks_computed_anew() {
    let mut random = Random(7);
    let spec = spec(10, 6, &[(0.0, 0), (3.0, -4), (0.0, 0)], &[&[0, 2]]);
    let bytes = spec.encode().unwrap();
    let recipe = bytes.recipe();
    let samples = ordinary(&mut random, 2000, 3);
    let new = || Windows::new(vec![0_u32; recipe.memory()], &recipe).unwrap();
    let mut sliding = new();
    let (mut slid, mut anew) = (vec![0.0; recipe.features()], vec![0.0; recipe.features()]);
    for (at, sample) in samples.iter().enumerate() {
        if !sliding.push(&recipe, sample, &mut slid).unwrap() {
            continue;
        }
        let mut other = new();
        let first = at + 1 - recipe.window();
        for sample in &samples[first..=at] {
            other.push(&recipe, sample, &mut anew).unwrap();
        }
        for (index, (a, b)) in slid.iter().zip(&anew).enumerate() {
            // These look back beyond the window.
            let kind = recipe.feature(index).unwrap().kind;
            let looks_back = matches!(kind, FeatureKind::Crossings | FeatureKind::Diff);
            assert!(looks_back || a.to_bits() == b.to_bits(), "{kind:?}: {a} {b}");
        }
    }
}

#[test]
fn values_in_units_are_integers_first() {
    let mut random = Random(3);
    let spec = spec(8, 2, &[(20.0, -8), (0.0, -3), (0.0, -3)], &[&[1, 2]]);
    let bytes = spec.encode().unwrap();
    let recipe = bytes.recipe();
    let new = || Windows::new(vec![0_u32; recipe.memory()], &recipe).unwrap();
    let (mut in_units, mut in_integers) = (new(), new());
    let (mut a, mut b) = (vec![0.0; recipe.features()], vec![0.0; recipe.features()]);
    for _ in 0..500 {
        let scale = 10.0_f32.powi(random.below(6) as i32);
        let sample = [0; 3].map(|_| (random.below(20_001) as f32 / 10_000.0 - 1.0) * scale);
        let integers: Vec<i16> = spec.channels.iter().zip(sample).map(|(channel, x)| in_steps(channel, x)).collect();
        // In f64 the reference rounds once, f32 twice: a tie may go the other way.
        let complete = in_units.push(&recipe, &sample, &mut a).unwrap();
        assert_eq!(complete, in_integers.push(&recipe, &integers, &mut b).unwrap());
        for (a, b) in a.iter().zip(&b) {
            assert!((a - b).abs() <= 1e-2 * a.abs().max(1.0), "{a} {b}");
        }
    }
}

#[test]
fn relative_features_are_compared_with_the_first_windows() {
    let mut relative = spec(4, 2, &[(0.0, 0)], &[]);
    let plain = relative.clone();
    relative.baseline = 5;
    for feature in relative.features.iter_mut().skip(1) {
        feature.relative = true;
    }
    let (bytes, plain) = (relative.encode().unwrap(), plain.encode().unwrap());
    let (recipe, plain) = (bytes.recipe(), plain.recipe());
    let mut windows = Windows::new(vec![0_u32; recipe.memory()], &recipe).unwrap();
    let mut others = Windows::new(vec![0_u32; plain.memory()], &plain).unwrap();
    let (mut a, mut b) = ([0.0; 12], [0.0; 12]);
    let mut random = Random(5);
    let (mut sums, mut count) = ([0.0_f32; 12], 0);
    for (at, sample) in ordinary(&mut random, 400, 1).iter().enumerate() {
        if at == 200 {
            windows.gap();
            others.gap();
        }
        let verdict = windows.push(&recipe, sample, &mut a).unwrap();
        if others.push(&plain, sample, &mut b).unwrap() {
            count += 1;
            assert_eq!(verdict, count > 5);
            for index in 0..12 {
                if count <= 5 {
                    sums[index] += b[index];
                } else {
                    let mean = if index == 0 { 0.0 } else { sums[index] / 5.0 };
                    assert_eq!(a[index].to_bits(), (b[index] - mean).to_bits());
                }
            }
        }
    }
    assert!(count > 50 && windows.windows() == count);
}

#[test]
fn refused_samples_change_nothing() {
    let spec = spec(3, 2, &[(0.0, 0), (0.0, 0)], &[&[0, 1]]);
    let bytes = spec.encode().unwrap();
    let recipe = bytes.recipe();
    let needed = recipe.memory();
    assert_eq!(Windows::new(vec![0_u32; needed - 1], &recipe).unwrap_err(), StreamError::Memory { needed });
    let mut windows = Windows::new(vec![0_u32; needed], &recipe).unwrap();
    let mut features = [0.0; 36];
    for at in 0..6 {
        let before = format!("{windows:?}");
        let short = windows.push(&recipe, &[1.0_f32], &mut features);
        assert_eq!(short, Err(SampleError::WrongLength { expected: 2, found: 1 }));
        let bad = windows.push(&recipe, &[1.0, f32::NAN], &mut features);
        assert_eq!(bad, Err(SampleError::NotFinite { channel: 1 }));
        let narrow = windows.push(&recipe, &[1.0, 2.0], &mut features[..35]);
        assert_eq!(narrow, Err(SampleError::Features { needed: 36 }));
        assert_eq!(format!("{windows:?}"), before);
        assert_eq!(windows.push(&recipe, &[at as f32, -2.0], &mut features), Ok(at == 5));
    }
    assert_eq!(features[0], 2.5);
}

#[cfg(feature = "bands")]
#[test]
fn bands_are_those_of_a_fourier_transform() {
    let mut random = Random(11);
    for (hop, blocks, bands) in [
        (128, 1, [(1, 1), (6, 9), (63, 63)]),
        (16, 8, [(1, 2), (7, 7), (3, 5)]),
        (511, 2, [(1, 1), (20, 255), (100, 101)]),
        (5, 3, [(1, 1), (2, 2), (1, 2)]),
    ] {
        let mut spec = spec(hop, blocks, &[(3.0, -4), (0.0, 0)], &[]);
        let band =
            |(first, last), channel| Feature { kind: FeatureKind::Band { first, last }, channel, relative: false };
        // Channels out of order, with other features in between.
        spec.features =
            vec![band(bands[0], 0), band(bands[1], 1), spec.features[1], band(bands[2], 0), band(bands[2], 1)];
        let bytes = spec.encode().unwrap();
        let recipe = bytes.recipe();
        let mut windows = Windows::new(vec![0_u32; recipe.memory()], &recipe).unwrap();
        let mut features = [0.0; 5];
        let n = usize::from(hop);
        let samples: Vec<Vec<i16>> = (0..4 * n * usize::from(blocks))
            .map(|t| {
                let noise = random.below(2001) as f64 - 1000.0;
                let tone = 5000.0 * (t as f64 * 2.3).sin() + 9000.0;
                vec![(noise + tone) as i16, if t % 50 == 0 { i16::MIN } else { 12_000 - (t % 7) as i16 * 30 }]
            })
            .collect();
        let mut seen = 0;
        for (at, sample) in samples.iter().enumerate() {
            if !windows.push(&recipe, sample, &mut features).unwrap() {
                continue;
            }
            seen += 1;
            let window = &samples[at + 1 - recipe.window()..=at];
            for (index, value) in features.iter().enumerate() {
                let Feature { kind: FeatureKind::Band { first, last }, channel, .. } = recipe.feature(index).unwrap()
                else {
                    continue;
                };
                let channel = usize::from(channel);
                let (mut energy, mut all) = (0.0, 0.0);
                for block in window.chunks(n) {
                    let sum: i64 = block.iter().map(|q| i64::from(q[channel])).sum();
                    let mean = sum.div_euclid(n as i64);
                    let x: Vec<f64> =
                        block.iter().map(|q| (i64::from(q[channel]) - mean).clamp(-32_768, 32_767) as f64).collect();
                    all += x.iter().map(|x| x * x).sum::<f64>() / n as f64;
                    for bin in first..=last {
                        let w = core::f64::consts::TAU * f64::from(bin) / f64::from(hop);
                        let re: f64 = x.iter().enumerate().map(|(t, x)| x * (w * t as f64).cos()).sum();
                        let im: f64 = x.iter().enumerate().map(|(t, x)| x * (w * t as f64).sin()).sum();
                        energy += 2.0 * (re * re + im * im) / (n * n) as f64;
                    }
                }
                let step = f64::from(recipe.step(channel).unwrap());
                let expected = (energy / f64::from(blocks)).sqrt() * step;
                // A bin's frequency is rounded, so that some thousandths of the rest leak into the first of a long block.
                let tolerance = 0.03 * expected + (1.5 + 5e-3 * all.sqrt()) * step;
                let error = (f64::from(*value) - expected).abs();
                assert!(error <= tolerance, "{hop}, {first}..={last}: {value}, not {expected}");
            }
        }
        assert!(seen > 3);
    }
}

#[cfg(feature = "bands")]
#[test]
fn a_tone_is_its_band_and_extremes_do_not_overflow() {
    let mut spec = spec(512, 1, &[(0.0, 0)], &[]);
    let band = |first, last| Feature { kind: FeatureKind::Band { first, last }, channel: 0, relative: false };
    spec.features = vec![band(1, 1), band(255, 255), band(1, 255), band(40, 40), band(41, 60)];
    let bytes = spec.encode().unwrap();
    let recipe = bytes.recipe();
    let tone = |bin: f64, amplitude: f64| {
        move |t: usize| (amplitude * (core::f64::consts::TAU * bin * t as f64 / 512.0).sin()) as i16
    };
    let run = |sample: &dyn Fn(usize) -> i16| {
        let mut windows = Windows::new(vec![0_u32; recipe.memory()], &recipe).unwrap();
        let mut features = [0.0; 5];
        let complete = (0..1024).filter(|t| windows.push(&recipe, &[sample(*t)], &mut features).unwrap()).count();
        assert_eq!(complete, 2);
        features
    };
    let rms = 32_000.0 / 2.0_f64.sqrt();
    let near = |a: f32, b: f64| (f64::from(a) - b).abs() <= 0.02 * b + 120.0;
    // The first and the last bin lie a tenth of a bin beside the tone.
    let nearly = |a: f32| (f64::from(a) - rms).abs() <= 0.05 * rms;
    let [first, last, all, middle, beside] = run(&tone(40.0, 32_000.0));
    assert!(
        near(first, 0.0) && near(last, 0.0) && near(all, rms) && near(middle, rms) && near(beside, 0.0),
        "{middle} {all}"
    );
    assert!(nearly(run(&tone(1.0, 32_000.0))[0]) && nearly(run(&tone(255.0, 32_000.0))[1]));
    // In step with the first and the last bin: what makes s largest.
    for bin in [1.0, 255.0] {
        let square = run(&|t| if tone(bin, 1000.0)(t) >= 0 { i16::MAX } else { i16::MIN });
        assert!(square.iter().all(|x| x.is_finite()) && square[2] < 36_000.0 && square[2] > 31_000.0, "{square:?}");
    }
    assert_eq!(run(&|_| i16::MIN), [0.0; 5]);
    let alternating = run(&|t| if t % 2 == 0 { i16::MIN } else { i16::MAX });
    // Half a bin's width from the last bin, which is a tenth of a bin beside its place.
    assert!(alternating[0] < 200.0 && alternating[1] < 6000.0, "{alternating:?}");
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]

    #[test]
    fn any_window_has_the_features_of_textbooks(
        hop in 1_u16..40,
        blocks in 1_u8..6,
        exponent in -60_i8..=60,
        offset in -100.0_f32..100.0,
        gap in 0_usize..300,
        samples in proptest::collection::vec(proptest::array::uniform2(proptest::num::i16::ANY), 300),
    ) {
        // An offset of a few steps, whatever these are.
        let offset = (f64::from(offset) * f64::from(exponent).exp2()) as f32;
        let spec = spec(hop, blocks, &[(offset, exponent), (0.0, 0)], &[&[1]]);
        let samples: Vec<Vec<i16>> = samples.iter().map(|sample| sample.to_vec()).collect();
        compare(&spec, &samples, &[gap]);
    }
}

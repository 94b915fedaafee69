//! Windows and their features against textbook formulas in f64, sliding against computing anew, and hostile samples.

use crate::common::naive::{self, Random, in_steps, spec, with_magnitudes};
use pual_infer::{FeatureKind, RecipeSpec, SampleError, StreamError, Windows};

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

//! Bands of frequencies against a Fourier transform in f64, and their extremes.

use crate::common::naive::{Random, spec};
use pual_infer::{Feature, FeatureKind, Windows};

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

//! Features as a textbook has them, in f64, of all samples of a window.

use pual_infer::{AlarmRule, ChannelSpec, DriftRule, Feature, FeatureKind, Input, MagnitudeSpec, RecipeSpec};

/// Integers of all channels, magnitudes included, of a sample in steps.
pub fn with_magnitudes(spec: &RecipeSpec, raw: &[i16]) -> Vec<i16> {
    let magnitude = |m: &MagnitudeSpec| {
        let sum: i64 = m.of.iter().map(|&i| i64::from(raw[usize::from(i)]).pow(2)).sum();
        sum.isqrt().min(32_767) as i16
    };
    raw.iter().copied().chain(spec.magnitudes.iter().map(magnitude)).collect()
}

/// A value in units as an integer.
pub fn in_steps(channel: &ChannelSpec, x: f32) -> i16 {
    let steps = (f64::from(x) - f64::from(channel.offset)) * f64::from(channel.exponent).exp2().recip();
    steps.clamp(-32_767.0, 32_767.0).round_ties_even() as i16
}

/// What one feature of a channel's window is. `reference` is the crossings' level, `before` the sample before the window.
pub struct Window<'a> {
    pub q: &'a [i16],
    /// The level of each sample.
    pub references: &'a [i16],
    pub before: i16,
    pub offset: f64,
    pub step: f64,
    pub moment_shift: u8,
    pub moment_centre: i16,
}

impl Window<'_> {
    /// The feature, and the tolerance that f32 arithmetic has a right to.
    pub fn feature(&self, kind: FeatureKind) -> (f64, f64) {
        // In steps: an offset of many steps leaves too few bits, even in f64.
        let x: Vec<f64> = self.q.iter().map(|&q| f64::from(q)).collect();
        let (step, offset) = (self.step, self.offset);
        let n = x.len() as f64;
        let mean = x.iter().sum::<f64>() / n;
        let central = |power: i32| x.iter().map(|x| (x - mean).powi(power)).sum::<f64>() / n;
        let (least, most) = x.iter().fold((f64::MAX, f64::MIN), |(a, b), &x| (a.min(x), b.max(x)));
        let size = least.abs().max(most.abs()) * step + offset.abs();
        let before = |at: usize| if at == 0 { self.before } else { self.q[at - 1] };
        let value = match kind {
            FeatureKind::Mean => mean * step + offset,
            FeatureKind::Sd => central(2).sqrt() * step,
            FeatureKind::Rms => {
                let squares = x.iter().map(|x| (x * step + offset).powi(2));
                (squares.sum::<f64>() / n).sqrt()
            }
            FeatureKind::Min => least * step + offset,
            FeatureKind::Max => most * step + offset,
            FeatureKind::P2p => (most - least) * step,
            FeatureKind::Slope => {
                let middle = (n - 1.0) / 2.0;
                let above: f64 = x.iter().enumerate().map(|(k, x)| (k as f64 - middle) * (x - mean)).sum();
                let below: f64 = (0..x.len()).map(|k| (k as f64 - middle).powi(2)).sum();
                if below == 0.0 { 0.0 } else { above / below * step }
            }
            FeatureKind::Crossings => {
                let crosses = |&at: &usize| {
                    let r = self.references[at];
                    (self.q[at] >= r) != (before(at) >= r)
                };
                (0..self.q.len()).filter(crosses).count() as f64
            }
            FeatureKind::Diff => {
                let differences = (0..self.q.len()).map(|at| f64::from(self.q[at].abs_diff(before(at))));
                differences.sum::<f64>() * step / n
            }
            FeatureKind::Crest => {
                let sd = central(2).sqrt();
                if least == most { 0.0 } else { (most - mean).max(mean - least) / sd }
            }
            FeatureKind::Skewness | FeatureKind::Kurtosis => {
                let u = |q: &i16| {
                    let centred = i32::from(*q) - i32::from(self.moment_centre);
                    f64::from((centred >> self.moment_shift).clamp(-2048, 2047))
                };
                let u: Vec<f64> = self.q.iter().map(u).collect();
                let mean = u.iter().sum::<f64>() / n;
                let central = |power: i32| u.iter().map(|u| (u - mean).powi(power)).sum::<f64>() / n;
                let second = central(2);
                match kind {
                    _ if u.iter().all(|other| *other == u[0]) => 0.0,
                    FeatureKind::Skewness => central(3) / second.powf(1.5),
                    _ => central(4) / second.powi(2),
                }
            }
            _ => panic!("no reference for {kind:?}"),
        };
        let tolerance = match kind {
            FeatureKind::Mean | FeatureKind::Min | FeatureKind::Max | FeatureKind::Rms => 4e-7 * size,
            FeatureKind::Crossings => 0.0,
            FeatureKind::Skewness => 1e-5 * value.abs().max(1.0),
            FeatureKind::Slope => 2e-6 * value.abs() + 1e-12 * step,
            _ => 2e-6 * value.abs(),
        };
        (value, tolerance)
    }
}

pub const KINDS: [FeatureKind; 12] = [
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

pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 16
    }

    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }
}

/// All features of all channels.
pub fn spec(hop: u16, blocks: u8, channels: &[(f32, i8)], magnitudes: &[&[u8]]) -> RecipeSpec {
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

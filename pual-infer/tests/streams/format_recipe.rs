//! FORMAT.md is enough to run a recipe: this reader is written from it, keeps samples instead of sums, shares no code with the
//! crate, and gives the same bits.

use crate::common::streams::{GOLDEN_STREAMS, Line};
use pual_infer::{Class, Envelope, Stream};
use std::collections::VecDeque;

const FORMAT: &str = include_str!("../../FORMAT.md");

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(bytes[at..at + 2].try_into().unwrap())
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

struct Channel {
    offset: f32,
    exponent: i32,
    mask: u32,
    shift: u8,
    centre: i16,
}

/// A recipe, and everything that has happened.
struct Reader {
    raw: usize,
    b: usize,
    h: usize,
    baseline: usize,
    alarm: [usize; 3],
    charts: Vec<(i64, i64, i64)>,
    channels: Vec<Channel>,
    features: Vec<[u8; 4]>,
    /// All samples since the last gap, with magnitudes.
    samples: Vec<Vec<i16>>,
    windows: usize,
    sums: Vec<f32>,
    on: bool,
    history: VecDeque<bool>,
    negatives: usize,
    drift: [i64; 3],
    raised: bool,
}

impl Reader {
    /// The model is valid and has no names.
    fn new(model: &[u8]) -> Self {
        assert_eq!((model[4], model[7] & 2), (2, 0));
        let d = usize::from(u16_at(model, 8));
        // The header and the sections up to the names: those of f32 and i16 models with RBF kernels and an envelope.
        let n = usize::from(u16_at(model, 10));
        let start = match model[6] {
            0 => 28 + 16 * d + 4 * n.next_multiple_of(8) * (d + 1),
            _ => 32 + 12 * d + n.next_multiple_of(4) * 2 * (d + 1),
        };
        let r = &model[start.next_multiple_of(4)..model.len() - 4];
        let (raw, magnitudes) = (usize::from(r[1]), usize::from(r[2]));
        let channel = |index: usize| {
            let at = 48 + 8 * index;
            let first = u32_at(r, at);
            Channel {
                offset: if index < raw { f32::from_bits(first) } else { 0.0 },
                mask: if index < raw { 0 } else { first },
                exponent: i32::from(r[at + 4] as i8),
                shift: r[at + 5],
                centre: u16_at(r, at + 6) as i16,
            }
        };
        let features = 48 + 8 * (raw + magnitudes);
        assert_eq!(usize::from(u16_at(r, 16)), d);
        let chart = |index: usize| {
            let at = 24 + 8 * index;
            (i64::from(u16_at(r, at) as i16), i64::from(u16_at(r, at + 2) as i16), i64::from(u32_at(r, at + 4)))
        };
        Self {
            raw,
            b: r[3].into(),
            h: u16_at(r, 4).into(),
            baseline: u16_at(r, 6).into(),
            alarm: [12, 13, 14].map(|at| r[at].into()),
            charts: (0..3).map(chart).collect(),
            channels: (0..raw + magnitudes).map(channel).collect(),
            features: (0..d).map(|index| r[features + 4 * index..][..4].try_into().unwrap()).collect(),
            samples: Vec::new(),
            windows: 0,
            sums: vec![0.0; d],
            on: false,
            history: VecDeque::new(),
            negatives: 0,
            drift: [0; 3],
            raised: false,
        }
    }

    /// The features of a window with a verdict.
    fn push(&mut self, mut q: Vec<i16>) -> Option<Vec<f32>> {
        for channel in &self.channels[self.raw..] {
            let of = |i: usize| if channel.mask >> i & 1 == 1 { i64::from(q[i]).pow(2) } else { 0 };
            let sum: i64 = (0..self.raw).map(of).sum();
            q.push(sum.isqrt().min(32_767) as i16);
        }
        self.samples.push(q);
        let (w, count) = (self.h * self.b, self.samples.len());
        if count < w || count % self.h != 0 {
            return None;
        }
        let mut features: Vec<f32> = self.features.iter().map(|feature| self.feature(*feature)).collect();
        self.windows += 1;
        let relative = self.features.iter().map(|feature| feature[0] & 0x80 != 0);
        if self.windows <= self.baseline {
            for ((sum, value), relative) in self.sums.iter_mut().zip(&features).zip(relative) {
                *sum += if relative { *value } else { 0.0 };
            }
            if self.windows == self.baseline {
                self.sums.iter_mut().for_each(|sum| *sum /= self.baseline as f32);
            }
            return None;
        }
        for ((value, mean), relative) in features.iter_mut().zip(&self.sums).zip(relative) {
            *value -= if relative { *mean } else { 0.0 };
        }
        Some(features)
    }

    fn in_steps(&self, x: &[f32]) -> Vec<i16> {
        let steps = |(x, channel): (&f32, &Channel)| {
            let scale = (-f64::from(channel.exponent)).exp2() as f32;
            ((x - channel.offset) * scale).clamp(-32_767.0, 32_767.0).round_ties_even() as i16
        };
        x.iter().zip(&self.channels).map(steps).collect()
    }

    fn feature(&self, [kind, channel, first, last]: [u8; 4]) -> f32 {
        let index = usize::from(channel);
        let channel = &self.channels[index];
        let w = self.h * self.b;
        let start = self.samples.len() - w;
        let all: Vec<i64> = self.samples.iter().map(|q| q[index].into()).collect();
        let q = &all[start..];
        let n = w as i64;
        let (s1, s2) = (q.iter().sum::<i64>(), q.iter().map(|q| q * q).sum::<i64>());
        let (least, most) = (*q.iter().min().unwrap(), *q.iter().max().unwrap());
        let v = n * s2 - s1 * s1;
        let step = f64::from(channel.exponent).exp2() as f32;
        let (f, count) = (|x: i64| x as f32, w as f32);
        let before = |t: usize| all[(start + t).saturating_sub(1)];
        match kind & 0x7F {
            0 => f(s1) / count * step + channel.offset,
            1 => f(v).sqrt() / count * step,
            2 => {
                let m = f(s1) / count + channel.offset * (-f64::from(channel.exponent)).exp2() as f32;
                (f(v) / (count * count) + m * m).sqrt() * step
            }
            3 => f(least) * step + channel.offset,
            4 => f(most) * step + channel.offset,
            5 => f(most - least) * step,
            6 if w == 1 => 0.0,
            6 => {
                let ramp: i64 = q.iter().enumerate().map(|(k, q)| k as i64 * q).sum();
                f(6 * (2 * ramp - (n - 1) * s1)) / f(n * (n * n - 1)) * step
            }
            7 => {
                let crosses = |t: &usize| {
                    // The block's first sample since the gap.
                    let block = (start + t) / self.h * self.h;
                    let r = match block {
                        0 => all[0],
                        _ => {
                            let n = block.min(w);
                            all[block - n..block].iter().sum::<i64>().div_euclid(n as i64)
                        }
                    };
                    (q[*t] >= r) != (before(*t) >= r)
                };
                (0..w).filter(crosses).count() as f32
            }
            8 if v == 0 => 0.0,
            8 => f((n * most - s1).max(s1 - n * least)) / f(v).sqrt(),
            11 => f((0..w).map(|t| (q[t] - before(t)).abs()).sum()) / count * step,
            12 => self.band(q, first, last) * step,
            kind => moment(q, channel, kind == 9),
        }
    }

    fn band(&self, q: &[i64], first: u8, last: u8) -> f32 {
        let h = self.h as i64;
        let mut energy = 0.0;
        for block in q.chunks(self.h) {
            let mean = block.iter().sum::<i64>().div_euclid(h);
            let mut sum = 0;
            for b in first..=last {
                let z = (h - 4 * i64::from(b)) as f32 / h as f32;
                let c = polynomial(z);
                let n = ((1 << 30) - c * c).isqrt().min(32_767);
                let (mut s1, mut s2) = (0_i64, 0_i64);
                for q in block {
                    let x = (q - mean).clamp(-32_768, 32_767);
                    (s1, s2) = (x - s2 + 4 * ((c * s1) >> 16), s1);
                }
                let (re, im) = ((32_768 * s1 - c * s2) >> 15, (n * s2) >> 15);
                sum += re * re + im * im;
            }
            energy += sum as f32;
        }
        (energy * (2.0 / (h * h * self.b as i64) as f32)).sqrt()
    }

    fn judge(&mut self, positive: bool, outside: bool) -> (bool, bool) {
        let [n, k, m] = self.alarm;
        if self.on {
            self.negatives = if positive { 0 } else { self.negatives + 1 };
            if self.negatives == m {
                (self.on, self.negatives) = (false, 0);
                self.history.clear();
            }
        } else {
            self.history.push_back(positive);
            if self.history.len() > n {
                self.history.pop_front();
            }
            self.on = positive && self.history.iter().filter(|positive| **positive).count() >= k;
        }
        for ((sum, (hit, miss, limit)), counts) in
            self.drift.iter_mut().zip(&self.charts).zip([outside, positive, positive])
        {
            *sum = (*sum + if counts { hit } else { miss }).max(0).min(*limit);
            self.raised |= *limit > 0 && *sum == *limit;
        }
        (self.on, self.raised)
    }
}

fn moment(q: &[i64], channel: &Channel, skewness: bool) -> f32 {
    let u = |q: &i64| ((q - i64::from(channel.centre)) >> channel.shift).clamp(-2048, 2047);
    let u: Vec<i64> = q.iter().map(u).collect();
    let w = u.len() as i64;
    let a = (2 * u.iter().sum::<i64>() + w).div_euclid(2 * w);
    let around = |power: u32| u.iter().map(|u| (u - a).pow(power)).sum::<i64>();
    let variation = w * around(2) - around(1).pow(2);
    if variation == 0 {
        return 0.0;
    }
    let count = w as f32;
    let [d, m2, m3, m4] = [1, 2, 3, 4].map(|power| around(power) as f32 / count);
    let v = variation as f32 / (count * count);
    if skewness {
        (m3 - 3.0 * d * m2 + 2.0 * d * d * d) / (v * v.sqrt())
    } else {
        (m4 - 4.0 * d * m3 + 6.0 * d * d * m2 - 3.0 * d * d * d * d) / (v * v)
    }
}

/// The constants p1 to p5, from the table.
fn constants() -> [f32; 5] {
    std::array::from_fn(|at| {
        let row = FORMAT.split(&format!("| p{} | 0x", at + 1)).nth(1).unwrap();
        f32::from_bits(u32::from_str_radix(&row[..8], 16).unwrap())
    })
}

fn polynomial(z: f32) -> i64 {
    let [p1, p2, p3, p4, p5] = constants();
    let g = z * z;
    let p = ((((p5 * g + p4) * g + p3) * g + p2) * g + p1) * z * 32_768.0;
    p.clamp(-32_767.0, 32_767.0).round_ties_even() as i64
}

#[test]
fn a_reader_written_from_the_format_gives_the_same_features_and_alarms() {
    for line in [
        "s_t = x_t - s_(t-2) + 4 * ((c * s_(t-1)) >> 16) ",
        "skewness = (m3 - 3 * d * m2 + 2 * d * d * d) / (v * sqrt(v))\n",
        "kurtosis = (m4 - 4 * d * m3 + 6 * d * d * m2 - 3 * d * d * d * d) / (v * v)\n",
        "P(z) = ((((p5 * g + p4) * g + p3) * g + p2) * g + p1) * z * 32768 with g = z * z",
    ] {
        assert!(FORMAT.contains(line), "FORMAT.md says something else: {line}");
    }
    for golden in GOLDEN_STREAMS {
        let bytes = golden.aligned();
        let model = bytes.decode().unwrap();
        let mut reader = Reader::new(golden.bytes);
        let (mut found, mut verdicts) = (None, 0);
        for line in golden.lines() {
            match line {
                Line::Counts(counts) => found = reader.push(counts),
                Line::Units(units) => found = reader.push(reader.in_steps(&units)),
                Line::Gap => reader.samples.clear(),
                Line::Verdict(bits, alarm, drift) => {
                    let features = found.take().expect("a window");
                    let verdict = model.judge(&features).unwrap();
                    let (positive, outside) =
                        (verdict.class == Class::Positive, matches!(verdict.envelope, Envelope::Outside { .. }));
                    let mut mine: Vec<u32> = features.iter().map(|x| x.to_bits()).collect();
                    mine.push(verdict.score.to_bits());
                    assert_eq!(mine, bits, "{}: window {verdicts}", golden.name);
                    assert_eq!(reader.judge(positive, outside), (alarm, drift), "{}: window {verdicts}", golden.name);
                    verdicts += 1;
                }
            }
            assert!(found.is_none() || verdicts < 100);
        }
        assert!(verdicts > 40);
    }
}

#[test]
fn golden_streams_are_as_ever() {
    for golden in GOLDEN_STREAMS {
        assert_eq!(*crate::common::streams::golden_model(golden.name), *golden.bytes, "{}", golden.name);
        let bytes = golden.aligned();
        let model = bytes.decode().unwrap();
        let mut stream = Stream::<8, 8, 64>::new(&model).unwrap();
        let (mut pending, mut alarms, mut drifts) = (None, 0, 0);
        for line in golden.lines() {
            let said = match line {
                Line::Counts(counts) => stream.push(&counts).unwrap(),
                Line::Units(units) => stream.push(&units).unwrap(),
                Line::Gap => {
                    stream.gap();
                    None
                }
                Line::Verdict(bits, alarm, drift) => {
                    let (features, verdict): (Vec<u32>, pual_infer::StreamVerdict) = pending.take().expect("a verdict");
                    let (score, known) = bits.split_last().unwrap();
                    assert_eq!((&features[..], verdict.score.to_bits()), (known, *score), "{}", golden.name);
                    assert_eq!((verdict.alarm, verdict.drift), (alarm, drift), "{}", golden.name);
                    (alarms, drifts) = (alarms + usize::from(alarm), drifts + usize::from(drift));
                    continue;
                }
            };
            assert!(pending.is_none(), "{}: a verdict that is not in the file", golden.name);
            pending = said.map(|said| (stream.features().iter().map(|x| x.to_bits()).collect(), said));
        }
        assert!(alarms > 3 && drifts > 0, "{}: {alarms} {drifts}", golden.name);
    }
}

/// As in `format.rs`.
#[test]
fn the_constants_of_the_bands_are_those_of_the_source() {
    let source = include_str!("../../src/stream/bands.rs");
    let numbers = source.split("const TERMS: [f32; 5] = [").nth(1).unwrap().split(']').next().unwrap().replace('_', "");
    let numbers: Vec<f32> = numbers.split(',').map(|number| number.trim().parse().unwrap()).collect();
    assert_eq!(numbers, constants());
}

//! FORMAT.md is enough to write a reader: this one is written from it, shares no code with the crate, and gives the same bits.
//! And the examples in FORMAT.md are golden models.

mod common;

use common::random::{Random, RandomModel};
use common::{GOLDEN, GOLDEN_FIXED, all};
use pual_infer::{Class, Encoding, Envelope, Model, ModelBytes, encode, encode_fixed};

const FORMAT: &str = include_str!("../FORMAT.md");

/// Takes little-endian numbers from the front.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let (front, rest) = self.0.split_at(N);
        self.0 = rest;
        front.try_into().unwrap()
    }

    fn u8(&mut self) -> u8 {
        self.take::<1>()[0]
    }

    fn i16(&mut self) -> i16 {
        i16::from_le_bytes(self.take())
    }

    fn u16(&mut self) -> u16 {
        u16::from_le_bytes(self.take())
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    fn f32s(&mut self, count: usize) -> Vec<f32> {
        (0..count).map(|_| f32::from_bits(self.u32())).collect()
    }
}

/// What both encodings have.
struct Reader {
    bias: f32,
    threshold: f32,
    offsets: Vec<f32>,
    scales: Vec<f32>,
    /// Minimum and maximum of each feature: raw, or in units of an integer model.
    envelope: Option<Vec<[f64; 2]>>,
    numbers: Numbers,
}

/// An instance is a coefficient and values, padding included.
enum Numbers {
    Float { rbf: bool, instances: Vec<(f32, Vec<f32>)> },
    Fixed(Fixed),
}

struct Fixed {
    distance_shift: u8,
    coefficient_shift: u8,
    limit: u16,
    instances: Vec<(i64, Vec<i64>)>,
}

/// Reads a model, which must be valid.
fn read(model: &[u8]) -> Reader {
    let bytes = &mut Bytes(model);
    assert_eq!((bytes.take(), bytes.u8()), (*b"PUAL", 1));
    let (kernel, encoding, flags) = (bytes.u8(), bytes.u8(), bytes.u8());
    let (d, n) = (usize::from(bytes.u16()), usize::from(bytes.u16()));
    assert_eq!(bytes.u32() as usize, model.len());
    let numbers = bytes.f32s(3);
    let units = (encoding > 0).then(|| (bytes.u8(), bytes.u8(), bytes.u16()));
    let (offsets, scales) = (bytes.f32s(d), bytes.f32s(d));
    let envelope = (flags & 1 == 1).then(|| match units {
        None => {
            let (minima, maxima) = (bytes.f32s(d), bytes.f32s(d));
            (0..d).map(|j| [minima[j], maxima[j]].map(f64::from)).collect()
        }
        Some(_) => (0..d).map(|_| [bytes.i16(), bytes.i16()].map(f64::from)).collect(),
    });
    let expansion = match units {
        None => {
            let lanes = if kernel == 0 { 8 } else { 1 };
            let mut instances = Vec::new();
            for _ in 0..n.div_ceil(lanes) {
                let block: Vec<_> = (0..=d).map(|_| bytes.f32s(lanes)).collect();
                instances.extend((0..lanes).map(|lane| {
                    let values = block[1..].iter().map(|row| row[lane]);
                    (block[0][lane], values.collect())
                }));
            }
            Numbers::Float { rbf: kernel == 0, instances }
        }
        Some((distance_shift, coefficient_shift, limit)) => {
            let mut shifts = vec![0; d];
            if encoding == 2 {
                shifts = (0..d).map(|_| bytes.u8()).collect();
                bytes.0 = &bytes.0[d.next_multiple_of(4) - d..];
            }
            let mut instances = Vec::new();
            for _ in 0..n.div_ceil(4) {
                let first = instances.len();
                instances.extend((0..4).map(|_| (i64::from(bytes.i16()), Vec::new())));
                for shift in &shifts {
                    for (_, values) in &mut instances[first..] {
                        let stored = if encoding == 1 { bytes.i16() } else { i16::from(bytes.u8() as i8) };
                        values.push(-(i64::from(stored) << shift));
                    }
                }
            }
            Numbers::Fixed(Fixed { distance_shift, coefficient_shift, limit, instances })
        }
    };
    Reader { bias: numbers[0], threshold: numbers[1], offsets, scales, envelope, numbers: expansion }
}

/// The constants c1 to c5, from the table.
fn constants() -> [f32; 5] {
    std::array::from_fn(|at| {
        let row = FORMAT.split(&format!("| c{} | 0x", at + 1)).nth(1).unwrap();
        f32::from_bits(u32::from_str_radix(&row[..8], 16).unwrap())
    })
}

/// 2^-t.
fn exponential(t: f32) -> f32 {
    const R: f32 = 12_582_912.0;
    let [c1, c2, c3, c4, c5] = constants();
    let v = t + R;
    let f = t - (v - R);
    let g = f * f;
    let p = (1.0 + c1 * f) + g * ((c2 + c3 * f) + g * (c4 + c5 * f));
    match v.to_bits() - R.to_bits() {
        n @ 0..=126 => p * (-f64::from(n)).exp2() as f32,
        _ => 0.0,
    }
}

fn float_score(reader: &Reader, z: &[f32], rbf: bool, instances: &[(f32, Vec<f32>)]) -> f32 {
    let mut total = 0.0;
    for block in instances.chunks(if rbf { 8 } else { 1 }) {
        let mut sum = None;
        for (coefficient, values) in block {
            let mut t = 0.0;
            for (z, s) in z.iter().zip(values) {
                let r = s - z;
                t += if rbf { r * r } else { z * s };
            }
            let term = coefficient * if rbf { exponential(t) } else { t };
            sum = Some(sum.map_or(term, |sum: f32| sum + term));
        }
        total += sum.unwrap();
    }
    total + reader.bias
}

/// An f32 times a power of two, exactly; rounded towards zero.
fn towards_zero(number: f32, exponent: u8) -> i64 {
    (f64::from(number) * f64::from(exponent).exp2()) as i64
}

impl Reader {
    fn verdict(&self, reading: &[f32]) -> (f32, bool, Option<usize>) {
        let tables = self.offsets.iter().zip(&self.scales);
        let z = reading.iter().zip(tables).map(|(x, (o, s))| (x - o) * s);
        let (score, outside) = match &self.numbers {
            Numbers::Float { rbf, instances } => {
                let most = 2_f32.powi(30);
                let z: Vec<_> = z.map(|z| z.clamp(-most, most)).collect();
                (float_score(self, &z, *rbf, instances), self.outside(reading.iter().map(|&x| x.into())))
            }
            Numbers::Fixed(fixed) => {
                let limit = f32::from(fixed.limit);
                let q: Vec<_> = z.map(|z| z.clamp(-limit, limit).round_ties_even() as i64).collect();
                let unit = (-14.0 - f64::from(fixed.coefficient_shift)).exp2();
                (self.total(fixed, &q) as f32 * unit as f32, self.outside(q.iter().map(|&q| q as f64)))
            }
        };
        (score, score > self.threshold, outside)
    }

    fn counts_verdict(&self, counts: &[i16]) -> (i32, bool, Option<usize>) {
        let Numbers::Fixed(fixed) = &self.numbers else { panic!("counts are for integer models") };
        let tables = self.offsets.iter().zip(&self.scales);
        let limit = i128::from(fixed.limit);
        let q: Vec<i64> = (counts.iter().zip(tables))
            .map(|(x, (offset, scale))| {
                let offset = towards_zero(offset.clamp(-65_536.0, 65_536.0), 14);
                // m 2^-w, times 2^150: an integer for every normal f32.
                let bits = scale.to_bits();
                let (m, exponent) = ((bits & 0x7F_FFFF) | 0x80_0000, bits >> 23);
                let product = i128::from((i64::from(*x) << 14) - offset) * i128::from(m);
                let shift = 14 + 150 - exponent as i32;
                let nearest = match shift {
                    ..=0 => product << (-shift).min(60),
                    _ => ((product >> (shift - 1).min(100)) + 1) >> 1,
                };
                nearest.clamp(-limit, limit) as i64
            })
            .collect();
        let total = self.total(fixed, &q);
        let score = ((total << 2) >> fixed.coefficient_shift).clamp(i32::MIN.into(), i32::MAX.into());
        let threshold = towards_zero(self.threshold, 14 + fixed.coefficient_shift);
        (score as i32, total > threshold, self.outside(q.iter().map(|&q| q as f64)))
    }

    fn total(&self, fixed: &Fixed, q: &[i64]) -> i64 {
        let terms = fixed.instances.iter().map(|(c, values)| {
            let t: i64 = q.iter().zip(values).map(|(q, s)| (q - s) * (q - s)).sum();
            let y = (t >> fixed.distance_shift).min((1 << 19) - 1);
            let (n, f) = (y >> 15, y % (1 << 15));
            let a = 15078 - ((2557 * f) >> 15);
            let b = 45287 - ((a * f) >> 15);
            c * ((16383 - ((b * f) >> 17)) >> n)
        });
        terms.sum::<i64>() + towards_zero(self.bias, 14 + fixed.coefficient_shift)
    }

    fn outside(&self, values: impl Iterator<Item = f64>) -> Option<usize> {
        let envelope = self.envelope.as_ref()?;
        values.zip(envelope).position(|(value, [minimum, maximum])| value < *minimum || value > *maximum)
    }
}

fn outside(envelope: Envelope) -> Option<usize> {
    match envelope {
        Envelope::Outside { feature } => Some(feature),
        _ => None,
    }
}

/// Compares the two readers.
fn compare(bytes: &ModelBytes, readings: impl Iterator<Item = Vec<f32>>) {
    let (model, reader) = (bytes.decode().unwrap(), read(bytes));
    for reading in readings {
        let found = model.judge(&reading).unwrap();
        let found = (found.score.to_bits(), found.class == Class::Positive, outside(found.envelope));
        let (score, positive, feature) = reader.verdict(&reading);
        assert_eq!(found, (score.to_bits(), positive, feature), "{reading:?}");
        if let Model::Fixed(model) = model {
            let counts: Vec<_> = reading.iter().map(|&x| x as i16).collect();
            let found = model.judge_counts(&counts).unwrap();
            let found = (found.score, found.class == Class::Positive, outside(found.envelope));
            assert_eq!(found, reader.counts_verdict(&counts), "{counts:?}");
        }
    }
}

#[test]
fn a_reader_written_from_the_format_gives_the_same_bits() {
    for line in [
        "a     = 15078 - ((2557 * f) >> 15)",
        "b     = 45287 - ((a * f) >> 15)",
        "e_b   = (16383 - ((b * f) >> 17)) >> n ",
        "with R = 12582912 ",
        "p = (1 + c1 * f) + g * ((c2 + c3 * f) + g * (c4 + c5 * f))\n",
    ] {
        assert!(FORMAT.contains(line), "FORMAT.md says something else: {line}");
    }
    for golden in all() {
        for (reading, bits) in golden.scores() {
            let score = read(golden.bytes).verdict(&reading).0;
            assert_eq!(score.to_bits(), bits, "{}: {reading:?}", golden.name);
        }
        let d = golden.aligned().decode().unwrap().features();
        let extremes = [0.0, -0.0, 1e-40, 1e9, -3e38, f32::MAX].map(|x| vec![x; d]);
        let readings = golden.scores().into_iter().map(|(reading, _)| reading);
        compare(&golden.aligned(), readings.chain(extremes));
    }
    let mut random = Random(3);
    for (seed, (supports, features)) in [(1, 1), (9, 2), (37, 5), (60, 64)].into_iter().enumerate() {
        let truth = RandomModel::new(seed as u64, supports, features);
        let linear = RandomModel::linear(seed as u64, features);
        for bytes in [
            encode(&linear.spec()),
            encode(&truth.spec()),
            encode_fixed(&truth.spec(), Encoding::I16),
            encode_fixed(&truth.spec(), Encoding::I8),
        ] {
            compare(&bytes.unwrap(), (0..200).map(|_| truth.reading(&mut random)));
        }
    }
}

/// Their last bit rarely changes a score, so they are also compared with the source.
#[test]
fn the_constants_are_those_of_the_source() {
    let source = include_str!("../src/score/exp.rs");
    for (at, constant) in constants().into_iter().enumerate() {
        let line = source.split(&format!("const C{}: f32 = ", at + 1)).nth(1);
        let number = line.unwrap().split(';').next().unwrap().replace('_', "");
        assert_eq!(number.parse(), Ok(constant), "c{}", at + 1);
    }
}

#[test]
fn the_hex_examples_are_the_golden_models() {
    let examples = FORMAT.split("```hex\n").skip(1);
    let found: Vec<Vec<u8>> = examples.map(|example| bytes(example.split("```").next().unwrap())).collect();
    assert_eq!(found, [GOLDEN[0].bytes, GOLDEN_FIXED[1].bytes]);
}

/// The two-digit numbers at the start of each line; a comment begins with something else.
fn bytes(example: &str) -> Vec<u8> {
    let byte = |word: &str| (word.len() == 2).then(|| u8::from_str_radix(word, 16).ok()).flatten();
    example.lines().flat_map(|line| line.split_whitespace().map_while(byte)).collect()
}

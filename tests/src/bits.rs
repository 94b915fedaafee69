//! Host against device: the same model bytes, the same readings, the same bits?

use crate::models::{RandomModel, Shape};
use pual_infer::{Class, Envelope, ReadingError};
use pual_trainer::device::firmware::{Board, build};
use pual_trainer::device::image::Image;
use pual_trainer::device::link::Link;
use pual_trainer::device::qemu::{Clock, Qemu};
use std::time::Duration;

/// The machine may be busy with other tests.
pub const LIMIT: Duration = Duration::from_secs(120);

/// Encoding, supports and features of the models that are compared, from the smallest to the largest.
pub const SIZES: [(Shape, usize, usize); 36] = [
    (Shape::Rbf, 1, 1),
    (Shape::Rbf, 2, 1),
    (Shape::Rbf, 7, 1),
    (Shape::Rbf, 8, 2),
    (Shape::Rbf, 9, 2),
    (Shape::Rbf, 1, 16),
    (Shape::Rbf, 20, 2),
    (Shape::Rbf, 20, 3),
    (Shape::Rbf, 24, 5),
    (Shape::Rbf, 31, 13),
    (Shape::Rbf, 50, 8),
    (Shape::Rbf, 64, 4),
    (Shape::Rbf, 100, 6),
    (Shape::Rbf, 100, 64),
    (Shape::Rbf, 256, 7),
    (Shape::Rbf, 256, 16),
    (Shape::Rbf, 700, 7),
    (Shape::Rbf, 700, 16),
    (Shape::Linear, 1, 7),
    (Shape::Linear, 3, 64),
    (Shape::RbfI16, 1, 1),
    (Shape::RbfI16, 5, 3),
    (Shape::RbfI16, 20, 2),
    (Shape::RbfI16, 20, 7),
    (Shape::RbfI16, 64, 4),
    (Shape::RbfI16, 256, 7),
    (Shape::RbfI16, 700, 7),
    (Shape::RbfI16, 100, 64),
    (Shape::RbfI8, 1, 1),
    (Shape::RbfI8, 3, 1),
    (Shape::RbfI8, 20, 7),
    (Shape::RbfI8, 22, 5),
    (Shape::RbfI8, 50, 13),
    (Shape::RbfI8, 64, 4),
    (Shape::RbfI8, 256, 16),
    (Shape::RbfI8, 100, 64),
];

/// What a comparison found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Scores of f32 readings compared.
    pub scores: usize,
    /// Scores of counts compared.
    pub counts: usize,
    /// Scores whose bits differed.
    pub different: usize,
    /// Scores whose bits were the same, but whose class or envelope flag differed.
    pub misjudged: usize,
}

impl Comparison {
    /// Adds another's counts.
    pub fn add(&mut self, other: Self) {
        self.scores += other.scores;
        self.counts += other.counts;
        self.different += other.different;
        self.misjudged += other.misjudged;
    }

    fn judge(
        &mut self,
        same: bool,
        class: (Result<Class, ReadingError>, bool),
        envelope: (Result<Envelope, ReadingError>, bool),
    ) {
        let outside = matches!(envelope.0, Ok(Envelope::Outside { .. }));
        if !same {
            self.different += 1;
        } else if (class.0 == Ok(Class::Positive)) != class.1 || outside != envelope.1 {
            self.misjudged += 1;
        }
    }
}

/// Boots the example firmware with a model.
#[must_use]
pub fn boot(board: Board, model: &[u8], name: &str, clock: Clock) -> Link {
    let elf = build(board, "firmware-example").unwrap_or_else(|error| panic!("{error}"));
    let image = Image::read(&elf).unwrap_or_else(|error| panic!("{error}"));
    let elf = image
        .with_model(model, name)
        .unwrap_or_else(|error| panic!("{error}"));
    let machine = Qemu::boot(board, &elf, clock, LIMIT).unwrap_or_else(|error| panic!("{error}"));
    let link = Link::new(machine).unwrap_or_else(|error| panic!("{error}"));
    // QEMU has read the file when the firmware answers.
    let mut link = link;
    let hello = link.hello();
    let _ = std::fs::remove_file(elf);
    hello.unwrap_or_else(|error| panic!("{error}"));
    link
}

/// Scores `readings` random readings, and the edge readings, on both sides; with an integer model as many counts too.
#[must_use]
pub fn compare(board: Board, model: &mut RandomModel, readings: usize, name: &str) -> Comparison {
    let mut link = boot(board, &model.bytes, name, Clock::Fast);
    let mut comparison = compare_readings(&mut link, model, &model.edge_readings());
    let mut left = readings;
    while left > 0 {
        let size = left.min(10_000);
        let batch: Vec<_> = (0..size).map(|_| model.reading()).collect();
        comparison.add(compare_readings(&mut link, model, &batch));
        left -= size;
    }
    let mut counts = model.edge_counts();
    counts.extend((0..readings).map(|_| model.counts()));
    for batch in counts.chunks(10_000) {
        comparison.add(compare_counts(&mut link, model, batch));
    }
    let code = link.stop().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(code, Some(0), "the firmware did not end as it was told");
    comparison
}

fn compare_readings(link: &mut Link, model: &RandomModel, batch: &[Vec<f32>]) -> Comparison {
    let host = model.bytes.decode_any().expect("it was decoded before");
    let device = link.score(batch).unwrap_or_else(|error| panic!("{error}"));
    let mut comparison = Comparison {
        scores: batch.len(),
        ..Default::default()
    };
    for (reading, device) in batch.iter().zip(device) {
        let score = host.score(reading).expect("test readings are finite");
        let device = device.expect("test readings are finite");
        comparison.judge(
            score.to_bits() == device.score_bits,
            (host.classify(reading), device.positive),
            (host.envelope(reading), device.outside_envelope),
        );
    }
    comparison
}

/// Nothing for a model of f32.
fn compare_counts(link: &mut Link, model: &RandomModel, batch: &[Vec<i16>]) -> Comparison {
    let Ok(host) = model.bytes.decode_fixed() else {
        return Comparison::default();
    };
    let device = link
        .score_counts(batch)
        .unwrap_or_else(|error| panic!("{error}"));
    let mut comparison = Comparison {
        counts: batch.len(),
        ..Default::default()
    };
    for (counts, device) in batch.iter().zip(device) {
        let score = host.score_counts(counts).expect("they have the length");
        let device = device.expect("they have the length");
        comparison.judge(
            score == device.score,
            (host.classify_counts(counts), device.positive),
            (host.envelope_counts(counts), device.outside_envelope),
        );
    }
    comparison
}

/// Compares all models. `readings` are those of each encoding, shared out so that large models get few of them: all of
/// them take about as long.
#[must_use]
pub fn compare_all(board: Board, readings: usize, seed: u64) -> Comparison {
    let mut total = Comparison::default();
    let weight = |supports: usize, features: usize| 1.0 / (20 + supports * (features + 4)) as f64;
    for (index, (shape, supports, features)) in SIZES.into_iter().enumerate() {
        let same = |other: &&(Shape, usize, usize)| other.0.encoding() == shape.encoding();
        let weights = SIZES.iter().filter(same).map(|size| weight(size.1, size.2));
        let share = weight(supports, features) / weights.sum::<f64>();
        let readings = (readings as f64 * share).ceil() as usize;
        let mut model = RandomModel::new(seed + index as u64, shape, supports, features);
        let name = format!("bits-{}-{index}", board.machine());
        total.add(compare(board, &mut model, readings, &name));
    }
    total
}

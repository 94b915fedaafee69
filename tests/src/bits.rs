//! Host against device: the same model bytes, the same readings, the same bits?

use crate::models::{RandomModel, Shape};
use pual_trainer::device::firmware::{Board, build};
use pual_trainer::device::image::Image;
use pual_trainer::device::link::Link;
use pual_trainer::device::qemu::{Clock, Qemu};
use std::time::Duration;

/// The machine may be busy with other tests.
pub const LIMIT: Duration = Duration::from_secs(120);

/// Encoding, supports and features of the models that are compared, from the smallest to the largest.
pub const SIZES: [(Shape, usize, usize); 28] = [
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
    (Shape::RbfI16, 20, 2),
    (Shape::RbfI16, 256, 7),
    (Shape::RbfI16, 100, 64),
    (Shape::RbfI8, 3, 1),
    (Shape::RbfI8, 20, 7),
    (Shape::RbfI8, 256, 16),
    (Shape::RbfI8, 50, 13),
];

/// What a comparison found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Scores compared.
    pub scores: usize,
    /// Scores whose bits differed.
    pub different: usize,
    /// Scores whose bits were the same, but whose class or envelope flag differed.
    pub misjudged: usize,
}

impl Comparison {
    /// Adds another's counts.
    pub fn add(&mut self, other: Self) {
        self.scores += other.scores;
        self.different += other.different;
        self.misjudged += other.misjudged;
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

/// Scores `readings` random readings, and the edge readings, on both sides.
#[must_use]
pub fn compare(board: Board, model: &mut RandomModel, readings: usize, name: &str) -> Comparison {
    let mut link = boot(board, &model.bytes, name, Clock::Fast);
    let mut comparison = Comparison::default();
    let mut batch = model.edge_readings();
    let mut left = readings;
    loop {
        comparison.add(compare_batch(&mut link, model, &batch));
        if left == 0 {
            break;
        }
        let size = left.min(10_000);
        batch = (0..size).map(|_| model.reading()).collect();
        left -= size;
    }
    let code = link.stop().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(code, Some(0), "the firmware did not end as it was told");
    comparison
}

fn compare_batch(link: &mut Link, model: &RandomModel, batch: &[Vec<f32>]) -> Comparison {
    let host = model
        .bytes
        .decode_any()
        .expect("it was decoded when it was made");
    let device = link.score(batch).unwrap_or_else(|error| panic!("{error}"));
    let mut comparison = Comparison {
        scores: batch.len(),
        ..Default::default()
    };
    for (reading, device) in batch.iter().zip(device) {
        let score = host.score(reading).expect("test readings are finite");
        let device = device.expect("test readings are finite");
        let outside = matches!(
            host.envelope(reading),
            Ok(pual_infer::Envelope::Outside { .. })
        );
        let positive = host.class_of(score) == pual_infer::Class::Positive;
        if score.to_bits() != device.score_bits {
            comparison.different += 1;
        } else if positive != device.positive || outside != device.outside_envelope {
            comparison.misjudged += 1;
        }
    }
    comparison
}

/// Compares all models; `readings` are shared out evenly.
#[must_use]
pub fn compare_all(board: Board, readings: usize, seed: u64) -> Comparison {
    let mut total = Comparison::default();
    for (index, (shape, supports, features)) in SIZES.into_iter().enumerate() {
        let mut model = RandomModel::new(seed + index as u64, shape, supports, features);
        let name = format!("bits-{}-{index}", board.machine());
        total.add(compare(
            board,
            &mut model,
            readings.div_ceil(SIZES.len()),
            &name,
        ));
    }
    total
}

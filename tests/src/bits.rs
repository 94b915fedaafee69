//! Host against device: the same model bytes, the same readings, the same bits?

use crate::OrPanic;
use crate::models::{Shape, seeded_model};
use pual_device::emulator::{Clock, Link, run};
use pual_device::firmware::{Board, build};
use pual_device::image::Image;
use pual_infer::{Encoding, ModelBytes};
use pual_protocol::Digest;
use std::time::Duration;

/// The machine may be busy with other tests.
pub const LIMIT: Duration = Duration::from_secs(120);

/// Supports and features of the models that are compared, from the smallest to the largest.
#[rustfmt::skip]
const SIZES: [(Shape, &[[usize; 2]]); 4] = [
    (Shape::Rbf, &[
        [1, 1], [2, 1], [7, 1], [8, 2], [9, 2], [1, 16], [20, 2], [20, 3], [24, 5], [31, 13], [50, 8], [64, 4], [100, 6],
        [100, 64], [256, 7], [256, 16], [700, 7], [700, 16],
    ]),
    (Shape::Linear, &[[1, 7], [3, 64]]),
    (Shape::RbfI16, &[[1, 1], [5, 3], [20, 2], [20, 7], [64, 4], [256, 7], [700, 7], [100, 64]]),
    (Shape::RbfI8, &[[1, 1], [3, 1], [20, 7], [22, 5], [50, 13], [64, 4], [256, 16], [100, 64]]),
];

/// What a comparison found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Models compared.
    pub models: usize,
    /// Scores of f32 readings compared.
    pub scores: usize,
    /// Scores of counts compared.
    pub counts: usize,
    /// Models with a score, a class or an envelope that was not the host's.
    pub different: usize,
}

/// Boots the example firmware with a model.
pub fn boot(board: Board, model: &[u8], name: &str, clock: Clock) -> Link {
    Link::boot(board, model, name, clock, LIMIT).or_panic()
}

/// Scores the same readings on both sides and compares the digests of the answers.
fn compare(board: Board, firmware: &Image, model: &[u8], name: &str, total: &mut Comparison) {
    let host = Digest::of(&ModelBytes::new(model).decode().expect("a valid model"));
    let elf = firmware.with_model(model, name).or_panic();
    let result = run(board, &elf, Clock::Fast, LIMIT);
    let _ = std::fs::remove_file(elf);
    let (code, said) = result.or_panic();
    assert_eq!(code, Some(0), "{name}: {said}");
    let expected = format!("{} {} {:016x}", host.scores, host.counts, host.hash);
    total.models += 1;
    total.scores += host.scores as usize;
    total.counts += host.counts as usize;
    total.different += usize::from(said.trim() != expected);
}

/// Compares all models of each of these seeds, by encoding.
pub fn compare_all(board: Board, seeds: impl IntoIterator<Item = u64>) -> [(Encoding, Comparison); 3] {
    let firmware = build(board, "bits").and_then(|elf| Image::read(&elf)).or_panic();
    let mut totals = [Encoding::F32, Encoding::I16, Encoding::I8].map(|encoding| (encoding, Comparison::default()));
    for seed in seeds {
        let models = SIZES.iter().flat_map(|(shape, sizes)| sizes.iter().map(move |size| (*shape, *size)));
        for (index, (shape, [supports, features])) in models.enumerate() {
            let model = seeded_model(seed + index as u64, shape, supports, features);
            let name = format!("bits-{}-{seed}-{index}", board.machine());
            let (_, total) =
                totals.iter_mut().find(|(encoding, _)| *encoding == shape.encoding()).expect("all are there");
            compare(board, &firmware, &model, &name, total);
        }
    }
    totals
}

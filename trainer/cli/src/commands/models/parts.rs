//! The bytes of a model by part, as FORMAT.md has them.

use crate::model_file;
use pual_infer::{AnyModel, Encoding, FIXED_LANES, Kernel, LANES};
use serde::Serialize;

/// Bytes of an f32.
const NUMBER: usize = 4;
const CHECKSUM: usize = 4;

#[derive(Serialize)]
pub struct ModelPart {
    pub part: &'static str,
    pub bytes: usize,
}

/// Bytes of a coefficient, of a support value and of a bound of the training range, and instances per block.
fn widths(model: &AnyModel<'_>) -> (usize, usize, usize, usize) {
    match (model.encoding(), model.kernel()) {
        (Encoding::I16, _) => (2, 2, 2, FIXED_LANES),
        (Encoding::I8, _) => (2, 1, 2, FIXED_LANES),
        (_, Kernel::Linear) => (NUMBER, NUMBER, NUMBER, 1),
        _ => (NUMBER, NUMBER, NUMBER, LANES),
    }
}

/// The parts in the order of the file. They add up to the model's length.
pub fn parts(model: &AnyModel<'_>) -> Vec<ModelPart> {
    let (features, supports) = (model.features(), model.supports());
    let (coefficient, value, bound, lanes) = widths(model);
    let padding = supports.next_multiple_of(lanes) - supports;
    let shifts = match model.encoding() {
        Encoding::I8 => features.next_multiple_of(4),
        _ => 0,
    };
    let envelope = model.range(0).map_or(0, |_| 2 * features * bound);
    let names = model_file::names(model).unwrap_or_default();
    let after_header = [
        ("scaling", 2 * features * NUMBER + shifts),
        ("training range", envelope),
        ("coefficients", supports * coefficient),
        ("support instances", supports * features * value),
        ("padding", padding * (coefficient + features * value)),
        ("names", names.iter().map(|name| 1 + name.len()).sum()),
        ("checksum", CHECKSUM),
    ];
    let header = model.length() - after_header.iter().map(|(_, bytes)| bytes).sum::<usize>();
    std::iter::once(("header", header))
        .chain(after_header)
        .map(|(part, bytes)| ModelPart { part, bytes })
        .collect()
}

//! Chip and workstation give the same score, bit for bit.
//!
//! The long run of the same is `cargo bits` (tests/LOG-bits.md).

use pual_device::firmware::Board;
use pual_infer::Encoding;
use pual_tests::bits::{Sizes, compare_all};
use pual_tests::models::Shape;

/// Of each encoding and on each core; of the integer encodings, as many counts too.
const READINGS: usize = 10_000;

/// Around a block of eight, most supports, most features, of each encoding: half of those of the long run.
#[rustfmt::skip]
const SIZES: Sizes = [
    (Shape::Rbf, &[[1, 1], [7, 1], [9, 2], [31, 13], [100, 64], [700, 16]]),
    (Shape::Linear, &[[3, 64]]),
    (Shape::RbfI16, &[[5, 3], [20, 7], [64, 4], [700, 7], [100, 64]]),
    (Shape::RbfI8, &[[3, 1], [22, 5], [50, 13], [64, 4], [256, 16], [100, 64]]),
];

fn all_equal(board: Board) {
    for (encoding, found) in compare_all(board, 2000, &SIZES) {
        println!(
            "{}, {encoding:?}: {} models, {} scores compared, {} of counts",
            board.name(),
            found.models,
            found.scores,
            found.counts
        );
        assert!(found.scores >= READINGS);
        assert!(found.counts >= READINGS || encoding == Encoding::F32);
        assert_eq!(found.different, 0, "{encoding:?}");
    }
}

#[test]
fn cortex_m4f() {
    all_equal(Board::CortexM4F);
}

#[test]
fn cortex_m3() {
    all_equal(Board::CortexM3);
}

#[test]
fn cortex_m0() {
    all_equal(Board::Microbit);
}

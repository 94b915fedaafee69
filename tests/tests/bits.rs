//! Chip and workstation give the same score, bit for bit.
//!
//! The long run of the same is `cargo bits` (tests/LOG-bits.md).

use pual_device::firmware::Board;
use pual_infer::Encoding;
use pual_tests::bits::compare_all;
use pual_tests::models::Shape::{self, Linear, Rbf, RbfI8, RbfI16};

/// Of each encoding and on each core; of the integer encodings, as many counts too.
const READINGS: usize = 10_000;

/// Around a block of eight, most supports, most features, of each encoding: half of those of the long run.
const SIZES: [(Shape, usize, usize); 18] = [
    (Rbf, 1, 1),
    (Rbf, 7, 1),
    (Rbf, 9, 2),
    (Rbf, 31, 13),
    (Rbf, 100, 64),
    (Rbf, 700, 16),
    (Linear, 3, 64),
    (RbfI16, 5, 3),
    (RbfI16, 20, 7),
    (RbfI16, 64, 4),
    (RbfI16, 700, 7),
    (RbfI16, 100, 64),
    (RbfI8, 3, 1),
    (RbfI8, 22, 5),
    (RbfI8, 50, 13),
    (RbfI8, 64, 4),
    (RbfI8, 256, 16),
    (RbfI8, 100, 64),
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

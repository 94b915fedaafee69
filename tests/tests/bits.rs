//! Chip and workstation give the same score, bit for bit.
//!
//! The long run of the same is `cargo bits` (tests/LOG-bits.md).

use pual_tests::bits::{Comparison, compare_all};
use pual_trainer::device::firmware::Board;

/// Of each encoding and on each core; of the integer encodings, as many counts too.
const READINGS: usize = 20_000;

fn all_equal(board: Board) {
    let comparison = compare_all(board, READINGS, 2000);
    println!(
        "{}: {} scores compared, {} of counts",
        board.name(),
        comparison.scores,
        comparison.counts
    );
    assert!(comparison.scores >= 3 * READINGS && comparison.counts >= 2 * READINGS);
    assert_eq!(
        comparison,
        Comparison {
            different: 0,
            misjudged: 0,
            ..comparison
        }
    );
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

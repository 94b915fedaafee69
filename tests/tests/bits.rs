//! Chip and workstation give the same score, bit for bit.
//!
//! The long run of the same is `cargo bits` (tests/LOG-bits.md).

use pual_tests::bits::{Comparison, compare_all};
use pual_trainer::device::firmware::Board;

fn all_equal(board: Board, readings: usize) {
    let comparison = compare_all(board, readings, 2000);
    println!("{}: {} scores compared", board.name(), comparison.scores);
    assert!(comparison.scores >= readings);
    assert_eq!(
        comparison,
        Comparison {
            scores: comparison.scores,
            different: 0,
            misjudged: 0
        }
    );
}

#[test]
fn cortex_m4f() {
    all_equal(Board::CortexM4F, 50_000);
}

#[test]
fn cortex_m3() {
    all_equal(Board::CortexM3, 5_000);
}

#[test]
fn cortex_m0() {
    all_equal(Board::Microbit, 5_000);
}

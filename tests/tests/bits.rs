//! Chip and workstation give the same score, bit for bit.
//!
//! The long run of the same is `cargo bits` (tests/LOG-bits.md).

use pual_device::firmware::Board;
use pual_infer::Encoding;
use pual_tests::bits::compare_all;

/// Of each encoding and on each core; of the integer encodings, as many counts too.
const READINGS: usize = 20_000;

fn all_equal(board: Board) {
    for (encoding, found) in compare_all(board, [2000]) {
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

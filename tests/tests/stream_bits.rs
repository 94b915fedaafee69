//! Chip and workstation compute the same features, scores, alarms and drift flags of hostile samples, bit for bit.
//!
//! The samples are generated on both sides (`pual_protocol::StreamDigest`). The long run of the same is `cargo bits`
//! (tests/LOG-bits.md).

use pual_device::firmware::Board;
use pual_tests::streams::compare_streams;

const MODELS: u64 = 20;

fn all_equal(board: Board, windows: u32) {
    let found = compare_streams(board, 500..500 + MODELS, windows / MODELS as u32);
    println!(
        "{}: {} models, {} windows of {} samples compared ({} refused)",
        board.name(),
        found.models,
        found.windows,
        found.samples,
        found.refused
    );
    assert!(found.windows >= windows.into() && found.refused > 100, "{found:?}");
    assert_eq!(found.different, 0);
}

#[test]
fn cortex_m4f() {
    all_equal(Board::CortexM4F, 200_000);
}

#[test]
fn cortex_m3() {
    all_equal(Board::CortexM3, 20_000);
}

#[test]
fn cortex_m0() {
    // The micro:bit has no room for the largest of these streams.
    all_equal(Board::CortexM0OnMps2, 20_000);
}

#[test]
fn cortex_m7() {
    all_equal(Board::CortexM7, 20_000);
}

#[test]
fn cortex_m33() {
    all_equal(Board::CortexM33, 20_000);
}

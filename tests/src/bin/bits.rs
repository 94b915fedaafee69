//! The long comparison of host and device (`cargo bits`): as `cargo test --test bits`, with other models, many more of them,
//! and every board; then the same of stream models, 1,000,000 windows of hostile samples. Prints two tables for
//! tests/LOG-bits.md. `cargo bits an385` runs only the boards whose name contains that, `cargo bits streams` or
//! `cargo bits streams an385` only the second table.

use pual_device::firmware::Board;
use pual_tests::bits::compare_all;
use pual_tests::streams::compare_streams;
use std::time::Instant;

/// How many sets of models are compared.
const RUNS: [(Board, u64); 6] = [
    (Board::CortexM4F, 10),
    (Board::CortexM3, 4),
    (Board::CortexM0OnMps2, 4),
    (Board::Microbit, 4),
    (Board::CortexM7, 4),
    (Board::CortexM33, 4),
];

/// How many windows of stream models are compared.
const STREAM_RUNS: [(Board, u32); 5] = [
    (Board::CortexM4F, 400_000),
    (Board::CortexM3, 150_000),
    (Board::CortexM0OnMps2, 150_000),
    (Board::CortexM7, 150_000),
    (Board::CortexM33, 150_000),
];
/// Models per board.
const STREAM_MODELS: u32 = 50;

fn main() {
    let mut asked: Vec<String> = std::env::args().skip(1).collect();
    let only_streams = asked.first().is_some_and(|word| word == "streams");
    if only_streams {
        asked.remove(0);
    }
    let asked = asked.into_iter().next().unwrap_or_default();
    let mut wrong = 0;
    if !only_streams {
        wrong += scores(&asked);
        println!();
    }
    wrong += streams(&asked);
    std::process::exit(i32::from(wrong > 0));
}

/// Models whose windows differ.
fn streams(asked: &str) -> usize {
    println!("| core | stream models | samples | refused | windows | models that differ in a bit | minutes |");
    println!("|---|---|---|---|---|---|---|");
    let mut wrong = 0;
    for (board, windows) in STREAM_RUNS.into_iter().filter(|(board, _)| board.name().contains(asked)) {
        let start = Instant::now();
        let found = compare_streams(board, 90_000..90_000 + u64::from(STREAM_MODELS), windows / STREAM_MODELS);
        let minutes = start.elapsed().as_secs_f64() / 60.0;
        wrong += found.different;
        println!(
            "| {} | {} | {} | {} | {} | {} | {minutes:.1} |",
            board.name(),
            found.models,
            found.samples,
            found.refused,
            found.windows,
            found.different
        );
    }
    wrong
}

/// Models whose scores differ.
fn scores(asked: &str) -> usize {
    println!("| core | encoding | models | scores | of counts | models that differ in a bit | minutes |");
    println!("|---|---|---|---|---|---|---|");
    let mut wrong = 0;
    for (board, runs) in RUNS.into_iter().filter(|(board, _)| board.name().contains(asked)) {
        let start = Instant::now();
        let all = compare_all(board, (0..runs).map(|run| 90_000 + 1000 * run));
        let minutes = start.elapsed().as_secs_f64() / 60.0;
        for (encoding, found) in all {
            wrong += found.different;
            println!(
                "| {} | {encoding:?} | {} | {} | {} | {} | {minutes:.1} |",
                board.name(),
                found.models,
                found.scores,
                found.counts,
                found.different
            );
        }
    }
    wrong
}

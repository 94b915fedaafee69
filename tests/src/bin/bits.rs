//! The long comparison of host and device (`cargo bits`): as `cargo test --test bits`, with other models, many more of them,
//! and every board. Prints a table for tests/LOG-bits.md. `cargo bits an385` runs only the boards whose name contains that.

use pual_device::firmware::Board;
use pual_tests::bits::compare_all;
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

fn main() {
    println!("| core | encoding | models | scores | of counts | models that differ in a bit | minutes |");
    println!("|---|---|---|---|---|---|---|");
    let mut wrong = 0;
    let asked = std::env::args().nth(1).unwrap_or_default();
    for (board, runs) in RUNS.into_iter().filter(|(board, _)| board.name().contains(&asked)) {
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
    std::process::exit(i32::from(wrong > 0));
}

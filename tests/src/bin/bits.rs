//! The long comparison of host and device (`cargo bits`): as `cargo test --test bits`, with other seeds and many more
//! readings. Prints a table for tests/LOG-bits.md. `cargo bits an385` runs only the boards whose name contains that.

use pual_tests::bits::compare_all;
use pual_trainer::device::firmware::Board;
use std::time::Instant;

/// Readings of each encoding; counts come on top.
const RUNS: [(Board, usize); 6] = [
    (Board::CortexM4F, 350_000),
    (Board::CortexM3, 100_000),
    (Board::CortexM0OnMps2, 100_000),
    (Board::Microbit, 100_000),
    (Board::CortexM7, 100_000),
    (Board::CortexM33, 100_000),
];

fn main() {
    let seed = 90_000;
    println!("| core | scores | of counts | differ | class or envelope differ | minutes |");
    println!("|---|---|---|---|---|---|");
    let mut wrong = 0;
    let asked = std::env::args().nth(1).unwrap_or_default();
    for (board, readings) in RUNS
        .into_iter()
        .filter(|(board, _)| board.name().contains(&asked))
    {
        let start = Instant::now();
        let found = compare_all(board, readings, seed);
        wrong += found.different + found.misjudged;
        let minutes = start.elapsed().as_secs_f64() / 60.0;
        println!(
            "| {} | {} | {} | {} | {} | {minutes:.1} |",
            board.name(),
            found.scores,
            found.counts,
            found.different,
            found.misjudged
        );
    }
    std::process::exit(i32::from(wrong > 0));
}

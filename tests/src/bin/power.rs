//! The long run (`cargo power SECONDS [SEED]`): updates, rollbacks and power cuts by chance, readings scored all the while.
//! Prints what happened; exit code 1 if a bit was wrong. Its log is tests/LOG-power.md.

use pual_tests::power::PoweredBoard;
use pual_trainer::device::firmware::Board;
use std::time::{Duration, Instant};

fn main() {
    let number = |at: usize, default: u64| match std::env::args().nth(at) {
        Some(text) => text.parse().expect("SECONDS and SEED are numbers"),
        None => default,
    };
    let length = Duration::from_secs(number(1, 60));
    let start = Instant::now();
    let board = PoweredBoard::new(Board::CortexM4F, number(2, 1), "power");
    let mut board = board.unwrap_or_else(|error| panic!("{error}"));
    while start.elapsed() < length {
        let done = board.anything();
        done.unwrap_or_else(|error| panic!("{error} ({:?})", board.tally));
    }
    let tally = board.tally;
    println!("{:.0} seconds: {tally:#?}", start.elapsed().as_secs_f64());
    drop(board);
    std::process::exit(i32::from(tally.wrong > 0));
}

//! The long run (`cargo power SECONDS [SEED]`): updates, rollbacks and power cuts by chance, readings scored all the while,
//! on two boards in turns: one whose firmware takes every model, one whose firmware takes signed ones only.
//! Prints what happened; exit code 1 if a bit was wrong. Its log is tests/LOG-power.md.

use pual_device::firmware::Board;
use pual_tests::OrPanic;
use pual_tests::power::{PoweredBoard, SECRET};
use pual_trainer::signing::KeyPair;
use std::time::{Duration, Instant};

fn main() {
    let number = |at: usize, default: u64| match std::env::args().nth(at) {
        Some(text) => text.parse().expect("SECONDS and SEED are numbers"),
        None => default,
    };
    let length = Duration::from_secs(number(1, 60));
    let start = Instant::now();
    let seed = number(2, 1);
    let new = |keys, name| PoweredBoard::new(Board::CortexM4F, seed, keys, name).or_panic();
    let mut boards = [new(None, "power"), new(Some(KeyPair::new(&SECRET)), "power-signed")];
    while start.elapsed() < length {
        for board in &mut boards {
            let done = board.anything();
            done.unwrap_or_else(|error| panic!("{error} ({:?})", board.tally));
        }
    }
    let tallies = boards.map(|board| board.tally);
    println!("{:.0} seconds", start.elapsed().as_secs_f64());
    for (name, tally) in ["every model", "signed models only"].iter().zip(tallies) {
        println!("{name}: {tally:#?}");
    }
    std::process::exit(i32::from(tallies.iter().any(|tally| tally.wrong > 0)));
}

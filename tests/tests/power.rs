//! Power cuts in QEMU: see `pual_tests::power`. 25 of them; PUAL_CUTS=1000 makes as many as that says.

use pual_device::firmware::Board;
use pual_tests::OrPanic;
use pual_tests::power::PoweredBoard;

#[test]
fn a_machine_that_is_killed_in_an_update_boots_the_old_model_or_the_new_one() {
    let cuts = std::env::var("PUAL_CUTS").map_or(25, |cuts| cuts.parse().expect("PUAL_CUTS is a number"));
    let mut board = PoweredBoard::new(Board::CortexM4F, 11, None, "cuts").or_panic();
    while board.tally.cuts < cuts {
        let done = board.update(true);
        done.unwrap_or_else(|error| panic!("{error} ({:?})", board.tally));
        assert_eq!(board.tally.wrong, 0, "{:?}", board.tally);
    }
    // And whatever they left behind takes an update, and a rollback.
    board.update(false).or_panic();
    board.rollback(false).or_panic();
    println!("{:?}", board.tally);
    assert_eq!(board.tally.wrong, 0);
    assert!(board.tally.before_commit > cuts / 4 && board.tally.old >= board.tally.before_commit);
}

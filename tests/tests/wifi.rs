//! The second example: what a Wi-Fi module hears goes over the UART, access points missing and in any order, and the emulated
//! board says which scans are from a room.

use pual_device::emulator::Clock;
use pual_device::firmware::Board;
use pual_infer::ModelBytes;
use pual_protocol::{Heard, Scan};
use pual_tests::bits::boot;
use pual_tests::trained::trained;
use pual_trainer::synth::{wifi_rooms, wifi_scans};
use pual_trainer::{Confusion, device_scores};
use std::sync::LazyLock;

/// Trained once for all tests.
static TRAINED: LazyLock<ModelBytes> = LazyLock::new(|| trained(wifi_rooms(1000, 1), 1));

#[test]
fn scans_are_scored_as_on_the_workstation_and_rooms_on_both_sides_are_found() {
    let model = TRAINED.decode().unwrap();
    let (mut scans, truth) = wifi_scans(500, 2);
    let table = wifi_rooms(500, 2);
    assert!(scans.iter().any(|scan| scan.0.len() < 6), "some are not heard");
    // A module lists the loudest first.
    for scan in &mut scans {
        scan.0.sort_unstable_by_key(|heard| -heard.dbm);
    }
    let mut link = boot(Board::CortexM4F, &TRAINED, "wifi", Clock::Fast);
    let answers = link.score_scans(&scans).unwrap();
    let bits: Vec<_> = answers.iter().map(|scored| scored.unwrap().score_bits).collect();
    let host = device_scores(&model, &table.rows).unwrap();
    assert_eq!(bits, host.iter().map(|score| score.to_bits()).collect::<Vec<_>>());

    let called: Vec<_> = answers.iter().map(|scored| scored.unwrap().positive).collect();
    let f1 = Confusion::count(&truth, &called).f1();
    // Which side it is on: the louder of the access points there.
    let louder = |row: &[f64]| row[0].max(row[1]) > row[2].max(row[3]);
    let found = |north: bool| {
        let rows = table.rows.chunks(6).zip(truth.iter().zip(&called));
        let rooms: Vec<_> = rows.filter(|(row, (truth, _))| **truth && louder(row) == north).collect();
        let found = rooms.iter().filter(|(_, (_, called))| **called).count();
        found as f64 / rooms.len() as f64
    };
    println!("F1 {f1:.3}, found {:.3} north, {:.3} south", found(true), found(false));
    assert!(f1 > 0.85, "{f1}");
    assert!(found(true) > 0.8 && found(false) > 0.8);
    assert_eq!(link.stop().unwrap(), Some(0));
}

#[test]
fn an_odd_scan_harms_nothing() {
    let model = TRAINED.decode().unwrap();
    let heard = |access_point, dbm| Heard { access_point, dbm };
    let scans = [
        Scan::default(),
        Scan([heard(200, -1), heard(6, 127)].into_iter().collect()),
        Scan([heard(1, -50), heard(1, -60)].into_iter().collect()),
        Scan((0..64).map(|at| heard(at, -128)).collect()),
    ];
    for board in [Board::CortexM4F, Board::Microbit, Board::CortexM33] {
        let mut link = boot(board, &TRAINED, &format!("odd-{}", board.machine()), Clock::Fast);
        for (scan, answer) in scans.iter().zip(link.score_scans(&scans).unwrap()) {
            let expected = model.score(&scan.reading(6).unwrap()).unwrap();
            assert_eq!(answer.unwrap().score_bits, expected.to_bits(), "{scan:?}");
        }
        // This firmware has no sensor, and says so.
        assert_eq!(link.sample().unwrap(), None);
    }
}

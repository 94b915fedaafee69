//! The example firmware as a peer on a wire: golden models, refusals, damaged frames, exit codes.

use pual_device::emulator::{Clock, run};
use pual_device::firmware::{Board, build};
use pual_device::image::Image;
use pual_infer::ModelBytes;
use pual_protocol::{CostUnit, Response};
use pual_tests::OrPanic;
use pual_tests::bits::{LIMIT, boot};

#[path = "../../pual-infer/tests/common/mod.rs"]
mod golden;
use golden::{GOLDEN, GOLDEN_FIXED, Golden, golden_counts};

#[test]
fn golden_models_score_as_ever_on_every_board() {
    for board in Board::ALL {
        let boot = |golden: &Golden, kind: &str| {
            boot(board, golden.bytes, &format!("golden-{kind}{}-{}", board.machine(), golden.name), Clock::Fast)
        };
        for golden in GOLDEN.into_iter().chain(GOLDEN_FIXED) {
            let mut link = boot(&golden, "");
            let (readings, bits): (Vec<_>, Vec<_>) = golden.scores().into_iter().unzip();
            let scores = link.score(&readings).unwrap();
            let on_device: Vec<_> = scores.iter().map(|scored| scored.unwrap().score_bits).collect();
            assert_eq!(on_device, bits, "{}, {}", board.name(), golden.name);
            assert_eq!(link.stop().unwrap(), Some(0));
        }
        for (golden, counts) in GOLDEN_FIXED.into_iter().zip(golden_counts()) {
            let mut link = boot(&golden, "counts-");
            let (counts, expected): (Vec<_>, Vec<_>) = counts.into_iter().unzip();
            let scores = link.score_counts(&counts).unwrap();
            let on_device: Vec<_> = scores.iter().map(|scored| scored.unwrap().score).collect();
            assert_eq!(on_device, expected, "{}, {}, counts", board.name(), golden.name);
            assert_eq!(link.stop().unwrap(), Some(0));
        }
    }
}

#[test]
fn a_model_of_f32_refuses_counts() {
    let mut link = boot(Board::CortexM4F, GOLDEN[0].bytes, "no-counts", Clock::Fast);
    assert_eq!(link.score_counts(&[vec![4, 1]]).unwrap(), [None]);
    assert!(link.score(&[vec![4.0, 1.0]]).unwrap()[0].is_some());
}

#[test]
fn the_device_tells_its_model_and_its_cost() {
    let bytes = GOLDEN[0].aligned();
    let model = bytes.decode().unwrap();
    let mut link = boot(Board::CortexM4F, &bytes, "hello", Clock::Instructions);
    let hello = link.hello().unwrap().unwrap();
    assert_eq!(usize::from(hello.features), model.features());
    assert_eq!(usize::from(hello.supports), model.supports());
    assert_eq!(hello.model_length as usize, bytes.len());
    assert_eq!(hello.model_checksum, model.checksum());
    assert_eq!(hello.cost_unit, CostUnit::Instructions);
    // A block of eight with two features: some 330 instructions, every time the same but for the counter.
    let scores = link.score(&vec![vec![4.0, 1.0]; 20]).unwrap();
    let costs: Vec<_> = scores.iter().map(|scored| scored.unwrap().cost).collect();
    let (least, most) = (costs.iter().min().unwrap(), costs.iter().max().unwrap());
    assert!(*least > 100 && *most < 600 && most - least <= 2, "{costs:?}");
}

#[test]
fn readings_that_cannot_be_scored_are_refused() {
    let mut link = boot(Board::CortexM4F, GOLDEN[0].bytes, "refusals", Clock::Fast);
    let good = vec![4.0, 1.0];
    let readings =
        [vec![], vec![1.0], vec![1.0; 3], vec![f32::NAN, 0.0], vec![0.0, f32::INFINITY], vec![1.0; 64], good];
    let answers = link.score(&readings).unwrap();
    let answered: Vec<_> = answers.iter().map(Option::is_some).collect();
    assert_eq!(answered, [false, false, false, false, false, false, true]);
}

#[test]
fn a_damaged_frame_is_answered_and_the_next_one_understood() {
    let mut link = boot(Board::CortexM4F, GOLDEN[0].bytes, "frames", Clock::Fast);
    let long = [&[0x55; 5_000][..], &[0]].concat();
    for damage in [&[0_u8][..], &[7, 1, 2, 0], &[0xFF, 0xFF, 0xFF, 0], &long] {
        assert_eq!(link.exchange(damage).unwrap(), Response::BadFrame);
        assert!(link.hello().unwrap().is_some());
    }
}

#[test]
fn a_bad_model_is_refused_by_every_core() {
    let mut flipped = GOLDEN[1].bytes.to_vec();
    flipped[100] ^= 0x10;
    for board in [Board::CortexM4F, Board::CortexM3, Board::Microbit] {
        for (name, model) in [("erased", &[][..]), ("flipped", &flipped)] {
            let mut link = boot(board, model, &format!("bad-{}-{name}", board.machine()), Clock::Fast);
            assert_eq!(link.hello().unwrap(), None);
            let answer = link.score(&[vec![0.0; 3]]);
            assert!(answer.is_err(), "{name}: a score from a bad model: {answer:?}");
        }
    }
}

#[test]
fn every_flipped_bit_is_noticed_on_the_device() {
    // The `refuse` program flips each bit of the model in its own RAM and decodes the result.
    let elf = build(Board::CortexM4F, "refuse").or_panic();
    for golden in GOLDEN.into_iter().chain(GOLDEN_FIXED) {
        let elf = Image::read(&elf).unwrap().with_model(golden.bytes, &format!("flip-{}", golden.name)).unwrap();
        let (code, said) = run(Board::CortexM4F, &elf, Clock::Fast, LIMIT).unwrap();
        let _ = std::fs::remove_file(elf);
        let bits = 8 * ModelBytes::new(golden.bytes).len();
        assert_eq!((code, said.trim()), (Some(0), format!("{bits} of {bits} refused").as_str()));
    }
}

#[test]
fn a_panic_and_a_fault_become_exit_codes() {
    for board in [Board::CortexM4F, Board::CortexM3, Board::Microbit] {
        for (program, expected) in [("panics", 101), ("faults", 102)] {
            let elf = build(board, program).or_panic();
            let (code, _) = run(board, &elf, Clock::Fast, LIMIT).unwrap();
            assert_eq!(code, Some(expected), "{} on {}", program, board.name());
        }
    }
}

#[test]
fn nothing_the_device_calls_can_panic() {
    // Built without a panic handler: see firmware-example/fixtures/no_panic.rs, no_panic_update.rs and no_panic_stream.rs.
    for board in [Board::CortexM4F, Board::CortexM3, Board::CortexM0OnMps2, Board::CortexM33] {
        for program in ["no_panic", "no_panic_update", "no_panic_stream"] {
            build(board, program).or_panic();
        }
    }
}

//! What inference costs on the device: instructions, stack, flash, RAM. Counted in QEMU: instructions, not cycles.

use pual_tests::bits::LIMIT;
use pual_tests::models::{RandomModel, Shape};
use pual_trainer::device::cost::estimate;
use pual_trainer::device::firmware::{Board, build};
use pual_trainer::device::image::Image;
use pual_trainer::device::qemu::{Clock, run};
use pual_trainer::device::sizes::{Sizes, sizes};
use std::collections::BTreeMap;

/// Most instructions of a score on a Cortex-M4F: supports, features, `score`, `score_vector`.
const MOST: [(usize, usize, u32, u32); 4] = [
    (64, 4, 2_950, 2_950),
    (256, 7, 13_900, 12_600),
    (700, 7, 38_000, 38_000),
    (256, 16, 21_000, 19_900),
];
const MOST_STACK: u32 = 512;
const MOST_FLASH: u64 = 3_000;

/// `path -> (least and most instructions, stack)`, as the bench firmware says them.
fn bench(board: Board, model: &RandomModel, name: &str) -> BTreeMap<String, (u32, u32, u32)> {
    let elf = build(board, "bench").unwrap_or_else(|error| panic!("{error}"));
    let elf = Image::read(&elf)
        .and_then(|image| image.with_model(&model.bytes, name))
        .unwrap_or_else(|error| panic!("{error}"));
    let (code, said) =
        run(board, &elf, Clock::Instructions, LIMIT).unwrap_or_else(|error| panic!("{error}"));
    let _ = std::fs::remove_file(elf);
    assert_eq!(code, Some(0), "{said}");
    let number = |text: &str| text.parse().unwrap_or_else(|_| panic!("{said}"));
    said.lines()
        .filter_map(
            |line| match line.split_whitespace().collect::<Vec<_>>()[..] {
                [path, _, least, most, stack] => Some((
                    path.to_owned(),
                    (number(least), number(most), number(stack)),
                )),
                _ => None,
            },
        )
        .collect()
}

#[test]
fn instructions_and_stack_on_cortex_m4f() {
    for (supports, features, most_runtime, most_const) in MOST {
        let model = RandomModel::new(1, Shape::Rbf, supports, features);
        let costs = bench(
            Board::CortexM4F,
            &model,
            &format!("bench-{supports}x{features}"),
        );
        let (runtime, constant, decode) = (costs["runtime"], costs["const"], costs["decode"]);
        println!(
            "{supports:>3} x {features:<2}  score {:>6} instructions, {} bytes of stack   score_vector {:>6}, {}   decode {} bytes of stack",
            runtime.1, runtime.2, constant.1, constant.2, decode.2
        );
        assert!(
            runtime.1 <= most_runtime,
            "score {supports} x {features}: {} instructions",
            runtime.1
        );
        assert!(
            constant.1 <= most_const,
            "score_vector {supports} x {features}: {} instructions",
            constant.1
        );
        // Every reading costs the same, but for the resolution of the counter.
        assert!(runtime.1 - runtime.0 <= 2 && constant.1 - constant.0 <= 2);
        for stack in [runtime.2, constant.2, decode.2] {
            assert!(stack > 0 && stack <= MOST_STACK, "{stack} bytes of stack");
        }
    }
}

#[test]
fn flash_and_ram_on_every_core() {
    let model = RandomModel::new(1, Shape::Rbf, 1, 1);
    for (core, board) in [Board::CortexM4F, Board::CortexM3, Board::CortexM0OnMps2]
        .into_iter()
        .enumerate()
    {
        let of = |program| -> Sizes {
            let elf = build(board, program).unwrap_or_else(|error| panic!("{error}"));
            sizes(&elf).unwrap_or_else(|error| panic!("{error}"))
        };
        let (empty, footprint) = (of("empty"), of("footprint"));
        let flash = footprint.flash - empty.flash;
        let stated = estimate(&model.bytes.decode_any().unwrap())[core].code_bytes;
        println!(
            "{}: decode and score take {flash} bytes of flash",
            board.name()
        );
        assert_eq!(footprint.ram, empty.ram, "inference needs static RAM");
        // `pual inspect` states it: other compilers give a little more or less.
        assert!(
            (0.9..1.1).contains(&(flash as f64 / f64::from(stated))),
            "{stated} stated, {flash} measured"
        );
        if board == Board::CortexM4F {
            assert!(flash <= MOST_FLASH, "{flash} bytes of flash");
        }
    }
}

#[test]
fn estimates_are_what_is_measured() {
    let cores = [Board::CortexM4F, Board::CortexM3, Board::CortexM0OnMps2];
    let shapes = [
        (Shape::Rbf, 20, 2),
        (Shape::Rbf, 100, 5),
        (Shape::Rbf, 40, 12),
        (Shape::Linear, 1, 9),
    ];
    for (core, board) in cores.into_iter().enumerate() {
        for (shape, supports, features) in shapes {
            let model = RandomModel::new(3, shape, supports, features);
            let name = format!("estimate-{core}-{supports}x{features}");
            let (least, most, stack) = bench(board, &model, &name)["runtime"];
            let estimate = estimate(&model.bytes.decode_any().unwrap())[core];
            let measured = f64::from(least + most) / 2.0;
            let ratio = estimate.instructions as f64 / measured;
            println!(
                "{}, {supports} x {features}: {measured} measured, estimate {ratio:.3} of it",
                board.name()
            );
            // Where the instructions depend on the numbers they vary by some percent themselves.
            let tolerance = if board == Board::CortexM4F {
                0.003
            } else {
                0.03
            };
            assert!((ratio - 1.0).abs() <= tolerance, "{ratio}");
            assert!(stack <= estimate.stack_bytes, "{stack} bytes of stack");
        }
    }
}

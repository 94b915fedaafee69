//! What a stream costs on the device: instructions per sample and per hop, code, RAM. Counted in QEMU: instructions, not cycles.

use pual_device::bench::FunctionCost;
use pual_device::emulator::{Clock, run};
use pual_device::firmware::{Board, build};
use pual_device::image::{Image, sizes};
use pual_infer::{AlarmRule, ChannelSpec, DriftRule, Feature, FeatureKind, Input, ModelBytes, RecipeSpec, with_recipe};
use pual_tests::OrPanic;
use pual_tests::bits::LIMIT;
use pual_tests::models::{Shape, seeded_model};
use std::collections::BTreeMap;

use FeatureKind::{Band, Crest, Mean, P2p, Rms, Sd};

/// A model of 8 features.
fn model(channels: usize, hop: u16, blocks: u8, features: [(FeatureKind, u8); 8]) -> ModelBytes {
    let recipe = RecipeSpec {
        input: Input::Counts,
        rate: 100.0,
        hop,
        blocks,
        baseline: 0,
        alarm: AlarmRule { on: 2, of: 3, off: 2 },
        drift: DriftRule::default(),
        channels: vec![ChannelSpec::default(); channels],
        magnitudes: Vec::new(),
        features: features.map(|(kind, channel)| Feature { kind, channel, relative: false }).to_vec(),
    };
    with_recipe(&seeded_model(1, Shape::Rbf, 4, 8), &recipe).expect("a valid recipe")
}

fn costs(board: Board, program: &str, model: &ModelBytes) -> BTreeMap<String, FunctionCost> {
    let image = Image::read(&build(board, program).or_panic()).or_panic();
    let elf =
        image.with_model(model, &format!("{program}-{}-{:08x}", board.core(), model.decode().unwrap().checksum()));
    let elf = elf.or_panic();
    let (code, said) = run(board, &elf, Clock::Instructions, LIMIT).or_panic();
    let _ = std::fs::remove_file(elf);
    assert_eq!(code, Some(0), "{said}");
    let line = |line: &str| {
        let (path, numbers) = line.split_once(' ').expect("a path and numbers");
        let numbers: Vec<u32> = numbers.split(' ').map(|number| number.parse().expect("a number")).collect();
        let cost = FunctionCost { least: numbers[0], mean: numbers[1], most: numbers[2], stack: numbers[3] };
        (path.to_owned(), cost)
    };
    said.lines().map(line).collect()
}

/// 3 channels of integers, windows of 128 samples in 8 blocks.
#[test]
fn a_sample_and_a_hop_cost_what_was_measured() {
    let sums = [(Mean, 0), (Sd, 0), (Rms, 0), (Mean, 1), (Sd, 1), (Rms, 1), (Mean, 2), (Sd, 2)];
    let extremes = [(Mean, 0), (Sd, 0), (P2p, 0), (Mean, 1), (Sd, 1), (P2p, 1), (Sd, 2), (Crest, 2)];
    // Instructions of a sample and of a hop beyond a sample and the score.
    let most = [
        (Board::CortexM4F, sums, 64, 3_100),
        (Board::CortexM4F, extremes, 95, 3_100),
        (Board::CortexM0OnMps2, sums, 96, 11_300),
        (Board::CortexM0OnMps2, extremes, 135, 9_300),
    ];
    for (board, features, sample, hop) in most {
        let costs = costs(board, "bench_stream", &model(3, 16, 8, features));
        let beyond = costs["hop"].mean - costs["judge"].mean - costs["sample"].mean;
        println!(
            "{}: {} per sample, {beyond} per hop, {} bytes of RAM",
            board.core(),
            costs["sample"].mean,
            costs["size"].mean
        );
        assert!(costs["sample"].mean <= sample && beyond <= hop, "{}: {costs:?}", board.core());
        assert!(costs["size"].mean <= 600, "{costs:?}");
    }
}

/// 8 bands of one channel, in a window of one block of 128 samples.
#[test]
fn bands_cost_what_was_measured() {
    let bands = std::array::from_fn(|at| {
        let bin = 6 * at as u8 + 5;
        (Band { first: bin, last: bin }, 0)
    });
    for (board, most) in [(Board::CortexM4F, 10_000), (Board::CortexM0OnMps2, 27_500)] {
        let costs = costs(board, "bench_bands", &model(1, 128, 1, bands));
        let beyond = costs["hop"].mean - costs["judge"].mean - costs["sample"].mean;
        println!("{}: {} per sample, {beyond} per hop", board.core(), costs["sample"].mean);
        assert!(beyond <= most, "{}: {costs:?}", board.core());
    }
}

#[test]
fn code_stays_below_what_was_measured() {
    // Beyond decoding and judging, and for bands beyond that.
    for (board, stream, bands) in [(Board::CortexM4F, 7_900, 2_900), (Board::CortexM0OnMps2, 10_000, 3_100)] {
        let flash = |program| {
            let sizes = sizes(&build(board, program).or_panic()).or_panic();
            assert_eq!(sizes.ram, 0, "{program} needs static RAM");
            sizes.flash
        };
        let without = flash("footprint_stream");
        let (found, more) = (without - flash("footprint_judge"), flash("footprint_bands") - without);
        println!("{}: a stream {found} bytes, bands {more} more", board.core());
        assert!(found <= stream && more <= bands, "{}: {found} {more}", board.core());
    }
}

//! What inference costs on the device: instructions, stack, flash, RAM. Counted in QEMU: instructions, not cycles.

use pual_device::bench::{BOARDS, Baseline, Bench, BenchRow, SIZES, random_models};
use pual_device::cost::{CoreCost, estimate};
use pual_device::emulator::{Clock, run};
use pual_device::firmware::{Board, build};
use pual_device::image::{Image, sizes, symbols};
use pual_infer::{Encoding, Model};
use pual_tests::OrPanic;
use pual_tests::bits::LIMIT;
use pual_tests::models::{Shape, seeded_model};
use pual_trainer::experiments::random_model;
use std::sync::LazyLock;

/// All boards, all encodings, all sizes, measured once for all tests.
static MEASURED: LazyLock<Vec<BenchRow>> = LazyLock::new(|| {
    let models = random_models(&SIZES).expect("every encoding holds them");
    let measure = |board: Board| {
        let bench = Bench::new(board).or_panic();
        let row = |(name, bytes): &(String, pual_infer::ModelBytes)| {
            let model = bytes.decode().expect("it has just been written");
            bench.measure(bytes, &model, name).or_panic()
        };
        models.iter().map(row).collect::<Vec<_>>()
    };
    on_boards(measure).concat()
});

/// What `work` returns for each board, one thread per board.
fn on_boards<T: Send>(work: impl Fn(Board) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let work = &work;
        let threads = BOARDS.map(|board| scope.spawn(move || work(board)));
        let panicked = |why| std::panic::resume_unwind(why);
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(panicked)).collect()
    })
}

fn row(core: &str, model: &str, encoding: &str) -> &'static BenchRow {
    let found = MEASURED.iter().find(|row| (row.core, row.model.as_str(), row.encoding) == (core, model, encoding));
    found.unwrap_or_else(|| panic!("{core} {model} {encoding} was not measured"))
}

#[test]
fn instructions_of_a_score_stay_below_what_was_promised() {
    // Core, model, encoding, most instructions.
    let promised = [
        ("Cortex-M4F", "64x4", "f32", 2_721),
        ("Cortex-M4F", "256x7", "f32", 13_142),
        ("Cortex-M4F", "700x7", "f32", 35_710),
        ("Cortex-M4F", "256x16", "f32", 20_340),
        ("Cortex-M4F", "256x7", "i16", 12_400),
        ("Cortex-M4F", "700x7", "i16", 33_300),
        ("Cortex-M3", "256x7", "i16", 24_000),
        ("Cortex-M3", "256x7", "i8", 24_000),
        ("Cortex-M0", "256x7", "i16", 33_500),
    ];
    for (core, model, encoding, most) in promised {
        let row = row(core, model, encoding);
        let counts = row.score_counts.unwrap_or_default();
        println!("{core} {model} {encoding}: {}, of counts {counts}; at most {most}", row.score);
        assert!(row.score <= most, "{core} {model} {encoding}: {}", row.score);
        assert!(counts <= most, "{core} {model} {encoding}: {counts}, of counts");
    }
    // Readings in f32 bring i8 slightly above that on a Cortex-M0, which has no business with floats.
    let narrow = row("Cortex-M0", "256x7", "i8").score_counts;
    assert!(narrow.is_some_and(|counts| counts <= 33_500), "{narrow:?}");
}

#[test]
fn code_stack_and_ram_stay_below_what_was_promised() {
    for row in MEASURED.iter() {
        assert_eq!(row.ram_bytes, 0, "inference needs static RAM: {row:?}");
        let (code, stack) = match (row.core, row.encoding) {
            ("Cortex-M0", "i16" | "i8") => (3_400, 320),
            (_, "i16" | "i8") => (3_600, 320),
            ("Cortex-M0" | "Cortex-M3", _) => (5_700, 512),
            _ => (3_000, 512),
        };
        assert!(row.code_bytes <= code && row.stack_bytes <= stack, "{row:?}");
    }
}

#[test]
fn store_and_signatures_stay_below_what_was_promised() {
    let flash = |board, program| {
        let sizes = sizes(&build(board, program).or_panic()).or_panic();
        assert_eq!(sizes.ram, 0, "{program} needs static RAM");
        sizes.flash
    };
    for board in [Board::CortexM0OnMps2, Board::CortexM3, Board::CortexM4F] {
        let without = flash(board, "footprint");
        let store = flash(board, "footprint_store") - without;
        let signed = flash(board, "footprint_signed") - without;
        println!("{}: store {store} bytes, signed {signed}", board.core());
        assert!(store <= 2_048, "{}: store {store}", board.core());
        assert!(signed <= 12_288, "{}: signed {signed}", board.core());
    }
}

/// What a boot of firmware that takes signed models only costs on top, and what a commit costs twice.
#[test]
fn verifying_a_signature_costs_what_is_printed() {
    for board in [Board::CortexM0OnMps2, Board::CortexM3, Board::CortexM4F] {
        let elf = build(board, "bench_signed").or_panic();
        let (code, said) = run(board, &elf, Clock::ManyInstructions, LIMIT).unwrap();
        println!("{}: {}", board.core(), said.trim());
        assert_eq!(code, Some(0), "{said}");
    }
}

#[test]
fn no_figure_is_more_than_2_percent_above_the_baseline() {
    let path = Baseline::path().or_panic();
    let baseline = Baseline::read(&path).or_panic();
    let new = Baseline::new(&*MEASURED).or_panic();
    let hint = format!(
        "measured with {}, the baseline with {}. If the change is meant: `cargo pual bench device --write-baseline`, and read the difference of {}",
        new.compiler,
        baseline.compiler,
        path.display()
    );
    let grown = baseline.grown(&new);
    assert!(grown.is_empty(), "{}\n{hint}", grown.join("\n"));
    let missing = [baseline.missing_in(&new), new.missing_in(&baseline)].concat();
    assert!(missing.is_empty(), "{missing:?}\n{hint}");
}

/// Score, class and envelope come from one pass: what is left is copying messages.
#[test]
fn an_answer_costs_little_more_than_its_score() {
    let board = Board::CortexM4F;
    let bench = Bench::new(board).or_panic();
    let answers = Image::read(&build(board, "bench_answer").or_panic()).or_panic();
    for (at, (name, bytes)) in random_models(&SIZES).unwrap().iter().enumerate() {
        let features = bytes.decode().unwrap().features() as u32;
        let costs = bench.costs(bytes, &format!("answer{at}")).unwrap();
        let elf = answers.with_model(bytes, &format!("answers-{at}")).unwrap();
        let (code, said) = run(board, &elf, Clock::Instructions, LIMIT).unwrap();
        let _ = std::fs::remove_file(elf);
        assert_eq!(code, Some(0), "{said}");
        for line in said.lines() {
            let words: Vec<_> = line.split_whitespace().collect();
            let path = words[0].replace("answer", "score");
            let (score, answer): (u32, u32) = (costs[&path].mean, words[2].parse().unwrap());
            println!("{name}, {path}: score {score}, answer {answer}");
            let most = score + 500 + 25 * features;
            assert!(answer <= most, "{name}: score {score}, {line}");
        }
    }
}

#[test]
fn counts_are_exact_and_repeat() {
    let bench = Bench::new(Board::CortexM4F).or_panic();
    for encoding in [Encoding::F32, Encoding::I16] {
        let bytes = random_model(20, 7, encoding).unwrap();
        let first = bench.costs(&bytes, "repeat").unwrap();
        assert_eq!(first, bench.costs(&bytes, "repeat").unwrap());
        // Every reading costs the same, but for the resolution of the counter.
        for (path, cost) in first {
            assert!(cost.least > 0 && cost.most - cost.least <= 2, "{path}: {cost:?}");
        }
    }
}

#[test]
fn a_vector_of_known_length_is_scored_faster() {
    let bench = Bench::new(Board::CortexM4F).or_panic();
    for ((supports, features), most) in SIZES.into_iter().zip([2_425, 12_000, 32_500, 19_500]) {
        let bytes = random_model(supports, features, Encoding::F32).unwrap();
        let costs = bench.costs(&bytes, &format!("vector{supports}x{features}")).unwrap();
        let (score, vector) = (costs["score"], costs["score_vector"]);
        println!("{supports} x {features}: score {}, score_vector {}", score.mean, vector.mean);
        assert!(vector.most < score.least && vector.most <= most, "{vector:?}");
    }
}

#[test]
fn scoring_counts_on_a_cortex_m0_links_no_floating_point() {
    let float = |program| -> Vec<String> {
        let symbols = symbols(&build(Board::CortexM0OnMps2, program).or_panic()).or_panic();
        symbols.into_iter().filter(|name| is_floating_point(name)).collect()
    };
    assert_eq!(float("footprint_fixed"), [""; 0]);
    // The same question, where the answer is another one.
    let found = float("footprint");
    assert!(found.iter().any(|name| name == "__aeabi_fmul"), "{found:?}");
}

/// The compiler's routines for f32 and f64: `__aeabi_fadd`, `__aeabi_i2d`, `__mulsf3`, ...
fn is_floating_point(symbol: &str) -> bool {
    let routine = symbol.strip_prefix("__aeabi_").is_some_and(|name| {
        let integers = ["llsl", "llsr", "lasr", "lmul", "lcmp", "ulcmp"];
        let memory = name.starts_with("mem");
        let division = name.contains("div") && !name.starts_with(['f', 'd']);
        !(integers.contains(&name) || memory || division || name.starts_with("unwind"))
    });
    routine || symbol.contains("sf3") || symbol.contains("df3") || symbol.contains("compiler_builtins::float")
}

#[test]
fn code_and_stack_are_what_inspect_states() {
    for row in MEASURED.iter() {
        let encoding = match row.encoding {
            "i16" => Encoding::I16,
            "i8" => Encoding::I8,
            _ => Encoding::F32,
        };
        let bytes = random_model(8, 2, encoding).unwrap();
        let stated = on_core(&bytes.decode().unwrap(), row.core);
        let ratio = f64::from(stated.code_bytes) / f64::from(row.code_bytes);
        assert!((ratio - 1.0).abs() <= 0.03, "{stated:?}: {row:?}");
        assert!(row.stack_bytes <= stated.stack_bytes, "{stated:?}: {row:?}");
    }
}

#[test]
fn estimates_are_what_is_measured() {
    let shapes = [
        (Shape::Rbf, 20, 2),
        (Shape::Rbf, 100, 5),
        (Shape::Rbf, 40, 12),
        (Shape::Linear, 1, 9),
        (Shape::RbfI16, 20, 3),
        (Shape::RbfI16, 60, 9),
        (Shape::RbfI8, 18, 7),
        (Shape::RbfI8, 33, 20),
    ];
    on_boards(|board| {
        let bench = Bench::new(board).or_panic();
        for (shape, supports, features) in shapes {
            let model = seeded_model(3, shape, supports, features);
            let costs = bench.costs(&model, &format!("estimate{shape:?}{supports}x{features}")).or_panic();
            let estimate = on_core(&model.decode().unwrap(), board.core());
            let ways = [("score", Some(estimate.instructions)), ("score_counts", estimate.counts_instructions)];
            for (way, estimated) in ways {
                let Some(estimated) = estimated else { continue };
                let measured = costs[way].mean;
                let ratio = estimated as f64 / f64::from(measured);
                println!(
                    "{}, {shape:?} {supports} x {features}, {way}: {measured} measured, estimate {ratio:.3} of it",
                    board.core()
                );
                assert!((ratio - 1.0).abs() <= 0.03, "{way} {ratio}");
            }
        }
    });
}

fn on_core(model: &Model<'_>, core: &str) -> CoreCost {
    let found = estimate(model).into_iter().find(|cost| cost.core == core);
    found.unwrap_or_else(|| panic!("no estimate for {core}"))
}

//! Compression as a caller meets it: budgets, tolerances, sizes, and models that are small already.

use crate::tests::common::{cold_chain, on_threads};
use pual_infer::{Encoding, Model, ModelBytes, ModelSpec, SpecKernel, encode, encode_fixed};
use pual_trainer::base::scenario::Scenario;
use pual_trainer::choose::options::{KernelChoice, TrainOptions};
use pual_trainer::data::dataset::Dataset;
use pual_trainer::model::compress::{
    CompressError, CompressOptions, Goal, Ladder, Readings, compress_classifier, compress_model, stand_ins,
};
use pual_trainer::model::export::{device_scores, export};
use pual_trainer::pipeline::fit::{Trained, fit_by_rules};

fn data() -> Dataset {
    cold_chain(400, 3)
}

fn trained(data: &Dataset) -> Trained {
    fit_by_rules(data, &TrainOptions::default()).unwrap()
}

fn readings(data: &Dataset) -> Readings<'_> {
    Readings { rows: data.rows(), labeled: Some(data.labeled()), scenario: Scenario::SingleTrainingSet }
}

fn with_goal(goal: Goal) -> CompressOptions {
    CompressOptions { goal, ..CompressOptions::default() }
}

fn run(data: &Dataset, options: &CompressOptions) -> Result<Ladder, CompressError> {
    compress_classifier(&trained(data).classifier, &readings(data), options, &|_, _| ())
}

fn classes(model: &Model<'_>, rows: &[f64]) -> Vec<bool> {
    let scores = device_scores(model, rows).unwrap();
    scores.iter().map(|&s| s > model.threshold()).collect()
}

/// What holds of every ladder.
fn check(ladder: &Ladder, data: &Dataset, options: &CompressOptions) {
    let by_bytes = |pair: &[pual_trainer::model::compress::Rung]| pair[0].bytes <= pair[1].bytes;
    assert!(ladder.rungs.windows(2).all(by_bytes));
    let model = ladder.bytes.decode().unwrap();
    let taken = ladder.taken();
    assert_eq!(model.supports(), taken.supports);
    assert_eq!(model.encoding(), taken.encoding);
    assert!(ladder.bytes.len() <= taken.bytes);
    // Counted again, independently.
    let large: Vec<bool> = (trained(data).classifier.scores(data.rows()).iter()).map(|&score| score > 0.0).collect();
    let small = classes(&model, data.rows());
    let changed = large.iter().zip(&small).filter(|(a, b)| a != b).count();
    assert_eq!(changed, taken.measured.changed_classes);
    if options.goal == Goal::Tolerance {
        assert!(taken.measured.loss <= options.tolerance);
        let smaller = &ladder.rungs[..ladder.taken];
        assert!(smaller.iter().all(|rung| rung.measured.loss > options.tolerance));
    }
}

#[test]
fn the_default_is_a_tenth_of_the_bytes_and_nearly_the_same_classes() {
    let data = data();
    let options = CompressOptions::default();
    let ladder = run(&data, &options).unwrap();
    check(&ladder, &data, &options);
    let large = export(&trained(&data).classifier, data.rows()).unwrap();
    assert!(10 * ladder.bytes.len() <= 2 * large.bytes.len(), "{ladder:?}");
    assert!(ladder.taken().measured.changed_classes <= 4);
    let (before, after) = (ladder.puf.unwrap(), ladder.taken().measured.puf.unwrap());
    assert!((before - after).abs() < 0.05 * before);
    // All three encodings were tried, and the large model is the last rung.
    for encoding in [Encoding::I8, Encoding::I16, Encoding::F32] {
        assert!(ladder.rungs.iter().any(|rung| rung.encoding == encoding));
    }
    assert!(ladder.rungs.last().unwrap().as_trained);
    assert_eq!(ladder.rungs.last().unwrap().bytes, large.bytes.len());
}

#[test]
fn no_tolerance_changes_no_class_that_was_compared() {
    let data = data();
    let options = CompressOptions { tolerance: 0.0, ..CompressOptions::default() };
    let ladder = run(&data, &options).unwrap();
    check(&ladder, &data, &options);
    assert_eq!(ladder.taken().measured.changed_classes, 0);
    assert_eq!(ladder.taken().measured.loss, 0.0);
}

#[test]
fn a_wider_tolerance_never_takes_more_bytes() {
    let data = data();
    let bytes = [0.0, 0.001, 0.01, 0.1].map(|tolerance| {
        let options = CompressOptions { tolerance, ..CompressOptions::default() };
        run(&data, &options).unwrap().bytes.len()
    });
    assert!(bytes.is_sorted_by(|a, b| a >= b), "{bytes:?}");
}

#[test]
fn a_budget_is_met_or_refused_with_the_least_that_can_be() {
    let data = data();
    for budget in [80, 100, 150, 300, 1000] {
        let options = with_goal(Goal::Budget(budget));
        let ladder = run(&data, &options).unwrap();
        check(&ladder, &data, &options);
        assert!(ladder.bytes.len() <= budget);
        let model = ladder.bytes.decode().unwrap();
        assert_eq!(model.name(0).is_none(), ladder.left_out.contains(&"names"));
        assert_eq!(model.range(0).is_none(), ladder.left_out.contains(&"envelope"));
        // With room for names and envelope they stay; 80 bytes are too few for four instances with names.
        let room = budget >= 300;
        assert!(budget > 80 && budget < 300 || ladder.left_out.contains(&"names") != room);
    }
    let refused = run(&data, &with_goal(Goal::Budget(40)));
    let Err(CompressError::Budget { budget: 40, smallest }) = refused else {
        panic!("{refused:?}");
    };
    let ladder = run(&data, &with_goal(Goal::Budget(smallest))).unwrap();
    assert_eq!(ladder.bytes.len(), smallest);
    assert!(ladder.left_out == ["names", "envelope"]);
    let refused = run(&data, &with_goal(Goal::Budget(smallest - 1)));
    assert!(matches!(refused, Err(CompressError::Budget { .. })));
}

#[test]
fn supports_and_encoding_are_as_asked_for() {
    let data = data();
    for (supports, encoding) in [(3, Encoding::I8), (10, Encoding::I16), (17, Encoding::F32)] {
        let options =
            CompressOptions { goal: Goal::Supports(supports), encoding: Some(encoding), ..CompressOptions::default() };
        let ladder = run(&data, &options).unwrap();
        check(&ladder, &data, &options);
        let model = ladder.bytes.decode().unwrap();
        assert_eq!((model.supports(), model.encoding()), (supports, encoding));
    }
}

#[test]
fn the_bytes_do_not_depend_on_the_threads_but_may_on_the_seed() {
    let data = data();
    let on = |threads: usize, seed: u64| {
        let options = CompressOptions { goal: Goal::Supports(12), seed, ..CompressOptions::default() };
        on_threads(threads, || run(&data, &options).unwrap().bytes)
    };
    assert!(on(1, 0) == on(3, 0));
    assert!(on(1, 0) != on(1, 1));
}

#[test]
fn a_linear_model_is_small_already() {
    let data = data();
    let options = TrainOptions { kernel: KernelChoice::Linear, ..TrainOptions::default() };
    let linear = fit_by_rules(&data, &options).unwrap().classifier;
    let large = export(&linear, data.rows()).unwrap().bytes;
    let run = |options: &CompressOptions| compress_classifier(&linear, &readings(&data), options, &|_, _| ());
    let ladder = run(&CompressOptions::default()).unwrap();
    assert!(ladder.bytes == large && ladder.rungs.len() == 1);
    // A budget can still take its names.
    let tight = run(&with_goal(Goal::Budget(large.len() - 1))).unwrap();
    assert!(tight.left_out.contains(&"names") && tight.bytes.len() < large.len());
    assert_eq!(classes(&tight.bytes.decode().unwrap(), data.rows()), classes(&large.decode().unwrap(), data.rows()));
    let integers = CompressOptions { encoding: Some(Encoding::I8), ..CompressOptions::default() };
    assert!(matches!(run(&integers), Err(CompressError::Linear)));
}

#[test]
fn a_constant_model_stays_constant() {
    let rows: Vec<f64> = (0..60).map(|i| f64::from(i) * 0.1).collect();
    for bias in [0.7, -0.7] {
        let bytes = encode(&spec(&[0.0; 4], bias)).unwrap();
        let readings = Readings { rows: &rows, labeled: None, scenario: Scenario::default() };
        for goal in [Goal::Tolerance, Goal::Budget(100), Goal::Supports(2)] {
            let ladder = compress_model(&bytes, &readings, &with_goal(goal), &|_, _| ()).unwrap();
            let called = classes(&ladder.bytes.decode().unwrap(), &rows);
            assert!(called.iter().all(|&called| called == (bias > 0.2)), "{goal:?}");
            assert_eq!(ladder.puf, None);
        }
    }
}

/// Four instances of two features, threshold 0.2.
fn spec(coefficients: &[f64; 4], bias: f64) -> ModelSpec<'_> {
    ModelSpec {
        kernel: SpecKernel::Rbf { bandwidth: 0.8 },
        offsets: &[3.0, 2.0],
        scales: &[0.5, 0.7],
        coefficients,
        supports: &[-1.0, 0.2, 0.5, 0.9, 1.1, -0.8, -0.3, -1.2],
        bias,
        threshold: 0.2,
        envelope: Some((&[0.0, 0.0], &[6.0, 6.0])),
        names: None,
    }
}

#[test]
fn a_model_file_of_any_encoding_can_be_the_large_one() {
    let coefficients = [1.0, -1.5, 0.8, 0.6];
    let spec = spec(&coefficients, 0.1);
    let files = [
        encode(&spec).unwrap(),
        encode_fixed(&spec, Encoding::I16).unwrap(),
        encode_fixed(&spec, Encoding::I8).unwrap(),
    ];
    for bytes in &files {
        let rows = stand_ins(bytes, 0).unwrap();
        let large = bytes.decode().unwrap();
        let inside = |x: &f64| (-0.1..=6.1).contains(x);
        assert!(rows.iter().all(inside), "within the envelope");
        let both = classes(&large, &rows);
        assert!(both.contains(&true) && both.contains(&false));
        let readings = Readings { rows: &rows, labeled: None, scenario: Scenario::default() };
        // The same number of terms, wherever they come from, says the same.
        for encoding in [Encoding::F32, Encoding::I16, Encoding::I8] {
            let options =
                CompressOptions { goal: Goal::Supports(8), encoding: Some(encoding), ..CompressOptions::default() };
            let ladder = compress_model(bytes, &readings, &options, &|_, _| ()).unwrap();
            let small = ladder.bytes.decode().unwrap();
            assert_eq!(small.threshold(), 0.2);
            assert!(ladder.taken().measured.loss < 0.01, "{ladder:?}");
            // Scores, not only classes, are the large one's.
            let near = |at: usize| {
                let reading = [rows[2 * at] as f32, rows[2 * at + 1] as f32];
                (large.score(&reading).unwrap() - small.score(&reading).unwrap()).abs()
            };
            let mean = (0..200).map(near).sum::<f32>() / 200.0;
            assert!(mean < 0.05, "{encoding:?}: {mean}");
        }
    }
}

#[test]
fn what_is_no_model_and_what_are_no_rows_are_errors() {
    let none = Readings { rows: &[], labeled: None, scenario: Scenario::default() };
    let options = CompressOptions::default();
    let bytes = ModelBytes::new(b"not a model");
    assert!(matches!(compress_model(&bytes, &none, &options, &|_, _| ()), Err(CompressError::Decode(_))));
    let bytes = encode(&spec(&[1.0; 4], 0.0)).unwrap();
    assert!(matches!(compress_model(&bytes, &none, &options, &|_, _| ()), Err(CompressError::NoRows)));
}

//! Compression as a caller meets it: budgets, tolerances, sizes, and models that are small already.

use crate::tests::common::{cold_chain, on_threads};
use pual_infer::{Encoding, Model, ModelBytes, ModelSpec, SpecKernel, encode, encode_fixed};
use pual_trainer::base::scenario::Scenario;
use pual_trainer::choose::options::{KernelChoice, TrainOptions};
use pual_trainer::data::dataset::Dataset;
use pual_trainer::model::classifier::Classifier;
use pual_trainer::model::compress::{
    CompressError, CompressOptions, Goal, Ladder, Readings, compress_classifier, compress_model, stand_ins,
};
use pual_trainer::model::export::{device_scores, export};
use pual_trainer::pipeline::fit::fit_by_rules;
use std::sync::LazyLock;

static DATA: LazyLock<Dataset> = LazyLock::new(|| cold_chain(400, 3));
static LARGE: LazyLock<Classifier> =
    LazyLock::new(|| fit_by_rules(&DATA, &TrainOptions::default()).unwrap().classifier);

fn with_goal(goal: Goal) -> CompressOptions {
    CompressOptions { goal, ..CompressOptions::default() }
}

fn compress(large: &Classifier, options: &CompressOptions) -> Result<Ladder, CompressError> {
    let (rows, labeled) = (DATA.rows(), Some(DATA.labeled()));
    compress_classifier(
        large,
        &Readings { rows, labeled, events: None, scenario: Scenario::SingleTrainingSet },
        options,
        &|_, _| (),
    )
}

/// A model file, compared on rows without labels.
fn compress_file(bytes: &ModelBytes, rows: &[f64], options: &CompressOptions) -> Result<Ladder, CompressError> {
    compress_model(
        bytes,
        &Readings { rows, labeled: None, events: None, scenario: Scenario::default() },
        options,
        &|_, _| (),
    )
}

fn classes(model: &Model<'_>, rows: &[f64]) -> Vec<bool> {
    let scores = device_scores(model, rows).unwrap();
    scores.iter().map(|&s| s > model.threshold()).collect()
}

/// A ladder, after checking what holds of every one.
fn checked(options: &CompressOptions) -> Ladder {
    let ladder = compress(&LARGE, options).unwrap();
    assert!(ladder.rungs.is_sorted_by_key(|rung| rung.bytes));
    let model = ladder.bytes.decode().unwrap();
    let taken = ladder.taken();
    assert_eq!(model.supports(), taken.supports);
    assert_eq!(model.encoding(), taken.encoding);
    assert!(ladder.bytes.len() <= taken.bytes);
    // Counted again, independently.
    let (large, small) = (LARGE.scores(DATA.rows()), classes(&model, DATA.rows()));
    let changed = large.iter().zip(&small).filter(|(score, small)| (**score > 0.0) != **small).count();
    assert_eq!(changed, taken.measured.changed_classes);
    if options.goal == Goal::Tolerance {
        assert!(taken.measured.loss <= options.tolerance);
        let smaller = &ladder.rungs[..ladder.taken];
        assert!(smaller.iter().all(|rung| rung.measured.loss > options.tolerance));
    }
    ladder
}

#[test]
fn the_default_is_a_tenth_of_the_bytes_and_nearly_the_same_classes() {
    let ladder = checked(&CompressOptions::default());
    let large = export(&LARGE, DATA.rows()).unwrap();
    assert!(10 * ladder.bytes.len() <= 2 * large.bytes.len(), "{ladder:?}");
    assert!(ladder.taken().measured.changed_classes <= 4);
    let (before, after) = (ladder.puf.unwrap(), ladder.taken().measured.puf.unwrap());
    assert!((before - after).abs() < 0.05 * before);
    // All three encodings were tried, and the large model is the last rung.
    for encoding in [Encoding::I8, Encoding::I16, Encoding::F32] {
        assert!(ladder.rungs.iter().any(|rung| rung.encoding == encoding));
    }
    let last = ladder.rungs.last().unwrap();
    assert!(last.as_trained && last.bytes == large.bytes.len());
}

#[test]
fn no_tolerance_changes_no_class_and_a_wider_one_never_takes_more_bytes() {
    let ladders =
        [0.0, 0.001, 0.01, 0.1].map(|tolerance| checked(&CompressOptions { tolerance, ..CompressOptions::default() }));
    let none = ladders[0].taken().measured;
    assert_eq!((none.changed_classes, none.loss), (0, 0.0));
    let bytes = ladders.map(|ladder| ladder.bytes.len());
    assert!(bytes.is_sorted_by(|a, b| a >= b), "{bytes:?}");
}

#[test]
fn a_budget_is_met_or_refused_with_the_least_that_can_be() {
    for budget in [80, 100, 150, 300, 1000] {
        let ladder = checked(&with_goal(Goal::Budget(budget)));
        assert!(ladder.bytes.len() <= budget);
        let model = ladder.bytes.decode().unwrap();
        assert_eq!(model.name(0).is_none(), ladder.left_out.contains(&"names"));
        assert_eq!(model.range(0).is_none(), ladder.left_out.contains(&"envelope"));
        // With room for names and envelope they stay; 80 bytes are too few for four instances with names.
        let room = budget >= 300;
        assert!(budget > 80 && budget < 300 || ladder.left_out.contains(&"names") != room);
    }
    let within = |budget| compress(&LARGE, &with_goal(Goal::Budget(budget)));
    let refused = within(40);
    let Err(CompressError::Budget { budget: 40, smallest }) = refused else {
        panic!("{refused:?}");
    };
    let ladder = within(smallest).unwrap();
    assert_eq!(ladder.bytes.len(), smallest);
    assert!(ladder.left_out == ["names", "envelope"]);
    assert!(matches!(within(smallest - 1), Err(CompressError::Budget { .. })));
}

#[test]
fn supports_and_encoding_are_as_asked_for() {
    for (supports, encoding) in [(3, Encoding::I8), (10, Encoding::I16), (17, Encoding::F32)] {
        let ladder = checked(&CompressOptions { encoding: Some(encoding), ..with_goal(Goal::Supports(supports)) });
        let model = ladder.bytes.decode().unwrap();
        assert_eq!((model.supports(), model.encoding()), (supports, encoding));
    }
}

#[test]
fn the_bytes_do_not_depend_on_the_threads_but_may_on_the_seed() {
    let on = |threads: usize, seed: u64| {
        let options = CompressOptions { seed, ..with_goal(Goal::Supports(12)) };
        on_threads(threads, || compress(&LARGE, &options).unwrap().bytes)
    };
    assert!(on(1, 0) == on(3, 0));
    assert!(on(1, 0) != on(1, 1));
}

#[test]
fn a_linear_model_is_small_already() {
    let options = TrainOptions { kernel: KernelChoice::Linear, ..TrainOptions::default() };
    let linear = fit_by_rules(&DATA, &options).unwrap().classifier;
    let large = export(&linear, DATA.rows()).unwrap().bytes;
    let ladder = compress(&linear, &CompressOptions::default()).unwrap();
    assert!(ladder.bytes == large && ladder.rungs.len() == 1);
    // A budget can still take its names.
    let tight = compress(&linear, &with_goal(Goal::Budget(large.len() - 1))).unwrap();
    assert!(tight.left_out.contains(&"names") && tight.bytes.len() < large.len());
    let [small, large] = [&tight.bytes, &large].map(|bytes| classes(&bytes.decode().unwrap(), DATA.rows()));
    assert_eq!(small, large);
    let integers = CompressOptions { encoding: Some(Encoding::I8), ..CompressOptions::default() };
    assert!(matches!(compress(&linear, &integers), Err(CompressError::Linear)));
}

#[test]
fn a_constant_model_stays_constant() {
    let rows: Vec<f64> = (0..60).map(|i| f64::from(i) * 0.1).collect();
    for bias in [0.7, -0.7] {
        let bytes = encode(&spec(&[0.0; 4], bias)).unwrap();
        for goal in [Goal::Tolerance, Goal::Budget(100), Goal::Supports(2)] {
            let ladder = compress_file(&bytes, &rows, &with_goal(goal)).unwrap();
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
        recipe: None,
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
        assert!(rows.iter().all(|x| (-0.1..=6.1).contains(x)), "within the envelope");
        let both = classes(&large, &rows);
        assert!(both.contains(&true) && both.contains(&false));
        // The same number of terms, wherever they come from, says the same.
        for encoding in [Encoding::F32, Encoding::I16, Encoding::I8] {
            let options = CompressOptions { encoding: Some(encoding), ..with_goal(Goal::Supports(8)) };
            let ladder = compress_file(bytes, &rows, &options).unwrap();
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
    let compress = |bytes| compress_file(&bytes, &[], &CompressOptions::default());
    assert!(matches!(compress(ModelBytes::new(b"not a model")), Err(CompressError::Decode(_))));
    assert!(matches!(compress(encode(&spec(&[1.0; 4], 0.0)).unwrap()), Err(CompressError::NoRows)));
}

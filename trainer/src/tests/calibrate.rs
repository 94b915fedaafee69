//! Another threshold: it meets its target, changes nothing else, and bad input is refused.

use super::common::assert_same_on_threads;
use pual_infer::{Encoding, ModelBytes, ModelSpec, SpecKernel, encode, with_threshold};
use pual_trainer::base::random::Random;
use pual_trainer::data::table::Table;
use pual_trainer::errors::CalibrateError;
use pual_trainer::experiments::random_model;
use pual_trainer::{Calibration, CutTarget, Scenario, calibrate, device_scores, evaluate};

const FEATURES: usize = 3;

fn linear() -> ModelBytes {
    let spec = ModelSpec {
        kernel: SpecKernel::Linear,
        offsets: &[0.0; FEATURES],
        scales: &[1e-3; FEATURES],
        coefficients: &[1.0],
        supports: &[1.0, -0.5, 0.25],
        bias: 0.1,
        threshold: 0.05,
        envelope: None,
        names: Some(&["level", "slope", "spread"]),
        recipe: None,
    };
    encode(&spec).unwrap()
}

/// Every encoding, and a linear model.
fn models() -> Vec<(&'static str, ModelBytes)> {
    let mut models = vec![("linear", linear())];
    for encoding in [Encoding::F32, Encoding::I16, Encoding::I8] {
        models.push((encoding.name(), random_model(12, FEATURES, encoding).unwrap()));
    }
    models
}

/// Rows within the training range whose truth is the model's score above 0.1, blurred by `noise`.
fn checked(model: &ModelBytes, count: usize, noise: f64) -> Table {
    let random = &mut Random::new(7, 1);
    let decoded = model.decode().unwrap();
    let reading = |at: usize, random: &mut Random| {
        let (low, high) = decoded.range(at % FEATURES).unwrap_or((-1000.0, 1000.0));
        f64::from((f64::from(low) + random.between(0.01, 0.99) * f64::from(high - low)) as f32)
    };
    let rows: Vec<f64> = (0..count * FEATURES).map(|at| reading(at, random)).collect();
    let scores = device_scores(&decoded, &rows).unwrap();
    let truth = scores.iter().map(|&score| f64::from(score) + noise * random.normal() > 0.1).collect();
    let names = ["level", "slope", "spread"].map(str::to_owned).into();
    Table { names, rows, truth: Some(truth), ..Table::default() }
}

fn run(model: &ModelBytes, table: &Table, target: CutTarget) -> Calibration {
    calibrate(model, table, Some(target)).unwrap()
}

#[test]
fn a_target_is_met_and_the_next_threshold_would_not_meet_it_any_more() {
    for (name, model) in models() {
        let table = checked(&model, 400, 0.3);
        let shown = calibrate(&model, &table, None).unwrap();
        assert!(shown.model.is_none() && shown.chosen.is_none(), "{name}");
        for target in [0.6, 0.9, 0.97] {
            let recall = run(&model, &table, CutTarget::Recall(target)).chosen.unwrap();
            assert!(recall.recall >= target, "{name}: {recall:?}");
            // The curve has every cut of 400 rows or every second one.
            let higher = shown.curve.iter().filter(|cut| cut.threshold > recall.threshold);
            assert!(higher.clone().count() > 5 && higher.clone().all(|cut| cut.recall < target), "{name}");
            let rate = 1.0 - target;
            let quiet = run(&model, &table, CutTarget::FalseAlarms(rate)).chosen.unwrap();
            assert!(quiet.false_alarms <= rate, "{name}: {quiet:?}");
            let lower = shown.curve.iter().filter(|cut| cut.threshold < quiet.threshold);
            assert!(lower.clone().count() > 5 && lower.clone().all(|cut| cut.false_alarms > rate), "{name}");
        }
        let best = run(&model, &table, CutTarget::BestF1).chosen.unwrap();
        assert!(shown.curve.iter().all(|cut| cut.f1 <= best.f1) && best == shown.best_f1, "{name}");
    }
}

#[test]
fn only_the_threshold_and_the_checksum_of_the_model_change() {
    for (name, model) in models() {
        let table = checked(&model, 300, 0.3);
        let calibration = run(&model, &table, CutTarget::Recall(0.8));
        let cut = calibration.chosen.unwrap();
        let written = calibration.model.unwrap();
        assert_eq!(**written.bytes(), *with_threshold(&model, cut.threshold).unwrap(), "{name}");
        assert_eq!(written.bytes()[..20], model[..20], "{name}");
        assert_eq!(written.bytes()[24..model.len() - 4], model[24..model.len() - 4], "{name}");
        // What is promised is what the device's code then says of the same rows.
        let decoded = written.decode().unwrap();
        let found = evaluate(&decoded, &table, Scenario::default(), None).unwrap();
        let truth = found.truth.unwrap();
        assert_eq!((found.called_positive, truth.recall, truth.precision), (cut.called, cut.recall, cut.precision));
        assert_ne!(cut.threshold, calibration.current.threshold, "{name}");
        // The old model says it too, if it is given the threshold.
        let old = evaluate(&model.decode().unwrap(), &table, Scenario::default(), Some(cut.threshold)).unwrap();
        assert_eq!((old.called_positive, old.threshold), (cut.called, cut.threshold), "{name}");
        // A threshold that meets the target stays.
        let again = run(written.bytes(), &table, CutTarget::Recall(0.8));
        assert_eq!(**again.model.unwrap().bytes(), **written.bytes(), "{name}");
    }
}

#[test]
fn the_table_goes_from_cautious_to_eager_and_has_what_is_marked() {
    let model = linear();
    let table = checked(&model, 500, 0.3);
    let calibration = run(&model, &table, CutTarget::Threshold(0.123));
    let cuts = &calibration.table;
    assert!((10..=13).contains(&cuts.len()), "{}", cuts.len());
    assert!(cuts.windows(2).all(|pair| pair[0].threshold > pair[1].threshold && pair[0].recall <= pair[1].recall));
    for marked in [calibration.current, calibration.best_f1, calibration.chosen.unwrap()] {
        assert!(cuts.contains(&marked));
    }
    assert_eq!((calibration.current.threshold, calibration.chosen.unwrap().threshold), (0.05, 0.123));
    assert!(calibration.warnings.is_empty(), "{:?}", calibration.warnings);
    assert_same_on_threads(|| {
        let found = run(&model, &table, CutTarget::BestF1);
        (found.table, found.curve)
    });
}

#[test]
fn bad_rows_and_targets_are_refused() {
    let model = linear();
    let good = checked(&model, 100, 0.3);
    let refused = |table: &Table, target| calibrate(&model, table, target).unwrap_err();
    let unknown = Table { truth: None, ..good.clone() };
    assert!(matches!(refused(&unknown, None), CalibrateError::NoTruth));
    for (truth, named) in [(true, "positive"), (false, "negative")] {
        let one = Table { truth: Some(vec![truth; 100]), ..good.clone() };
        let error = refused(&one, Some(CutTarget::BestF1));
        assert!(matches!(error, CalibrateError::OneKind { rows: 100, kind } if kind == named), "{error}");
    }
    for target in [
        CutTarget::Recall(f64::NAN),
        CutTarget::Recall(1.1),
        CutTarget::FalseAlarms(-0.1),
        CutTarget::FalseAlarms(f64::INFINITY),
    ] {
        assert!(matches!(refused(&good, Some(target)), CalibrateError::NotAShare { .. }), "{target:?}");
    }
    assert!(matches!(refused(&good, Some(CutTarget::Threshold(f32::NAN))), CalibrateError::Encode(_)));
    let same = Table { rows: good.rows[..FEATURES].repeat(100), ..good.clone() };
    assert!(matches!(refused(&same, None), CalibrateError::OneScore { rows: 100 }));
    let broken = ModelBytes::new(&model[..40]);
    assert!(matches!(calibrate(&broken, &good, None), Err(CalibrateError::Decode(_))));
    let nan = Table { rows: vec![f64::NAN; 100 * FEATURES], ..good };
    assert!(matches!(refused(&nan, None), CalibrateError::Reading(_)));
}

#[test]
fn a_target_that_only_all_or_none_meet_is_refused() {
    // Scores rise with the first feature.
    let model = linear();
    let rows = |truth: &[bool]| Table {
        names: ["level", "slope", "spread"].map(str::to_owned).into(),
        rows: (0..truth.len()).flat_map(|at| [at as f64, 0.0, 0.0]).collect(),
        truth: Some(truth.to_vec()),
        ..Table::default()
    };
    let lowest_is_positive = rows(&[true, false, true, true]);
    let error = calibrate(&model, &lowest_is_positive, Some(CutTarget::Recall(0.7))).unwrap_err();
    let said = "recall 0.7 is reached only by calling every row positive; below that, at most 0.6667 is reached";
    assert_eq!(error.to_string(), said);
    assert!(calibrate(&model, &lowest_is_positive, Some(CutTarget::Recall(0.66))).is_ok());
    let highest_is_negative = rows(&[false, false, true, false]);
    let error = calibrate(&model, &highest_is_negative, Some(CutTarget::FalseAlarms(0.3))).unwrap_err();
    assert_eq!(error.to_string(), "with at most 0.3 false alarms no positive row is found: finding any takes 0.3333");
    let chosen = run(&model, &highest_is_negative, CutTarget::FalseAlarms(0.34)).chosen.unwrap();
    assert_eq!((chosen.called, chosen.recall), (2, 1.0));
}

#[test]
fn few_rows_and_few_that_decide_are_told() {
    let model = linear();
    let told = |rows: usize, target: Option<CutTarget>| -> Vec<String> {
        let calibration = calibrate(&model, &checked(&model, rows, 0.3), target).unwrap();
        calibration.warnings.iter().map(ToString::to_string).collect()
    };
    assert!(told(40, None)[0].starts_with("[few-checked-rows]: only "));
    assert_eq!(told(500, None), [""; 0]);
    assert_eq!(told(500, Some(CutTarget::Recall(0.95))), [""; 0]);
    let text = &told(500, Some(CutTarget::Recall(0.99)))[0];
    assert!(text.contains("2 of ") && text.contains("positive rows may be missed"), "{text}");
    let text = &told(500, Some(CutTarget::FalseAlarms(0.0)))[0];
    assert!(text.contains("0 of ") && text.contains("negative rows may be called"), "{text}");
}

#[test]
fn worse_than_calling_every_row_is_told() {
    let model = linear();
    let mut table = checked(&model, 200, 0.0);
    let warnings = |table: &Table| -> Vec<String> {
        let found = evaluate(&model.decode().unwrap(), table, Scenario::default(), None).unwrap();
        found.warnings.iter().map(ToString::to_string).collect()
    };
    assert_eq!(warnings(&table), [""; 0]);
    // The opposite of what the model says.
    table.truth.as_mut().unwrap().iter_mut().for_each(|truth| *truth = !*truth);
    let found = evaluate(&model.decode().unwrap(), &table, Scenario::default(), None).unwrap().truth.unwrap();
    let said = format!(
        "[worse-than-all-positive]: against the truth F1 is {:.1} %; calling every row positive has {:.1} %",
        100.0 * found.f1,
        100.0 * found.f1_of_all_positive
    );
    assert_eq!(warnings(&table), [said]);
}

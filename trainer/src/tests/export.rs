//! What is deployed is what was trained.

use crate::tests::common::{SETS, Scratch, cold_chain, table};
use pual_trainer::base::files::write_file;
use pual_trainer::base::random::Random;
use pual_trainer::choose::options::{KernelChoice, Method, TrainOptions};
use pual_trainer::data::dataset::Dataset;
use pual_trainer::data::split::label_positives;
use pual_trainer::data::synth::{self, label, trifurcate};
use pual_trainer::data::table::Table;
use pual_trainer::model::export::{ExportError, export};
use pual_trainer::pipeline::fit::fit_by_rules;

#[test]
fn at_most_one_row_in_a_thousand_changes_its_class_on_any_data_set() {
    let mut tables = vec![("cold-chain", synth::cold_chain(1000, 1)), ("trifurcate", trifurcate(800, 1000.0, 1))];
    tables.extend(SETS.iter().filter_map(|set| Some((*set, table(set)?))));
    for method in Method::MARGIN {
        let (mut changed, mut rows, mut largest) = (0, 0, 0.0f64);
        for (name, table) in &tables {
            for label_frequency in [0.5, 0.25] {
                let truth = table.truth.as_deref().unwrap();
                let labeled = label_positives(truth, label_frequency, &mut Random::new(1, 0));
                let data = Dataset::new(Table { labeled: Some(labeled), ..table.clone() }).unwrap();
                let trained = fit_by_rules(&data, &TrainOptions { method, ..TrainOptions::default() }).unwrap();
                let agreement = export(&trained.classifier, data.rows()).unwrap().agreement;
                assert_eq!(agreement.rows, data.len());
                assert!(agreement.largest_difference < 1e-3, "{name}: {agreement:?}");
                changed += agreement.changed_classes;
                rows += agreement.rows;
                largest = largest.max(agreement.largest_difference);
            }
        }
        println!(
            "{}: {changed} of {rows} classes changed over {} data sets, largest difference {largest:.1e}",
            method.name(),
            tables.len()
        );
        assert!(changed as f64 <= 0.001 * rows as f64, "{}", method.name());
    }
}

#[test]
fn a_linear_model_says_the_same_too() {
    let data = Dataset::new(label(trifurcate(400, 50.0, 1), 0.5, 1)).unwrap();
    let options = TrainOptions { kernel: KernelChoice::Linear, ..TrainOptions::default() };
    let trained = fit_by_rules(&data, &options).unwrap();
    let exported = export(&trained.classifier, data.rows()).unwrap();
    assert_eq!(exported.agreement.changed_classes, 0);
    assert!(exported.agreement.largest_difference < 1e-5);
    assert_eq!(exported.bytes.decode().unwrap().supports(), 1);
}

#[test]
fn a_model_that_single_precision_turns_into_another_is_refused() {
    let data = cold_chain(400, 1);
    let mut trained = fit_by_rules(&data, &TrainOptions::default()).unwrap();
    // The first support instance again at either end, with huge opposite coefficients: they cancel in f64; in f32 everything
    // that is summed between them drowns.
    let expansion = &mut trained.classifier.expansion;
    let copy = expansion.supports[..expansion.features].to_vec();
    expansion.supports = [&copy[..], &expansion.supports, &copy].concat();
    expansion.coefficients = [&[3.3e8], &expansion.coefficients[..], &[-3.3e8]].concat();
    let error = export(&trained.classifier, data.rows()).unwrap_err();
    assert!(matches!(error, ExportError::Differs(_)), "{error}");
    assert!(error.to_string().contains("change their class"));
}

#[test]
fn what_the_format_has_no_place_for_is_refused() {
    let data = cold_chain(300, 1);
    let trained = fit_by_rules(&data, &TrainOptions::default()).unwrap();
    let mut long_name = trained.clone();
    long_name.classifier.names[0] = "x".repeat(256);
    let mut infinite = trained.clone();
    infinite.classifier.expansion.coefficients[0] = 1e39;
    for broken in [long_name, infinite] {
        let error = export(&broken.classifier, data.rows()).unwrap_err();
        assert!(matches!(error, ExportError::Encode(_)), "{error}");
    }
}

#[test]
fn a_file_is_replaced_whole_or_not_at_all() {
    let scratch = Scratch::new("export-write");
    std::fs::create_dir_all(scratch.path("occupied")).unwrap();
    let path = scratch.path("m.pual");
    write_file(&path, b"first").unwrap();
    write_file(&path, b"second").unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"second");
    // Renaming a file onto a directory fails, after the file beside it has been written.
    assert!(write_file(&scratch.path("occupied"), b"third").is_err());
    assert!(write_file(&scratch.path("nowhere/m.pual"), b"third").is_err());
    let mut left: Vec<_> =
        std::fs::read_dir(scratch.path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["m.pual", "occupied"]);
}

//! A model as `pual demo` trains it.

use pual_infer::ModelBytes;
use pual_trainer::base::scenario::Scenario;
use pual_trainer::base::watch::Silent;
use pual_trainer::choose::tune::TuneOptions;
use pual_trainer::data::dataset::Dataset;
use pual_trainer::data::synth::label;
use pual_trainer::data::table::Table;
use pual_trainer::ensemble::Members;
use pual_trainer::model::compress::{CompressOptions, Readings, compress_classifier};
use pual_trainer::pipeline::learn::{Approach, learn};
use pual_trainer::pipeline::train::TrainOptions;

/// Half of the positives are labeled, by the seed; the rest of the truth is forgotten.
///
/// # Panics
/// If the rows cannot be learned from.
#[must_use]
pub fn trained(rows: Table, seed: u64) -> ModelBytes {
    let mut rows = label(rows, 0.5, seed);
    rows.truth = None;
    let data = Dataset::new(rows).expect("generated rows are valid");
    let learned = learn(
        &data,
        Approach::Ensemble(Members::All),
        &TrainOptions::default(),
        &TuneOptions::default(),
        None,
        &Silent,
    );
    let learned = learned.expect("they can be learned from");
    let readings = Readings {
        rows: data.rows(),
        labeled: Some(data.labeled()),
        scenario: Scenario::SingleTrainingSet,
    };
    let options = CompressOptions::default();
    compress_classifier(learned.classifier(), &readings, &options, &|_, _| ())
        .expect("a model fits by default")
        .bytes
}

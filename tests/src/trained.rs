//! A model as `pual demo` trains it.

use pual_infer::ModelBytes;
use pual_trainer::synth::label;
use pual_trainer::{Dataset, Options, Silent, Table, train};

/// Half of the positives are labeled, by the seed; the rest of the truth is forgotten.
pub fn trained(rows: Table, seed: u64) -> ModelBytes {
    let mut rows = label(rows, 0.5, seed);
    rows.truth = None;
    let data = Dataset::new(rows).expect("generated rows are valid");
    let outcome = train(&data, &Options::default(), &Silent);
    outcome.expect("they can be learned from").model.bytes().clone()
}

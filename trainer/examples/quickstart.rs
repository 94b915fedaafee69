//! From readings to the bytes a chip runs: `cargo run -p pual-trainer --example quickstart`.

use pual_trainer::choose::metrics::Confusion;
use pual_trainer::data::dataset::Dataset;
use pual_trainer::data::synth::{cold_chain, label};
use pual_trainer::model::export::{device_scores, export};
use pual_trainer::pipeline::train::{TrainOptions, train};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A refrigerator's log in which half of the excursions were noticed and labeled. (`Dataset::open` reads a CSV file.)
    let data = Dataset::new(label(cold_chain(1000, 1), 0.5, 1))?;

    let options = TrainOptions {
        supports: 32,
        ..TrainOptions::default()
    };
    let trained = train(&data, &options)?;
    println!("fit: {}", trained.report);

    let exported = export(&trained.classifier, data.rows())?;
    let changed = exported.agreement.changed_classes;
    println!(
        "model: {} bytes, {changed} classes changed",
        exported.bytes.len()
    );

    // New readings, scored by the very code that runs on the chip.
    let test = cold_chain(1000, 2);
    let model = exported.bytes.decode_any()?;
    let scores = device_scores(&model, &test.rows)?;
    let called: Vec<bool> = scores.iter().map(|f| *f > model.threshold()).collect();
    let counts = Confusion::count(&test.truth.unwrap_or_default(), &called);
    println!(
        "F1 {:.3}, calling everything positive {:.3}",
        counts.f1(),
        counts.f1_of_all_positive()
    );
    Ok(())
}

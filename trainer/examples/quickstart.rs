//! From readings to the bytes a chip runs: `cargo run -p pual-trainer --example quickstart`.

use pual_trainer::Dataset;
use pual_trainer::Options;
use pual_trainer::Silent;
use pual_trainer::evaluate;
use pual_trainer::synth;
use pual_trainer::train;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A refrigerator's log in which half of the excursions were noticed and labeled. (`Dataset::open` reads a CSV file.)
    let data = Dataset::new(synth::label(synth::cold_chain(1000, 1), 0.5, 1))?;

    let outcome = train(&data, &Options::default(), &Silent)?;
    for warning in &outcome.warnings {
        println!("warning{warning}");
    }
    println!("{}", serde_json::to_string_pretty(&outcome)?);

    // New readings, scored by the very code that runs on the chip.
    let test = synth::cold_chain(1000, 2);
    let model = outcome.model.decode()?;
    let evaluation = evaluate(&model, &test, outcome.scenario, None)?;
    if let Some(truth) = evaluation.truth {
        println!(
            "{} bytes, F1 {:.3}, calling everything positive {:.3}",
            outcome.summary.bytes, truth.f1, truth.f1_of_all_positive
        );
    }
    Ok(())
}

//! Scores pseudo-random readings with the model in the flash region and says what a score costs:
//! `PATH FEATURES LEAST MOST STACK`, a line for each of the scoring functions.

#![no_std]
#![no_main]

use cortex_m_rt::entry;
use firmware_example::{board, counter::Counter, flash, stack};
use pual_infer::{FixedModel, Model};

const READINGS: usize = 40;

#[entry]
fn main() -> ! {
    let Some(peripherals) = cortex_m::Peripherals::take() else {
        board::exit(board::EXIT_PANIC)
    };
    let counter = Counter::new(peripherals.SYST);
    let region = flash::model_region();
    match (Model::decode(region), FixedModel::decode(region)) {
        (Ok(model), _) => float(&model, &counter),
        (_, Ok(model)) => fixed(&model, &counter),
        (Err(error), _) => {
            board::say(format_args!("no model: {error}"));
            board::exit(1)
        }
    }
    board::exit(0)
}

fn float(model: &Model<'_>, counter: &Counter) {
    let (_, stack) = stack::used(|| Model::decode(flash::model_region()).is_ok());
    board::say(format_args!("decode {} 0 0 {stack}", model.features()));
    runtime(model, counter);
    match model.features() {
        2 => constant::<2>(model, counter),
        4 => constant::<4>(model, counter),
        7 => constant::<7>(model, counter),
        16 => constant::<16>(model, counter),
        _ => {}
    }
}

fn fixed(model: &FixedModel<'_>, counter: &Counter) {
    let (_, stack) = stack::used(|| FixedModel::decode(flash::model_region()).is_ok());
    board::say(format_args!("decode {} 0 0 {stack}", model.features()));
    measure("runtime", model.features(), counter, |reading| {
        model.score(reading).unwrap_or_default()
    });
    measure("counts", model.features(), counter, |reading| {
        // The counts are made outside of what is measured only in part: a copy of at most 64 numbers.
        let mut counts = [0_i16; 64];
        for (count, x) in counts.iter_mut().zip(reading) {
            *count = (x.to_bits() >> 16) as i16;
        }
        let counts = counts.get(..reading.len()).unwrap_or(&[]);
        model.score_counts(counts).unwrap_or_default() as f32
    });
}

fn runtime(model: &Model<'_>, counter: &Counter) {
    measure("runtime", model.features(), counter, |reading| {
        model.score(reading).unwrap_or_default()
    });
}

fn constant<const D: usize>(model: &Model<'_>, counter: &Counter) {
    measure(
        "const",
        model.features(),
        counter,
        |reading| match reading.first_chunk::<D>() {
            Some(reading) => {
                let reading = nalgebra::SVector::<f32, D>::from_column_slice(reading);
                model.score_vector(&reading).unwrap_or_default()
            }
            None => 0.0,
        },
    );
}

#[inline(never)]
fn measure(path: &str, features: usize, counter: &Counter, score: impl Fn(&[f32]) -> f32) {
    let mut random = 1_u32;
    let mut least = u32::MAX;
    let mut most = 0;
    let mut deepest = 0;
    for _ in 0..READINGS {
        let mut reading = [0.0; 64];
        for x in &mut reading {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            *x = (random >> 8) as f32 / (1 << 23) as f32 - 1.0;
        }
        let reading = core::hint::black_box(&reading[..features.min(64)]);
        let (_, cost) = counter.cost(|| score(reading));
        let (_, stack) = stack::used(|| score(reading));
        least = least.min(cost);
        most = most.max(cost);
        deepest = deepest.max(stack);
    }
    board::say(format_args!("{path} {features} {least} {most} {deepest}"));
}

firmware_example::report_failures!();

//! Scores readings with the model in the flash region and says what that costs, a line for each function:
//! `PATH LEAST MEAN MOST STACK`, in instructions and bytes.
//!
//! A reading takes each feature from near some support instance's: ordinary values, whatever the model.

#![no_std]
#![no_main]

use core::hint::black_box;
use cortex_m_rt::entry;
use firmware_example::{board, counter::Counter, flash, stack};
use pual_infer::{AnyModel, FixedModel, Kernel, Model};

const READINGS: u32 = 40;
const MAX_FEATURES: usize = 64;

#[entry]
fn main() -> ! {
    let Some(peripherals) = cortex_m::Peripherals::take() else {
        board::exit(board::EXIT_PANIC)
    };
    let counter = Counter::new(peripherals.SYST);
    let bench = match AnyModel::decode(flash::model_region()) {
        Ok(model) if model.features() <= MAX_FEATURES => Bench { model, counter },
        Ok(_) => fail(format_args!("more than {MAX_FEATURES} features")),
        Err(error) => fail(format_args!("no model: {error}")),
    };
    match &bench.model {
        AnyModel::Float(model) => bench.float(model),
        AnyModel::Fixed(model) => bench.fixed(model),
    }
    board::exit(0)
}

fn fail(why: core::fmt::Arguments<'_>) -> ! {
    board::say(why);
    board::exit(1)
}

struct Bench {
    model: AnyModel<'static>,
    counter: Counter,
}

/// The same reading, as both kinds of numbers.
struct Reading {
    values: [f32; MAX_FEATURES],
    counts: [i16; MAX_FEATURES],
}

impl Bench {
    fn float(&self, model: &Model<'_>) {
        let bytes = self.model_bytes();
        self.measure("decode", |_, _| black_box(Model::decode(bytes)).is_ok());
        self.measure("score", |reading, _| {
            black_box(model.score(reading)).is_ok()
        });
        match model.features() {
            2 => self.constant::<2>(model),
            4 => self.constant::<4>(model),
            7 => self.constant::<7>(model),
            16 => self.constant::<16>(model),
            _ => {}
        }
    }

    /// The model without the erased flash behind it, which takes decoding its time too.
    fn model_bytes(&self) -> &'static [u8] {
        let region = flash::model_region();
        region.get(..self.model.length()).unwrap_or(region)
    }

    fn constant<const D: usize>(&self, model: &Model<'_>) {
        self.measure("score_vector", |reading, _| {
            match reading.first_chunk::<D>() {
                Some(reading) => {
                    let reading = nalgebra::SVector::<f32, D>::from_column_slice(reading);
                    black_box(model.score_vector(&reading)).is_ok()
                }
                None => false,
            }
        });
    }

    fn fixed(&self, model: &FixedModel<'_>) {
        let bytes = self.model_bytes();
        self.measure("decode", |_, _| {
            black_box(FixedModel::decode(bytes)).is_ok()
        });
        self.measure("score", |reading, _| {
            black_box(model.score(reading)).is_ok()
        });
        self.measure("score_counts", |_, counts| {
            black_box(model.score_counts(counts)).is_ok()
        });
        self.measure("classify_counts", |_, counts| {
            black_box(model.classify_counts(counts)).is_ok()
        });
    }

    #[inline(never)]
    fn measure(&self, path: &str, score: impl Fn(&[f32], &[i16]) -> bool) {
        let mut random = Random(1);
        let (mut least, mut all, mut most) = (u32::MAX, 0_u64, 0);
        let mut deepest = 0;
        for _ in 0..READINGS {
            let reading = self.reading(&mut random);
            let features = self.model.features();
            let (Some(values), Some(counts)) = (
                reading.values.get(..features),
                reading.counts.get(..features),
            ) else {
                return;
            };
            let (values, counts) = black_box((values, counts));
            let (done, cost) = self.counter.cost(|| score(values, counts));
            let (_, stack) = stack::used(|| score(values, counts));
            if !done {
                fail(format_args!("{path} refused a reading"));
            }
            least = least.min(cost);
            most = most.max(cost);
            all += u64::from(cost);
            deepest = deepest.max(stack);
        }
        let mean = all / u64::from(READINGS);
        board::say(format_args!("{path} {least} {mean} {most} {deepest}"));
    }

    #[inline(never)]
    fn reading(&self, random: &mut Random) -> Reading {
        let mut reading = Reading {
            values: [0.0; MAX_FEATURES],
            counts: [0; MAX_FEATURES],
        };
        let tables = self.model.offsets().iter().zip(self.model.scales());
        let places = reading.values.iter_mut().zip(&mut reading.counts);
        for (feature, ((value, count), (offset, scale))) in places.zip(tables).enumerate() {
            let scaled = match self.model.kernel() {
                Kernel::Linear => random.below(2000) as f32 / 1000.0 - 1.0,
                _ => {
                    let index = random.below(self.model.supports() as u32) as usize;
                    let near = self.model.support(index, feature).unwrap_or_default();
                    near * (0.9 + random.below(2000) as f32 / 10_000.0)
                }
            };
            *value = scaled / scale + offset;
            *count = *value as i16;
        }
        reading
    }
}

struct Random(u32);

impl Random {
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) % end.max(1)
    }
}

firmware_example::report_failures!();

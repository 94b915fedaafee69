//! Calls everything a device can call in pual-infer, and what the examples add to it: the thermometer's driver, the monitor,
//! scans. There is no panic handler to link with: if any of it could panic, this program would not build.

#![no_std]
#![no_main]

use core::hint::black_box;
use cortex_m_rt::entry;
use firmware_example::tmp105::{ADDRESS, Tmp105};
use firmware_example::{flash, no_flash::NoFlash, no_i2c::NoI2c};
use nalgebra::SVector;
use panic_never as _;
use pual_infer::store::Store;
use pual_infer::{AnyModel, FixedModel, Model, ModelBuffer, Window};
use pual_protocol::monitor::{Alarm, Temperatures};
use pual_protocol::{Heard, Scan};

#[entry]
fn main() -> ! {
    let mut buffer = ModelBuffer::<64>::new();
    let mut window = Window::<3, 8>::new();
    loop {
        let region = black_box(flash::model_region());
        let reading: &[f32] = black_box(&[]);
        let sample: [f32; 3] = black_box([0.0; 3]);
        let index: usize = black_box(0);

        if let Ok(model) = Model::decode(region) {
            everything(&model, reading, index);
            let _ = black_box(model.score_array(&sample));
            let _ = black_box(model.score_vector(&SVector::from(sample)));
        }

        if let Ok(model) = FixedModel::decode(region) {
            everything_fixed(&model, reading, index);
        }
        if let Ok(model) = AnyModel::decode(region) {
            let mut scratch = [0.0; 8];
            let _ = black_box(model.score_with_scratch(reading, &mut scratch));
            let _ = black_box((model.score(reading), model.classify(reading)));
            let _ = black_box((model.envelope(reading), model.range(index)));
            black_box((model.coefficient(index), model.support(index, index)));
            black_box(model.features());
        }

        let _ = black_box(buffer.extend(region));
        if let Ok(model) = buffer.decode() {
            everything(&model, reading, index);
        }
        if let (Ok(fixed), Ok(any)) = (buffer.decode_fixed(), buffer.decode_any()) {
            everything_fixed(&fixed, reading, index);
            black_box(any.supports());
        }
        buffer.clear();
        black_box((buffer.len(), buffer.is_empty()));

        everything_stored(region, index);
        everything_measured(index);

        let _ = black_box(window.push(sample));
        black_box((
            window.len(),
            window.is_empty(),
            window.is_full(),
            window.iter().count(),
        ));
        black_box((
            window.level(index),
            window.slope(index),
            window.spread(index),
        ));
    }
}

#[inline(never)]
fn everything_stored(region: &[u8], index: usize) {
    let slots = black_box([0..4096, 4096..8192]);
    let Ok(mut store) = Store::new(black_box(NoFlash), slots) else {
        return;
    };
    let features = index;
    let boot = black_box(store.boot(|stored| stored.decode(region, features).map(drop)));
    black_box(boot.model.and_then(|stored| stored.bytes(region)));
    let _ = black_box(store.begin(index as u32, index as u32));
    black_box(store.received());
    let _ = black_box(store.write(index as u32, region));
    let _ = black_box(store.commit(|stored| stored.decode(region, features).map(drop)));
    let _ = black_box(store.rollback(|stored| stored.decode(region, features).map(drop)));
    black_box(store.into_flash());
}

#[inline(never)]
fn everything_measured(index: usize) {
    let (mut temperatures, mut alarm) = (Temperatures::new(), Alarm::new());
    if let Ok(mut thermometer) = Tmp105::start(black_box(NoI2c), ADDRESS)
        && let Ok(count) = thermometer.count()
    {
        black_box(temperatures.push(count));
        black_box(alarm.push(black_box(true)));
    }
    #[cfg(feature = "mps2")]
    if let Ok(mut thermometer) = Tmp105::start(firmware_example::board::I2c::start(), ADDRESS) {
        let _ = black_box(thermometer.count());
    }
    let heard = black_box(Heard {
        access_point: 0,
        dbm: 0,
    });
    let mut scan = Scan::default();
    let _ = black_box(scan.0.push(heard));
    black_box(scan.reading(index));
}

fn everything(model: &Model<'_>, reading: &[f32], index: usize) {
    let mut scratch = [0.0; 8];
    let _ = black_box(model.score(reading));
    let _ = black_box(model.score_with_scratch(reading, &mut scratch));
    let _ = black_box(model.classify(reading));
    let _ = black_box(model.envelope(reading));
    black_box((
        model.features(),
        model.supports(),
        model.kernel(),
        model.encoding(),
    ));
    black_box((
        model.bias(),
        model.threshold(),
        model.bandwidth(),
        model.length(),
        model.checksum(),
    ));
    black_box((model.offsets(), model.scales(), model.envelope_bounds()));
    black_box((
        model.coefficient(index),
        model.support(index, index),
        model.name(index),
    ));
}

fn everything_fixed(model: &FixedModel<'_>, reading: &[f32], index: usize) {
    let counts: &[i16] = black_box(&[]);
    let mut scratch = [0; 8];
    let _ = black_box(model.score(reading));
    let _ = black_box(model.score_with_scratch(reading, &mut scratch));
    let _ = black_box(model.classify(reading));
    let _ = black_box(model.envelope(reading));
    let _ = black_box(model.score_counts(counts));
    let _ = black_box(model.classify_counts(counts));
    let _ = black_box(model.envelope_counts(counts));
    black_box((model.range(index), model.name(index)));
    black_box((model.coefficient(index), model.support(index, index)));
    black_box((model.encoding(), model.kernel(), model.bias()));
}

//! As `footprint`, with the model in a store: its size less `footprint`'s is what the store adds to a firmware, updates and
//! rollback included, without the flash's driver.

#![no_std]
#![no_main]

use core::hint::black_box;
use cortex_m_rt::entry;
use firmware_example::{flash, no_flash::NoFlash};
use panic_never as _;
use pual_infer::Model;
use pual_infer::store::{Store, Stored, Unfit};

#[entry]
fn main() -> ! {
    let slots = black_box([0..4096, 4096..8192]);
    let Ok(mut store) = Store::new(NoFlash, slots) else {
        loop {}
    };
    let boot = store.boot(accept);
    loop {
        let region = black_box(flash::model_region());
        let bytes = boot.model.and_then(|stored| stored.bytes(region));
        if let Ok(model) = Model::decode(bytes.unwrap_or(region)) {
            let reading: &[f32] = black_box(&[]);
            let _ = black_box(model.score(reading));
        }
        match black_box(0) {
            0 => drop(black_box(store.begin(black_box(100), 0))),
            1 => drop(black_box(store.write(black_box(0), region))),
            2 => drop(black_box(store.commit(accept))),
            _ => drop(black_box(store.rollback(accept))),
        }
    }
}

fn accept(stored: &Stored) -> Result<(), Unfit> {
    let bytes = stored.bytes(flash::model_region());
    match Model::decode(bytes.ok_or(Unfit::NotMapped)?) {
        Ok(model) if model.features() == 2 => Ok(()),
        Ok(model) => Err(Unfit::Features {
            found: model.features(),
        }),
        Err(error) => Err(Unfit::Model(error)),
    }
}

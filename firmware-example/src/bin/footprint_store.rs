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
    let mut store = Store::new(NoFlash, [0..4096, 4096..8192]);
    let Ok(store) = &mut store else {
        loop {
            core::hint::spin_loop()
        }
    };
    black_box(store.boot(accept));
    loop {
        let region = black_box(flash::model_region());
        if let Ok(model) = Model::decode(region) {
            let reading: &[f32] = black_box(&[]);
            let _ = black_box(model.score(reading));
        }
        let _ = black_box(store.begin(black_box(100), black_box(0)));
        let _ = black_box(store.write(black_box(0), region));
        let _ = black_box(store.commit(accept));
        let _ = black_box(store.rollback(accept));
    }
}

fn accept(stored: &Stored) -> Result<(), Unfit> {
    let bytes = stored.bytes(flash::model_region());
    match Model::decode(bytes.ok_or(Unfit::NotMapped)?) {
        Ok(model) if model.features() == 2 => Ok(()),
        Ok(_) => Err(Unfit::Features),
        Err(error) => Err(Unfit::Model(error)),
    }
}

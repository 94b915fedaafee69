//! Decodes the model and scores a reading: its size less `empty`'s is what inference adds to a firmware.

#![no_std]
#![no_main]

use core::hint::black_box;
use cortex_m_rt::entry;
use firmware_example::flash;
use panic_never as _;
use pual_infer::Model;

#[entry]
fn main() -> ! {
    loop {
        if let Ok(model) = Model::decode(black_box(flash::model_region())) {
            let reading: &[f32] = black_box(&[]);
            let _ = black_box(model.score(reading));
        }
    }
}

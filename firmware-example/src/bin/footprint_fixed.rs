//! Decodes an integer model and classifies raw counts: its size less `empty`'s is what inference without any
//! floating-point operation adds to a firmware.

#![no_std]
#![no_main]

use core::hint::black_box;
use cortex_m_rt::entry;
use firmware_example::flash;
use panic_never as _;
use pual_infer::FixedModel;

#[entry]
fn main() -> ! {
    loop {
        if let Ok(model) = FixedModel::decode(black_box(flash::model_region())) {
            let counts: &[i16] = black_box(&[]);
            let _ = black_box(model.score_counts(counts));
        }
    }
}

//! As `footprint`, with a signature before the model is decoded: its size less `footprint`'s is what signed models add.
//! (The curve's arithmetic has branches that panic, which none of its inputs reach: hence a panic handler.)

#![no_std]
#![no_main]

use core::hint::black_box;
use cortex_m_rt::entry;
use firmware_example::flash;
use pual_infer::{Model, SignedModel};

#[entry]
fn main() -> ! {
    let key = black_box([1; 32]);
    loop {
        let Ok(signed) = SignedModel::open(black_box(flash::model_region()), &key, 0) else {
            continue;
        };
        if let Ok(model) = Model::decode(signed.model()) {
            let reading: &[f32] = black_box(&[]);
            let _ = black_box(model.score(reading));
        }
    }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}

//! Nothing but start-up code: what `footprint` is compared with.

#![no_std]
#![no_main]

use cortex_m_rt::entry;
use panic_never as _;

#[entry]
fn main() -> ! {
    loop {
        let region = core::hint::black_box(firmware_example::flash::model_region());
        core::hint::black_box(region);
    }
}

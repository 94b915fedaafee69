//! As `no_panic`, for the update protocol: does not link if the device's side of it could panic, from a sealed message to its
//! answer, whatever is in the message and whatever the flash does. (COBS, which unpacks the frame, is not part of the proof:
//! its bounds checks stay. The tests throw millions of frames at it.)

#![no_std]
#![no_main]

use core::hint::black_box;
use cortex_m_rt::entry;
use firmware_example::{board, flash, no_flash::NoFlash};
use panic_never as _;
use pual_infer::store::{Store, Stored, Unfit};
use pual_protocol::Assembler;
use pual_protocol::update::{Command, Sealed, Updater};

#[entry]
fn main() -> ! {
    let slots = black_box([0..4096, 4096..8192]);
    let Ok(store) = Store::new(black_box(NoFlash), slots) else {
        board::exit(1)
    };
    let features = black_box(2);
    let accept = |stored: &Stored| -> Result<(), Unfit> {
        stored.decode(flash::model_region(), features).map(drop)
    };
    let mut updater = Updater::new(store, features as u16, accept);
    let mut assembler = Assembler::new();
    loop {
        black_box(assembler.push(black_box(0)));
        let sealed = black_box(Sealed::new(black_box(0), &Command::Status));
        black_box(sealed.and_then(|sealed| updater.answer(&sealed, accept)));
        black_box(updater.boot());
    }
}

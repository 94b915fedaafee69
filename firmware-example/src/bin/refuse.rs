//! Copies the model to RAM, flips each of its bits in turn, and counts how many of the results are refused.

#![no_std]
#![no_main]

use cortex_m_rt::entry;
use firmware_example::{board, flash};
use pual_infer::{Aligned, AnyModel};

/// Room for the golden models.
const ROOM: usize = 2048;

#[entry]
fn main() -> ! {
    let region = flash::model_region();
    let length = AnyModel::decode(region).map_or(0, |model| model.length());
    let mut copy = Aligned([0xFF; ROOM]);
    let (Some(from), Some(to)) = (region.get(..length), copy.0.get_mut(..length)) else {
        board::exit(1)
    };
    to.copy_from_slice(from);

    let mut refused = 0;
    for bit in 0..8 * length {
        copy.0[bit / 8] ^= 1 << (bit % 8);
        refused += usize::from(AnyModel::decode(&copy.0).is_err());
        copy.0[bit / 8] ^= 1 << (bit % 8);
    }
    board::say(format_args!("{refused} of {} refused", 8 * length));
    board::exit(if length > 0 && refused == 8 * length {
        0
    } else {
        1
    })
}

firmware_example::report_failures!();

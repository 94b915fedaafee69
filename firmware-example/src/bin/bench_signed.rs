//! Verifies a signature (RFC 8032, section 7.1, test 3) and says what that costs, in instructions: under `-icount shift=0`
//! an instruction takes 1 ns, and a tick of the MPS2's 25 MHz 40 of them.
//!
//! `qemu.sh mps2-an386 ELF -icount shift=0`

#![no_std]
#![no_main]

use core::hint::black_box;
use cortex_m::peripheral::{SYST, syst::SystClkSource};
use cortex_m_rt::entry;
use firmware_example::board;
use pual_infer::verify_signature;

const KEY: [u8; 32] = hex(b"fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025");
const SIGNATURE: [u8; 64] = hex(
    b"6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
);

const fn hex<const N: usize>(digits: &[u8]) -> [u8; N] {
    let mut bytes = [0; N];
    let mut at = 0;
    while at < 2 * N {
        let digit = match digits[at] {
            digit @ b'0'..=b'9' => digit - b'0',
            digit => digit - b'a' + 10,
        };
        bytes[at / 2] = bytes[at / 2] << 4 | digit;
        at += 1;
    }
    bytes
}

#[entry]
fn main() -> ! {
    let Some(mut peripherals) = cortex_m::Peripherals::take() else {
        board::exit(board::EXIT_PANIC)
    };
    let systick = &mut peripherals.SYST;
    systick.set_clock_source(SystClkSource::Core);
    systick.set_reload(0x00FF_FFFF);
    systick.clear_current();
    systick.enable_counter();
    let message = black_box(&[0xAF, 0x82]);
    let before = SYST::get_current();
    let genuine = verify_signature(message, black_box(&SIGNATURE), black_box(&KEY));
    let ticks = before.wrapping_sub(SYST::get_current()) & 0x00FF_FFFF;
    board::say(format_args!(
        "genuine: {genuine}, {} instructions",
        ticks * 40
    ));
    board::exit(u32::from(!genuine))
}

firmware_example::report_failures!();

//! How much stack a piece of code uses: the stack below is painted first, then looked at.
#![allow(unsafe_code)]

/// More than anything here uses, and less than what is left of the smallest board's RAM.
const PAINTED: usize = 4096;
const PAINT: u8 = 0xA5;

/// Runs it and says how many bytes of stack it used: what the functions it calls took, below the stack pointer that they
/// were called with.
#[inline(never)]
pub fn used<T>(run: impl FnOnce() -> T) -> (T, usize) {
    let lowest = (cortex_m::register::msp::read() as usize - PAINTED) as *mut u8;
    for offset in 0..PAINTED - 64 {
        // SAFETY: below the stack pointer nothing lives; the 64 bytes next to it are left to this loop itself.
        unsafe { lowest.add(offset).write_volatile(PAINT) };
    }
    let (value, bottom) = call(run);
    let untouched = (0..PAINTED - 64)
        // SAFETY: as above, and only read.
        .take_while(|&offset| unsafe { lowest.add(offset).read_volatile() } == PAINT)
        .count();
    (value, bottom - lowest as usize - untouched)
}

/// The result, and the stack pointer that `run` found.
#[inline(never)]
fn call<T>(run: impl FnOnce() -> T) -> (T, usize) {
    let bottom = cortex_m::register::msp::read() as usize;
    (core::hint::black_box(run()), bottom)
}

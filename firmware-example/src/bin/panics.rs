//! Panics: the test of what becomes of a panic.

#![no_std]
#![no_main]

#[cortex_m_rt::entry]
fn main() -> ! {
    panic!("as it should")
}

firmware_example::report_failures!();

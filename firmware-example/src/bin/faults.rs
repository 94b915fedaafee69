//! Executes an undefined instruction: the test of what becomes of a HardFault.

#![no_std]
#![no_main]

#[cortex_m_rt::entry]
fn main() -> ! {
    cortex_m::asm::udf()
}

firmware_example::report_failures!();

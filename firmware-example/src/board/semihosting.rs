//! How an emulated board exits and prints.
#![allow(unsafe_code)]

use cortex_m_semihosting::heprintln;

/// `SYS_EXIT_EXTENDED` and `ADP_Stopped_ApplicationExit` of the ARM semihosting specification.
const EXIT_EXTENDED: usize = 0x20;
const APPLICATION_EXIT: usize = 0x20026;

/// Exits the emulator with this code.
pub fn exit(code: u32) -> ! {
    let arguments = [APPLICATION_EXIT, code as usize];
    // SAFETY: the call reads the two words that its argument points to.
    unsafe { cortex_m_semihosting::syscall(EXIT_EXTENDED, &arguments) };
    loop {
        cortex_m::asm::wfi();
    }
}

/// Prints a line to the emulator's standard error.
pub fn say(text: core::fmt::Arguments<'_>) {
    heprintln!("{}", text);
}

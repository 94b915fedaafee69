//! The board chosen by a feature.

#[cfg(feature = "mps2")]
mod mps2;
#[cfg(feature = "mps2")]
pub use mps2::*;

#[cfg(feature = "an505")]
mod an505;
#[cfg(feature = "an505")]
pub use an505::*;

#[cfg(feature = "microbit")]
mod microbit;
#[cfg(feature = "microbit")]
pub use microbit::*;

#[cfg(feature = "nrf52840")]
mod nrf52840;
#[cfg(feature = "nrf52840")]
pub use nrf52840::*;

#[cfg(feature = "rp2040")]
mod rp2040;
#[cfg(feature = "rp2040")]
pub use rp2040::*;

#[cfg(feature = "stm32f4")]
mod stm32f4;
#[cfg(feature = "stm32f4")]
pub use stm32f4::*;

#[cfg(any(feature = "mps2", feature = "an505"))]
mod cmsdk_uart;
#[cfg(any(feature = "microbit", feature = "nrf52840"))]
mod nrf_uart;
#[cfg(feature = "mps2")]
mod sbcon_i2c;
#[cfg(any(feature = "mps2", feature = "an505", feature = "microbit"))]
mod semihosting;

#[cfg(all(feature = "mps2", feature = "update"))]
#[path = "mps2_flash.rs"]
pub mod flash;

/// Exit code after a panic.
pub const EXIT_PANIC: u32 = 101;
/// Exit code after a HardFault.
pub const EXIT_HARD_FAULT: u32 = 102;

/// What real boards share: there is no emulator to exit from or to print to.
#[cfg(not(any(feature = "mps2", feature = "an505", feature = "microbit")))]
mod hardware {
    use pual_protocol::CostUnit;

    /// SysTick runs with the core.
    pub const COST_UNIT: CostUnit = CostUnit::Cycles;

    /// A tick is a cycle.
    pub fn cost_of(ticks: u32) -> u32 {
        ticks
    }

    /// Restarts the board.
    pub fn exit(_code: u32) -> ! {
        cortex_m::peripheral::SCB::sys_reset()
    }

    /// There is no place to print it.
    pub fn say(_text: core::fmt::Arguments<'_>) {}
}

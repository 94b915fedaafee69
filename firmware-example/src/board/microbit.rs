//! BBC micro:bit v1 (nRF51822, Cortex-M0), as QEMU emulates it.

pub use super::nrf_uart::Uart;
pub use super::semihosting::{exit, say};
use pual_protocol::CostUnit;

/// SysTick runs at 16 MHz; see [`cost_of`].
pub const COST_UNIT: CostUnit = CostUnit::Instructions;

/// Under `-icount shift=6` an instruction takes 64 ns and a tick 62.5.
pub fn cost_of(ticks: u32) -> u32 {
    ticks - ticks / 43 // 125/128, without overflow
}

impl Uart {
    /// Turns it on, on the pins of the USB interface chip. Call it once.
    pub fn start() -> Self {
        Self::on_pins(24, 25)
    }
}

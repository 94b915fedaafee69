//! ARM MPS2, AN505 (Cortex-M33), as QEMU emulates it.

pub use super::cmsdk_uart::Uart;
pub use super::semihosting::{exit, say};
use pual_protocol::CostUnit;

/// SysTick runs at 20 MHz; see [`cost_of`].
pub const COST_UNIT: CostUnit = CostUnit::Instructions;

/// Under `-icount shift=6` an instruction takes 64 ns and a tick 50.
pub fn cost_of(ticks: u32) -> u32 {
    ticks * 25 / 32
}

impl Uart {
    /// Turns UART0 on, under its secure address. Call it once.
    pub fn start() -> Self {
        Self::at(0x5020_0000)
    }
}

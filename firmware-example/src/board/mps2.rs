//! ARM MPS2, AN385 (Cortex-M3), AN386 (Cortex-M4F) and AN500 (Cortex-M7), as QEMU emulates them.

pub use super::cmsdk_uart::Uart;
pub use super::sbcon_i2c::I2c;
pub use super::semihosting::{exit, say};
use pual_protocol::CostUnit;

/// SysTick runs at 25 MHz; see [`cost_of`].
pub const COST_UNIT: CostUnit = CostUnit::Instructions;

/// Under `-icount shift=6` an instruction takes 64 ns and a tick 40.
pub fn cost_of(ticks: u32) -> u32 {
    ticks * 5 / 8
}

impl Uart {
    /// Turns UART0 on. Call it once.
    pub fn start() -> Self {
        Self::at(0x4000_4000)
    }
}

impl I2c {
    /// The bus on the second shield connector, where QEMU attaches devices given with `-device`. Call it once.
    pub fn start() -> Self {
        Self::at(0x4002_A000)
    }
}

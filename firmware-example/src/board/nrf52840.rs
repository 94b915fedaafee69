//! Nordic nRF52840-DK (PCA10056), Cortex-M4F.

pub use super::hardware::{COST_UNIT, cost_of, exit, say};
pub use super::nrf_uart::Uart;

impl Uart {
    /// Turns it on, on the pins of the board's debugger. Call it once.
    pub fn start() -> Self {
        Self::on_pins(6, 8)
    }
}

//! ARM MPS2, AN385 (Cortex-M3) and AN386 (Cortex-M4F), as QEMU emulates them. UART0 is a CMSDK UART.
#![allow(unsafe_code)]

pub use super::semihosting::{exit, say};
use pual_protocol::CostUnit;

/// SysTick runs at 25 MHz; see [`cost_of`].
pub const COST_UNIT: CostUnit = CostUnit::Instructions;

/// Under `-icount shift=6` an instruction takes 64 ns and a tick 40.
pub fn cost_of(ticks: u32) -> u32 {
    ticks * 5 / 8
}

const DATA: *mut u32 = 0x4000_4000 as *mut u32;
const STATE: *mut u32 = 0x4000_4004 as *mut u32;
const CONTROL: *mut u32 = 0x4000_4008 as *mut u32;
const BAUD_DIVIDER: *mut u32 = 0x4000_4010 as *mut u32;

const TRANSMIT_FULL: u32 = 1;
const RECEIVE_FULL: u32 = 2;

/// UART0.
pub struct Uart(());

impl Uart {
    /// Turns it on. Call it once.
    pub fn start() -> Self {
        // SAFETY: UART0's registers; nothing else in this program touches them.
        unsafe {
            BAUD_DIVIDER.write_volatile(16);
            CONTROL.write_volatile(0b11);
        }
        Self(())
    }

    /// Waits for a byte.
    pub fn read(&mut self) -> u8 {
        // SAFETY: as above.
        unsafe {
            while STATE.read_volatile() & RECEIVE_FULL == 0 {}
            DATA.read_volatile() as u8
        }
    }

    /// Sends a byte.
    pub fn write(&mut self, byte: u8) {
        // SAFETY: as above.
        unsafe {
            while STATE.read_volatile() & TRANSMIT_FULL != 0 {}
            DATA.write_volatile(u32::from(byte));
        }
    }
}

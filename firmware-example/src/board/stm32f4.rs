//! STM32F4 Nucleo boards (F401, F411, F446 and similar), Cortex-M4F: USART2 on PA2 and PA3, which is the
//! debugger's serial port, at 115,200 baud from the 16 MHz internal oscillator.
#![allow(unsafe_code)]

pub use super::hardware::{COST_UNIT, cost_of, exit, say};

const RCC_AHB1_ENABLE: *mut u32 = 0x4002_3830 as *mut u32;
const RCC_APB1_ENABLE: *mut u32 = 0x4002_3840 as *mut u32;
const GPIOA_MODE: *mut u32 = 0x4002_0000 as *mut u32;
const GPIOA_ALTERNATE_LOW: *mut u32 = 0x4002_0020 as *mut u32;
const USART2_STATUS: *mut u32 = 0x4000_4400 as *mut u32;
const USART2_DATA: *mut u32 = 0x4000_4404 as *mut u32;
const USART2_BAUD: *mut u32 = 0x4000_4408 as *mut u32;
const USART2_CONTROL_1: *mut u32 = 0x4000_440C as *mut u32;

const RECEIVE_NOT_EMPTY: u32 = 1 << 5;
const TRANSMIT_EMPTY: u32 = 1 << 7;

/// USART2.
pub struct Uart(());

impl Uart {
    /// Turns it on. Call it once.
    pub fn start() -> Self {
        // SAFETY: clock, pin and USART2 registers; nothing else in this program touches them.
        unsafe {
            RCC_AHB1_ENABLE.write_volatile(RCC_AHB1_ENABLE.read_volatile() | 1);
            RCC_APB1_ENABLE.write_volatile(RCC_APB1_ENABLE.read_volatile() | 1 << 17);
            // PA2, PA3: alternate function (mode 2) number 7.
            GPIOA_MODE.write_volatile(GPIOA_MODE.read_volatile() & !0xF0 | 0xA0);
            GPIOA_ALTERNATE_LOW.write_volatile(GPIOA_ALTERNATE_LOW.read_volatile() & !0xFF00 | 0x7700);
            // 16 MHz / 115,200, in sixteenths: 8.6875 * 16.
            USART2_BAUD.write_volatile(139);
            USART2_CONTROL_1.write_volatile(1 << 13 | 1 << 3 | 1 << 2);
        }
        Self(())
    }

    /// Waits for a byte.
    pub fn read(&mut self) -> u8 {
        // SAFETY: as above.
        unsafe {
            while USART2_STATUS.read_volatile() & RECEIVE_NOT_EMPTY == 0 {}
            USART2_DATA.read_volatile() as u8
        }
    }

    /// Sends a byte.
    pub fn write(&mut self, byte: u8) {
        // SAFETY: as above.
        unsafe {
            while USART2_STATUS.read_volatile() & TRANSMIT_EMPTY == 0 {}
            USART2_DATA.write_volatile(u32::from(byte));
        }
    }
}

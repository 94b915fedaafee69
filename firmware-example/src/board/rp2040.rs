//! Raspberry Pi Pico (RP2040, two Cortex-M0+ of which the first is used): UART0 on GP0 and GP1 at 115,200 baud. Core and
//! UART run from the board's crystal, 12 MHz.
#![allow(unsafe_code)]

pub use super::hardware::{COST_UNIT, cost_of, exit, say};

/// Second-stage boot code for the Pico's flash chip: it makes the flash readable as memory and starts the firmware.
#[used]
#[unsafe(link_section = ".boot2")]
static BOOT2: [u8; 256] = rp2040_boot2::BOOT_LOADER_W25Q080;

const CLOCK_REFERENCE_CONTROL: *mut u32 = 0x4000_8030 as *mut u32;
const CLOCK_REFERENCE_SELECTED: *mut u32 = 0x4000_8038 as *mut u32;
const CLOCK_PERIPHERAL_CONTROL: *mut u32 = 0x4000_8048 as *mut u32;
const RESET_DONE: *mut u32 = 0x4000_C008 as *mut u32;
/// Written ones clear the register's bits.
const RESET_CLEAR: *mut u32 = 0x4000_F000 as *mut u32;
const GPIO_0_CONTROL: *mut u32 = 0x4001_4004 as *mut u32;
const GPIO_1_CONTROL: *mut u32 = 0x4001_400C as *mut u32;
const CRYSTAL_CONTROL: *mut u32 = 0x4002_4000 as *mut u32;
const CRYSTAL_STATUS: *mut u32 = 0x4002_4004 as *mut u32;
const CRYSTAL_STARTUP: *mut u32 = 0x4002_400C as *mut u32;
const UART_DATA: *mut u32 = 0x4003_4000 as *mut u32;
const UART_FLAGS: *mut u32 = 0x4003_4018 as *mut u32;
const UART_BAUD_WHOLE: *mut u32 = 0x4003_4024 as *mut u32;
const UART_BAUD_64THS: *mut u32 = 0x4003_4028 as *mut u32;
const UART_LINE_CONTROL: *mut u32 = 0x4003_402C as *mut u32;
const UART_CONTROL: *mut u32 = 0x4003_4030 as *mut u32;

/// Pins, their pads and UART0.
const BLOCKS: u32 = 1 << 5 | 1 << 8 | 1 << 22;
const RECEIVE_EMPTY: u32 = 1 << 4;
const TRANSMIT_FULL: u32 = 1 << 5;

/// UART0.
pub struct Uart(());

impl Uart {
    /// Turns it on, and the crystal that it needs. Call it once.
    pub fn start() -> Self {
        // SAFETY: clock, reset, pin and UART0 registers; nothing else in this program touches them.
        unsafe {
            // The crystal is given 1 ms (47 * 256 cycles) to settle: range 1 to 15 MHz, then "enable".
            CRYSTAL_STARTUP.write_volatile(47);
            CRYSTAL_CONTROL.write_volatile(0xFAB << 12 | 0xAA0);
            while CRYSTAL_STATUS.read_volatile() & 1 << 31 == 0 {}
            // The core's clock follows the reference clock since reset.
            CLOCK_REFERENCE_CONTROL.write_volatile(2);
            while CLOCK_REFERENCE_SELECTED.read_volatile() & 1 << 2 == 0 {}
            CLOCK_PERIPHERAL_CONTROL.write_volatile(1 << 11 | 4 << 5);

            RESET_CLEAR.write_volatile(BLOCKS);
            while RESET_DONE.read_volatile() & BLOCKS != BLOCKS {}
            GPIO_0_CONTROL.write_volatile(2);
            GPIO_1_CONTROL.write_volatile(2);
            // 12 MHz / (16 * 115,200) = 6 + 33/64.
            UART_BAUD_WHOLE.write_volatile(6);
            UART_BAUD_64THS.write_volatile(33);
            // 8 bits, with the buffers of 32 bytes.
            UART_LINE_CONTROL.write_volatile(3 << 5 | 1 << 4);
            UART_CONTROL.write_volatile(1 << 9 | 1 << 8 | 1);
        }
        Self(())
    }

    /// Waits for a byte.
    pub fn read(&mut self) -> u8 {
        // SAFETY: as above.
        unsafe {
            while UART_FLAGS.read_volatile() & RECEIVE_EMPTY != 0 {}
            UART_DATA.read_volatile() as u8
        }
    }

    /// Sends a byte.
    pub fn write(&mut self, byte: u8) {
        // SAFETY: as above.
        unsafe {
            while UART_FLAGS.read_volatile() & TRANSMIT_FULL != 0 {}
            UART_DATA.write_volatile(u32::from(byte));
        }
    }
}

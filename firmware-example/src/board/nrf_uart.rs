//! The UART of nRF51 and nRF52: UART0 at 0x4000_2000.
#![allow(unsafe_code)]

const BASE: usize = 0x4000_2000;
const START_RECEIVE: *mut u32 = BASE as *mut u32;
const START_TRANSMIT: *mut u32 = (BASE + 0x008) as *mut u32;
const RECEIVED: *mut u32 = (BASE + 0x108) as *mut u32;
const TRANSMITTED: *mut u32 = (BASE + 0x11C) as *mut u32;
const ENABLE: *mut u32 = (BASE + 0x500) as *mut u32;
const PIN_TRANSMIT: *mut u32 = (BASE + 0x50C) as *mut u32;
const PIN_RECEIVE: *mut u32 = (BASE + 0x514) as *mut u32;
const RECEIVE_DATA: *mut u32 = (BASE + 0x518) as *mut u32;
const TRANSMIT_DATA: *mut u32 = (BASE + 0x51C) as *mut u32;
const BAUD_RATE: *mut u32 = (BASE + 0x524) as *mut u32;

const ENABLED: u32 = 4;
const BAUD_115200: u32 = 0x01D7_E000;

/// UART0 at 115,200 baud.
pub struct Uart(());

impl Uart {
    /// Turns it on, on these pins of port 0. Call it once.
    pub(super) fn on_pins(transmit: u32, receive: u32) -> Self {
        // SAFETY: UART0's registers; nothing else in this program touches them.
        unsafe {
            PIN_TRANSMIT.write_volatile(transmit);
            PIN_RECEIVE.write_volatile(receive);
            BAUD_RATE.write_volatile(BAUD_115200);
            ENABLE.write_volatile(ENABLED);
            START_TRANSMIT.write_volatile(1);
            START_RECEIVE.write_volatile(1);
        }
        Self(())
    }

    /// Waits for a byte.
    pub fn read(&mut self) -> u8 {
        // SAFETY: as above.
        unsafe {
            while RECEIVED.read_volatile() == 0 {}
            RECEIVED.write_volatile(0);
            RECEIVE_DATA.read_volatile() as u8
        }
    }

    /// Sends a byte.
    pub fn write(&mut self, byte: u8) {
        // SAFETY: as above.
        unsafe {
            TRANSMITTED.write_volatile(0);
            TRANSMIT_DATA.write_volatile(u32::from(byte));
            while TRANSMITTED.read_volatile() == 0 {}
        }
    }
}

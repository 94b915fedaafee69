//! The UART of ARM's MPS2 boards.
#![allow(unsafe_code)]

const TRANSMIT_FULL: u32 = 1;
const RECEIVE_FULL: u32 = 2;

/// UART0.
pub struct Uart {
    registers: *mut u32,
}

/// Registers, in words.
const DATA: usize = 0;
const STATE: usize = 1;
const CONTROL: usize = 2;
const BAUD_DIVIDER: usize = 4;

impl Uart {
    /// Turns it on. The address must be the UART's, and nothing else in the program may use it.
    pub(super) fn at(address: usize) -> Self {
        let registers = address as *mut u32;
        // SAFETY: the board file passes its own UART.
        unsafe {
            registers.add(BAUD_DIVIDER).write_volatile(16);
            registers.add(CONTROL).write_volatile(0b11);
        }
        Self { registers }
    }

    /// Waits for a byte.
    pub fn read(&mut self) -> u8 {
        // SAFETY: as above.
        unsafe {
            while self.registers.add(STATE).read_volatile() & RECEIVE_FULL == 0 {}
            self.registers.add(DATA).read_volatile() as u8
        }
    }

    /// Sends a byte.
    pub fn write(&mut self, byte: u8) {
        // SAFETY: as above.
        unsafe {
            while self.registers.add(STATE).read_volatile() & TRANSMIT_FULL != 0 {}
            self.registers.add(DATA).write_volatile(u32::from(byte));
        }
    }
}

//! The I2C controller of ARM's MPS2 boards (SBCon): two lines that the program drives itself.
//!
//! Writing a line's bit to `CLEAR` pulls it low, writing it to `SET` releases it; reading `SET` gives SDA as it is on the wire.
//! Data change while SCL is low and are read while it is high; SDA falling while SCL is high begins a transfer, SDA rising
//! ends it. A ninth bit acknowledges each byte: low means yes.
#![allow(unsafe_code)]

use embedded_hal::i2c::{ErrorKind, ErrorType, NoAcknowledgeSource, Operation};

/// Registers, in words.
const SET: usize = 0;
const CLEAR: usize = 1;

const SCL: u32 = 1;
const SDA: u32 = 2;

/// Half a period at 100 kHz and 25 MHz.
const HALF_PERIOD: u32 = 125;

/// An I2C bus.
pub struct I2c {
    registers: *mut u32,
}

impl I2c {
    /// Releases both lines. The address must be a controller's, and nothing else in the program may use it.
    pub(super) fn at(address: usize) -> Self {
        let mut bus = Self { registers: address as *mut u32 };
        bus.let_go(SDA);
        bus.let_go(SCL);
        bus
    }

    fn let_go(&mut self, line: u32) {
        // SAFETY: the board file passes its own controller.
        unsafe { self.registers.add(SET).write_volatile(line) };
        cortex_m::asm::delay(HALF_PERIOD);
    }

    fn pull(&mut self, line: u32) {
        // SAFETY: as above.
        unsafe { self.registers.add(CLEAR).write_volatile(line) };
        cortex_m::asm::delay(HALF_PERIOD);
    }

    /// Sends one bit while SCL is low, and reads back what is on the wire.
    fn bit(&mut self, high: bool) -> bool {
        if high {
            self.let_go(SDA);
        } else {
            self.pull(SDA);
        }
        self.let_go(SCL);
        // SAFETY: as above.
        let seen = unsafe { self.registers.add(SET).read_volatile() } & SDA != 0;
        self.pull(SCL);
        seen
    }

    /// SDA falls while SCL is high, whatever the lines were before.
    fn begin(&mut self) {
        self.let_go(SDA);
        self.let_go(SCL);
        self.pull(SDA);
        self.pull(SCL);
    }

    /// SDA rises while SCL is high.
    fn end(&mut self) {
        self.pull(SDA);
        self.let_go(SCL);
        self.let_go(SDA);
    }

    /// Sends a byte. Is it acknowledged?
    fn send(&mut self, byte: u8) -> bool {
        for at in (0..8).rev() {
            self.bit(byte >> at & 1 != 0);
        }
        !self.bit(true)
    }

    /// Receives a byte, and asks for another or not.
    fn receive(&mut self, another: bool) -> u8 {
        let byte = (0..8).fold(0, |byte, _| byte << 1 | u8::from(self.bit(true)));
        self.bit(!another);
        byte
    }

    fn run(&mut self, address: u8, operations: &mut [Operation<'_>]) -> Result<(), ErrorKind> {
        let mut reading = None;
        // An operation of the same kind as the previous one continues it; the next one shows where a read ends.
        for at in 0..operations.len() {
            let is_read = matches!(operations.get(at), Some(Operation::Read(_)));
            let goes_on = matches!(operations.get(at + 1), Some(Operation::Read(_)));
            if reading != Some(is_read) {
                self.begin();
                if !self.send(address << 1 | u8::from(is_read)) {
                    return Err(ErrorKind::NoAcknowledge(NoAcknowledgeSource::Address));
                }
                reading = Some(is_read);
            }
            match operations.get_mut(at) {
                Some(Operation::Read(bytes)) => {
                    for (left, byte) in (0..bytes.len()).rev().zip(bytes.iter_mut()) {
                        *byte = self.receive(left > 0 || goes_on);
                    }
                }
                Some(Operation::Write(bytes)) => {
                    let acknowledged = bytes.iter().all(|&byte| self.send(byte));
                    if !acknowledged {
                        return Err(ErrorKind::NoAcknowledge(NoAcknowledgeSource::Data));
                    }
                }
                None => {}
            }
        }
        Ok(())
    }
}

impl ErrorType for I2c {
    type Error = ErrorKind;
}

impl embedded_hal::i2c::I2c for I2c {
    fn transaction(&mut self, address: u8, operations: &mut [Operation<'_>]) -> Result<(), ErrorKind> {
        let result = self.run(address, operations);
        self.end();
        result
    }
}

//! Texas Instruments' TMP105, a thermometer on I2C, and similar ones (TMP75, LM75B), on any bus.
//!
//! A write selects a register, a read returns its bytes, highest first. The temperature is in 1/256 degree; the configuration
//! sets how many bits are valid: here 12 bits, 1/16 degree.

use embedded_hal::i2c::I2c;

/// The address with all three address pins low.
pub const ADDRESS: u8 = 0x48;

const TEMPERATURE: u8 = 0;
const CONFIGURATION: u8 = 1;
/// 12 bits, continuous conversion, everything else as after power-up.
const TWELVE_BITS: u8 = 0b0110_0000;

/// A thermometer.
pub struct Tmp105<B> {
    bus: B,
    address: u8,
}

impl<B: I2c> Tmp105<B> {
    /// Sets it up. The bus's error, if nothing answers.
    pub fn start(mut bus: B, address: u8) -> Result<Self, B::Error> {
        bus.write(address, &[CONFIGURATION, TWELVE_BITS])?;
        Ok(Self { bus, address })
    }

    /// The temperature in 1/16 degree Celsius.
    pub fn count(&mut self) -> Result<i16, B::Error> {
        let mut bytes = [0; 2];
        self.bus.write_read(self.address, &[TEMPERATURE], &mut bytes)?;
        Ok(i16::from_be_bytes(bytes) >> 4)
    }
}

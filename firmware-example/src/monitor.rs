//! A refrigerator's monitor: from the counts of a thermometer to the features of a reading.
//!
//! ```text
//! count (1/16 degree) -> degrees -> the last 8 of them -> level, slope, spread -> score > threshold? -> alarm
//! ```
//!
//! The trainer's rows come from the same steps over the same [`Window`] (`pual synth monitor`).

use pual_infer::Window;

/// Features of a reading: level, slope and spread.
pub const FEATURES: usize = 3;
/// Readings in a row that switch the alarm.
pub const IN_A_ROW: u8 = 2;
/// Readings in the window.
const WINDOW: usize = 8;
/// Counts per degree Celsius: 12 bits, as the TMP105 and similar thermometers have them.
const COUNTS_PER_DEGREE: f32 = 16.0;

/// The last temperatures.
#[derive(Debug)]
pub struct Temperatures(Window<1, WINDOW>);

impl Temperatures {
    /// None yet.
    #[must_use]
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        Self(Window::new())
    }

    /// Takes a count of the thermometer and computes the features, once the window is full.
    pub fn push(&mut self, count: i16) -> Option<[f32; FEATURES]> {
        self.0.push([f32::from(count) / COUNTS_PER_DEGREE]).ok()?;
        self.0.summary(0)
    }
}

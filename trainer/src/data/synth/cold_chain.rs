//! A log of vaccine [refrigerators](super::refrigerator): is the *load* too warm or too cold?
//!
//! A row is **positive when the load is outside 2 to 8 degrees**, the range in which vaccines are kept.
//!
//! Columns, as a device on the refrigerator would compute them from readings 5 minutes apart:
//! `temperature`, in degrees Celsius and steps of 1/16 degree like a 12-bit digital thermometer, and `slope`, in degrees per
//! hour, the least-squares slope of the last 4 temperatures.
//!
//! F1 within reach, on 3000 rows: the limits 2 and 8 applied to the air, a common logger's alarm, 89; any straight line 68
//! at most; kernel PUAL, GLLC and BSVM from 1000 positive-unlabeled rows, best of a small grid in hindsight, 94 to 95; a vote of 25
//! neighbours among 6000 rows that know the truth 96.

use super::refrigerator::{MINUTES_A_READING, log};
use crate::data::table::Table;

/// Minutes between two rows: neighbouring rows are alike, so more of them would tell little more.
const MINUTES_A_ROW: usize = 15;
/// Readings from which the slope is computed.
const WINDOW: usize = 4;
/// Degrees between two readings that the thermometer tells apart.
const SENSOR_STEP: f64 = 1.0 / 16.0;

/// `rows` rows in order of time, with their truth and no labels.
pub fn cold_chain(rows: usize, seed: u64) -> Table {
    log(["temperature", "slope"], rows, MINUTES_A_ROW, seed, |readings: &mut Vec<f64>, air| {
        readings.push((air / SENSOR_STEP).round() * SENSOR_STEP);
        readings.last_chunk().map(|window| [window[WINDOW - 1], slope(window)])
    })
}

/// Least-squares slope of equally spaced readings, in degrees an hour.
fn slope(window: &[f64; WINDOW]) -> f64 {
    let middle = (WINDOW - 1) as f64 / 2.0;
    let offsets = || (0..WINDOW).map(|at| at as f64 - middle);
    let sum: f64 = offsets().zip(window).map(|(offset, reading)| offset * reading).sum();
    let squares: f64 = offsets().map(|offset| offset * offset).sum();
    sum / squares * (60.0 / MINUTES_A_READING as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slope_is_in_degrees_an_hour() {
        // Half a degree every 5 minutes.
        assert_eq!(slope(&[5.0, 5.5, 6.0, 6.5]), 6.0);
        assert_eq!(slope(&[4.0; WINDOW]), 0.0);
        // Against the normal equations: (-1.5 * 1 - 0.5 * 2 + 0.5 * 0 + 1.5 * 4) / 5 * 12.
        assert!((slope(&[1.0, 2.0, 0.0, 4.0]) - 8.4).abs() < 1e-12);
    }
}

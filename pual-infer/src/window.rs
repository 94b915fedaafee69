//! A sliding window of readings, and the usual features of one.
//!
//! For the last N values y_0 .. y_{N-1} of a channel, oldest first, with k counted from the window's middle:
//!
//! ```text
//! level  = sum y_k / N
//! slope  = sum k y_k / sum k^2          (least squares, per sample)
//! spread = sqrt(sum (y_k - level)^2 / N)
//! ```
//!
//! Sums run from oldest to newest in f32, and the square root is libm's, so host and device get the same bits.

use crate::error::ReadingError;
use heapless::Deque;

/// The last `N` readings of `D` channels.
///
/// ```
/// # use pual_infer::Window;
/// let mut window = Window::<1, 3>::new();
/// for temperature in [4.0, 5.0, 6.0, 7.0] {
///     window.push([temperature])?;
/// }
/// let [level, slope, spread] = window.summary(0).unwrap();
/// assert_eq!((level, slope), (6.0, 1.0));
/// # let _ = spread;
/// # Ok::<(), pual_infer::ReadingError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Window<const D: usize, const N: usize> {
    readings: Deque<[f32; D], N>,
}

impl<const D: usize, const N: usize> Default for Window<D, N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const D: usize, const N: usize> Window<D, N> {
    /// An empty window.
    #[must_use]
    pub const fn new() -> Self {
        Self { readings: Deque::new() }
    }

    /// Adds a reading; the oldest leaves if the window is full.
    ///
    /// # Errors
    /// A NaN or an infinity is refused: it would poison every feature until it left the window.
    pub fn push(&mut self, reading: [f32; D]) -> Result<(), ReadingError> {
        if let Some(feature) = reading.iter().position(|x| !x.is_finite()) {
            return Err(ReadingError::NotFinite { feature });
        }
        if self.is_full() {
            self.readings.pop_front();
        }
        // There is room now, unless N = 0.
        let _ = self.readings.push_back(reading);
        Ok(())
    }

    /// Are there `N` readings? Before that there are no features.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.readings.is_full()
    }

    /// Number of readings.
    #[must_use]
    pub fn len(&self) -> usize {
        self.readings.len()
    }

    /// Is there no reading yet?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.readings.is_empty()
    }

    /// The readings, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &[f32; D]> {
        self.readings.iter()
    }

    /// The mean of a channel; `None` until the window is full.
    #[must_use]
    pub fn level(&self, channel: usize) -> Option<f32> {
        Some(self.values(channel)?.sum::<f32>() / N as f32)
    }

    /// The least-squares slope of a channel, per sample; `None` until the window is full, or for `N` = 1.
    #[must_use]
    pub fn slope(&self, channel: usize) -> Option<f32> {
        if N < 2 {
            return None;
        }
        let middle = (N - 1) as f32 / 2.0;
        let mut above = 0.0;
        let mut below = 0.0;
        for (k, y) in self.values(channel)?.enumerate() {
            let k = k as f32 - middle;
            above += k * y;
            below += k * k;
        }
        Some(above / below)
    }

    /// The standard deviation of a channel; `None` until the window is full.
    #[must_use]
    pub fn spread(&self, channel: usize) -> Option<f32> {
        let level = self.level(channel)?;
        let squares = self.values(channel)?.map(|y| (y - level) * (y - level)).sum::<f32>();
        Some(libm::sqrtf(squares / N as f32))
    }

    /// Level, slope and spread of a channel; `None` until the window is full, or for `N` = 1.
    #[must_use]
    pub fn summary(&self, channel: usize) -> Option<[f32; 3]> {
        Some([self.level(channel)?, self.slope(channel)?, self.spread(channel)?])
    }

    fn values(&self, channel: usize) -> Option<impl Iterator<Item = f32>> {
        if channel >= D || !self.is_full() {
            return None;
        }
        Some(self.iter().filter_map(move |reading| reading.get(channel)).copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_slides() {
        let mut window = Window::<2, 4>::new();
        assert_eq!((window.level(0), window.summary(0)), (None, None));
        for k in 0..10 {
            window.push([k as f32, -3.0]).unwrap();
            assert_eq!(window.len(), (k + 1).min(4));
        }
        let newest = window.iter().map(|reading| reading[0]);
        assert!(newest.eq([6.0, 7.0, 8.0, 9.0]));
        assert_eq!(window.summary(0), Some([7.5, 1.0, libm::sqrtf(1.25)]));
        assert_eq!((window.level(0), window.slope(0)), (Some(7.5), Some(1.0)));
        assert_eq!(window.summary(1), Some([-3.0, 0.0, 0.0]));
        assert_eq!((window.summary(2), window.spread(2)), (None, None));
        let refused = window.push([0.0, f32::NAN]);
        assert_eq!(refused, Err(ReadingError::NotFinite { feature: 1 }));
        assert_eq!(window.level(0), Some(7.5));
        assert_eq!(Window::<1, 1>::new().slope(0), None);
    }
}

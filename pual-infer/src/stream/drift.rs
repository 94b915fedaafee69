//! Is the machine still the one that the model was trained on?
//!
//! Two shares are watched: of windows outside the training envelope, and of windows called positive. A cumulative sum per chart
//! (a Bernoulli CUSUM) tells a lasting change from chance:
//!
//! ```text
//! s = max(0, s + hit)  for a window that is outside, or positive
//! s = max(0, s + miss) for any other
//! the flag is raised, and stays, when s >= limit
//! ```
//!
//! The trainer chooses hit, miss and limit for a stated number of windows between false flags.

use crate::format::recipe::Chart;
use crate::read::recipe::DriftRule;
use crate::rolled::keep_rolled;

/// Counts of windows with a verdict, and the drift flag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Drift {
    windows: u32,
    outside: u32,
    positive: u32,
    sums: [u32; 3],
    raised: bool,
}

const _: () = assert!(size_of::<Drift>() <= 32);

impl Drift {
    /// Takes a window, and returns whether the flag is raised.
    pub fn push(&mut self, outside: bool, positive: bool, rule: &DriftRule) -> bool {
        let count = |counter: &mut u32, counts: bool| *counter = counter.saturating_add(counts.into());
        count(&mut self.windows, true);
        count(&mut self.outside, outside);
        count(&mut self.positive, positive);
        let charts = [(outside, &rule.outside), (positive, &rule.more_positive), (positive, &rule.less_positive)];
        for (sum, (hit, chart)) in self.sums.iter_mut().zip(charts) {
            self.raised |= step(sum, hit, chart);
            keep_rolled();
        }
        self.raised
    }

    /// Windows with a verdict; like all counts it stops at 2^32 - 1.
    #[must_use]
    pub const fn windows(&self) -> u32 {
        self.windows
    }

    /// Of these, windows outside the training envelope.
    #[must_use]
    pub const fn outside(&self) -> u32 {
        self.outside
    }

    /// Of these, windows called positive.
    #[must_use]
    pub const fn positive(&self) -> u32 {
        self.positive
    }

    /// Is the flag raised? It stays.
    #[must_use]
    pub const fn is_raised(&self) -> bool {
        self.raised
    }
}

/// One step of a chart. Is the sum at its limit? (Limits are at most 2^30, and above them a sum does not grow.)
fn step(sum: &mut u32, hit: bool, chart: &Chart) -> bool {
    let change = if hit { chart.hit } else { chart.miss };
    *sum = sum.saturating_add_signed(change.into()).min(chart.limit);
    chart.limit > 0 && *sum == chart.limit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_is_raised_by_a_lasting_change_and_stays() {
        let outside = Chart { hit: 10, miss: -2, limit: 25 };
        let less_positive = Chart { hit: -5, miss: 1, limit: 40 };
        let rule = DriftRule { outside, less_positive, ..DriftRule::default() };
        let mut drift = Drift::default();
        for window in 0..200 {
            assert!(!drift.push(window % 20 < 2, window % 4 == 0, &rule));
        }
        let mut shifted = drift;
        assert!(!shifted.push(true, true, &rule) && !shifted.push(true, true, &rule));
        assert!(shifted.push(true, true, &rule) && shifted.push(false, true, &rule));
        assert_eq!((shifted.windows(), shifted.outside(), shifted.positive()), (204, 23, 54));
        let raised = (0..100).position(|_| drift.push(false, false, &rule));
        assert!(raised.is_some_and(|after| (35..=41).contains(&after)), "{raised:?}");
        let off = DriftRule::default();
        let mut never = Drift::default();
        assert!((0..100_000).all(|_| !never.push(true, true, &off)));
    }
}

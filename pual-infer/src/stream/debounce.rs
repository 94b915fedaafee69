//! An alarm that switches on after k of n windows and off after m in a row.

use crate::read::recipe::AlarmRule;

/// The state of an alarm with an [`AlarmRule`].
///
/// Off: the last n classes are remembered, and k positive ones among them switch it on. On: m negative ones in a row
/// switch it off, and then it remembers none.
///
/// ```
/// # use pual_infer::{AlarmRule, Debounce};
/// let rule = AlarmRule { on: 2, of: 3, off: 2 };
/// let mut alarm = Debounce::default();
/// let on = [true, false, true, false, true, false, false, true].map(|positive| alarm.push(positive, &rule));
/// assert_eq!(on, [false, false, true, true, true, true, false, false]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Debounce {
    /// The newest class in the lowest bit; of the last n while the alarm is off.
    history: u32,
    negatives: u8,
    on: bool,
}

impl Debounce {
    /// Takes the class of a window, and returns whether the alarm is on now.
    pub fn push(&mut self, positive: bool, rule: &AlarmRule) -> bool {
        if self.on {
            self.negatives = if positive { 0 } else { self.negatives.saturating_add(1) };
            if self.negatives >= rule.off {
                *self = Self::default();
            }
        } else {
            let last = u32::MAX >> (32_u32.wrapping_sub(rule.of.into()) & 31);
            self.history = (self.history << 1 | u32::from(positive)) & last;
            self.on = positive && self.history.count_ones() >= rule.on.into();
        }
        self.on
    }

    /// Is the alarm on?
    #[must_use]
    pub const fn is_on(&self) -> bool {
        self.on
    }
}

//! An alarm that a single reading does not switch.

/// Switches after a number of readings in a row against its state, so that a single one near the border changes nothing.
///
/// ```
/// # use pual_infer::Alarm;
/// let mut alarm = Alarm::new(2);
/// let on = [true, false, true, true, false, false].map(|positive| alarm.push(positive));
/// assert_eq!(on, [false, false, false, true, true, false]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Alarm {
    on: bool,
    in_a_row: u8,
    /// Readings in a row against the state.
    against: u8,
}

impl Alarm {
    /// Off. It switches after `in_a_row` readings against its state; 0 and 1 switch at once.
    #[must_use]
    pub const fn new(in_a_row: u8) -> Self {
        Self { on: false, in_a_row, against: 0 }
    }

    /// Takes the class of a reading, and returns whether the alarm is on now.
    pub fn push(&mut self, positive: bool) -> bool {
        if positive == self.on {
            self.against = 0;
        } else {
            self.against = self.against.saturating_add(1);
            if self.against >= self.in_a_row {
                (self.on, self.against) = (positive, 0);
            }
        }
        self.on
    }

    /// Is the alarm on?
    #[must_use]
    pub const fn is_on(&self) -> bool {
        self.on
    }
}

#[cfg(test)]
mod tests {
    use super::Alarm;

    #[test]
    fn one_reading_switches_no_alarm_and_two_do() {
        let mut alarm = Alarm::new(2);
        let classes = [1, 0, 1, 1, 0, 1, 0, 0, 1, 0].map(|class| class == 1);
        let on = classes.map(|positive| u8::from(alarm.push(positive)));
        assert_eq!(on, [0, 0, 0, 1, 1, 1, 1, 0, 0, 0]);
    }
}

//! What a Wi-Fi module heard: access points and how loud, in any order, without those that were not heard.
//!
//! The model wants a number for each access point, always in the same place: one that was not heard counts as
//! [`SILENCE`], just below what a receiver can make out. The trainer's rows are made by this very code.

use crate::{MAX_FEATURES, Reading};
use serde::{Deserialize, Serialize};

/// The strength that stands for "not heard", in dBm.
pub const SILENCE: i8 = -100;

/// An access point, by its place in a reading, and its strength in dBm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heard {
    /// Which one.
    pub access_point: u8,
    /// How loud, in dBm.
    pub dbm: i8,
}

/// One look around.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scan(pub heapless::Vec<Heard, MAX_FEATURES>);

impl Scan {
    /// The reading of a model with so many access points. One that the model does not know is passed over, of one that was
    /// heard twice the last counts. `None` if there are more than a reading has room for.
    #[must_use]
    pub fn reading(&self, access_points: usize) -> Option<Reading> {
        let mut reading = Reading::new();
        reading.resize(access_points, f32::from(SILENCE)).ok()?;
        for heard in &self.0 {
            if let Some(value) = reading.get_mut(usize::from(heard.access_point)) {
                *value = f32::from(heard.dbm);
            }
        }
        Some(reading)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_heard_is_silent_and_strangers_are_passed_over() {
        let heard = |access_point, dbm| Heard { access_point, dbm };
        let heard = [heard(2, -40), heard(9, -30), heard(0, -71), heard(0, -70)];
        let scan = Scan(heard.into_iter().collect());
        assert_eq!(scan.reading(3).unwrap(), [-70.0, -100.0, -40.0]);
        assert_eq!(scan.reading(0).unwrap(), []);
        assert_eq!(scan.reading(MAX_FEATURES + 1), None);
    }
}

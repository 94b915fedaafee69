//! From raw logs to rows: recordings, what is known of them, windows, and how alarms are judged.
//!
//! ```text
//! logs -> recordings -> labels (events, or a column) -> windows and their features, by the device's own code -> table
//! ```
//!
//! Each file opens with its rules: `read`, `clock`, `recordings`, `events`, `recipe`, `windows`,
//! `judge`, `alarm`, `drift`.

mod alarm;
mod clock;
mod drift;
mod error;
mod events;
mod judge;
mod read;
mod recipe;
mod recordings;
mod windows;

pub use alarm::AlarmChoice;
pub(crate) use alarm::{CalledTrack, choose, states};
pub use clock::Clock;
pub use drift::DriftReport;
pub(crate) use drift::rule as drift_rule;
pub use error::{LogError, LogProblem};
pub use judge::EventQuality;
pub(crate) use judge::Track;
pub(crate) use recipe::WindowPlan;
pub use recipe::{RecipeError, Span};
pub use recordings::{LogOptions, Missing, Recording, Recordings};
pub(crate) use windows::WindowError;
pub(crate) use windows::{WindowRows, feature_names, windows};

//! From samples to features and from classes to an alarm.

mod alarm;
#[cfg(feature = "bands")]
mod bands;
mod block;
mod debounce;
mod drift;
mod features;
mod sample;
mod verdicts;
mod window;
mod windows;

pub use alarm::Alarm;
pub use debounce::Debounce;
pub use drift::Drift;
pub use sample::Sample;
pub use verdicts::{Judge, Stream, StreamVerdict};
pub use window::Window;
pub use windows::Windows;

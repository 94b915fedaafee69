//! From samples to features and from classes to an alarm.

mod alarm;
mod window;

pub use alarm::Alarm;
pub use window::Window;

//! Commands that talk to a chip, real or emulated.

pub mod bench_device;
mod chart;
pub mod demo;
pub mod flash;
mod line;
pub mod push;
mod recorded;
mod stream_view;
pub mod verify;
pub mod watch;

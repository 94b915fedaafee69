//! Commands that talk to a chip, real or emulated.

pub mod bench_device;
pub mod demo;
pub mod flash;
pub mod push;
pub mod verify;

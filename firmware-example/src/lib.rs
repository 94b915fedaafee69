//! What the programs of this example share: the board, the model's flash region, and a counter.
//!
//! A board is one file in `src/board/`, one memory map in `memory/` and one feature in `Cargo.toml` (PORTING.md). It provides
//!
//! - `Uart` with `start`, `read` (waits for a byte) and `write`,
//! - `exit(code)`: leaves the emulator, or restarts a real board,
//! - `say(text)`: a line for people, where there is a place for it,
//! - with the feature `update` (mps2 so far): `flash::Flash`, a driver for the flash that holds the model store, its
//!   slots `flash::SLOTS`, and `flash::bytes`, a stored model's bytes as the core sees them,
//! - for `monitor` (mps2 so far): `I2c` with `start`, a bus with a thermometer on it,
//! - `COST_UNIT` and `cost_of(ticks)`: what SysTick counts there.

#![no_std]

pub mod answers;
pub mod board;
pub mod counter;
pub mod flash;
mod handlers;
pub mod monitor;
pub mod serve;
pub mod tmp105;

//! What the programs of this example share: the board, the model's flash region, and the answers to requests.
//!
//! A board is a file in `src/board/`, a memory map in `memory/` and a feature in `Cargo.toml` (PORTING.md). It provides
//!
//! - `Uart` with `start`, `read` (waits for a byte) and `write`,
//! - `exit(code)`: exits the emulator, or restarts a real board,
//! - `say(text)`: prints a line for people, where there is a place for it,
//! - with the feature `update` (so far mps2): `flash::Flash`, a driver for the flash that holds the model store, its
//!   slots `flash::SLOTS`, and `flash::bytes`, a stored model's bytes as the core sees them,
//! - for `monitor` (so far mps2): `I2c` with `start`, a bus with a thermometer on it,
//! - `COST_UNIT` and `cost_of(ticks)`: what SysTick counts there.

#![no_std]

pub mod answers;
pub mod board;
pub mod counter;
pub mod flash;
mod handlers;
pub mod serve;
pub mod streaming;
pub mod tmp105;

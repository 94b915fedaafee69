//! The `pual` program as a user meets it: whole commands, their messages and exit codes.

mod compress;
mod device;
mod files;
#[cfg(unix)]
mod flash;
#[cfg(unix)]
mod flash_boot;
mod groups;
mod many;
mod models;
#[cfg(unix)]
mod port;
mod program;
#[cfg(unix)]
mod push;
mod recordings;
mod scratch;
mod synth;
#[cfg(unix)]
mod verify;

use scratch::{QUICK, Run, Scratch};

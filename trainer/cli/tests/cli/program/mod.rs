//! The program itself: help, flags, configuration, messages, exit codes, the terminal.

mod config;
mod errors;
mod exit_codes;
mod help;
mod json;
mod messages;
mod shell;
#[cfg(unix)]
mod terminal;

//! The firmware that takes new models over the UART.

use super::flash::Flash;
use super::link::Link;
use super::qemu::{Clock, Qemu};
use crate::error::DeviceError;
use crate::firmware::{Board, UPDATABLE, build, build_signed};
use crate::image::Image;
use std::path::PathBuf;
use std::time::Duration;

/// The firmware that takes new models, built for a board. Its image is deleted with it.
#[derive(Debug)]
pub struct Updatable {
    board: Board,
    image: PathBuf,
}

impl Updatable {
    /// Builds the one that this flash belongs to. Nothing else in this process may use the name.
    pub fn new(board: Board, flash: &Flash, name: &str) -> Result<Self, DeviceError> {
        let elf = match flash.public_key() {
            None => build(board, UPDATABLE)?,
            Some(key) => build_signed(board, key)?,
        };
        let name = format!("{name}-{}", board.machine());
        let image = Image::read(&elf)?.with_model(&flash.built_in, &name)?;
        Ok(Self { board, image })
    }

    /// Boots it, and waits until it answers.
    pub fn boot(&self, flash: &Flash, limit: Duration) -> Result<Link, DeviceError> {
        let machine = Qemu::boot(self.board, &self.image, Some(flash), Clock::Fast, limit)?;
        Link::answering(machine)
    }
}

impl Drop for Updatable {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.image);
    }
}

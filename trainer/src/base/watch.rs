//! How long work tells its caller what it is doing.

use crate::base::warnings::Warning;

/// Follows a piece of work: progress, and what the user should know before it ends.
///
/// Every method is called often enough that an implementation can cancel the work by calling [`cancel`] in it.
pub trait Watch: Sync {
    /// `fits` more fits are going to be made.
    fn planned(&self, _fits: usize) {}
    /// `fits` more fits have been made.
    fn made(&self, _fits: usize) {}
    /// A phase begins that goes through this many rows; 0 if it does not go row by row.
    fn phase(&self, _name: &'static str, _rows: usize) {}
    /// This many more rows are done.
    fn rows(&self, _rows: usize) {}
    /// A search for settings begins; its progress is counted in fits.
    fn search(&self) {}
    /// Of a ladder of sizes, `done` of at most `of` have been made.
    fn sizes(&self, _done: usize, _of: usize) {}
    /// Something that the user should know; the result repeats it.
    fn warn(&self, _warning: &Warning) {}
    /// A remark on what is about to happen.
    fn note(&self, _text: &str) {}
}

/// Nobody watches.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Watch for Silent {}

/// What unwinds from work that was cancelled.
#[derive(Debug)]
pub struct Cancelled;

/// Ends the work from inside a [`Watch`], by unwinding with [`Cancelled`]: not a panic, nothing is printed.
pub fn cancel() -> ! {
    std::panic::resume_unwind(Box::new(Cancelled))
}

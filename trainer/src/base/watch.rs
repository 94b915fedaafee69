//! How long work tells its caller what it is doing.
//!
//! Parts of the work count in units of their own: fits, trees, rows, sizes. [`Parts`] turns them into the share of all the work that is
//! done, by what each part is expected to cost; so the whole is known from the start, and no part's end looks like the end.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::base::warnings::Warning;

/// Follows a piece of work: progress, and what the user should know before it ends.
///
/// Every method is called often enough that an implementation can cancel the work by calling [`cancel`] in it.
pub trait Watch: Sync {
    /// About this share of all the work is done: from 0 to 1, and never falling.
    fn done(&self, _share: f64) {}
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

/// Work in parts of known cost: whoever watches it learns what share of the whole is done.
pub(crate) struct Parts<'a> {
    watch: &'a dyn Watch,
    /// What each part is expected to cost, in any unit.
    costs: Vec<f64>,
    state: Mutex<PartsState>,
}

#[derive(Default)]
struct PartsState {
    /// The present part, and how far it is, in units of its own.
    part: usize,
    planned: usize,
    made: usize,
    /// How far it is by its own parts, if it has any.
    share: Option<f64>,
    /// The share last told.
    told: f64,
}

impl<'a> Parts<'a> {
    /// Begins with the first part.
    pub(crate) fn new(watch: &'a dyn Watch, costs: Vec<f64>) -> Self {
        watch.done(0.0);
        Self { watch, costs, state: Mutex::default() }
    }

    /// The next part begins: the last one is done, whatever it had planned.
    pub(crate) fn next(&self) {
        self.update(|state| *state = PartsState { part: state.part + 1, told: state.told, ..PartsState::default() });
    }

    fn state(&self) -> MutexGuard<'_, PartsState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn update(&self, change: impl FnOnce(&mut PartsState)) {
        let told = {
            let mut state = self.state();
            change(&mut state);
            let of_part = match (state.share, state.planned) {
                (Some(share), _) => share,
                (None, 0) => 0.0,
                (None, planned) => (state.made as f64 / planned as f64).min(1.0),
            };
            let sum = |costs: &[f64]| costs.iter().sum::<f64>();
            let before = sum(&self.costs[..state.part.min(self.costs.len())]);
            let done = before + of_part * self.costs.get(state.part).copied().unwrap_or_default();
            // More may have been planned in the meantime.
            state.told = state.told.max(done / sum(&self.costs));
            state.told
        };
        self.watch.done(told);
    }
}

impl Watch for Parts<'_> {
    fn done(&self, share: f64) {
        self.update(|state| state.share = Some(share));
    }

    fn planned(&self, fits: usize) {
        self.watch.planned(fits);
        self.update(|state| state.planned += fits);
    }

    fn made(&self, fits: usize) {
        self.watch.made(fits);
        self.update(|state| state.made += fits);
    }

    fn phase(&self, name: &'static str, rows: usize) {
        self.watch.phase(name, rows);
        self.update(|state| state.planned += rows);
    }

    fn rows(&self, rows: usize) {
        self.watch.rows(rows);
        self.update(|state| state.made += rows);
    }

    fn search(&self) {
        self.watch.search();
    }

    fn sizes(&self, done: usize, of: usize) {
        self.watch.sizes(done, of);
        self.update(|state| (state.made, state.planned) = (done, of));
    }

    fn warn(&self, warning: &Warning) {
        self.watch.warn(warning);
    }

    fn note(&self, text: &str) {
        self.watch.note(text);
    }
}

/// What unwinds from work that was cancelled.
#[derive(Debug)]
pub struct Cancelled;

/// Ends the work from inside a [`Watch`], by unwinding with [`Cancelled`]: not a panic, nothing is printed.
pub fn cancel() -> ! {
    std::panic::resume_unwind(Box::new(Cancelled))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Told(Mutex<Vec<f64>>);

    impl Watch for Told {
        fn done(&self, share: f64) {
            self.0.lock().unwrap().push(share);
        }
    }

    #[test]
    fn the_share_goes_by_cost_and_never_falls() {
        let told = Told::default();
        let parts = Parts::new(&told, vec![3.0, 1.0]);
        parts.planned(10);
        parts.made(5);
        // More work than was known: it stands still, and goes on from there.
        parts.planned(10);
        parts.made(10);
        parts.next();
        let inner = Parts::new(&parts, vec![1.0, 1.0]);
        inner.sizes(2, 4);
        inner.next();
        parts.next();
        let mut shares = told.0.lock().unwrap().clone();
        shares.dedup();
        let expected = [0.0, 0.375, 0.5625, 0.75, 0.8125, 0.875, 1.0];
        assert_eq!(shares, expected);
    }
}

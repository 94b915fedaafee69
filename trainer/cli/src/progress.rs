//! What goes on, for someone who watches; and what it took, for everyone afterwards.

use crate::show;
use indicatif::ProgressBar;
use pual_trainer::{Phases, Timing, Warning, Watch};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The phases of a command, and a bar for the present one.
pub struct Progress {
    state: Mutex<State>,
}

struct State {
    phases: Phases,
    bar: ProgressBar,
}

impl Progress {
    /// Begins with the phase of this name.
    pub fn new(name: &'static str) -> Self {
        Self { state: Mutex::new(State { phases: Phases::new(name), bar: show::bar("fits") }) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next phase begins, shown by this bar.
    fn begin(&self, name: &'static str, bar: ProgressBar) {
        let mut state = self.state();
        state.phases.begin(name);
        state.bar.finish_and_clear();
        state.bar = bar;
    }

    /// The present phase reads a file of so many bytes, if that is known.
    pub fn reading(&self, total: Option<u64>) {
        let mut state = self.state();
        state.bar.finish_and_clear();
        state.bar = show::bytes_bar(state.phases.name(), total);
    }

    /// So many of them are read.
    pub fn read_so_far(&self, bytes: u64) {
        self.state().bar.set_position(bytes);
    }

    /// The seconds so far, the present phase included.
    pub fn timing(&self) -> Timing {
        self.state().phases.timing()
    }
}

impl Watch for Progress {
    fn planned(&self, fits: usize) {
        self.state().bar.inc_length(fits as u64);
    }

    fn made(&self, fits: usize) {
        self.state().bar.inc(fits as u64);
    }

    fn phase(&self, name: &'static str, rows: usize) {
        self.begin(name, show::rows_bar(name, rows as u64));
    }

    fn rows(&self, rows: usize) {
        self.state().bar.inc(rows as u64);
    }

    fn search(&self) {
        self.begin("search", show::bar("fits"));
    }

    fn sizes(&self, done: usize, of: usize) {
        let mut state = self.state();
        if state.bar.length() != Some(of as u64) {
            state.bar.finish_and_clear();
            state.bar = show::bar("sizes");
            state.bar.set_length(of as u64);
        }
        state.bar.set_position(done as u64);
    }

    fn warn(&self, warning: &Warning) {
        let bar = self.state().bar.clone();
        bar.suspend(|| show::warn(warning.clone()));
    }

    fn note(&self, text: &str) {
        show::progress(text);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.state().bar.finish_and_clear();
    }
}

/// The phases that took long enough to mention.
pub fn show_timing(timing: &Timing) -> String {
    let phases = timing.phases.iter().filter(|(_, seconds)| *seconds >= 0.05);
    let mut parts: Vec<String> = phases.map(|(name, seconds)| format!("{name} {seconds:.1}")).collect();
    parts.push(format!("{:.1} s in total", timing.total));
    parts.join(", ")
}

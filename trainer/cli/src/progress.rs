//! What goes on, for someone who watches; and what it took, for everyone afterwards.

use crate::show;
use indicatif::ProgressBar;
use pual_trainer::{Phases, Timing, Warning, Watch};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The phases of a command, and a bar: for all of its work, if it tells what share of that is done, or else for the present phase.
pub struct Progress {
    state: Mutex<State>,
}

struct State {
    phases: Phases,
    bar: ProgressBar,
    /// Whether the bar is that of all work.
    is_of_all: bool,
}

impl State {
    fn replace(&mut self, bar: ProgressBar) {
        self.bar.finish_and_clear();
        self.bar = bar;
    }
}

impl Progress {
    /// Begins with the phase of this name.
    pub fn new(name: &'static str) -> Self {
        let bar = ProgressBar::hidden();
        Self { state: Mutex::new(State { phases: Phases::new(name), bar, is_of_all: false }) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next phase begins.
    fn begin(&self, name: &'static str, rows: usize) {
        let mut state = self.state();
        state.phases.begin(name);
        match state.is_of_all {
            true => state.bar.set_message(name),
            false => state.replace(show::rows_bar(name, rows as u64)),
        }
    }

    /// The present phase reads a file of so many bytes, if that is known.
    pub fn reading(&self, total: Option<u64>) {
        let mut state = self.state();
        let bar = show::bytes_bar(state.phases.name(), total);
        state.replace(bar);
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
    fn done(&self, share: f64) {
        let mut state = self.state();
        if !state.is_of_all {
            state.is_of_all = true;
            let bar = show::work_bar(state.phases.name());
            state.replace(bar);
        }
        state.bar.set_position((share * show::STEPS as f64) as u64);
    }

    fn phase(&self, name: &'static str, rows: usize) {
        self.begin(name, rows);
    }

    fn rows(&self, rows: usize) {
        let state = self.state();
        if !state.is_of_all {
            state.bar.inc(rows as u64);
        }
    }

    fn search(&self) {
        self.begin("search", 0);
    }

    fn warn(&self, warning: &Warning) {
        let bar = self.state().bar.clone();
        bar.suspend(|| show::warn(warning.clone()));
    }

    fn note(&self, text: &str) {
        let bar = self.state().bar.clone();
        bar.suspend(|| show::progress(text));
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

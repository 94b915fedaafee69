//! What goes on, for someone who watches; and what it took, for everyone afterwards.

use crate::show;
use indicatif::ProgressBar;
use pual_trainer::base::warnings::Warning;
use pual_trainer::base::watch::Watch;
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The phases of a command: a bar for the present one, seconds for those before.
pub struct Progress {
    begun: Instant,
    state: Mutex<State>,
}

struct State {
    name: &'static str,
    since: Instant,
    bar: ProgressBar,
    done: Vec<(&'static str, f64)>,
}

impl Progress {
    /// Begins with the phase of this name.
    pub fn new(name: &'static str) -> Self {
        let now = Instant::now();
        Self {
            begun: now,
            state: Mutex::new(State {
                name,
                since: now,
                bar: show::bar("fits"),
                done: Vec::new(),
            }),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next phase begins, shown by this bar.
    fn begin(&self, name: &'static str, bar: ProgressBar) {
        let mut state = self.state();
        let now = Instant::now();
        let took = (now - state.since).as_secs_f64();
        let before = state.name;
        match state.done.iter_mut().find(|(name, _)| *name == before) {
            Some((_, seconds)) => *seconds += took,
            None => state.done.push((before, took)),
        }
        state.bar.finish_and_clear();
        (state.name, state.since, state.bar) = (name, now, bar);
    }

    /// The present phase reads a file of so many bytes, if that is known.
    pub fn reading(&self, total: Option<u64>) {
        let mut state = self.state();
        state.bar.finish_and_clear();
        state.bar = show::bytes_bar(state.name, total);
    }

    /// So many of them are read.
    pub fn read_so_far(&self, bytes: u64) {
        self.state().bar.set_position(bytes);
    }

    /// The seconds so far, the present phase included.
    pub fn timing(&self) -> Timing {
        let now = self.state().name;
        self.begin(now, show::bar(""));
        Timing {
            phases: self.state().done.clone(),
            total: self.begun.elapsed().as_secs_f64(),
        }
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

/// Seconds by phase, in order, and all of them.
pub struct Timing {
    phases: Vec<(&'static str, f64)>,
    total: f64,
}

impl Timing {
    pub fn show(&self) -> String {
        let phases = self.phases.iter().filter(|(_, seconds)| *seconds >= 0.05);
        let mut parts: Vec<String> = phases
            .map(|(name, seconds)| format!("{name} {seconds:.1}"))
            .collect();
        parts.push(format!("{:.1} s in all", self.total));
        parts.join(", ")
    }
}

impl Serialize for Timing {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.phases.len() + 1))?;
        for (name, seconds) in &self.phases {
            map.serialize_entry(&name.replace(' ', "_"), seconds)?;
        }
        map.serialize_entry("total", &self.total)?;
        map.end()
    }
}

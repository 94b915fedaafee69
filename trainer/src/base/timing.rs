//! Seconds by phase, for those who follow a piece of work.

use std::time::Instant;

use serde::ser::{Serialize, SerializeMap, Serializer};

/// The phases of a piece of work: one is running, others are done.
#[derive(Debug)]
pub struct Phases {
    begun: Instant,
    name: &'static str,
    since: Instant,
    done: Vec<(&'static str, f64)>,
}

impl Phases {
    /// Begins with the phase of this name.
    #[must_use]
    pub fn new(name: &'static str) -> Self {
        let now = Instant::now();
        Self { begun: now, name, since: now, done: Vec::new() }
    }

    /// The phase that is running.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The next phase begins. A phase that comes back goes on counting.
    pub fn begin(&mut self, name: &'static str) {
        let now = Instant::now();
        let took = (now - self.since).as_secs_f64();
        match self.done.iter_mut().find(|(done, _)| *done == self.name) {
            Some((_, seconds)) => *seconds += took,
            None => self.done.push((self.name, took)),
        }
        (self.name, self.since) = (name, now);
    }

    /// The seconds so far, those of the running phase included.
    pub fn timing(&mut self) -> Timing {
        self.begin(self.name);
        Timing { phases: self.done.clone(), total: self.begun.elapsed().as_secs_f64() }
    }
}

/// Seconds by phase, in order, and in total.
#[derive(Debug, Clone)]
pub struct Timing {
    /// Names and seconds.
    pub phases: Vec<(&'static str, f64)>,
    /// Of all of them.
    pub total: f64,
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

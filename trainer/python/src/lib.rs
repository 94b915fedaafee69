//! The Rust half of the Python package: rows to model bytes, and model bytes to scores.
//!
//! Arrays cross the border as their bytes, in C order: f64 rows, f32 scores, one byte per mark. Options come as a dictionary.

mod decoded;
mod options;

use decoded::Decoded;
use options::{options, refused};
use pual_trainer::Dataset;
use pual_trainer::Error;
use pual_trainer::Groups;
use pual_trainer::Named;
use pual_trainer::Outcome;
use pual_trainer::Phases;
use pual_trainer::PuCounts;
use pual_trainer::Scenario;
use pual_trainer::Table;
use pual_trainer::Timing;
use pual_trainer::Watch;
use pual_trainer::cancel;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// How often Ctrl-C is looked for.
const TICK: Duration = Duration::from_millis(100);

#[pymodule]
mod _pual {
    #[pymodule_export]
    use super::{Decoded, check, puf, train, write_file};
}

/// The model file, what is known about it as JSON, and the warnings.
type Answer<'py> = (Bound<'py, PyBytes>, String, Vec<String>);

/// Refuses options that do not go together.
#[pyfunction]
fn check(given: &Bound<'_, PyDict>) -> PyResult<()> {
    let checked = options(given)?.check();
    checked.map_err(|error| refused(error.into()))
}

/// Follows a training that may be interrupted.
struct Interruptible {
    stop: Arc<AtomicBool>,
    phases: Mutex<Phases>,
}

impl Interruptible {
    /// Ends the work if it was interrupted.
    fn check(&self) {
        if self.stop.load(Ordering::Relaxed) {
            cancel();
        }
    }

    fn phases(&self) -> MutexGuard<'_, Phases> {
        self.phases.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watch for Interruptible {
    fn done(&self, _: f64) {
        self.check();
    }

    fn made(&self, _: usize) {
        self.check();
    }

    fn phase(&self, name: &'static str, _: usize) {
        self.check();
        self.phases().begin(name);
    }

    fn rows(&self, _: usize) {
        self.check();
    }

    fn search(&self) {
        self.phase("search", 0);
    }

    fn sizes(&self, _: usize, _: usize) {
        self.check();
    }
}

/// What `pual train --json` prints, except for where the model is.
#[derive(serde::Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    outcome: &'a Outcome,
    timing: Timing,
}

/// Trains. Python's other threads go on, and Ctrl-C ends it.
#[pyfunction]
fn train<'py>(
    py: Python<'py>,
    given: &Bound<'_, PyDict>,
    names: Vec<String>,
    rows: &[u8],
    labeled: &[u8],
    normal: Option<&[u8]>,
    groups: Option<Vec<String>>,
) -> PyResult<Answer<'py>> {
    let options = options(given)?;
    check_names(&names)?;
    let table = Table {
        names,
        rows: numbers(rows),
        labeled: Some(marks(labeled)),
        normal: normal.map(marks),
        truth: None,
        groups: groups.map(Groups::of_rows),
    };
    let stop = Arc::new(AtomicBool::new(false));
    let (end, ended) = mpsc::channel::<()>();
    let watch = Interruptible { stop: Arc::clone(&stop), phases: Mutex::new(Phases::new("read")) };
    let worker = thread::spawn(move || -> Result<(Outcome, Timing), Error> {
        // Dropped when the work has ended, however it has.
        let _end = end;
        // Its own threads: those that a whole process shares do not survive a fork.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads).build()?;
        let outcome = pool.install(|| pual_trainer::train(&Dataset::new(table)?, &options, &watch))?;
        let timing = watch.phases().timing();
        Ok((outcome, timing))
    });
    let ended = Mutex::new(ended);
    let wait = || {
        let ended = ended.lock().unwrap_or_else(PoisonError::into_inner);
        ended.recv_timeout(TICK)
    };
    while py.detach(wait) == Err(RecvTimeoutError::Timeout) {
        if let Err(interrupt) = py.check_signals() {
            stop.store(true, Ordering::Relaxed);
            let _ = py.detach(|| worker.join());
            return Err(interrupt);
        }
    }
    match py.detach(|| worker.join()) {
        Ok(Ok((outcome, timing))) => {
            let report = Report { outcome: &outcome, timing };
            let report = serde_json::to_string(&report);
            let report = report.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
            let warnings = outcome.warnings.iter().map(|w| w.text.clone()).collect();
            Ok((PyBytes::new(py, outcome.model.bytes()), report, warnings))
        }
        Ok(Err(error)) => Err(refused(error)),
        Err(_) => Err(PyRuntimeError::new_err("the training panicked, which is a fault of pual: please report it")),
    }
}

/// recall^2 / P(f > 0).
#[pyfunction]
fn puf(labeled: &[u8], called: &[u8], scenario: &str) -> PyResult<f64> {
    let scenario = Scenario::named(scenario).ok_or_else(|| {
        PyValueError::new_err(format!("scenario: expected 'single-training-set' or 'case-control', found '{scenario}'"))
    })?;
    Ok(PuCounts::count(&marks(labeled), &marks(called)).puf(scenario))
}

/// Puts bytes at a path: written beside it, then renamed.
#[pyfunction]
fn write_file(py: Python<'_>, path: PathBuf, data: &[u8]) -> PyResult<()> {
    py.detach(|| pual_trainer::write_file(&path, data)).map_err(|error| PyOSError::new_err(error.to_string()))
}

/// What the header of a file is checked for.
fn check_names(names: &[String]) -> PyResult<()> {
    let mut seen = HashSet::new();
    for (at, name) in names.iter().enumerate() {
        let wrong = match name.as_str() {
            "" => format!("column {} has no name", at + 1),
            name if !seen.insert(name) => {
                format!("two columns are called `{name}`; give each column its own name")
            }
            _ => continue,
        };
        return Err(PyValueError::new_err(wrong));
    }
    Ok(())
}

fn numbers(bytes: &[u8]) -> Vec<f64> {
    let (numbers, _) = bytes.as_chunks();
    numbers.iter().map(|&bytes| f64::from_ne_bytes(bytes)).collect()
}

fn marks(bytes: &[u8]) -> Vec<bool> {
    bytes.iter().map(|&mark| mark != 0).collect()
}

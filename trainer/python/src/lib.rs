//! The Rust half of the Python package: rows to model bytes, and model bytes to scores.
//!
//! Arrays cross the border as their bytes, in C order: f64 rows, f32 scores, one byte a mark. What is trained, and how, is said by the
//! flags of `pual train`, which its own code parses.

mod decoded;

use decoded::Decoded;
use pual_trainer::cli::train::in_memory::{Made, Training, text_of};
use pual_trainer::data::table::Table;
use pual_trainer::base::scenario::Scenario;
use pual_trainer::choose::metrics::PuCounts;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// How often Ctrl-C is looked for.
const TICK: Duration = Duration::from_millis(100);

#[pymodule]
mod _pual {
    #[pymodule_export]
    use super::{Decoded, check, puf, train, write_file};
}

/// The model file, what --json prints, and the warnings.
type Answer<'py> = (Bound<'py, PyBytes>, String, Vec<String>);

/// Refuses flags that `pual train` refuses.
#[pyfunction]
fn check(flags: Vec<String>) -> PyResult<()> {
    Training::parse(&flags).map(|_| ()).map_err(refused)
}

/// Trains by the flags of `pual train`. Python's other threads go on, and Ctrl-C ends it.
#[pyfunction]
fn train<'py>(
    py: Python<'py>,
    flags: Vec<String>,
    names: Vec<String>,
    rows: &[u8],
    labeled: &[u8],
) -> PyResult<Answer<'py>> {
    let training = Training::parse(&flags).map_err(refused)?;
    check_names(&names)?;
    let table = Table {
        names,
        rows: numbers(rows),
        labeled: Some(marks(labeled)),
        truth: None,
    };
    let stop = Arc::new(AtomicBool::new(false));
    let (end, ended) = mpsc::channel::<()>();
    let worker = {
        let stop = Arc::clone(&stop);
        thread::spawn(move || {
            // Dropped when the work has ended, however it has.
            let _end = end;
            training.run(table, stop)
        })
    };
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
        Ok(Ok(made)) => {
            let Made {
                model,
                report,
                warnings,
            } = made;
            Ok((PyBytes::new(py, &model), report, warnings))
        }
        Ok(Err(error)) => Err(refused(error)),
        Err(_) => Err(PyRuntimeError::new_err(
            "the training panicked, which is a fault of pual: please report it",
        )),
    }
}

/// recall^2 / P(f > 0).
#[pyfunction]
fn puf(labeled: &[u8], called: &[u8], scenario: &str) -> PyResult<f64> {
    let scenario = match scenario {
        "single-training-set" => Scenario::SingleTrainingSet,
        "case-control" => Scenario::CaseControl,
        other => {
            return Err(PyValueError::new_err(format!(
                "scenario: expected 'single-training-set' or 'case-control', found '{other}'"
            )));
        }
    };
    Ok(PuCounts::count(&marks(labeled), &marks(called)).puf(scenario))
}

/// Puts bytes at a path: written beside it, then renamed.
#[pyfunction]
fn write_file(py: Python<'_>, path: PathBuf, data: &[u8]) -> PyResult<()> {
    py.detach(|| pual_trainer::base::files::write_file(&path, data))
        .map_err(|error| PyOSError::new_err(error.to_string()))
}

fn refused(error: anyhow::Error) -> PyErr {
    PyValueError::new_err(text_of(&error))
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
    numbers
        .iter()
        .map(|&bytes| f64::from_ne_bytes(bytes))
        .collect()
}

fn marks(bytes: &[u8]) -> Vec<bool> {
    bytes.iter().map(|&mark| mark != 0).collect()
}

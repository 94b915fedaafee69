//! A model as the device reads it, scored by the device's code.

use crate::numbers;
use pual_infer::{DecodeError, Envelope, Model, ModelBytes, ReadingError};
use pual_trainer::device_scores;
use pual_trainer::errors::DatasetError;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Rows from which more than one thread pays.
const MANY_ROWS: usize = 5000;

/// A model file that has passed every check.
#[pyclass(frozen, module = "pual._pual")]
pub struct Decoded {
    bytes: ModelBytes,
}

impl Decoded {
    fn model(&self) -> PyResult<Model<'_>> {
        self.bytes.decode().map_err(unusable)
    }

    /// Refuses what no reading can be, naming the place.
    fn check(&self, model: &Model<'_>, rows: &[f64]) -> PyResult<()> {
        let width = model.features();
        match rows.iter().position(|x| !(*x as f32).is_finite()) {
            None => Ok(()),
            Some(at) => {
                let feature = at % width;
                let name = model.name(feature).map(str::to_owned);
                let error = DatasetError::NotFinite {
                    row: at / width,
                    feature: name.unwrap_or_else(|| format!("x{feature}")),
                    value: rows[at],
                };
                Err(PyValueError::new_err(error.to_string()))
            }
        }
    }
}

#[pymethods]
impl Decoded {
    #[new]
    fn new(data: &[u8]) -> PyResult<Self> {
        let decoded = Self { bytes: ModelBytes::new(data) };
        decoded.model()?;
        Ok(decoded)
    }

    /// The model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.bytes)
    }

    /// The device's scores of f64 rows, as f32.
    fn scores<'py>(&self, py: Python<'py>, rows: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
        let scores = py.detach(|| {
            let rows = numbers(rows);
            let model = self.model()?;
            self.check(&model, &rows)?;
            let threads = match rows.len() / model.features() < MANY_ROWS {
                true => 1,
                false => 0,
            };
            // Threads of its own: those that all of a process share do not survive a fork.
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let pool = pool.map_err(|error| PyValueError::new_err(error.to_string()))?;
            let scores = pool.install(|| device_scores(&model, &rows));
            scores.map_err(|error: ReadingError| PyValueError::new_err(error.to_string()))
        })?;
        let bytes: Vec<u8> = scores.into_iter().flat_map(f32::to_ne_bytes).collect();
        Ok(PyBytes::new(py, &bytes))
    }

    /// One byte a row: 1 if it lies within the range of the training rows, or if no range is known.
    fn inside<'py>(&self, py: Python<'py>, rows: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
        let rows = numbers(rows);
        let model = self.model()?;
        let inside = |row: &[f64]| {
            let reading: Vec<f32> = row.iter().map(|&x| x as f32).collect();
            let envelope = model.envelope(&reading);
            envelope.map(|envelope| u8::from(!matches!(envelope, Envelope::Outside { .. })))
        };
        let inside: Result<Vec<u8>, ReadingError> = rows.chunks(model.features()).map(inside).collect();
        let inside = inside.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(PyBytes::new(py, &inside))
    }

    #[getter]
    fn features(&self) -> PyResult<usize> {
        Ok(self.model()?.features())
    }

    #[getter]
    fn supports(&self) -> PyResult<usize> {
        Ok(self.model()?.supports())
    }

    #[getter]
    fn threshold(&self) -> PyResult<f32> {
        Ok(self.model()?.threshold())
    }

    #[getter]
    fn encoding(&self) -> PyResult<&'static str> {
        Ok(self.model()?.encoding().name())
    }

    #[getter]
    fn kernel(&self) -> PyResult<&'static str> {
        Ok(self.model()?.kernel().name())
    }

    /// The features' names, if the model carries them.
    #[getter]
    fn names(&self) -> PyResult<Option<Vec<String>>> {
        let model = self.model()?;
        Ok((0..model.features()).map(|feature| model.name(feature).map(str::to_owned)).collect())
    }

    /// Smallest and largest training value of each feature, if the model carries them.
    #[getter]
    fn ranges(&self) -> PyResult<Option<Vec<(f32, f32)>>> {
        let model = self.model()?;
        Ok((0..model.features()).map(|feature| model.range(feature)).collect())
    }
}

fn unusable(error: DecodeError) -> PyErr {
    PyValueError::new_err(format!("not a usable model: {error}"))
}

//! From an estimator's parameters to the library's options.

use pual_trainer::Bytes;
use pual_trainer::Encoding;
use pual_trainer::Error;
use pual_trainer::GraphRows;
use pual_trainer::Grid;
use pual_trainer::Named;
use pual_trainer::Options;
use pual_trainer::Rule;
use pual_trainer::Scaling;
use pual_trainer::Scenario;
use pual_trainer::errors::OptionsError;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The options of a training, as a dictionary: what is None, or not there, is as by default.
pub fn options(given: &Bound<'_, PyDict>) -> PyResult<Options> {
    let given = Parameters(given);
    let default = Options::default();
    Ok(Options {
        // "auto" is the default, or "pual" where nothing is searched.
        method: given.choice("method")?.filter(|_| !given.is("method", "auto")),
        ensemble: given.get("ensemble")?,
        solver: given.choice("solver")?,
        kernel: given.choice("kernel")?.unwrap_or_default(),
        bandwidth: given.get("bandwidth")?,
        lambda: given.get("reg_lambda")?,
        c_p: given.get("c_p")?,
        c_u: given.get("c_u")?,
        prior: given.get("prior")?,
        max_features: given.get("max_features")?,
        independent_rows: given.get("independent_rows")?.unwrap_or(default.independent_rows),
        sigma: given.get("sigma")?,
        neighbours: given.get("neighbours")?,
        mu_1: given.get("mu_1")?,
        scaling: given.choice::<Scaling>("scaling")?,
        seed: given.get("random_state")?.unwrap_or(default.seed),
        compress: given.get("compress")?.unwrap_or(default.compress),
        budget: given.bytes("budget")?.map(|bytes| bytes as usize),
        supports: given.get("supports")?,
        tolerance: given.share("tolerance")?,
        encoding: given.choice::<Encoding>("encoding")?,
        tune: given.get("tune")?.unwrap_or(default.tune),
        scenario: given.choice::<Scenario>("scenario")?.unwrap_or_default(),
        rule: given.choice::<Rule>("rule")?,
        grid: given.choice::<Grid>("grid")?,
        refine: given.get("refine")?.unwrap_or(default.refine),
        folds: given.get("folds")?,
        repeats: given.get("repeats")?,
        final_repeats: given.get("final_repeats")?,
        journal: None,
        sample: given.get("sample")?.unwrap_or(default.sample),
        graph: given.choice::<GraphRows>("graph")?,
        memory: given.bytes("memory")?,
        threads: given.get("threads")?.unwrap_or(default.threads),
    })
}

struct Parameters<'a, 'py>(&'a Bound<'py, PyDict>);

impl<'py> Parameters<'_, 'py> {
    fn value(&self, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(self.0.get_item(name)?.filter(|value| !value.is_none()))
    }

    fn is(&self, name: &str, text: &str) -> bool {
        let value = self.value(name).ok().flatten();
        value.is_some_and(|value| value.extract::<&str>().is_ok_and(|value| value == text))
    }

    fn get<T: for<'a> FromPyObject<'a, 'py>>(&self, name: &str) -> PyResult<Option<T>> {
        let Some(value) = self.value(name)? else {
            return Ok(None);
        };
        let converted = value.extract().map_err(Into::<PyErr>::into);
        let wrong = |_| wrong(name, &format!("a value such as {}", kind::<T>()), &value);
        converted.map(Some).map_err(wrong)
    }

    fn choice<T: Named>(&self, name: &str) -> PyResult<Option<T>> {
        let Some(value) = self.value(name)? else {
            return Ok(None);
        };
        let found = value.extract::<String>().ok().and_then(|text| T::named(&text));
        let names: Vec<&str> = T::all().into_iter().map(|(name, ..)| name).collect();
        found.map(Some).ok_or_else(|| wrong(name, &format!("one of {}", names.join(", ")), &value))
    }

    /// 512, "2kB".
    fn bytes(&self, name: &str) -> PyResult<Option<u64>> {
        let Some(value) = self.value(name)? else {
            return Ok(None);
        };
        if let Ok(bytes) = value.extract::<u64>() {
            return Ok(Some(bytes));
        }
        let text = value.extract::<String>().unwrap_or_default();
        let bytes = text.parse::<Bytes>();
        bytes.map(|bytes| Some(bytes.0)).map_err(|_| wrong(name, "bytes, such as 512 or \"2kB\"", &value))
    }

    /// 0.005, "0.5%".
    fn share(&self, name: &str) -> PyResult<Option<f64>> {
        let Some(value) = self.value(name)? else {
            return Ok(None);
        };
        if let Ok(share) = value.extract::<f64>() {
            return Ok(Some(share));
        }
        let text = value.extract::<String>().unwrap_or_default();
        let percent = text.strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
        let share = percent.map(|percent| percent / 100.0);
        share.map(Some).ok_or_else(|| wrong(name, "a share, such as 0.005 or \"0.5%\"", &value))
    }
}

/// An example of a type's values.
fn kind<T>() -> &'static str {
    match std::any::type_name::<T>() {
        "f64" => "0.5",
        "bool" => "True",
        _ => "12",
    }
}

fn wrong(name: &str, expected: &str, found: &Bound<'_, PyAny>) -> PyErr {
    PyValueError::new_err(format!("{name}: expected {expected}, found {found:?}"))
}

/// The library's error, with Python's names of options.
pub fn refused(error: Error) -> PyErr {
    PyValueError::new_err(match error {
        Error::Options(error) => by_parameters(&error),
        error => error.to_string(),
    })
}

fn by_parameters(error: &OptionsError) -> String {
    error.text(|option| match option {
        "lambda" => "reg_lambda".to_owned(),
        "seed" => "random_state".to_owned(),
        "tune" | "compress" => format!("{option}=False"),
        option => option.to_owned(),
    })
}

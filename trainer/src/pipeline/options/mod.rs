//! What a user may ask for, and what it means: [`Options`] in, a [`Request`] out.
//!
//! An option that would have no effect is an error: nobody gives one for that.

use std::fmt;

use pual_infer::Encoding;

pub(crate) mod named;
mod request;

use crate::base::scenario::Scenario;
use crate::bulk::{GraphRows, SAMPLE};
use crate::choose::tune::{Grid, JournalFile, Rule};
use crate::data::scale::Scaling;
use named::{KernelName, MethodChoice, SolverChoice};
pub(crate) use request::Request;

/// What to train, and how. What is left at `None` is chosen from the data.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The classifier; by default [`MethodChoice::Auto`], or PUAL where nothing is searched or a solver is given.
    pub method: Option<MethodChoice>,
    /// Members of an ensemble that are averaged (the N best), for auto and PUAL; 1 trains a single model.
    pub ensemble: Option<usize>,
    /// How PUAL is solved.
    pub solver: Option<SolverChoice>,
    /// The kernel.
    pub kernel: KernelName,
    /// The kernel's width, in units of the scaled features.
    pub bandwidth: Option<f64>,
    /// Ridge.
    pub lambda: Option<f64>,
    /// Weight of the positives' loss.
    pub c_p: Option<f64>,
    /// Weight of the unlabeled rows' loss.
    pub c_u: Option<f64>,
    /// P(y = 1) in the population, if it is known: as many rows are called as are positive. uPU, nnPU, imbalanced nnPU and LLSVM
    /// estimate it otherwise.
    pub prior: Option<f64>,
    /// The most features to learn from: those that say most about rows held out.
    pub max_features: Option<usize>,
    /// Whether every row is an observation of its own, whatever the order of rows and their groups.
    pub independent_rows: bool,
    /// Width of the graph's weights.
    pub sigma: Option<f64>,
    /// Neighbours of a row in the graph; 0 is no graph.
    pub neighbours: Option<usize>,
    /// Step of ADMM or Algorithm 2.
    pub mu_1: Option<f64>,
    /// How features are scaled, for single models.
    pub scaling: Option<Scaling>,
    /// Seed of folds, members and support instances.
    pub seed: u64,
    /// Whether the model is made small; if not it is kept as trained, in f32.
    pub compress: bool,
    /// Bytes that the model may have.
    pub budget: Option<usize>,
    /// Support instances of the model; without compression, the most it is trained with.
    pub supports: Option<usize>,
    /// Share of F1 that may be lost to size.
    pub tolerance: Option<f64>,
    /// How numbers are stored.
    pub encoding: Option<Encoding>,
    /// Whether settings that are not given are searched; if not they follow rules of thumb.
    pub tune: bool,
    /// What the rows are a sample of.
    pub scenario: Scenario,
    /// How folds become one number.
    pub rule: Option<Rule>,
    /// Which settings are tried.
    pub grid: Option<Grid>,
    /// Whether the paper's greedy search follows the grid.
    pub refine: bool,
    /// Folds.
    pub folds: Option<usize>,
    /// How often folds are reshuffled.
    pub repeats: Option<usize>,
    /// The same for the best settings.
    pub final_repeats: Option<usize>,
    /// Where every fit of the search is logged.
    pub journal: Option<JournalFile>,
    /// Rows that settings are chosen on: of more, a sample.
    pub sample: usize,
    /// Rows among which the graph is searched.
    pub graph: Option<GraphRows>,
    /// Bytes of memory that may be used; by default what is free.
    pub memory: Option<u64>,
    /// Threads; 0 is one per core. The result does not depend on it.
    pub threads: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            method: None,
            ensemble: None,
            solver: None,
            kernel: KernelName::default(),
            bandwidth: None,
            lambda: None,
            c_p: None,
            c_u: None,
            prior: None,
            max_features: None,
            independent_rows: false,
            sigma: None,
            neighbours: None,
            mu_1: None,
            scaling: None,
            seed: 0,
            compress: true,
            budget: None,
            supports: None,
            tolerance: None,
            encoding: None,
            tune: true,
            scenario: Scenario::default(),
            rule: None,
            grid: None,
            refine: false,
            folds: None,
            repeats: None,
            final_repeats: None,
            journal: None,
            sample: SAMPLE,
            graph: None,
            memory: None,
            threads: 0,
        }
    }
}

/// Options that do not go together, or a value out of range.
///
/// The text names options by their fields, in braces: [`OptionsError::text`] puts a caller's own names in their place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptionsError(String);

impl OptionsError {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// What is wrong, with every option named as `name` does it: a flag, a parameter.
    #[must_use]
    pub fn text(&self, name: impl Fn(&str) -> String) -> String {
        let mut text = String::new();
        for (at, part) in self.0.split(['{', '}']).enumerate() {
            text += &match at % 2 {
                0 => part.to_owned(),
                _ => name(part),
            };
        }
        text
    }
}

impl fmt::Display for OptionsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = |option: &str| match option {
            "tune" | "compress" => format!("`{option}: false`"),
            option => format!("`{option}`"),
        };
        f.write_str(&self.text(field))
    }
}

impl std::error::Error for OptionsError {}

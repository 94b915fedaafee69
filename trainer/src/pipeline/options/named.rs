//! Choices by their names: what a command line lists and Python takes as text.

use pual_infer::Encoding;

use crate::base::scenario::Scenario;
use crate::bulk::GraphRows;
use crate::choose::tune::{Grid, Rule};
use crate::data::scale::Scaling;
use crate::learner::Method;
use crate::streams::Missing;

/// A choice among a few, each with a name and a sentence.
pub trait Named: Copy + PartialEq + Send + Sync + 'static {
    /// Every choice with its name and its sentence, in the order to list them.
    fn all() -> Vec<(&'static str, Self, &'static str)>;

    /// Its name.
    fn name(self) -> &'static str {
        let found = Self::all().into_iter().find(|(_, choice, _)| *choice == self);
        found.map_or("", |(name, _, _)| name)
    }

    /// The choice of this name.
    fn named(name: &str) -> Option<Self> {
        let found = Self::all().into_iter().find(|(known, _, _)| *known == name);
        found.map(|(_, choice, _)| choice)
    }
}

/// The classifiers to choose from: the table of learners, and the best of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MethodChoice {
    /// The best on held-out rows.
    Auto,
    /// One of the table. Solver and scenario come from other options.
    One(Method),
}

impl Named for MethodChoice {
    fn all() -> Vec<(&'static str, Self, &'static str)> {
        const AUTO: &str = "Whichever does best on held-out rows: an ensemble, or one of the next four";
        let one = |method: Method| (method.key(), Self::One(method), method.about());
        let methods = Method::all(Scenario::default()).into_iter().map(one);
        [("auto", Self::Auto, AUTO)].into_iter().chain(methods).collect()
    }
}

/// How PUAL is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SolverChoice {
    /// Exactly.
    Exact,
    /// By ADMM.
    Admm,
    /// By the paper's Algorithm 2.
    Algorithm2,
    /// Its limit.
    Mean,
}

impl Named for SolverChoice {
    fn all() -> Vec<(&'static str, Self, &'static str)> {
        vec![
            ("exact", Self::Exact, "The exact optimum, with a duality gap"),
            ("admm", Self::Admm, "The same by the paper's Algorithm 1"),
            (
                "algorithm2",
                Self::Algorithm2,
                "The paper's Algorithm 2, a different model: it has no lambda and no local term",
            ),
            ("mean", Self::Mean, "Its limit: only the mean unlabeled score counts"),
        ]
    }
}

/// The kernels a chip computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KernelName {
    /// exp(-|x - s|^2 / (2 l^2)).
    #[default]
    Rbf,
    /// Inner product.
    Linear,
}

impl Named for KernelName {
    fn all() -> Vec<(&'static str, Self, &'static str)> {
        vec![("rbf", Self::Rbf, "exp(-|x-s|^2 / (2 l^2))"), ("linear", Self::Linear, "Inner product")]
    }
}

impl Named for Encoding {
    fn all() -> Vec<(&'static str, Self, &'static str)> {
        vec![
            ("f32", Self::F32, "32-bit floats, for cores with an FPU"),
            ("i16", Self::I16, "16-bit integers, for every core"),
            ("i8", Self::I8, "8-bit support instances, 16-bit coefficients, for every core"),
        ]
    }
}

impl Named for Scaling {
    fn all() -> Vec<(&'static str, Self, &'static str)> {
        vec![("z-score", Self::ZScore, ""), ("min-max", Self::MinMax, ""), ("none", Self::None, "")]
    }
}

impl Named for Missing {
    fn all() -> Vec<(&'static str, Self, &'static str)> {
        vec![
            ("gap", Self::Gap, "It ends the window, as on a chip that lost a sample"),
            ("hold", Self::Hold, "The channel's last value stands in for it"),
            ("drop", Self::Drop, "The line is left out, as if it had never been written"),
        ]
    }
}

impl Named for Scenario {
    fn all() -> Vec<(&'static str, Self, &'static str)> {
        vec![
            (
                "single-training-set",
                Self::SingleTrainingSet,
                "All rows are one sample, some of whose positives were labeled",
            ),
            (
                "case-control",
                Self::CaseControl,
                "The unlabeled rows are a sample; labeled positives were collected separately",
            ),
        ]
    }
}

impl Named for Rule {
    fn all() -> Vec<(&'static str, Self, &'static str)> {
        vec![
            ("a", Self::A, "The paper's: mean over the folds"),
            ("d", Self::D, "All folds pooled, minus one standard error"),
        ]
    }
}

impl Named for Grid {
    fn all() -> Vec<(&'static str, Self, &'static str)> {
        vec![
            ("default", Self::Default, "Around the rules of thumb"),
            ("paper-synthetic", Self::PaperSynthetic, "The paper's for synthetic data"),
            ("paper-real", Self::PaperReal, "The paper's for real data"),
        ]
    }
}

impl Named for GraphRows {
    fn all() -> Vec<(&'static str, Self, &'static str)> {
        vec![("all", Self::All, "All rows"), ("sample", Self::Sample, "Those of the sample")]
    }
}

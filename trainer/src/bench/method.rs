//! The methods of the tables, by name: a classifier, and how its settings are chosen.
//!
//! | name | settings |
//! |---|---|
//! | `pual` | our default tuning |
//! | `pual-fixed` | rules of thumb, no tuning |
//! | `pual-paper` | the paper's grid, its rule and its refinement |
//!
//! and so for `gllc`, `bls-svm`, `bsvm` and `algorithm2` (the paper's kernel algorithm, literally); `upu` and `nnpu`, on our kernel
//! features, follow no grid of the paper's. `upu-mlp` and `nnpu-mlp` are the networks the paper compared with, fixed as published; they
//! cannot be exported. All of these are given an *estimated* class prior. `auto` is what `pual train --method auto` does: all margin
//! methods by default tuning, the best by the rule.

use std::fmt;
use std::str::FromStr;

use super::Table;
use crate::learner::PualSolver;
use crate::metrics::Scenario;
use crate::options::{KernelChoice, Method};
use crate::tune::{Grid, Rule, TuneOptions};

/// A method of the tables.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BenchMethod {
    pub(super) base: Base,
    pub(super) tuning: Tuning,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Base {
    One(Method),
    /// uPU and nnPU: the method depends on how the rows came about.
    Risk {
        bounded: bool,
    },
    Network {
        bounded: bool,
    },
    Auto,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tuning {
    Default,
    Fixed,
    Paper,
}

const BASES: [(&str, Base); 10] = [
    ("pual", Base::One(Method::Pual(PualSolver::Exact))),
    ("gllc", Base::One(Method::Gllc)),
    ("bls-svm", Base::One(Method::BlsSvm)),
    ("bsvm", Base::One(Method::Bsvm)),
    (
        "algorithm2",
        Base::One(Method::Pual(PualSolver::Algorithm2 { mu_1: None })),
    ),
    ("upu", Base::Risk { bounded: false }),
    ("nnpu", Base::Risk { bounded: true }),
    ("upu-mlp", Base::Network { bounded: false }),
    ("nnpu-mlp", Base::Network { bounded: true }),
    ("auto", Base::Auto),
];

const TUNINGS: [(&str, Tuning); 3] = [
    ("", Tuning::Default),
    ("-fixed", Tuning::Fixed),
    ("-paper", Tuning::Paper),
];

/// A name that is no method of the tables.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown method `{0}`; expected auto, upu-mlp, nnpu-mlp, or one of pual, gllc, bls-svm, bsvm and algorithm2, each alone or with -fixed or -paper, or one of upu and nnpu, each alone or with -fixed"
)]
pub struct UnknownMethod(String);

impl BenchMethod {
    /// The name in the paper's tables, for a method that has a column there.
    pub fn in_paper(&self) -> Option<&'static str> {
        match self.base {
            Base::One(Method::Pual(_)) => Some("PUAL"),
            Base::One(Method::Gllc) => Some("GLLC"),
            Base::Risk { bounded: false } | Base::Network { bounded: false } => Some("uPU"),
            Base::Risk { bounded: true } | Base::Network { bounded: true } => Some("nnPU"),
            _ => None,
        }
    }

    /// The paper's Table 2 is about straight lines; ours are not.
    pub(super) fn kernel(&self, table: Table, asked: KernelChoice) -> KernelChoice {
        match (self.tuning, table) {
            (Tuning::Paper, Table::Two) => KernelChoice::Linear,
            _ => asked,
        }
    }

    pub(super) fn tune_options(&self, table: Table) -> TuneOptions {
        let scenario = match table {
            Table::Two => Scenario::SingleTrainingSet,
            Table::Four => Scenario::CaseControl,
        };
        let default = TuneOptions {
            scenario,
            ..TuneOptions::default()
        };
        match (self.tuning, table) {
            (Tuning::Paper, Table::Two) => TuneOptions {
                rule: Rule::A,
                grid: Grid::PaperSynthetic,
                repeats: 1,
                ..default
            },
            (Tuning::Paper, Table::Four) => TuneOptions {
                rule: Rule::A,
                grid: Grid::PaperReal,
                repeats: 1,
                refine: true,
                ..default
            },
            _ => default,
        }
    }
}

impl FromStr for BenchMethod {
    type Err = UnknownMethod;

    fn from_str(name: &str) -> Result<Self, UnknownMethod> {
        for (base_name, base) in BASES {
            for (suffix, tuning) in TUNINGS {
                let fits = match base {
                    Base::One(_) => true,
                    Base::Risk { .. } => tuning != Tuning::Paper,
                    Base::Network { .. } | Base::Auto => tuning == Tuning::Default,
                };
                if fits && name.strip_prefix(base_name) == Some(suffix) {
                    return Ok(Self { base, tuning });
                }
            }
        }
        Err(UnknownMethod(name.to_owned()))
    }
}

impl fmt::Display for BenchMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let base = BASES.iter().find(|(_, base)| *base == self.base);
        let tuning = TUNINGS.iter().find(|(_, tuning)| *tuning == self.tuning);
        f.write_str(base.map_or("", |(name, _)| name))?;
        f.write_str(tuning.map_or("", |(suffix, _)| suffix))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_nonsense_is_refused() {
        for name in [
            "nnpu-fixed",
            "upu-mlp",
            "pual",
            "gllc-fixed",
            "bls-svm-paper",
            "algorithm2-paper",
            "auto",
        ] {
            assert_eq!(name.parse::<BenchMethod>().unwrap().to_string(), name);
        }
        for name in [
            "auto-paper",
            "upu-paper",
            "nnpu-mlp-fixed",
            "pual-",
            "svm",
            "",
            "pual-fixed-paper",
        ] {
            assert!(name.parse::<BenchMethod>().is_err(), "{name}");
        }
    }

    #[test]
    fn the_papers_tuning_is_the_papers() {
        let paper: BenchMethod = "pual-paper".parse().unwrap();
        let four = paper.tune_options(Table::Four);
        assert_eq!(
            (four.rule, four.grid, four.refine),
            (Rule::A, Grid::PaperReal, true)
        );
        assert_eq!((four.scenario, four.folds), (Scenario::CaseControl, 4));
        assert_eq!(
            (four.repeats, paper.tune_options(Table::Two).repeats),
            (1, 1)
        );
        let two = paper.tune_options(Table::Two);
        assert_eq!(
            (two.rule, two.grid, two.refine),
            (Rule::A, Grid::PaperSynthetic, false)
        );
        assert_eq!((two.scenario, two.folds), (Scenario::SingleTrainingSet, 4));
        let rbf = KernelChoice::Rbf { bandwidth: None };
        assert_eq!(paper.kernel(Table::Two, rbf), KernelChoice::Linear);
        assert_eq!(paper.kernel(Table::Four, rbf), rbf);
    }
}

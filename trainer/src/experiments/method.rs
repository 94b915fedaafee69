//! The methods of the tables, by name: a classifier, and how its settings are chosen.
//!
//! | name | settings |
//! |---|---|
//! | `gllc` | our default tuning |
//! | `gllc-fixed` | rules of thumb, no tuning |
//! | `gllc-paper` | the paper's grid, its rule and its refinement |
//! | `gllc-share` | our default tuning, with the true share of positives given |
//!
//! and so for `bls-svm`, `bsvm`, `algorithm2` (the paper's kernel algorithm, literally), `wus-svm`, `llsvm` and `spy-svm`; `upu`, `nnpu` and
//! `imbalanced-nnpu`, on our kernel features, follow no grid of the paper's. `pual` is what `pual train --method pual` does, an ensemble of PUAL members; `pual-one` is one
//! PUAL model by our default tuning, and `pual-fixed` and `pual-paper` are as above. `auto` is what `pual train` does by default: the
//! ensemble of all members beside single models, see `compare`; `ensemble` is that ensemble by itself. `upu-mlp` and `nnpu-mlp` are the
//! networks the paper compared with, fixed as published; they cannot be exported. All that need a class prior are given an
//! *estimated* one.

use std::fmt;
use std::str::FromStr;

use super::Protocol;
use crate::base::scenario::Scenario;
use crate::choose::options::{KernelChoice, Method};
use crate::choose::tune::{Grid, Rule, TuneOptions};
use crate::ensemble::Members;
use crate::learner::PualSolver;

/// A method of the tables.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BenchMethod {
    pub(super) base: MethodBase,
    pub(super) tuning: MethodTuning,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum MethodBase {
    /// The scenario is the table's.
    One(Method),
    Network {
        bounded: bool,
    },
    Ensemble(Members),
    Auto,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MethodTuning {
    Default,
    Fixed,
    Paper,
    /// The default, with the share of positives known.
    Share,
}

/// Stands for the scenario of whatever table is made.
const SCENARIO: Scenario = Scenario::CaseControl;

const PUAL: MethodBase = MethodBase::One(Method::Pual(PualSolver::Exact));

const BASES: [(&str, MethodBase); 17] = [
    ("pual", MethodBase::Ensemble(Members::PualOnly)),
    ("pual-one", PUAL),
    ("pual", PUAL),
    ("gllc", MethodBase::One(Method::Gllc)),
    ("bls-svm", MethodBase::One(Method::BlsSvm)),
    ("bsvm", MethodBase::One(Method::Bsvm)),
    ("algorithm2", MethodBase::One(Method::Pual(PualSolver::Algorithm2 { mu_1: None }))),
    ("upu", MethodBase::One(Method::Upu(SCENARIO))),
    ("nnpu", MethodBase::One(Method::NnPu(SCENARIO))),
    ("wus-svm", MethodBase::One(Method::WusSvm)),
    ("llsvm", MethodBase::One(Method::Llsvm(SCENARIO))),
    ("imbalanced-nnpu", MethodBase::One(Method::ImbalancedNnPu(SCENARIO))),
    ("spy-svm", MethodBase::One(Method::SpySvm)),
    ("upu-mlp", MethodBase::Network { bounded: false }),
    ("nnpu-mlp", MethodBase::Network { bounded: true }),
    ("ensemble", MethodBase::Ensemble(Members::All)),
    ("auto", MethodBase::Auto),
];

const TUNINGS: [(&str, MethodTuning); 4] = [
    ("", MethodTuning::Default),
    ("-fixed", MethodTuning::Fixed),
    ("-paper", MethodTuning::Paper),
    ("-share", MethodTuning::Share),
];

/// A name that is no method of the tables.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown method `{0}`; expected auto, ensemble, pual-one, upu-mlp, nnpu-mlp, or one of pual, gllc, bls-svm, bsvm, algorithm2, wus-svm, llsvm and spy-svm, each alone or with -fixed or -paper, or one of upu, nnpu and imbalanced-nnpu, each alone or with -fixed; all but the networks also with -share"
)]
pub struct UnknownMethod(String);

impl BenchMethod {
    /// The name in the paper's tables, for a method that has a column there.
    pub fn in_paper(&self) -> Option<&'static str> {
        match self.base {
            MethodBase::One(Method::Pual(_)) | MethodBase::Ensemble(Members::PualOnly) => Some("PUAL"),
            MethodBase::One(Method::Gllc) => Some("GLLC"),
            MethodBase::One(Method::Upu(_)) | MethodBase::Network { bounded: false } => Some("uPU"),
            MethodBase::One(Method::NnPu(_)) | MethodBase::Network { bounded: true } => Some("nnPU"),
            _ => None,
        }
    }

    /// The paper's Table 2 is about straight lines; ours are not.
    pub(super) fn kernel(&self, protocol: Protocol, asked: KernelChoice) -> KernelChoice {
        match (self.tuning, protocol) {
            (MethodTuning::Paper, Protocol::Two) => KernelChoice::Linear,
            _ => asked,
        }
    }

    pub(super) fn tune_options(&self, protocol: Protocol) -> TuneOptions {
        let scenario = match protocol {
            Protocol::Two | Protocol::Rare { .. } | Protocol::Streams => Scenario::SingleTrainingSet,
            Protocol::Four => Scenario::CaseControl,
        };
        let default = TuneOptions { scenario, ..TuneOptions::default() };
        let paper = TuneOptions { rule: Rule::A, repeats: 1, final_repeats: 1, ..default };
        match (self.tuning, protocol) {
            (MethodTuning::Paper, Protocol::Two) => TuneOptions { grid: Grid::PaperSynthetic, ..paper },
            (MethodTuning::Paper, _) => TuneOptions { grid: Grid::PaperReal, refine: true, ..paper },
            _ => default,
        }
    }
}

impl FromStr for BenchMethod {
    type Err = UnknownMethod;

    fn from_str(name: &str) -> Result<Self, UnknownMethod> {
        let mut methods = methods();
        methods
            .find_map(|(known, method)| (known == name).then_some(method))
            .ok_or_else(|| UnknownMethod(name.to_owned()))
    }
}

impl fmt::Display for BenchMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = methods().find(|(_, method)| method == self);
        f.write_str(&name.map_or(String::new(), |(name, _)| name))
    }
}

/// Every method with its name.
fn methods() -> impl Iterator<Item = (String, BenchMethod)> {
    let of_base = |(name, base): (&'static str, MethodBase)| {
        let fits = move |tuning: MethodTuning| match base {
            PUAL => (name == "pual-one") == matches!(tuning, MethodTuning::Default | MethodTuning::Share),
            // The paper's grid is one of C_u.
            MethodBase::One(method) => tuning != MethodTuning::Paper || method.has_weights(),
            MethodBase::Network { .. } => tuning == MethodTuning::Default,
            MethodBase::Ensemble(_) | MethodBase::Auto => {
                matches!(tuning, MethodTuning::Default | MethodTuning::Share)
            }
        };
        let tunings = (TUNINGS.into_iter()).filter(move |&(_, tuning)| fits(tuning));
        tunings.map(move |(suffix, tuning)| (format!("{name}{suffix}"), BenchMethod { base, tuning }))
    };
    BASES.into_iter().flat_map(of_base)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_nonsense_is_refused() {
        let known = "nnpu-fixed upu-mlp pual pual-one pual-paper ensemble gllc-fixed bls-svm-paper algorithm2-paper auto wus-svm llsvm-fixed imbalanced-nnpu spy-svm-paper";
        for name in known.split(' ') {
            assert_eq!(name.parse::<BenchMethod>().unwrap().to_string(), name);
        }
        let nonsense = "auto-paper upu-paper imbalanced-nnpu-paper nnpu-mlp-fixed pual- pual-one-fixed ensemble-paper svm  pual-fixed-paper";
        for name in nonsense.split(' ') {
            assert!(name.parse::<BenchMethod>().is_err(), "{name}");
        }
    }

    #[test]
    fn the_papers_tuning_is_the_papers() {
        let paper: BenchMethod = "pual-paper".parse().unwrap();
        let four = paper.tune_options(Protocol::Four);
        assert_eq!((four.rule, four.grid, four.refine), (Rule::A, Grid::PaperReal, true));
        assert_eq!((four.scenario, four.folds), (Scenario::CaseControl, 4));
        assert_eq!((four.repeats, paper.tune_options(Protocol::Two).repeats), (1, 1));
        let two = paper.tune_options(Protocol::Two);
        assert_eq!((two.rule, two.grid, two.refine), (Rule::A, Grid::PaperSynthetic, false));
        assert_eq!((two.scenario, two.folds), (Scenario::SingleTrainingSet, 4));
        let rbf = KernelChoice::Rbf { bandwidth: None };
        assert_eq!(paper.kernel(Protocol::Two, rbf), KernelChoice::Linear);
        assert_eq!(paper.kernel(Protocol::Four, rbf), rbf);
    }
}

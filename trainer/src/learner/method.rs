//! The table of learners: what each is called, what acts in it, and how it is built.
//!
//! A new learner is a file next to this one, a variant at the end of [`Method`] and an arm of [`Method::entry`]; names, keys, help and
//! what is searched for follow from these.

use super::{BlsSvm, Bsvm, Gllc, ImbalancedNnPu, Learner, Llsvm, NnPu, Pual, PualSolver, SpySvm, Upu, WusSvm};
use crate::base::scenario::Scenario;

/// The classifiers. Plans store a variant by its number: new ones come last.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub enum Method {
    /// Hinge on positives, squares on unlabeled, local term: the paper's.
    Pual(PualSolver),
    /// Squares on both, local term.
    Gllc,
    /// Squares on both.
    BlsSvm,
    /// Hinge on both.
    Bsvm,
    /// The unbiased risk estimate with the logistic loss, for rows sampled like this.
    Upu(Scenario),
    /// The non-negative risk estimate with the sigmoid loss, for rows sampled like this.
    NnPu(Scenario),
    /// Hinge on both, each unlabeled row with a weight of its own.
    WusSvm,
    /// Hinge on positives, hat loss on unlabeled rows, mean label as in the population, for rows sampled like this.
    Llsvm(Scenario),
    /// nnPU with both classes weighted alike, for rows sampled like this.
    ImbalancedNnPu(Scenario),
    /// Hinge on labeled rows and on reliable negatives, which spies find.
    SpySvm,
}

/// One method's line in the table.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Entry {
    /// As the paper writes it.
    name: &'static str,
    /// As users type it.
    key: &'static str,
    /// For help.
    about: &'static str,
    /// Whether the neighbour graph acts.
    has_local_term: bool,
    /// Whether the ridge lambda acts.
    has_ridge: bool,
    /// Whether only sums over the unlabeled rows are needed.
    is_sum: bool,
    /// Whether C_p and C_u act.
    has_weights: bool,
    /// What the rows are a sample of, for a method that needs the class prior.
    prior_scenario: Option<Scenario>,
    /// Slope of the unlabeled loss at score 0 over that of the positives' loss.
    slope_ratio: f64,
}

/// A margin method with every term.
const MARGIN: Entry = Entry {
    name: "",
    key: "",
    about: "",
    has_local_term: true,
    has_ridge: true,
    is_sum: true,
    has_weights: true,
    prior_scenario: None,
    slope_ratio: 1.0,
};

/// A method that needs all rows at once, without local term.
const OF_ROWS: Entry = Entry { has_local_term: false, is_sum: false, ..MARGIN };

/// A method that minimises an estimate of the risk.
const RISK: Entry = Entry { has_weights: false, ..OF_ROWS };

/// The numbers from which a learner is built.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LearnerWeights {
    /// Ridge.
    pub lambda: f64,
    /// Weight of the positives' loss.
    pub c_p: f64,
    /// Weight of the unlabeled loss.
    pub c_u: f64,
    /// P(y = 1), for the methods that need it; they refuse to fit without it.
    pub prior: Option<f64>,
}

impl Method {
    /// The methods that need no class prior.
    pub const MARGIN: [Self; 4] = [Self::Pual(PualSolver::Exact), Self::Gllc, Self::BlsSvm, Self::Bsvm];

    /// Every method.
    pub fn all(scenario: Scenario) -> Vec<Self> {
        let mut methods = Self::MARGIN.to_vec();
        methods.extend([Self::Upu(scenario), Self::NnPu(scenario)]);
        methods.extend([Self::WusSvm, Self::Llsvm(scenario), Self::ImbalancedNnPu(scenario), Self::SpySvm]);
        methods
    }

    /// The same for rows sampled like this.
    pub fn with_scenario(self, scenario: Scenario) -> Self {
        match self {
            Self::Upu(_) => Self::Upu(scenario),
            Self::NnPu(_) => Self::NnPu(scenario),
            Self::Llsvm(_) => Self::Llsvm(scenario),
            Self::ImbalancedNnPu(_) => Self::ImbalancedNnPu(scenario),
            method => method,
        }
    }

    fn entry(self) -> Entry {
        match self {
            Self::Pual(solver) => Entry {
                name: "PUAL",
                key: "pual",
                about: "Hinge loss on positives, squared loss on unlabeled rows, local term: the paper's. An ensemble of such unless settings are given",
                has_local_term: solver.has_local_term(),
                has_ridge: solver.has_ridge(),
                // At score 0 the slope of the hinge is 1, that of (1 + f)^2 is 2.
                slope_ratio: 2.0,
                ..MARGIN
            },
            Self::Gllc => Entry { name: "GLLC", key: "gllc", about: "Squared losses, local term", ..MARGIN },
            Self::BlsSvm => {
                Entry { name: "BLS-SVM", key: "bls-svm", about: "Squared losses", has_local_term: false, ..MARGIN }
            }
            Self::Bsvm => Entry { name: "BSVM", key: "bsvm", about: "Hinge losses", ..OF_ROWS },
            Self::Upu(scenario) => Entry {
                name: "uPU",
                key: "upu",
                about: "Unbiased risk estimate, logistic loss; needs the class prior",
                prior_scenario: Some(scenario),
                ..RISK
            },
            Self::NnPu(scenario) => Entry {
                name: "nnPU",
                key: "nnpu",
                about: "Non-negative risk estimate, sigmoid loss; needs the class prior",
                prior_scenario: Some(scenario),
                ..RISK
            },
            Self::WusSvm => Entry {
                name: "WUS-SVM",
                key: "wus-svm",
                about: "Hinge losses; unlabeled rows near labeled ones weigh less",
                ..OF_ROWS
            },
            Self::Llsvm(scenario) => Entry {
                name: "LLSVM",
                key: "llsvm",
                about: "Hinge loss on positives, hat loss on unlabeled rows, calibrated labels; needs the class prior",
                prior_scenario: Some(scenario),
                ..OF_ROWS
            },
            Self::ImbalancedNnPu(scenario) => Entry {
                name: "imbalanced nnPU",
                key: "imbalanced-nnpu",
                about: "nnPU with both classes weighted alike; needs the class prior",
                prior_scenario: Some(scenario),
                ..RISK
            },
            Self::SpySvm => Entry {
                name: "Spy-SVM",
                key: "spy-svm",
                about: "Two steps: spies find reliable negatives, then hinge losses",
                ..OF_ROWS
            },
        }
    }

    /// The learner with these weights.
    pub fn learner(self, weights: LearnerWeights) -> Box<dyn Learner> {
        let LearnerWeights { lambda, c_p, c_u, .. } = weights;
        let prior = weights.prior.unwrap_or(f64::NAN);
        match self {
            Self::Pual(solver) => Box::new(Pual::new(lambda, c_p, c_u).with_solver(solver)),
            Self::Gllc => Box::new(Gllc { lambda, c_p, c_u }),
            Self::BlsSvm => Box::new(BlsSvm { lambda, c_p, c_u }),
            Self::Bsvm => Box::new(Bsvm::new(lambda, c_p, c_u)),
            Self::Upu(scenario) => Box::new(Upu::new(lambda, prior, scenario)),
            Self::NnPu(scenario) => Box::new(NnPu::new(lambda, prior, scenario)),
            Self::WusSvm => Box::new(WusSvm { lambda, c_p, c_u }),
            Self::Llsvm(scenario) => Box::new(Llsvm::new(lambda, c_p, c_u, prior, scenario)),
            Self::ImbalancedNnPu(scenario) => Box::new(ImbalancedNnPu::new(lambda, prior, scenario)),
            Self::SpySvm => Box::new(SpySvm::new(lambda, c_p, c_u)),
        }
    }

    /// The name, as the paper writes it.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// The name in lower case, as users type it.
    pub fn key(self) -> &'static str {
        self.entry().key
    }

    /// One line of help.
    pub fn about(self) -> &'static str {
        self.entry().about
    }

    /// The key with solver, step and scenario: two fits are alike only when this is.
    pub fn full_key(self) -> String {
        let detail = match self {
            Self::Pual(solver) => solver.key(),
            _ => self.prior_scenario().map_or(String::new(), |scenario| format!(" {}", scenario.key())),
        };
        format!("{}{detail}", self.key())
    }

    /// Whether the neighbour graph acts. (In the paper's Algorithm 2, and in its limit, it drops out.)
    pub fn has_local_term(self) -> bool {
        self.entry().has_local_term
    }

    /// Whether the ridge lambda acts. Algorithm 2 has none.
    pub fn has_ridge(self) -> bool {
        self.entry().has_ridge
    }

    /// Whether a fit needs only sums over the unlabeled rows, and hence can use more rows than fit in memory.
    pub fn is_sum(self) -> bool {
        self.entry().is_sum
    }

    /// Whether the weights C_p and C_u act. Methods that estimate a risk weight rows by the class prior instead.
    pub fn has_weights(self) -> bool {
        self.entry().has_weights
    }

    /// What the rows are a sample of, for a method that needs the class prior.
    pub fn prior_scenario(self) -> Option<Scenario> {
        self.entry().prior_scenario
    }

    /// Slope of the unlabeled loss at score 0 over that of the positives' loss.
    pub(crate) fn slope_ratio(self) -> f64 {
        self.entry().slope_ratio
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_those_of_recorded_searches() {
        let scenario = Scenario::CaseControl;
        let keys: Vec<String> = (Method::all(scenario).iter()).map(|m| m.full_key()).collect();
        assert_eq!(keys[..6], ["pual", "gllc", "bls-svm", "bsvm", "upu case-control", "nnpu case-control"]);
        assert_eq!(keys[6..], ["wus-svm", "llsvm case-control", "imbalanced-nnpu case-control", "spy-svm"]);
        for (solver, key) in [
            (PualSolver::Admm { mu_1: 0.5 }, "pual admm mu_1 0.5"),
            (PualSolver::Algorithm2 { mu_1: Some(2.0) }, "pual algorithm2 mu_1 2"),
            (PualSolver::Algorithm2 { mu_1: None }, "pual algorithm2"),
            (PualSolver::Mean, "pual mean"),
        ] {
            assert_eq!(Method::Pual(solver).full_key(), key);
        }
    }

    #[test]
    fn plans_store_methods_by_these_numbers() {
        let scenario = Scenario::CaseControl;
        for (method, bytes) in [
            (Method::Pual(PualSolver::Exact), &[0, 0][..]),
            (Method::Pual(PualSolver::Algorithm2 { mu_1: None }), &[0, 2, 0]),
            (Method::Pual(PualSolver::Mean), &[0, 4]),
            (Method::Gllc, &[1]),
            (Method::BlsSvm, &[2]),
            (Method::Bsvm, &[3]),
            (Method::Upu(scenario), &[4, 1]),
            (Method::NnPu(scenario), &[5, 1]),
            (Method::WusSvm, &[6]),
            (Method::Llsvm(scenario), &[7, 1]),
            (Method::ImbalancedNnPu(scenario), &[8, 1]),
            (Method::SpySvm, &[9]),
        ] {
            assert_eq!(postcard::to_stdvec(&method).unwrap(), bytes);
            assert_eq!(postcard::from_bytes(bytes), Ok(method));
        }
        assert!(postcard::from_bytes::<Method>(&[0, 3, 0]).is_err());
    }
}

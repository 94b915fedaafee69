//! Checks that options go together, and turns them into what the parts of the pipeline take.

use std::borrow::Cow;

use super::named::{KernelName, MethodChoice, SolverChoice};
use super::{Options, OptionsError};
use crate::choose::options::{KernelChoice, TrainOptions};
use crate::choose::tune::TuneOptions;
use crate::data::dataset::Dataset;
use crate::ensemble::Members;
use crate::learner::{Method, PualSolver};
use crate::model::compress::{CompressOptions, Goal, TOLERANCE};
use crate::pipeline::approach::Approach;

/// ADMM's penalty: 1 takes 34 to 40 iterations, 0.01 thousands.
const ADMM_MU_1: f64 = 1.0;
/// Fewest rows of a sample.
const LEAST_SAMPLE: usize = 100;

fn refuse<T>(text: impl Into<String>) -> Result<T, OptionsError> {
    Err(OptionsError::new(text))
}

/// Checked options, as the parts of the pipeline take them.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    /// The ways to learn among which to choose.
    pub approaches: Vec<Approach>,
    pub train: TrainOptions,
    pub tuning: TuneOptions,
    /// None: as trained.
    pub size: Option<CompressOptions>,
}

impl Options {
    /// Checks that the options go together, before any work begins.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(&self) -> Result<(), OptionsError> {
        self.request().map(drop)
    }

    /// The rows as they are to be judged.
    pub(crate) fn judged_rows<'a>(&self, data: &'a Dataset) -> Cow<'a, Dataset> {
        match self.independent_rows && data.units().is_some() {
            true => Cow::Owned(data.clone().independent()),
            false => Cow::Borrowed(data),
        }
    }

    pub(crate) fn request(&self) -> Result<Request, OptionsError> {
        self.check_ranges()?;
        self.check_search()?;
        let method = self.method()?;
        self.check_effects(method)?;
        let size = self.size()?;
        let train = self.train_options(method);
        Ok(Request { approaches: self.approaches(method)?, tuning: self.tuning(), train, size })
    }

    fn check_ranges(&self) -> Result<(), OptionsError> {
        for (name, value) in [
            ("bandwidth", self.bandwidth),
            ("lambda", self.lambda),
            ("c_p", self.c_p),
            ("c_u", self.c_u),
            ("sigma", self.sigma),
            ("mu_1", self.mu_1),
        ] {
            if let Some(value) = value.filter(|value| !(*value > 0.0 && value.is_finite())) {
                return refuse(format!("{{{name}}}: expected a positive number, found {value}"));
            }
        }
        if let Some(prior) = self.prior.filter(|p| !(*p > 0.0 && *p <= 1.0)) {
            return refuse(format!("{{prior}}: expected a number above 0 and at most 1, found {prior}"));
        }
        if let Some(tolerance) = self.tolerance.filter(|t| !(0.0..=1.0).contains(t)) {
            return refuse(format!("{{tolerance}}: expected a share from 0 to 1, found {tolerance}"));
        }
        for (name, value, least) in [
            ("ensemble", self.ensemble, 1),
            ("max_features", self.max_features, 1),
            ("supports", self.supports, 1),
            ("budget", self.budget, 1),
            ("folds", self.folds, 2),
            ("repeats", self.repeats, 1),
            ("final_repeats", self.final_repeats, 1),
            ("sample", Some(self.sample), LEAST_SAMPLE),
        ] {
            if let Some(value) = value.filter(|value| *value < least) {
                return refuse(format!("{{{name}}}: expected at least {least}, found {value}"));
            }
        }
        Ok(())
    }

    /// The first option given that says how one model's settings are searched.
    fn search_option(&self) -> Option<&'static str> {
        first_given(&[
            ("{rule}", self.rule.is_some()),
            ("{grid}", self.grid.is_some()),
            ("{refine}", self.refine),
            ("{folds}", self.folds.is_some()),
            ("{repeats}", self.repeats.is_some()),
            ("{final_repeats}", self.final_repeats.is_some()),
            ("{journal}", self.journal.is_some()),
        ])
    }

    /// The first option given that only a single model has.
    fn single_option(&self) -> Option<&'static str> {
        first_given(&[
            ("{solver}", self.solver.is_some()),
            ("{kernel} linear", self.kernel == KernelName::Linear),
            ("{bandwidth}", self.bandwidth.is_some()),
            ("{lambda}", self.lambda.is_some()),
            ("{c_p}", self.c_p.is_some()),
            ("{c_u}", self.c_u.is_some()),
            ("{sigma}", self.sigma.is_some()),
            ("{neighbours}", self.neighbours.is_some()),
            ("{scaling}", self.scaling.is_some()),
        ])
    }

    fn check_search(&self) -> Result<(), OptionsError> {
        match self.search_option() {
            Some(option) if !self.tune => refuse(format!("{option} would have no effect: nothing is searched")),
            _ => Ok(()),
        }
    }

    /// The method given, or the one that suits the other options.
    fn choice(&self) -> MethodChoice {
        let default = match !self.tune || self.solver.is_some() {
            true => MethodChoice::One(Method::Pual(PualSolver::Exact)),
            false => MethodChoice::Auto,
        };
        self.method.unwrap_or(default)
    }

    /// The ways to learn among which to choose.
    fn approaches(&self, method: Method) -> Result<Vec<Approach>, OptionsError> {
        let choice = self.choice();
        if !self.tune && choice == MethodChoice::Auto {
            return refuse("{method} auto is a search; it cannot go with {tune}");
        }
        let is_averaged = choice == MethodChoice::Auto || is_pual(Some(choice));
        if !is_averaged && self.ensemble.is_some() {
            return refuse("{ensemble} goes with {method} auto and pual");
        }
        let of_search = match self.tune {
            true => self.search_option(),
            false => Some("{tune}"),
        };
        let single = of_search.filter(|_| is_pual(Some(choice))).or(self.single_option());
        let averaged = is_averaged
            && match (self.ensemble, single) {
                (Some(1), _) => false,
                (Some(_), Some(option)) => {
                    return refuse(format!("{{ensemble}} cannot go with {option}: members have settings of their own"));
                }
                (_, single) => single.is_none(),
            };
        Ok(match (choice, averaged) {
            (MethodChoice::Auto, true) => Approach::auto(),
            (MethodChoice::Auto, false) => Method::MARGIN.map(Approach::One).to_vec(),
            (_, true) => vec![Approach::Ensemble(Members::PualOnly)],
            (_, false) => vec![Approach::One(method)],
        })
    }

    fn method(&self) -> Result<Method, OptionsError> {
        if self.solver.is_some() && self.method.is_some() && !is_pual(self.method) {
            return refuse("{solver} goes with {method} pual; the others have one solver each");
        }
        let has_step = matches!(self.solver, Some(SolverChoice::Admm | SolverChoice::Algorithm2));
        if self.mu_1.is_some() && !has_step {
            return refuse("{mu_1} goes with {solver} admm or algorithm2");
        }
        // The options of auto are those of its first method.
        if let Some(MethodChoice::One(method)) = self.method
            && !is_pual(self.method)
        {
            return Ok(method.with_scenario(self.scenario));
        }
        Ok(Method::Pual(match self.solver.unwrap_or(SolverChoice::Exact) {
            SolverChoice::Exact => PualSolver::Exact,
            SolverChoice::Admm => PualSolver::Admm { mu_1: self.mu_1.unwrap_or(ADMM_MU_1) },
            SolverChoice::Algorithm2 => PualSolver::Algorithm2 { mu_1: self.mu_1 },
            SolverChoice::Mean => PualSolver::Mean,
        }))
    }

    fn check_effects(&self, method: Method) -> Result<(), OptionsError> {
        let linear = self.kernel == KernelName::Linear;
        for (option, given, applies, why) in [
            (
                "sigma",
                self.sigma.is_some(),
                method.has_local_term(),
                "only gllc and pual with {solver} exact or admm have a local term",
            ),
            (
                "neighbours",
                self.neighbours.is_some(),
                method.has_local_term(),
                "only gllc and pual with {solver} exact or admm have a local term",
            ),
            ("lambda", self.lambda.is_some(), method.has_ridge(), "algorithm2 has no ridge"),
            (
                "c_p",
                self.c_p.is_some(),
                method.has_weights(),
                "upu, nnpu and imbalanced-nnpu weight rows by the class prior",
            ),
            (
                "c_u",
                self.c_u.is_some(),
                method.has_weights(),
                "upu, nnpu and imbalanced-nnpu weight rows by the class prior",
            ),
            ("bandwidth", self.bandwidth.is_some(), !linear, "the linear kernel has none"),
            ("supports", self.supports.is_some(), !linear, "the linear kernel has none"),
        ] {
            if given && !applies {
                return refuse(format!("{{{option}}} would have no effect: {why}"));
            }
        }
        Ok(())
    }

    fn size(&self) -> Result<Option<CompressOptions>, OptionsError> {
        if !self.compress {
            return match first_given(&[
                ("{budget}", self.budget.is_some()),
                ("{tolerance}", self.tolerance.is_some()),
                ("{encoding}", self.encoding.is_some()),
            ]) {
                Some(option) => refuse(format!("{option} would have no effect: the model is not made small")),
                None => Ok(None),
            };
        }
        Ok(Some(CompressOptions {
            goal: match (self.budget, self.supports) {
                (Some(_), Some(_)) => return refuse("{budget} cannot go with {supports}"),
                (Some(budget), None) => Goal::Budget(budget),
                (None, Some(supports)) => Goal::Supports(supports),
                (None, None) => Goal::Tolerance,
            },
            tolerance: self.tolerance.unwrap_or(TOLERANCE),
            encoding: self.encoding,
            seed: self.seed,
        }))
    }

    /// `supports` is what the model shall have; if it is compressed it is trained with no fewer than by default.
    fn train_options(&self, method: Method) -> TrainOptions {
        let default = TrainOptions::default();
        // Small models are made from larger ones.
        let trained_with = |default: usize| match self.supports {
            Some(supports) if self.compress => supports.max(default),
            supports => supports.unwrap_or(default),
        };
        TrainOptions {
            method,
            kernel: match self.kernel {
                KernelName::Rbf => KernelChoice::Rbf { bandwidth: self.bandwidth },
                KernelName::Linear => KernelChoice::Linear,
            },
            lambda: self.lambda,
            c_p: self.c_p,
            c_u: self.c_u,
            prior: self.prior,
            sigma: self.sigma,
            neighbours: self.neighbours.unwrap_or(default.neighbours),
            supports: trained_with(default.supports),
            student_supports: trained_with(default.student_supports),
            ensemble: self.ensemble.unwrap_or(default.ensemble),
            scaling: self.scaling.unwrap_or_default(),
            seed: self.seed,
            threads: self.threads,
        }
    }

    fn tuning(&self) -> TuneOptions {
        let default = TuneOptions::default();
        TuneOptions {
            grid: self.grid.unwrap_or(default.grid),
            refine: self.refine,
            rule: self.rule.unwrap_or(default.rule),
            scenario: self.scenario,
            folds: self.folds.unwrap_or(default.folds),
            repeats: self.repeats.unwrap_or(default.repeats),
            final_repeats: (self.final_repeats.or(self.repeats)).unwrap_or(default.final_repeats),
            observations: None,
        }
    }
}

fn is_pual(choice: Option<MethodChoice>) -> bool {
    matches!(choice, Some(MethodChoice::One(Method::Pual(_))))
}

fn first_given(options: &[(&'static str, bool)]) -> Option<&'static str> {
    let found = options.iter().find(|(_, given)| *given);
    found.map(|(name, _)| *name)
}

//! The flags that say what to train, and which of them go together.

use crate::exit::usage_error;
use crate::flags::values::positive;
use crate::flags::values::share;
use anyhow::Result;
use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use pual_trainer::base::scenario::Scenario;
use pual_trainer::data::scale::Scaling;
use pual_trainer::ensemble::Members;
use pual_trainer::learner::PualSolver;
use pual_trainer::pipeline::approach::Approach;
use pual_trainer::pipeline::fit::{KernelChoice, Method, TrainOptions};

/// The flag by which nothing is searched.
pub const NO_TUNE: &str = "--no-tune";
/// ADMM's penalty: 1 takes 34 to 40 iterations, 0.01 thousands.
const ADMM_MU_1: f64 = 1.0;

#[derive(clap::Args)]
#[command(next_help_heading = "Model")]
pub struct ModelFlags {
    /// The classifier [default: auto; with --no-tune or --solver pual]
    #[arg(long, value_enum)]
    method: Option<MethodName>,
    /// How many members of an ensemble are averaged, the best so many, for auto and pual; 1 trains a single model [default: 80]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    ensemble: Option<u16>,
    /// How PUAL is solved [default: exact]
    #[arg(long, value_enum)]
    solver: Option<SolverName>,
    /// The kernel
    #[arg(long, value_enum, default_value_t = KernelName::Rbf)]
    kernel: KernelName,
    /// Width l of exp(-|x-s|^2 / (2 l^2)), in scaled units [default: searched around 3/4 of the median distance]
    #[arg(long, value_name = "L", value_parser = positive)]
    bandwidth: Option<f64>,
    /// Ridge [default: searched around 1]
    #[arg(long, value_name = "NUMBER", value_parser = positive)]
    lambda: Option<f64>,
    /// Weight of the labeled positives' loss [default: 1]
    #[arg(long, value_name = "NUMBER", value_parser = positive)]
    c_p: Option<f64>,
    /// Weight of the unlabeled rows' loss [default: searched around C_p n_p / n_u]
    #[arg(long, value_name = "NUMBER", value_parser = positive)]
    c_u: Option<f64>,
    /// P(y = 1) in the population, for upu and nnpu [default: estimated, with an interval]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    prior: Option<f64>,
    /// Width of the neighbour graph's weights exp(-|x-z|^2 / sigma) [default: 2 l^2]
    #[arg(long, value_name = "NUMBER", value_parser = positive)]
    sigma: Option<f64>,
    /// Neighbours of a row in that graph; 0 is no graph [default: 5]
    #[arg(long, value_name = "K")]
    neighbours: Option<u16>,
    /// Step of --solver admm [default: 1] or algorithm2 [default: the largest that is always safe]
    #[arg(long, value_name = "NUMBER", value_parser = positive)]
    mu_1: Option<f64>,
    /// How features are scaled, for single models [default: z-score]
    #[arg(long, value_parser = scaling())]
    scaling: Option<Scaling>,
    /// Seed of the folds and of the choice of support instances
    #[arg(long, default_value_t = 0, value_name = "N")]
    seed: u64,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum MethodName {
    /// Whichever does best on rows held out: an ensemble, or one of the next four
    Auto,
    /// Hinge loss on positives, squared loss on unlabeled rows, local term: the paper's. An ensemble of such unless settings are given
    Pual,
    /// Squared losses, local term
    Gllc,
    /// Squared losses
    BlsSvm,
    /// Hinge losses
    Bsvm,
    /// Unbiased risk estimate, logistic loss; needs the class prior
    Upu,
    /// Non-negative risk estimate, sigmoid loss; needs the class prior
    Nnpu,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum SolverName {
    /// The exact optimum, with a duality gap
    Exact,
    /// The same by the paper's Algorithm 1
    Admm,
    /// The paper's Algorithm 2, a different model: it has no lambda and no local term
    Algorithm2,
    /// Its limit: only the mean unlabeled score counts
    Mean,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum KernelName {
    /// exp(-|x-s|^2 / (2 l^2))
    Rbf,
    /// Inner product
    Linear,
}

fn scaling() -> impl TypedValueParser<Value = Scaling> {
    PossibleValuesParser::new(Scaling::ALL.map(Scaling::name)).try_map(|name| name.parse())
}

impl ModelFlags {
    /// The method given, or the one that suits the other flags.
    fn method_name(&self, no_tune: bool) -> MethodName {
        let default = match no_tune || self.solver.is_some() {
            true => MethodName::Pual,
            false => MethodName::Auto,
        };
        self.method.unwrap_or(default)
    }

    /// The ways to learn among which to choose. `of_one_model` is a flag given elsewhere that only a single model knows.
    pub fn approaches(
        &self,
        command: &str,
        options: &TrainOptions,
        of_one_model: Option<&'static str>,
    ) -> Result<Vec<Approach>> {
        let no_tune = of_one_model == Some(NO_TUNE);
        let name = self.method_name(no_tune);
        if no_tune && name == MethodName::Auto {
            let message = "--method auto is a search; it cannot go with --no-tune";
            return Err(usage_error(command, message.to_owned()));
        }
        let one = of_one_model
            .filter(|_| name == MethodName::Pual)
            .or(self.of_one_model());
        let averaged = match (name, self.ensemble) {
            (MethodName::Auto | MethodName::Pual, Some(1)) => false,
            (MethodName::Auto | MethodName::Pual, Some(_)) => match one {
                None => true,
                Some(flag) => {
                    let message = format!(
                        "--ensemble cannot go with {flag}: members have settings of their own"
                    );
                    return Err(usage_error(command, message));
                }
            },
            (MethodName::Auto | MethodName::Pual, None) => one.is_none(),
            (_, None) => false,
            (_, Some(_)) => {
                let message = "--ensemble goes with --method auto and pual";
                return Err(usage_error(command, message.to_owned()));
            }
        };
        Ok(match (name, averaged) {
            (MethodName::Auto, true) => Approach::auto(),
            (MethodName::Auto, false) => Method::MARGIN.map(Approach::One).to_vec(),
            (_, true) => vec![Approach::Ensemble(Members::PualOnly)],
            (_, false) => vec![Approach::One(options.method)],
        })
    }

    /// The first flag given that only a single model knows.
    fn of_one_model(&self) -> Option<&'static str> {
        let given = [
            ("--solver", self.solver.is_some()),
            ("--kernel linear", self.kernel == KernelName::Linear),
            ("--bandwidth", self.bandwidth.is_some()),
            ("--lambda", self.lambda.is_some()),
            ("--c-p", self.c_p.is_some()),
            ("--c-u", self.c_u.is_some()),
            ("--sigma", self.sigma.is_some()),
            ("--neighbours", self.neighbours.is_some()),
            ("--scaling", self.scaling.is_some()),
        ];
        given
            .iter()
            .find(|(_, given)| *given)
            .map(|(flag, _)| *flag)
    }

    /// The library's options. A flag that would have no effect is an error: nobody gives one for that.
    ///
    /// `supports` is what the model shall have; if it is compressed it is trained with no fewer than by default.
    pub fn options(
        &self,
        command: &str,
        scenario: Scenario,
        supports: Option<u16>,
        compress: bool,
    ) -> Result<TrainOptions> {
        let method = self.method(command, scenario)?;
        let without_effect = |flag: &str, why: &str| {
            usage_error(command, format!("{flag} would have no effect: {why}"))
        };
        if !method.has_local_term() {
            for (flag, given) in [
                ("--sigma", self.sigma.is_some()),
                ("--neighbours", self.neighbours.is_some()),
            ] {
                if given {
                    let why = "only gllc and pual with --solver exact or admm have a local term";
                    return Err(without_effect(flag, why));
                }
            }
        }
        if self.lambda.is_some() && self.solver == Some(SolverName::Algorithm2) {
            return Err(without_effect("--lambda", "algorithm2 has no ridge"));
        }
        if method.risk_scenario().is_some() {
            for (flag, given) in [("--c-p", self.c_p.is_some()), ("--c-u", self.c_u.is_some())] {
                if given {
                    let why = "upu and nnpu weigh rows by the class prior";
                    return Err(without_effect(flag, why));
                }
            }
        } else if self.prior.is_some() {
            return Err(without_effect("--prior", "only upu and nnpu need it"));
        }
        if self.kernel == KernelName::Linear {
            for (flag, given) in [
                ("--bandwidth", self.bandwidth.is_some()),
                ("--supports", supports.is_some()),
            ] {
                if given {
                    return Err(without_effect(flag, "the linear kernel has none"));
                }
            }
        }
        let default = TrainOptions::default();
        // Small models are made of larger ones.
        let trained_with = |default: usize| match supports.map(usize::from) {
            Some(supports) if compress => supports.max(default),
            supports => supports.unwrap_or(default),
        };
        Ok(TrainOptions {
            method,
            kernel: match self.kernel {
                KernelName::Rbf => KernelChoice::Rbf {
                    bandwidth: self.bandwidth,
                },
                KernelName::Linear => KernelChoice::Linear,
            },
            lambda: self.lambda,
            c_p: self.c_p,
            c_u: self.c_u,
            prior: self.prior,
            sigma: self.sigma,
            neighbours: self.neighbours.map_or(default.neighbours, usize::from),
            supports: trained_with(default.supports),
            student_supports: trained_with(default.student_supports),
            ensemble: self.ensemble.map_or(default.ensemble, usize::from),
            scaling: self.scaling.unwrap_or_default(),
            seed: self.seed,
            threads: default.threads,
        })
    }

    fn method(&self, command: &str, scenario: Scenario) -> Result<Method> {
        if self.solver.is_some() && self.method.is_some_and(|name| name != MethodName::Pual) {
            let message = "--solver goes with --method pual; the others have one solver each";
            return Err(usage_error(command, message.to_owned()));
        }
        let has_step = matches!(self.solver, Some(SolverName::Admm | SolverName::Algorithm2));
        if self.mu_1.is_some() && !has_step {
            let message = "--mu-1 goes with --solver admm or algorithm2";
            return Err(usage_error(command, message.to_owned()));
        }
        // Of `auto` the options are those of its first.
        Ok(match self.method.unwrap_or(MethodName::Pual) {
            MethodName::Gllc => Method::Gllc,
            MethodName::BlsSvm => Method::BlsSvm,
            MethodName::Bsvm => Method::Bsvm,
            MethodName::Upu => Method::Upu(scenario),
            MethodName::Nnpu => Method::NnPu(scenario),
            MethodName::Pual | MethodName::Auto => {
                Method::Pual(match self.solver.unwrap_or(SolverName::Exact) {
                    SolverName::Exact => PualSolver::Exact,
                    SolverName::Admm => PualSolver::Admm {
                        mu_1: self.mu_1.unwrap_or(ADMM_MU_1),
                    },
                    SolverName::Algorithm2 => PualSolver::Algorithm2 { mu_1: self.mu_1 },
                    SolverName::Mean => PualSolver::Mean,
                })
            }
        })
    }
}

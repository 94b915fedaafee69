//! The flags that say what is trained.

use crate::flags::values::{choice, positive, share};
use pual_trainer::{KernelName, MethodChoice, Options, Scaling, SolverChoice};

#[derive(clap::Args)]
#[command(next_help_heading = "Model")]
pub struct ModelFlags {
    /// The classifier [default: auto; with --no-tune or --solver pual]
    #[arg(long, value_parser = choice::<MethodChoice>())]
    method: Option<MethodChoice>,
    /// Average the N best members of an ensemble, for auto and pual; 1 trains a single model [default: 80]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    ensemble: Option<u16>,
    /// How PUAL is solved [default: exact]
    #[arg(long, value_parser = choice::<SolverChoice>())]
    solver: Option<SolverChoice>,
    /// The kernel
    #[arg(long, value_parser = choice::<KernelName>(), default_value = "rbf")]
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
    /// P(y = 1) in the population, for upu, nnpu, imbalanced-nnpu and llsvm [default: estimated, with an interval]
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
    #[arg(long, value_parser = choice::<Scaling>())]
    scaling: Option<Scaling>,
    /// Seed of the folds and of the choice of support instances
    #[arg(long, default_value_t = 0, value_name = "N")]
    seed: u64,
}

impl ModelFlags {
    /// What they ask of the library; the rest is as by default.
    pub fn options(&self) -> Options {
        Options {
            method: self.method,
            ensemble: self.ensemble.map(usize::from),
            solver: self.solver,
            kernel: self.kernel,
            bandwidth: self.bandwidth,
            lambda: self.lambda,
            c_p: self.c_p,
            c_u: self.c_u,
            prior: self.prior,
            sigma: self.sigma,
            neighbours: self.neighbours.map(usize::from),
            mu_1: self.mu_1,
            scaling: self.scaling,
            seed: self.seed,
            ..Options::default()
        }
    }
}

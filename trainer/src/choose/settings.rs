//! The numbers of a fit: as given, or chosen from the data by rules of thumb.
//!
//! | setting | default | because |
//! |---|---|---|
//! | bandwidth l | 3/4 of the median distance between scaled rows | the best of 0.35, 0.5, 0.75 and 1 times it on 16 data sets |
//! | lambda | 1; for uPU and both nnPU, whose losses are means over rows, 1 / (10 n_p) | a few positive rows together outweigh the ridge, a lone outlier does not |
//! | C_p | 1 | only the ratios of lambda, C_p and C_u matter |
//! | C_u | C_p n_p / n_u, for PUAL half of that | see below |
//! | sigma | 2 l^2 | the graph's weights are then the kernel's values |
//!
//! C_u decides where the score changes its sign. Where the labeled and unlabeled densities are p and u (n_p and n_u rows spread by
//! them), a free score is 0 when C_p p = C_u u with equal losses on both sides, and when C_p p = 2 C_u u with PUAL's: the hinge's
//! slope is 1, that of (1 + f)^2 at 0 is 2. If a share c of the positives is labeled, at random, and half of the population is
//! positive, then a row that is as likely positive as not has p/u = c/(2 - c) = n_p/n_u: with the defaults the score changes
//! its sign just there.

use crate::base::statistics::median;
use crate::choose::options::{KernelChoice, Method, TrainOptions};
use crate::geometry::instances::Instances;
use crate::geometry::kernel::Kernel;
use crate::learner::{Learner, LearnerWeights};

/// Rows among which distances are measured.
const ROWS_MEASURED: usize = 512;
/// Bandwidth as a share of the median distance.
const SHARE_OF_MEDIAN: f64 = 0.75;

/// The numbers of a fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// The kernel, with its bandwidth.
    pub kernel: Kernel,
    /// Ridge.
    pub lambda: f64,
    /// Weight of the positives' loss.
    pub c_p: f64,
    /// Weight of the unlabeled loss.
    pub c_u: f64,
    /// P(y = 1), for the methods that need it.
    pub prior: Option<f64>,
    /// The graph, for methods in which it acts.
    pub local: Option<LocalTerm>,
}

/// The graph behind the local term f'Rf.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LocalTerm {
    /// Width of its weights, exp(-distance^2 / sigma).
    pub sigma: f64,
    /// K, the neighbours of an instance.
    pub neighbours: usize,
}

impl Settings {
    /// What the options leave open, chosen for these instances.
    pub fn choose(instances: &Instances, options: &TrainOptions) -> Self {
        let (kernel, bandwidth) = match options.kernel {
            KernelChoice::Rbf { bandwidth } => {
                let bandwidth = bandwidth.unwrap_or_else(|| typical_bandwidth(instances));
                (Kernel::Rbf { bandwidth }, bandwidth)
            }
            KernelChoice::Linear => (Kernel::Linear, typical_bandwidth(instances)),
        };
        let c_p = options.c_p.unwrap_or(1.0);
        let (n_p, n_u) = (instances.positives(), instances.unlabeled());
        Self {
            kernel,
            lambda: options.lambda.unwrap_or(match options.method.has_weights() {
                false => 0.1 / n_p as f64,
                true => 1.0,
            }),
            c_p,
            c_u: (options.c_u).unwrap_or_else(|| balanced_c_u(options.method, c_p, n_p, n_u)),
            prior: (options.method.prior_scenario()).and(options.prior),
            local: options.method.has_local_term().then(|| LocalTerm {
                sigma: options.sigma.unwrap_or(2.0 * bandwidth * bandwidth),
                neighbours: options.neighbours,
            }),
        }
    }

    /// The method with these weights.
    pub(crate) fn learner(&self, method: Method) -> Box<dyn Learner> {
        method.learner(LearnerWeights { lambda: self.lambda, c_p: self.c_p, c_u: self.c_u, prior: self.prior })
    }

    /// The kernel's bandwidth; the linear kernel has none.
    pub fn bandwidth(&self) -> Option<f64> {
        self.kernel.bandwidth()
    }
}

/// C_p n_p / n_u, for PUAL half of that.
pub(crate) fn balanced_c_u(method: Method, c_p: f64, positives: usize, unlabeled: usize) -> f64 {
    c_p * (positives as f64 / unlabeled as f64) / method.slope_ratio()
}

/// 3/4 of the median distance between rows, over evenly spaced rows when there are many.
fn typical_bandwidth(instances: &Instances) -> f64 {
    let square = |x: &[f64], z: &[f64]| x.iter().zip(z).map(|(x, z)| (x - z) * (x - z)).sum();
    let mut squares = instances.distances(ROWS_MEASURED, square);
    // Copies of a row say nothing about the scale of the data.
    squares.retain(|&square| square > 0.0);
    median(&mut squares).map_or(1.0, |median| SHARE_OF_MEDIAN * median.sqrt())
}

//! The settings that are tried.
//!
//! | grid | bandwidth | lambda | C_u | sigma |
//! |---|---|---|---|---|
//! | default | x 0.7 .. 2 | x 0.1 .. 10 | x 1/4 .. 3/2 | 2 l^2 |
//! | paper-real (4.2.5) | 10^-4 .. 10^4 | 1 x | 0.5, 0.3, 0.1, 0.05, 0.01 | 10^-4 .. 10^4 |
//! | paper-synthetic (4.1.3) | 1 .. 5 times 0.1, 1, 10, 100 | 1 x | 0.01, 0.02, .. 0.5 | as bandwidth |
//!
//! "x" multiplies the rule of thumb (see `settings`), so that our grid is as wide for any unit of the features and any share of labels.
//! The paper's one letter lambda is the kernel's width in the kernel case and the ridge in the linear one, and so it is here.
//!
//! What the user gives is not searched, nor is what has no effect: the linear kernel's bandwidth, the sigma of a method without
//! local term, Algorithm 2's lambda, the C_u of methods that have a class prior instead.

use crate::choose::options::{KernelChoice, TrainOptions};
use crate::choose::settings::{LocalTerm, Settings};
use crate::geometry::kernel::Kernel;

/// The paper's values of lambda and sigma on real data (Section 4.2.5).
const PAPER_REAL_WIDTHS: [f64; 9] = [1e-4, 1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3, 1e4];
/// The paper's values of C_u on real data.
const PAPER_REAL_C_U: [f64; 5] = [0.5, 0.3, 0.1, 0.05, 0.01];

/// Ours, relative to the rule of thumb.
const BANDWIDTHS: [f64; 4] = [0.7, 1.0, 1.4, 2.0];
const LAMBDAS: [f64; 3] = [0.1, 1.0, 10.0];
const C_US: [f64; 5] = [0.25, 0.5, 0.7, 1.0, 1.5];

/// The grids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Grid {
    /// Around the rule of thumb.
    Default,
    /// The paper's for synthetic data.
    PaperSynthetic,
    /// The paper's for real data.
    PaperReal,
}

/// The paper's values of lambda and sigma on synthetic data (Section 4.1.3): {1, 2, 3, 4, 5} times {0.1, 1, 10, 100}.
fn paper_synthetic_widths() -> Vec<f64> {
    let tenths = [1u32, 10, 100, 1000].into_iter().flat_map(|tenth| (1..=5).map(move |i| i * tenth));
    tenths.map(|tenths| f64::from(tenths) / 10.0).collect()
}

/// The paper's values of C_u on synthetic data: 0.01, 0.02, ..., 0.5.
fn paper_synthetic_c_u() -> Vec<f64> {
    (1..=50).map(|hundredth| f64::from(hundredth) / 100.0).collect()
}

/// The values of each setting.
struct Axes {
    bandwidth: Vec<f64>,
    lambda: Vec<f64>,
    c_u: Vec<f64>,
    /// None keeps it in proportion to the bandwidth's square, as the rule of thumb does.
    sigma: Vec<Option<f64>>,
}

impl Grid {
    /// The settings to try around `home`, the rule of thumb: what `options` fixes, and what has no effect, is as there.
    pub fn settings(self, home: &Settings, options: &TrainOptions) -> Vec<Settings> {
        let axes = self.axes(home, options);
        let widths =
            axes.bandwidth.iter().flat_map(|&bandwidth| axes.sigma.iter().map(move |&sigma| (bandwidth, sigma)));
        let weights: Vec<(f64, f64)> =
            axes.lambda.iter().flat_map(|&lambda| axes.c_u.iter().map(move |&c_u| (lambda, c_u))).collect();
        widths.flat_map(|width| weights.iter().map(move |&weight| at(home, width, weight))).collect()
    }

    fn axes(self, home: &Settings, options: &TrainOptions) -> Axes {
        let bandwidth = home.bandwidth().unwrap_or(1.0);
        let linear = options.kernel == KernelChoice::Linear;
        let times = |factors: &[f64], value: f64| factors.iter().map(|by| by * value).collect();
        let mut axes = match self {
            Self::Default => Axes {
                bandwidth: times(&BANDWIDTHS, bandwidth),
                lambda: times(&LAMBDAS, home.lambda),
                c_u: times(&C_US, home.c_u),
                sigma: vec![None],
            },
            Self::PaperReal | Self::PaperSynthetic => {
                let (widths, c_u) = match self {
                    Self::PaperReal => (PAPER_REAL_WIDTHS.to_vec(), PAPER_REAL_C_U.to_vec()),
                    _ => (paper_synthetic_widths(), paper_synthetic_c_u()),
                };
                let lambda = if linear { widths.clone() } else { vec![home.lambda] };
                Axes { bandwidth: widths.clone(), lambda, c_u, sigma: widths.into_iter().map(Some).collect() }
            }
        };
        if linear || matches!(options.kernel, KernelChoice::Rbf { bandwidth: Some(_) }) {
            axes.bandwidth = vec![bandwidth];
        }
        if options.lambda.is_some() || !options.method.has_ridge() {
            axes.lambda = vec![home.lambda];
        }
        if options.c_u.is_some() || !options.method.has_weights() {
            axes.c_u = vec![home.c_u];
        }
        if options.sigma.is_some() || !options.method.has_local_term() {
            axes.sigma = vec![options.sigma];
        }
        axes
    }
}

/// `home` with other values.
fn at(home: &Settings, (bandwidth, sigma): (f64, Option<f64>), (lambda, c_u): (f64, f64)) -> Settings {
    let moved = home.bandwidth().map_or(1.0, |home| bandwidth / home);
    Settings {
        kernel: match home.kernel {
            Kernel::Rbf { .. } => Kernel::Rbf { bandwidth },
            other => other,
        },
        lambda,
        c_u,
        local: home.local.map(|local| LocalTerm { sigma: sigma.unwrap_or(local.sigma * moved * moved), ..local }),
        ..*home
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choose::options::Method;
    use crate::geometry::instances::Instances;
    use crate::learner::PualSolver;

    fn home(options: &TrainOptions) -> Settings {
        Settings::choose(&Instances::arrange(&[0.0, 1.0, 3.0], 1, &[true, false, false]).unwrap(), options)
    }

    fn settings(grid: Grid, options: &TrainOptions) -> Vec<Settings> {
        grid.settings(&home(options), options)
    }

    /// The different values of one setting, in ascending order.
    fn values(settings: &[Settings], of: impl Fn(&Settings) -> f64) -> Vec<f64> {
        let mut values: Vec<f64> = settings.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        values
    }

    fn sigma(settings: &Settings) -> f64 {
        settings.local.unwrap().sigma
    }

    #[test]
    fn the_papers_grid_for_real_data() {
        let all = settings(Grid::PaperReal, &TrainOptions::default());
        assert_eq!(all.len(), 9 * 9 * 5);
        let decades = [1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0, 1000.0, 10000.0];
        assert_eq!(values(&all, |s| s.bandwidth().unwrap()), decades);
        assert_eq!(values(&all, sigma), decades);
        assert_eq!(values(&all, |s| s.c_u), [0.01, 0.05, 0.1, 0.3, 0.5]);
        assert_eq!(values(&all, |s| s.c_p), [1.0]);
        assert!(all.iter().all(|s| s.local.unwrap().neighbours == 5));
    }

    #[test]
    fn the_papers_grid_for_synthetic_data() {
        let options = TrainOptions { kernel: KernelChoice::Linear, ..TrainOptions::default() };
        let all = settings(Grid::PaperSynthetic, &options);
        assert_eq!(all.len(), 20 * 20 * 50);
        let widths = [
            0.1, 0.2, 0.3, 0.4, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 100.0, 200.0, 300.0, 400.0,
            500.0,
        ];
        // In the linear case the paper's lambda is the ridge.
        assert_eq!(values(&all, |s| s.lambda), widths);
        assert_eq!(values(&all, sigma), widths);
        let c_u = values(&all, |s| s.c_u);
        assert_eq!((c_u[0], c_u[28], c_u[49]), (0.01, 0.29, 0.5));
        assert_eq!(c_u.len(), 50);
    }

    #[test]
    fn our_grid_contains_and_surrounds_the_rule_of_thumb() {
        let options = TrainOptions::default();
        let (all, home) = (settings(Grid::Default, &options), home(&options));
        assert!(all.contains(&home));
        for of in [|s: &Settings| s.bandwidth().unwrap(), |s: &Settings| s.lambda, |s: &Settings| s.c_u] {
            let values = values(&all, of);
            assert!(values[0] < of(&home) && of(&home) < values[values.len() - 1]);
        }
        // The graph's width stays in proportion.
        for s in &all {
            let bandwidth = s.bandwidth().unwrap();
            assert!((sigma(s) - 2.0 * bandwidth * bandwidth).abs() < 1e-12);
        }
    }

    #[test]
    fn what_is_given_or_has_no_effect_is_not_searched() {
        let given = TrainOptions {
            kernel: KernelChoice::Rbf { bandwidth: Some(3.0) },
            lambda: Some(0.7),
            c_u: Some(0.2),
            sigma: Some(5.0),
            ..TrainOptions::default()
        };
        for grid in [Grid::Default, Grid::PaperReal, Grid::PaperSynthetic] {
            assert_eq!(settings(grid, &given), [home(&given)]);
        }
        let algorithm2 =
            TrainOptions { method: Method::Pual(PualSolver::Algorithm2 { mu_1: None }), ..TrainOptions::default() };
        // Neither lambda nor sigma: bandwidth and C_u are left.
        assert_eq!(settings(Grid::PaperReal, &algorithm2).len(), 9 * 5);
    }
}

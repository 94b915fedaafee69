//! Random problems, and their objectives written out once more from the paper, independently of the library.

// Matrices are indexed by (i, j), as on paper.
#![allow(clippy::needless_range_loop)]

use pual_trainer::base::random::Random;
use pual_trainer::geometry::features::{FeatureSettings, Features};
use pual_trainer::geometry::graph::Graph;
use pual_trainer::geometry::instances::Instances;
use pual_trainer::geometry::kernel::Kernel;
use pual_trainer::learner::{Design, Fit};

/// The methods' positive and unlabeled losses, and whether they have the local term.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Method {
    Pual,
    Gllc,
    BlsSvm,
    Bsvm,
}

#[derive(Debug, Clone)]
pub struct Problem {
    pub rows: Vec<f64>,
    pub features: usize,
    pub labeled: Vec<bool>,
    pub kernel: Kernel,
    pub lambda: f64,
    pub c_p: f64,
    pub c_u: f64,
    /// Neighbours and sigma.
    pub graph: Option<(usize, f64)>,
    /// One per unlabeled row, in the order of the rows; none means 1.
    pub weights: Option<Vec<f64>>,
}

impl Problem {
    /// Positives on both sides of the rest, some of them labeled. Even seeds are linear, every second pair has a graph.
    pub fn random(seed: u64) -> Self {
        let mut random = Random::new(seed, 1);
        let (n, features) = (20 + random.below(41), 1 + random.below(5));
        let (mut rows, mut labeled) = (Vec::new(), Vec::new());
        for i in 0..n {
            let side = [-2.0, 0.0, 0.0, 2.0][i % 4];
            rows.extend((0..features).map(|_| side + random.normal()));
            // Two of each group for certain, so that every problem has both.
            labeled.push(i == 0 || i == 3 || (side != 0.0 && i > 8 && random.uniform() < 0.5));
        }
        let mut decade = |low: f64, high: f64| libm::exp10(random.between(low, high));
        let (lambda, c_p, c_u) = (decade(-2.0, 1.0), decade(-1.0, 1.0), decade(-2.0, 0.0));
        let (bandwidth, sigma) = (decade(-0.3, 0.5), decade(-1.0, 1.0));
        Self {
            rows,
            features,
            labeled,
            kernel: if seed.is_multiple_of(2) { Kernel::Linear } else { Kernel::Rbf { bandwidth } },
            lambda,
            c_p,
            c_u,
            graph: ((seed / 2).is_multiple_of(2)).then_some((4, sigma)),
            weights: None,
        }
    }

    pub fn len(&self) -> usize {
        self.labeled.len()
    }

    pub fn instances(&self) -> Instances {
        Instances::arrange(&self.rows, self.features, &self.labeled).unwrap()
    }

    /// The design at full numerical rank.
    pub fn design(&self) -> Design {
        let instances = self.instances();
        let settings = FeatureSettings { tolerance: 1e-14, ..FeatureSettings::new(self.kernel, self.len(), 7) };
        let mut design = Design::new(Features::build(&instances, &settings).unwrap());
        if let Some(weights) = &self.weights {
            design = design.with_weights(weights).unwrap();
        }
        let Some((neighbours, sigma)) = self.graph else { return design };
        design.with_local(Graph::mutual(&instances, neighbours).laplacian(sigma).unwrap())
    }

    pub fn row(&self, i: usize) -> &[f64] {
        &self.rows[i * self.features..(i + 1) * self.features]
    }

    /// C_p of a labeled row, C_u w_j of an unlabeled one.
    pub fn row_weight(&self, i: usize) -> f64 {
        if self.labeled[i] {
            return self.c_p;
        }
        let place = self.labeled[..i].iter().filter(|&&labeled| !labeled).count();
        self.c_u * self.weights.as_ref().map_or(1.0, |weights| weights[place])
    }

    fn squared_distance(&self, i: usize, j: usize) -> f64 {
        let pairs = self.row(i).iter().zip(self.row(j));
        pairs.map(|(x, z)| (x - z) * (x - z)).sum()
    }

    /// K, dense.
    pub fn gram(&self) -> Vec<Vec<f64>> {
        let n = self.len();
        let value = |i: usize, j: usize| match self.kernel {
            Kernel::Rbf { bandwidth } => libm::exp(-self.squared_distance(i, j) / (2.0 * bandwidth * bandwidth)),
            _ => self.row(i).iter().zip(self.row(j)).map(|(x, z)| x * z).sum(),
        };
        (0..n).map(|i| (0..n).map(|j| value(i, j)).collect()).collect()
    }

    /// R, dense, for methods that have the local term.
    pub fn laplacian(&self, method: Method) -> Vec<Vec<f64>> {
        let n = self.len();
        let mut r = vec![vec![0.0; n]; n];
        let Some((neighbours, sigma)) = self.graph.filter(|_| matches!(method, Method::Pual | Method::Gllc)) else {
            return r;
        };
        let is_near = |i: usize, j: usize| {
            let closer = (0..n).filter(|&k| k != i && self.squared_distance(i, k) < self.squared_distance(i, j));
            closer.count() < neighbours
        };
        for i in 0..n {
            for j in 0..n {
                if i != j && is_near(i, j) && is_near(j, i) {
                    let w = libm::exp(-self.squared_distance(i, j) / sigma) / n as f64;
                    r[i][i] += w;
                    r[i][j] -= w;
                }
            }
        }
        r
    }

    /// The paper's objective at scores f with squared norm ||beta||^2 = `norm`.
    pub fn objective(&self, method: Method, f: &[f64], norm: f64) -> f64 {
        let r = self.laplacian(method);
        let mut sum = 0.5 * self.lambda * norm;
        for i in 0..self.len() {
            let (weight, margin) = (self.row_weight(i), if self.labeled[i] { 1.0 - f[i] } else { 1.0 + f[i] });
            let hinge = match method {
                Method::Pual => self.labeled[i],
                Method::Bsvm => true,
                Method::Gllc | Method::BlsSvm => false,
            };
            sum += weight * if hinge { margin.max(0.0) } else { margin * margin };
            sum += (0..self.len()).map(|j| f[i] * r[i][j] * f[j]).sum::<f64>();
        }
        sum
    }

    /// The objective of a fit, through the expansion that would be exported.
    pub fn objective_of(&self, method: Method, design: &Design, fit: &Fit) -> f64 {
        let expansion = fit.expansion(&self.instances(), design.features());
        let f = expansion.scores(&self.rows);
        let omega = &expansion.coefficients;
        let norm = if expansion.rows.is_empty() {
            omega.iter().map(|w| w * w).sum()
        } else {
            let gram = self.gram();
            let supports = expansion.rows.iter().zip(omega);
            supports.clone().map(|(&i, a)| supports.clone().map(|(&j, b)| a * b * gram[i][j]).sum::<f64>()).sum()
        };
        self.objective(method, &f, norm)
    }
}

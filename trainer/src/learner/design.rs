//! What fits with the same features share: Psi'Psi of both groups, once per bandwidth, and Psi'R Psi, once per sigma.
//!
//! With squared losses on unlabeled rows these sums are all that a margin method needs of those rows and of the graph: a design may have
//! nothing else of them when there are too many rows to keep.
//!
//! Unlabeled rows may have weights of their own, w_j: then every sum_u of a margin method is sum_j w_j, C_u w_j in place of C_u, and
//! Psi_u'W Psi_u in place of Psi_u'Psi_u.

use std::sync::Arc;

use faer::{Mat, MatRef};

use super::{FitError, Method};
use crate::base::dense::{dot, lower_gram, lower_weighted_gram, product};
use crate::geometry::features::Features;
use crate::geometry::graph::Laplacian;
use crate::solver::linear::symmetric_product;

/// Features and their sums, ready for any weights. Cloning and changing the local term share the features.
#[derive(Debug, Clone)]
pub struct Design {
    features: Arc<Features>,
    grams: Arc<Grams>,
    local: Option<Arc<LocalGram>>,
    unlabeled: usize,
    /// w, where not all are 1.
    weights: Option<Arc<Vec<f64>>>,
}

/// Lower triangles of Psi_p'Psi_p and Psi_u'W Psi_u.
#[derive(Debug)]
struct Grams {
    positive: Mat<f64>,
    unlabeled: Mat<f64>,
}

/// The lower triangle of Psi'R Psi, and R where the rows are in memory.
#[derive(Debug)]
struct LocalGram {
    laplacian: Option<Laplacian>,
    gram: Mat<f64>,
}

impl Design {
    /// A design without local term.
    pub fn new(features: Features) -> Self {
        let grams = Grams {
            positive: lower_gram(features.psi_p(), features.psi_p()),
            unlabeled: lower_gram(features.psi_u(), features.psi_u()),
        };
        Self {
            unlabeled: features.psi_u().nrows(),
            features: Arc::new(features),
            grams: Arc::new(grams),
            local: None,
            weights: None,
        }
    }

    /// From features of the positives, and the lower triangles of the sums Psi_u'Psi_u (over `unlabeled` rows) and Psi'R Psi.
    pub(crate) fn of_sums(positives: Features, unlabeled: usize, gram_u: Mat<f64>, local: Option<Mat<f64>>) -> Self {
        let grams = Grams { positive: lower_gram(positives.psi_p(), positives.psi_p()), unlabeled: gram_u };
        Self {
            features: Arc::new(positives),
            grams: Arc::new(grams),
            local: local.map(|gram| Arc::new(LocalGram { laplacian: None, gram })),
            unlabeled,
            weights: None,
        }
    }

    /// The same features with the local term f'Rf.
    pub fn with_local(&self, laplacian: Laplacian) -> Self {
        let gram = laplacian.gram(self.features.psi());
        Self { local: Some(Arc::new(LocalGram { laplacian: Some(laplacian), gram })), ..self.clone() }
    }

    /// The same features, no local term.
    pub fn without_local(&self) -> Self {
        Self { local: None, ..self.clone() }
    }

    /// The same features with the loss of unlabeled row j weighted by w_j, in every margin method: multiples of C_u, on top of any
    /// weights there are. A row of weight 0 counts for nothing but the local term.
    ///
    /// # Errors
    /// Not one weight per row (a design of sums has no rows), a weight below 0, or none above.
    pub(crate) fn with_weights(&self, weights: &[f64]) -> Result<Self, FitError> {
        let refuse = |name, value, expected| Err(FitError::Setting { name, value, expected });
        let psi_u = self.features.psi_u();
        if weights.len() != psi_u.nrows() || weights.is_empty() {
            return refuse("number of row weights", weights.len() as f64, "the number of unlabeled rows");
        }
        if let Some(&bad) = weights.iter().find(|w| !(**w >= 0.0 && w.is_finite())) {
            return refuse("row weight", bad, "a number of at least 0");
        }
        // What is not weighted keeps its bits.
        if weights.iter().all(|&w| w == 1.0) {
            return Ok(self.clone());
        }
        let weights: Vec<f64> = match &self.weights {
            Some(before) => before.iter().zip(weights).map(|(before, w)| before * w).collect(),
            None => weights.to_vec(),
        };
        if weights.iter().all(|&w| w == 0.0) {
            return refuse("largest row weight", 0.0, "above 0");
        }
        let unlabeled = lower_weighted_gram(psi_u, weights.iter().copied());
        let grams = Grams { positive: self.grams.positive.clone(), unlabeled };
        Ok(Self { grams: Arc::new(grams), weights: Some(Arc::new(weights)), ..self.clone() })
    }

    /// The same with unlabeled rows that are known to be normal weighted up, for margin methods; an estimated prior counts rows alike.
    ///
    /// With C_p n_p = C_u n_u, w = n_u / n_p makes a normal row as heavy as a labeled one; all normal rows together weigh no more than all
    /// labeled ones: w = n_u / max(n_p, n_n).
    pub(crate) fn with_normals(self, normal: &[bool], method: Method) -> Self {
        let normals = normal.iter().filter(|&&normal| normal).count();
        if normals == 0 || method.prior_scenario().is_some() {
            return self;
        }
        let weight = ((normal.len() - normals).max(1) as f64 / self.positives().max(normals) as f64).max(1.0);
        let weights: Vec<f64> = normal.iter().map(|&normal| if normal { weight } else { 1.0 }).collect();
        // Refused are weights that these are not.
        self.with_weights(&weights).unwrap_or(self)
    }

    /// The features.
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// n_p.
    pub fn positives(&self) -> usize {
        self.features.positives()
    }

    /// n_u.
    pub fn unlabeled(&self) -> usize {
        self.unlabeled
    }

    /// The unlabeled rows' weights, where not all are 1.
    pub(super) fn weights(&self) -> Option<&[f64]> {
        self.weights.as_ref().map(|weights| &weights[..])
    }

    /// The sum of the unlabeled rows' weights: n_u unless they were given others than 1.
    pub(super) fn unlabeled_weight(&self) -> f64 {
        self.weights().map_or(self.unlabeled as f64, |weights| weights.iter().sum())
    }

    /// Lower triangle of Psi_p'Psi_p.
    pub(super) fn gram_p(&self) -> MatRef<'_, f64> {
        self.grams.positive.as_ref()
    }

    /// Psi_u'W1: the last row of Psi_u'W Psi_u.
    pub(super) fn sum_u(&self) -> Vec<f64> {
        let gram = &self.grams.unlabeled;
        (0..gram.ncols()).map(|j| gram[(gram.nrows() - 1, j)]).collect()
    }

    /// The lower triangle of H = lambda E + 2 C_u Psi_u'W Psi_u + 2 Psi'R Psi, E = blockdiag(I, 0).
    ///
    /// Because R1 = 0, the unlabeled and local terms together with the ridge are 1/2 (z - z_0)'H(z - z_0) with
    /// z_0 = (0, -1): the score -1 everywhere costs nothing.
    pub(super) fn hessian(&self, lambda: f64, c_u: f64) -> Mat<f64> {
        let mut hessian = self.grams.unlabeled.clone();
        let width = hessian.ncols();
        for j in 0..width {
            for i in j..width {
                let local = self.local.as_ref().map_or(0.0, |local| local.gram[(i, j)]);
                hessian[(i, j)] = 2.0 * (c_u * hessian[(i, j)] + local);
            }
            if j + 1 < width {
                hessian[(j, j)] += lambda;
            }
        }
        hessian
    }

    /// z_0 = (0, ..., 0, -1).
    pub(super) fn centre(&self) -> Vec<f64> {
        let mut centre = vec![0.0; self.features.rank() + 1];
        centre[self.features.rank()] = -1.0;
        centre
    }

    /// The objective with squared losses on unlabeled rows: term by term from the scores themselves, or from the sums where that is all
    /// there is: sum_u w (1 + f)^2 = (z - z_0)' Psi_u'W Psi_u (z - z_0).
    pub(super) fn objective(&self, z: &[f64], lambda: f64, c_u: f64, loss_p: impl Fn(f64) -> f64) -> f64 {
        let f = product(self.features.psi(), z);
        let (f_p, f_u) = f.split_at(self.positives());
        let beta = &z[..z.len() - 1];
        let squares_u = if f_u.is_empty() {
            let shifted: Vec<f64> = z.iter().zip(self.centre()).map(|(z, c)| z - c).collect();
            quadratic(&self.grams.unlabeled, &shifted)
        } else {
            let squares = f_u.iter().map(|&f| (1.0 + f) * (1.0 + f));
            match self.weights() {
                Some(weights) => squares.zip(weights).map(|(square, w)| w * square).sum(),
                None => squares.sum(),
            }
        };
        let local = self.local.as_ref().map_or(0.0, |local| {
            let of_scores = local.laplacian.as_ref().map(|r| r.quadratic(&f));
            of_scores.unwrap_or_else(|| quadratic(&local.gram, z))
        });
        let losses_p: f64 = f_p.iter().map(|&f| loss_p(f)).sum();
        0.5 * lambda * dot(beta, beta) + losses_p + c_u * squares_u + local
    }
}

/// z'Gz, from the lower triangle of G.
fn quadratic(gram: &Mat<f64>, z: &[f64]) -> f64 {
    dot(z, &symmetric_product(gram.as_ref(), z))
}

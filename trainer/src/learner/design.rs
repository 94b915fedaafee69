//! What fits with the same features share: Psi'Psi of both groups once a bandwidth, Psi'R Psi once a sigma.

use std::sync::Arc;

use faer::{Mat, MatRef};

use crate::dense::{dot, lower_gram, product, transposed_product};
use crate::features::Features;
use crate::graph::Laplacian;

/// Features and their sums, ready for any weights. Cloning and changing the local term share the features.
#[derive(Debug, Clone)]
pub struct Design {
    features: Arc<Features>,
    grams: Arc<Grams>,
    local: Option<Arc<Local>>,
}

/// Lower triangles of Psi_p'Psi_p and Psi_u'Psi_u.
#[derive(Debug)]
struct Grams {
    positive: Mat<f64>,
    unlabeled: Mat<f64>,
}

/// R and the lower triangle of Psi'R Psi.
#[derive(Debug)]
struct Local {
    laplacian: Laplacian,
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
            features: Arc::new(features),
            grams: Arc::new(grams),
            local: None,
        }
    }

    /// The same features with the local term f'Rf.
    pub fn with_local(&self, laplacian: Laplacian) -> Self {
        let gram = laplacian.gram(self.features.psi());
        Self {
            local: Some(Arc::new(Local { laplacian, gram })),
            ..self.clone()
        }
    }

    /// The same features, no local term.
    pub fn without_local(&self) -> Self {
        Self {
            local: None,
            ..self.clone()
        }
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
        self.features.psi().nrows() - self.positives()
    }

    /// Lower triangle of Psi_p'Psi_p.
    pub(super) fn gram_p(&self) -> MatRef<'_, f64> {
        self.grams.positive.as_ref()
    }

    /// Psi_u'1: the last row of Psi_u'Psi_u.
    pub(super) fn sum_u(&self) -> Vec<f64> {
        let gram = &self.grams.unlabeled;
        (0..gram.ncols())
            .map(|j| gram[(gram.nrows() - 1, j)])
            .collect()
    }

    /// Psi'R1, literally: zero in theory, and whatever the graph says in practice.
    pub(super) fn local_sum(&self) -> Vec<f64> {
        let Some(local) = &self.local else {
            return vec![0.0; self.features.rank() + 1];
        };
        let ones = vec![1.0; self.features.psi().nrows()];
        let mut r_1 = ones.clone();
        local.laplacian.apply(&ones, &mut r_1);
        transposed_product(self.features.psi(), &r_1)
    }

    /// The lower triangle of H = lambda E + 2 C_u Psi_u'Psi_u + 2 Psi'R Psi, E = blockdiag(I, 0).
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

    /// The frame's objective, term by term from the scores themselves.
    pub(super) fn objective(
        &self,
        z: &[f64],
        lambda: f64,
        loss_p: impl Fn(f64) -> f64,
        loss_u: impl Fn(f64) -> f64,
    ) -> f64 {
        let f = product(self.features.psi(), z);
        let (f_p, f_u) = f.split_at(self.positives());
        let beta = &z[..z.len() - 1];
        let local = self
            .local
            .as_ref()
            .map_or(0.0, |local| local.laplacian.quadratic(&f));
        let losses = f_p.iter().map(|&f| loss_p(f)).sum::<f64>()
            + f_u.iter().map(|&f| loss_u(f)).sum::<f64>();
        0.5 * lambda * dot(beta, beta) + losses + local
    }
}

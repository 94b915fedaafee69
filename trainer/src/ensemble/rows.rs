//! The rows that a teacher learns from, and what each weighs.

use super::recordings::HeldOut;

/// Raw training rows, labeled ones first.
pub(super) struct TrainingRows<'a> {
    /// Row-major.
    pub values: &'a [f64],
    pub features: usize,
    /// n_p.
    pub positives: usize,
    /// Which rows are known to be normal; empty if none is.
    pub normal: &'a [bool],
    /// What is held out together; none where rows are independent.
    pub held_out: Option<&'a HeldOut>,
    pub seed: u64,
}

impl TrainingRows<'_> {
    /// n.
    pub(super) fn len(&self) -> usize {
        self.values.len() / self.features
    }

    /// One weight for labeled rows, another for the others.
    pub(super) fn weights(&self, labeled: f64, unlabeled: f64) -> Vec<f64> {
        let mut weights = vec![unlabeled; self.len()];
        weights[..self.positives].fill(labeled);
        weights
    }

    /// Rows known to be normal.
    pub(super) fn normals(&self) -> usize {
        self.normal.iter().filter(|&&normal| normal).count()
    }

    /// Values of the labeled rows, and of the unlabeled ones without the known normals: those have nothing to say about the share of
    /// positives among the others.
    pub(super) fn labeled_and_unknown<'v>(&self, values: &'v [f64]) -> (&'v [f64], Vec<f64>) {
        let is_unknown = |at: &usize| !self.normal.get(*at).is_some_and(|&normal| normal);
        let unknown = (self.positives..values.len()).filter(is_unknown).map(|at| values[at]).collect();
        (&values[..self.positives], unknown)
    }

    /// Labeled, unlabeled and normal rows as classes 0, 1 and 2.
    pub(super) fn classes(&self) -> Vec<usize> {
        let class = |row: usize| match row < self.positives {
            true => 0,
            false => 1 + usize::from(self.normal.get(row).is_some_and(|&normal| normal)),
        };
        (0..self.len()).map(class).collect()
    }

    /// The weight of a row by its class, from the weight of all labeled and of all unlabeled rows. A normal row weighs as much as a labeled
    /// one, but all of them together no more than all labeled ones.
    pub(super) fn class_weights(&self, labeled: f64, unlabeled: f64) -> [f64; 3] {
        let (n_p, n_n) = (self.positives as f64, self.normals() as f64);
        let n_u = self.len() as f64 - n_p - n_n;
        [labeled / n_p, unlabeled / n_u.max(1.0), labeled / n_p.max(n_n)]
    }

    /// Puts a value in the place of every normal row's.
    pub(super) fn set_normals(&self, values: &mut [f64], to: f64) {
        for (value, &normal) in values.iter_mut().zip(self.normal) {
            if normal {
                *value = to;
            }
        }
    }
}

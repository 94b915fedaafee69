//! The training rows as every file after this one takes them: raw, labeled ones first.

/// Training rows, labeled ones first.
pub(super) struct Rows<'a> {
    /// Row-major.
    pub values: &'a [f64],
    pub features: usize,
    /// n_p.
    pub positives: usize,
    pub seed: u64,
}

impl Rows<'_> {
    /// n.
    pub fn len(&self) -> usize {
        self.values.len() / self.features
    }

    /// The values feature by feature.
    pub fn columns(&self) -> Vec<Vec<f64>> {
        let column = |j| self.values.iter().skip(j).step_by(self.features).copied();
        (0..self.features).map(|j| column(j).collect()).collect()
    }

    /// One weight for labeled rows, another for the others.
    pub fn weights(&self, labeled: f64, unlabeled: f64) -> Vec<f64> {
        let weight = |i| {
            if i < self.positives {
                labeled
            } else {
                unlabeled
            }
        };
        (0..self.len()).map(weight).collect()
    }
}

//! The training rows in the one order everything after this file relies on.
//!
//! The paper writes X_\[pu\] = (x_1, ..., x_{n_p}, ..., x_{n_p+n_u})': the n_p labeled positives come first, then the
//! n_u unlabeled instances. [`Instances::arrange`] makes that order, once, and remembers where each row came from.

use std::ops::Range;

use thiserror::Error;

/// Why rows or a geometric setting were refused.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum GeometryError {
    /// There is no feature to learn from.
    #[error("the rows have no feature")]
    NoFeatures,
    /// The flat slice of cells is not a whole number of rows.
    #[error("{cells} cells do not make whole rows of {features} features")]
    RaggedRows {
        /// Cells given.
        cells: usize,
        /// Features a row should have.
        features: usize,
    },
    /// Rows and labels differ in number.
    #[error("{rows} rows came with {labels} labels")]
    LabelCount {
        /// Rows given.
        rows: usize,
        /// Labels given.
        labels: usize,
    },
    /// A cell is NaN or infinite.
    #[error("row {row}, feature {feature} is not a finite number")]
    NonFinite {
        /// Index of the row, as given.
        row: usize,
        /// Index of the feature.
        feature: usize,
    },
    /// No row is labeled positive.
    #[error("no row is labeled positive")]
    NoPositives,
    /// Every row is labeled positive.
    #[error("no row is unlabeled")]
    NoUnlabeled,
    /// A setting is outside its range.
    #[error("{name} = {value} must be {expected}")]
    Setting {
        /// The setting's name, as in the paper.
        name: &'static str,
        /// What was given.
        value: f64,
        /// What would have been accepted.
        expected: &'static str,
    },
}

/// Scaled training rows, labeled positives first, stored feature by feature.
///
/// Feature-major storage lets every kernel and distance loop run over consecutive instances, which is what vectorises.
#[derive(Debug, Clone, PartialEq)]
pub struct Instances {
    features: usize,
    positives: usize,
    columns: Vec<f64>,
    order: Vec<usize>,
}

impl Instances {
    /// Arranges row-major `rows` of `features` cells: rows with `labeled[i]` first, each group in the order given.
    pub fn arrange(rows: &[f64], features: usize, labeled: &[bool]) -> Result<Self, GeometryError> {
        if features == 0 {
            return Err(GeometryError::NoFeatures);
        }
        if !rows.len().is_multiple_of(features) {
            return Err(GeometryError::RaggedRows { cells: rows.len(), features });
        }
        let count = rows.len() / features;
        if labeled.len() != count {
            return Err(GeometryError::LabelCount { rows: count, labels: labeled.len() });
        }
        if let Some(cell) = rows.iter().position(|value| !value.is_finite()) {
            return Err(GeometryError::NonFinite { row: cell / features, feature: cell % features });
        }
        let mut order: Vec<usize> = (0..count).filter(|&row| labeled[row]).collect();
        let positives = order.len();
        order.extend((0..count).filter(|&row| !labeled[row]));
        if positives == 0 {
            return Err(GeometryError::NoPositives);
        }
        if positives == count {
            return Err(GeometryError::NoUnlabeled);
        }
        let mut columns = Vec::with_capacity(rows.len());
        for feature in 0..features {
            columns.extend(order.iter().map(|&row| rows[row * features + feature]));
        }
        Ok(Self { features, positives, columns, order })
    }

    /// n = n_p + n_u.
    #[allow(clippy::len_without_is_empty)] // Arranging refuses an empty set.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// `distance` between every two of at most `most` evenly spaced instances.
    pub(crate) fn distances(&self, most: usize, distance: impl Fn(&[f64], &[f64]) -> f64) -> Vec<f64> {
        let step = self.len().div_ceil(most);
        let points: Vec<Vec<f64>> = (0..self.len()).step_by(step).map(|at| self.point(at)).collect();
        let pairs = (points.iter().enumerate()).flat_map(|(at, x)| points[..at].iter().map(move |z| (x, z)));
        pairs.map(|(x, z)| distance(x, z)).collect()
    }

    /// m, the number of features.
    pub fn features(&self) -> usize {
        self.features
    }

    /// n_p: instances `0..positives()` are the labeled positives.
    pub fn positives(&self) -> usize {
        self.positives
    }

    /// n_u: the instances after the positives.
    pub fn unlabeled(&self) -> usize {
        self.len() - self.positives
    }

    /// The index, among the rows as given, of the instance at `position`.
    pub fn row(&self, position: usize) -> usize {
        self.order[position]
    }

    /// Marks of the unlabeled instances, from those of rows; none without any. `place` is where a row's mark is.
    pub(crate) fn unlabeled_marks(&self, marks: Option<&[bool]>, place: impl Fn(usize) -> usize) -> Vec<bool> {
        let mark =
            |marks: &[bool]| (self.positives()..self.len()).map(|position| marks[place(self.row(position))]).collect();
        marks.map(mark).unwrap_or_default()
    }

    /// All features, one after the other.
    pub(super) fn columns(&self) -> &[f64] {
        &self.columns
    }

    /// One feature of the instances in `range`.
    pub fn column(&self, feature: usize, range: Range<usize>) -> &[f64] {
        &self.columns[feature * self.len()..(feature + 1) * self.len()][range]
    }

    /// The features of one instance, gathered.
    pub fn point(&self, position: usize) -> Vec<f64> {
        (0..self.features).map(|feature| self.columns[feature * self.len() + position]).collect()
    }
}

#[cfg(test)]
impl Instances {
    /// Normally distributed rows, every third labeled.
    pub(crate) fn random(n: usize, features: usize, seed: u64) -> Self {
        let mut random = crate::base::random::Random::new(seed, 0);
        let rows: Vec<f64> = (0..n * features).map(|_| random.normal()).collect();
        let labeled: Vec<bool> = (0..n).map(|i| i % 3 == 0).collect();
        Self::arrange(&rows, features, &labeled).unwrap()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positives_come_first_and_keep_their_order() {
        let rows = [1.0, 10.0, 2.0, 20.0, 3.0, 30.0, 4.0, 40.0];
        let arranged = Instances::arrange(&rows, 2, &[false, true, false, true]).unwrap();
        assert_eq!((arranged.positives(), arranged.unlabeled()), (2, 2));
        assert_eq!(arranged.column(0, 0..4), [2.0, 4.0, 1.0, 3.0]);
        assert_eq!(arranged.point(1), [4.0, 40.0]);
        assert_eq!(arranged.row(2), 0);
    }

    #[test]
    fn what_cannot_be_learned_from_is_refused_by_name() {
        let arrange = Instances::arrange;
        assert_eq!(arrange(&[], 0, &[]), Err(GeometryError::NoFeatures));
        assert!(matches!(arrange(&[1.0; 5], 2, &[true; 2]), Err(GeometryError::RaggedRows { .. })));
        assert!(matches!(arrange(&[1.0; 4], 2, &[true; 3]), Err(GeometryError::LabelCount { .. })));
        assert_eq!(
            arrange(&[1.0, 2.0, 3.0, f64::NAN], 2, &[true, false]),
            Err(GeometryError::NonFinite { row: 1, feature: 1 })
        );
        assert_eq!(arrange(&[1.0; 2], 1, &[false; 2]), Err(GeometryError::NoPositives));
        assert_eq!(arrange(&[1.0; 2], 1, &[true; 2]), Err(GeometryError::NoUnlabeled));
    }
}

//! All that is fixed before the rows are read: scaling, landmarks, settings, local term, and the sample they come from.

use serde::{Deserialize, Serialize};

use super::landmarks::Landmarks;
use super::local::LocalSum;
use super::{BulkError, file};
use crate::base::watch::Watch;
use crate::choose::fitting::feature_settings;
use crate::choose::options::{KernelChoice, Method, TrainOptions};
use crate::choose::settings::{LocalTerm, Settings, balanced_c_u};
use crate::data::dataset::{Dataset, DatasetError};
use crate::data::scale::Scaler;
use crate::data::table::Table;
use crate::geometry::features::Features;
use crate::geometry::instances::{GeometryError, Instances};
use crate::learner::PualSolver;

/// What to train on all rows, with all that does not depend on them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    method: Method,
    names: Vec<String>,
    label_column: String,
    pub(super) scaler: Scaler,
    pub(super) landmarks: Landmarks,
    pub(super) unexplained: f64,
    lambda: f64,
    c_p: f64,
    /// None: the rule of thumb, once the rows are counted.
    c_u: Option<f64>,
    /// Labeled and unlabeled rows that the weights were searched on: see [`Plan::settings`].
    searched_on: Option<(usize, usize)>,
    pub(super) local: Option<LocalSum>,
    seed: u64,
    /// Raw, row after row.
    sample: Vec<f32>,
    labeled: Vec<bool>,
    drawn_from: (usize, usize),
}

/// Whether a method can be fitted from sums over rows, and hence on all of them.
pub(crate) fn is_a_sum(method: Method, kernel: KernelChoice) -> bool {
    matches!(kernel, KernelChoice::Rbf { .. }) && method.is_sum()
}

impl Plan {
    /// From a sample and settings chosen on it, by a search or not. `label_column` is for reading more rows.
    #[doc(hidden)]
    pub fn new(
        sample: &Dataset,
        drawn_from: (usize, usize),
        method: Method,
        settings: &Settings,
        searched: bool,
        options: &TrainOptions,
        label_column: &str,
    ) -> Result<Self, GeometryError> {
        let scaler = Scaler::fit(options.scaling, sample.rows(), sample.features());
        let instances = Instances::arrange(&scaler.apply(sample.rows()), sample.features(), sample.labeled())?;
        let features = Features::build(&instances, &feature_settings(settings.kernel, options))?;
        Ok(Self {
            method,
            names: sample.names().to_vec(),
            label_column: label_column.to_owned(),
            landmarks: Landmarks::new(&instances, &features),
            unexplained: features.unexplained(),
            lambda: settings.lambda,
            c_p: settings.c_p,
            c_u: if searched { Some(settings.c_u) } else { options.c_u },
            searched_on: searched.then(|| (instances.positives(), instances.unlabeled())),
            local: None,
            scaler,
            seed: options.seed,
            sample: sample.rows().iter().map(|&x| x as f32).collect(),
            labeled: sample.labeled().to_vec(),
            drawn_from,
        })
    }

    /// The same with a local term over the graph of these raw rows, which are in the order of the plan's names.
    #[doc(hidden)]
    pub fn with_local(
        mut self,
        local: LocalTerm,
        rows: &[f64],
        labeled: &[bool],
        watch: &dyn Watch,
    ) -> Result<Self, GeometryError> {
        let instances = Instances::arrange(&self.scaler.apply(rows), self.names.len(), labeled)?;
        self.local = (local.neighbours > 0).then(|| LocalSum::new(&instances, local, &self.landmarks, watch));
        Ok(self)
    }

    /// The same with a local term over the graph of the sample.
    #[doc(hidden)]
    pub fn with_local_of_sample(self, local: LocalTerm, watch: &dyn Watch) -> Result<Self, GeometryError> {
        let rows: Vec<f64> = self.sample.iter().map(|&x| f64::from(x)).collect();
        let labeled = self.labeled.clone();
        self.with_local(local, &rows, &labeled, watch)
    }

    /// The settings for this many rows.
    ///
    /// Losses are sums over rows and the ridge is not, so weights that were searched on a sample are divided by how many times more rows
    /// there are, each group by its own: all rows together then pull as hard as the sample did.
    #[doc(hidden)]
    pub fn settings(&self, positives: usize, unlabeled: usize) -> Settings {
        let (share_p, share_u) =
            (self.searched_on).map_or((1.0, 1.0), |(p, u)| (p as f64 / positives as f64, u as f64 / unlabeled as f64));
        Settings {
            kernel: self.landmarks.kernel,
            lambda: self.lambda,
            c_p: self.c_p * share_p,
            c_u: match self.c_u {
                Some(c_u) => c_u * share_u,
                None => balanced_c_u(self.method, self.c_p, positives, unlabeled),
            },
            prior: None,
            local: self.local.as_ref().map(|local| LocalTerm { sigma: local.sigma, neighbours: local.neighbours }),
        }
    }

    /// The features' names, in the order of a row.
    #[doc(hidden)]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The column of labels.
    #[doc(hidden)]
    pub fn label_column(&self) -> &str {
        &self.label_column
    }

    /// The method.
    #[doc(hidden)]
    pub fn method(&self) -> Method {
        self.method
    }

    /// Support instances.
    #[doc(hidden)]
    pub fn supports(&self) -> usize {
        self.landmarks.len()
    }

    /// The seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Labeled and unlabeled rows that the sample was drawn from.
    #[doc(hidden)]
    pub fn drawn_from(&self) -> (usize, usize) {
        self.drawn_from
    }

    /// The sample, as rows to train on.
    #[doc(hidden)]
    pub fn sample(&self) -> Result<Dataset, DatasetError> {
        let rows = self.sample.iter().map(|&x| f64::from(x)).collect();
        Dataset::new(Table { names: self.names.clone(), rows, labeled: Some(self.labeled.clone()), ..Table::default() })
    }

    /// Rows of the local term's graph, if there is one.
    #[doc(hidden)]
    pub fn graph_rows(&self) -> Option<usize> {
        self.local.as_ref().map(|local| local.rows)
    }

    /// Whether the numbers fit together: files may be corrupt.
    pub(super) fn is_sound(&self) -> bool {
        let features = self.names.len();
        let local_is_sound = self
            .local
            .as_ref()
            .is_none_or(|local| local.sum.is_sound() && local.sum.width == self.landmarks.len() + 1 && local.rows > 0);
        let solver_is_known = match self.method {
            Method::Pual(PualSolver::Admm { mu_1 }) => mu_1 > 0.0,
            // That the kernel is RBF, landmarks know.
            method => is_a_sum(method, KernelChoice::Rbf { bandwidth: None }),
        };
        features > 0
            && self.landmarks.features == features
            && self.landmarks.is_sound()
            && self.landmarks.len() > 0
            && self.scaler.offset().len() == features
            && self.scaler.scale().len() == features
            && self.sample.len() == features * self.labeled.len()
            && self.sample.iter().all(|x| x.is_finite())
            && [self.lambda, self.c_p, self.c_u.unwrap_or(1.0)].iter().all(|w| w.is_finite() && *w > 0.0)
            && solver_is_known
            && local_is_sound
    }

    /// The bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        file::to_bytes(&file::PLAN, self)
    }

    /// From the bytes of a file, which messages call `name`.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Self, BulkError> {
        file::from_bytes(&file::PLAN, name, bytes, Self::is_sound)
    }
}

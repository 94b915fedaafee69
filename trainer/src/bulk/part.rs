//! What a fit needs of some of the rows: sums over the unlabeled ones, the labeled ones themselves, the range of every feature.
//!
//! Parts of the same plan can be merged in any order: the sums are exact, and labeled rows are sorted before the fit. So the model has the
//! same bytes however the rows were divided.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::landmarks::Rounding;
use super::plan::Plan;
use super::sums::GramSum;
use super::{BulkError, file};
use crate::base::fnv::{self, fnv_1a};
use crate::base::watch::Watch;

/// Rows whose features a thread has at a time: they fit its cache.
const ROWS: usize = 1024;
/// More rows than anyone has, and few enough that counts of parts can be added.
const MOST_ROWS: u64 = 1 << 48;

/// A plan, and what some rows contribute to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Part {
    plan: Plan,
    /// Psi_u'Psi_u.
    pub(super) gram_u: GramSum,
    unlabeled: u64,
    /// Raw, row after row, as the device reads them.
    labeled: Vec<f32>,
    minima: Vec<f32>,
    maxima: Vec<f32>,
    /// A fingerprint of the rows of each shard.
    shards: Vec<u64>,
}

impl Part {
    /// Of no rows yet.
    pub fn new(plan: Plan) -> Self {
        let features = plan.names().len();
        Self {
            gram_u: GramSum::new(plan.landmarks.len() + 1),
            plan,
            unlabeled: 0,
            labeled: Vec::new(),
            minima: vec![f32::INFINITY; features],
            maxima: vec![f32::NEG_INFINITY; features],
            shards: vec![fnv::START],
        }
    }

    /// Adds rows: raw readings, row after row, in the order of the plan's names.
    pub fn add(&mut self, rows: &[f64], labeled: &[bool], watch: &dyn Watch) {
        let features = self.plan.names().len();
        // As the device reads it. Adding zero turns -0 into 0, so that equal rows are equal bits.
        let reading = |x: &f64| *x as f32 + 0.0;
        for (row, &labeled) in rows.chunks_exact(features).zip(labeled) {
            for (at, value) in row.iter().map(reading).enumerate() {
                self.minima[at] = self.minima[at].min(value);
                self.maxima[at] = self.maxima[at].max(value);
            }
            if labeled {
                self.labeled.extend(row.iter().map(reading));
            } else {
                self.unlabeled += 1;
            }
        }
        if let Some(shard) = self.shards.last_mut() {
            let rows = rows.chunks_exact(features).zip(labeled);
            *shard = rows.fold(*shard, |hash, (row, &labeled)| {
                let bytes = row.iter().flat_map(|x| reading(x).to_le_bytes());
                fnv_1a(hash, bytes.chain([u8::from(labeled)]))
            });
        }
        let (plan, width) = (&self.plan, self.gram_u.width);
        let sum = (rows.par_chunks(ROWS * features).zip(labeled.par_chunks(ROWS)))
            .fold(
                || GramSum::new(width),
                |mut sum, (rows, labeled)| {
                    let unlabeled: Vec<f64> = (rows.chunks_exact(features).zip(labeled))
                        .filter(|(_, labeled)| !**labeled)
                        .flat_map(|(row, _)| row)
                        .copied()
                        .collect();
                    let scaled = plan.scaler.apply(&unlabeled);
                    sum.add(plan.landmarks.psi(&scaled, Rounding::ToGrid).as_ref());
                    watch.rows(labeled.len());
                    sum
                },
            )
            .reduce(|| GramSum::new(width), |a, b| a.merged(&b));
        self.gram_u = std::mem::replace(&mut self.gram_u, GramSum::new(0)).merged(&sum);
    }

    /// Both together. Refused if they are of different plans, or have a shard in common.
    pub fn merged(mut self, other: Self) -> Result<Self, BulkError> {
        if self.plan != other.plan {
            return Err(BulkError::OtherPlan);
        }
        if let Some(twice) = other.shards.iter().find(|shard| self.shards.contains(shard)) {
            return Err(BulkError::SameShard { shard: *twice });
        }
        self.gram_u = self.gram_u.merged(&other.gram_u);
        self.unlabeled += other.unlabeled;
        self.labeled.extend(other.labeled);
        for (mine, other) in self.minima.iter_mut().zip(other.minima) {
            *mine = mine.min(other);
        }
        for (mine, other) in self.maxima.iter_mut().zip(other.maxima) {
            *mine = mine.max(other);
        }
        self.shards.extend(other.shards);
        self.shards.sort_unstable();
        Ok(self)
    }

    /// The plan.
    #[doc(hidden)]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Labeled rows.
    #[doc(hidden)]
    pub fn positives(&self) -> usize {
        self.labeled.len() / self.plan.names().len()
    }

    /// Unlabeled rows.
    #[doc(hidden)]
    pub fn unlabeled(&self) -> usize {
        self.unlabeled as usize
    }

    /// Smallest and largest value of each feature.
    pub(super) fn envelope(&self) -> (Vec<f64>, Vec<f64>) {
        let widened = |values: &[f32]| values.iter().map(|&x| f64::from(x)).collect();
        (widened(&self.minima), widened(&self.maxima))
    }

    /// The labeled rows, raw, in an order that depends on nothing but themselves.
    pub(super) fn sorted_positives(&self) -> Vec<f64> {
        let mut rows: Vec<&[f32]> = self.labeled.chunks_exact(self.plan.names().len()).collect();
        rows.par_sort_unstable_by(|a, b| {
            let by_cell = a.iter().zip(*b).map(|(a, b)| a.total_cmp(b));
            by_cell.into_iter().find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
        });
        rows.into_iter().flatten().map(|&x| f64::from(x)).collect()
    }

    /// The bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        file::to_bytes(&file::PART, self)
    }

    /// From the bytes of a file, which messages call `name`.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Self, BulkError> {
        file::from_bytes(&file::PART, name, bytes, Self::is_sound)
    }

    fn is_sound(&self) -> bool {
        let features = self.plan.names().len();
        self.plan.is_sound()
            && self.gram_u.is_sound()
            && self.gram_u.width == self.plan.landmarks.len() + 1
            && self.unlabeled <= MOST_ROWS
            && self.labeled.len().is_multiple_of(features)
            && self.labeled.iter().all(|x| x.is_finite())
            && (self.minima.len(), self.maxima.len()) == (features, features)
            && !(self.minima.iter().chain(&self.maxima)).any(|x| x.is_nan())
    }
}

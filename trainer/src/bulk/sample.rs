//! A sample of a stream of rows of any length: the same rows for the same seed, read once.
//!
//! Every row gets a random number, and those with the smallest are kept, labeled and unlabeled rows apart. The sample then has as many
//! labeled rows as their share of all rows says, but at least `ENOUGH` of either group if it has that many: of a million rows with a
//! thousand labels, all thousand are worth having. Such a sample represents each group, not all rows.

use crate::base::random::Random;
use crate::data::dataset::Dataset;
use crate::data::groups::Groups;
use crate::data::table::{Block, Table};

/// Labeled rows that a sample has at least, if there are that many; unlabeled rows likewise.
const ENOUGH: usize = 1000;
/// Keeps these draws apart from others of the same seed.
const STREAM: u64 = 6 << 40;

/// Draws the sample.
pub struct Sampler {
    limit: usize,
    random: Random,
    labeled: SmallestKeys,
    unlabeled: SmallestKeys,
    /// The names of all groups; which rows they have is not kept.
    groups: Groups,
}

/// The rows with the smallest keys so far.
#[derive(Default)]
struct SmallestKeys {
    seen: usize,
    rows: Vec<KeptRow>,
    /// Rows with larger keys are not among the smallest.
    bound: Option<f64>,
}

struct KeptRow {
    key: f64,
    /// Among all rows.
    place: usize,
    features: Vec<f64>,
    normal: bool,
    /// Its place among the names of the groups.
    group: Option<u32>,
}

/// A sample, in the order of all rows.
#[derive(Debug, Clone, PartialEq)]
pub struct RowSample {
    /// The features, row after row.
    pub rows: Vec<f64>,
    /// Which rows are labeled positive.
    pub labeled: Vec<bool>,
    /// Which rows are known to be normal, if any is.
    pub normal: Option<Vec<bool>>,
    /// Which rows belong together, if anything says so.
    pub groups: Option<Groups>,
    /// Labeled and unlabeled rows that it was drawn from.
    pub drawn_from: (usize, usize),
    /// Whether labeled rows are as frequent as among all rows.
    pub is_fair: bool,
}

impl Sampler {
    /// Of at most `limit` rows, at least two.
    pub fn new(limit: usize, seed: u64) -> Self {
        Self {
            limit: limit.max(2),
            random: Random::new(seed, STREAM),
            labeled: SmallestKeys::default(),
            unlabeled: SmallestKeys::default(),
            groups: Groups::default(),
        }
    }

    /// Offers the rows of a file's next block, with this number of features.
    #[doc(hidden)]
    pub fn push_block(&mut self, block: &Block, features: usize) {
        let ids = block.groups.as_ref().map(|groups| groups.names().iter().map(|name| self.groups.id(name)).collect());
        let ids: Vec<u32> = ids.unwrap_or_default();
        for (at, (row, &labeled)) in block.rows.chunks_exact(features).zip(&block.labeled).enumerate() {
            let normal = block.normal.as_ref().is_some_and(|normal| normal[at]);
            let group = block.groups.as_ref().map(|groups| ids[groups.of_row()[at] as usize]);
            self.push(row, labeled, normal, group);
        }
    }

    /// Offers the next row.
    pub(crate) fn push(&mut self, row: &[f64], labeled: bool, normal: bool, group: Option<u32>) {
        let key = self.random.uniform();
        let place = self.labeled.seen + self.unlabeled.seen;
        let kept = if labeled { &mut self.labeled } else { &mut self.unlabeled };
        kept.push(self.limit, key, || KeptRow { key, place, features: row.to_vec(), normal, group });
    }

    /// The sample.
    pub fn finish(self) -> RowSample {
        let (n_p, n_u) = (self.labeled.seen, self.unlabeled.seen);
        let limit = self.limit.min(n_p + n_u);
        let fair = (limit as u128 * n_p as u128 / (n_p + n_u).max(1) as u128) as usize;
        let enough = |group: usize| ENOUGH.min(limit / 2).min(group);
        let labeled = fair.clamp(enough(n_p), limit - enough(n_u));
        let unlabeled = limit - labeled;
        let mut drawn = self.labeled.smallest(labeled);
        let first_unlabeled = drawn.len();
        drawn.extend(self.unlabeled.smallest(unlabeled));
        let mut order: Vec<usize> = (0..drawn.len()).collect();
        order.sort_unstable_by_key(|&at| drawn[at].place);
        let normal: Vec<bool> = order.iter().map(|&at| drawn[at].normal).collect();
        let groups = order.iter().filter_map(|&at| drawn[at].group).map(|id| &self.groups.names()[id as usize]);
        RowSample {
            rows: order.iter().flat_map(|&at| &drawn[at].features).copied().collect(),
            labeled: order.iter().map(|&at| at < first_unlabeled).collect(),
            normal: normal.contains(&true).then_some(normal),
            groups: (self.groups.len() > 0).then(|| Groups::of_rows(groups)),
            drawn_from: (n_p, n_u),
            is_fair: labeled == fair,
        }
    }
}

impl SmallestKeys {
    fn push(&mut self, limit: usize, key: f64, row: impl FnOnce() -> KeptRow) {
        self.seen += 1;
        if self.bound.is_some_and(|bound| key > bound) {
            return;
        }
        self.rows.push(row());
        if self.rows.len() >= 2 * limit {
            self.cut(limit);
            self.bound = self.rows.iter().map(|row| row.key).reduce(f64::max);
        }
    }

    fn cut(&mut self, count: usize) {
        if self.rows.len() > count {
            (self.rows).select_nth_unstable_by(count, |a, b| a.key.total_cmp(&b.key).then(a.place.cmp(&b.place)));
            self.rows.truncate(count);
        }
    }

    fn smallest(mut self, count: usize) -> Vec<KeptRow> {
        self.cut(count);
        self.rows
    }
}

impl RowSample {
    /// A sample of at most `limit` rows of `data`.
    #[doc(hidden)]
    pub fn of(data: &Dataset, limit: usize, seed: u64) -> Self {
        let mut sampler = Sampler::new(limit, seed);
        if let Some(groups) = data.groups() {
            sampler.groups = Groups::of_rows(groups.names());
        }
        for (at, row) in data.rows().chunks_exact(data.features()).enumerate() {
            let normal = data.normal().is_some_and(|normal| normal[at]);
            sampler.push(row, data.labeled()[at], normal, data.groups().map(|groups| groups.of_row()[at]));
        }
        sampler.finish()
    }

    /// As a table, with the features' names.
    #[doc(hidden)]
    pub fn into_table(self, names: Vec<String>) -> Table {
        let Self { rows, labeled, normal, groups, .. } = self;
        Table { names, rows, labeled: Some(labeled), normal, truth: None, groups }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Row i is (i,); one in `every` is labeled.
    fn draw(count: usize, every: usize, limit: usize, seed: u64) -> RowSample {
        let mut sampler = Sampler::new(limit, seed);
        for i in 0..count {
            sampler.push(&[i as f64], i % every == 0, false, None);
        }
        sampler.finish()
    }

    #[test]
    fn few_rows_are_all_taken_in_their_order() {
        let sample = draw(50, 5, 100, 1);
        assert_eq!(sample.rows, (0..50).map(f64::from).collect::<Vec<_>>());
        assert_eq!(sample.labeled.iter().filter(|&&l| l).count(), 10);
        assert!(sample.is_fair);
    }

    #[test]
    fn a_sample_is_fair_where_labels_are_many_and_favours_them_where_they_are_few() {
        let fair = draw(100_000, 4, 8000, 1);
        assert_eq!(fair.labeled.len(), 8000);
        assert_eq!(fair.labeled.iter().filter(|&&l| l).count(), 2000);
        assert!(fair.is_fair);
        assert_eq!(fair.drawn_from, (25_000, 75_000));
        let mean = fair.rows.iter().sum::<f64>() / 8000.0;
        // The mean of a fair draw of 8000 has a standard error of 323.
        assert!((mean - 50_000.0).abs() < 1300.0, "{mean}");

        let few = draw(100_000, 200, 8000, 1);
        assert_eq!(few.labeled.iter().filter(|&&l| l).count(), 500);
        assert_eq!(few.labeled.len(), 8000);
        assert!(!few.is_fair);
    }

    /// Each row knows its group and whether it is normal: by its number.
    #[test]
    fn groups_and_normal_rows_are_drawn_with_their_rows() {
        let names: Vec<String> = (0..9000).map(|i| format!("machine {}", i / 30)).collect();
        let labeled: Vec<bool> = (0..9000).map(|i| i % 3 == 0).collect();
        let normal: Vec<bool> = (0..9000).map(|i| i % 3 == 1 && i % 10 == 0).collect();
        let data = Dataset::new(Table {
            names: vec!["x".to_owned()],
            rows: (0..9000).map(f64::from).collect(),
            labeled: Some(labeled),
            normal: Some(normal.clone()),
            groups: Some(Groups::of_rows(&names)),
            truth: None,
        });
        let data = data.unwrap();
        let sample = RowSample::of(&data, 500, 7);
        assert_eq!((&sample.rows, &sample.labeled), (&draw(9000, 3, 500, 7).rows, &draw(9000, 3, 500, 7).labeled));
        let drawn: Vec<usize> = sample.rows.iter().map(|&row| row as usize).collect();
        assert_eq!(sample.groups, Some(Groups::of_rows(drawn.iter().map(|&row| &names[row]))));
        assert_eq!(sample.normal, Some(drawn.iter().map(|&row| normal[row]).collect()));
        // Read in blocks, whose groups have their own numbers, it is the same sample.
        let mut sampler = Sampler::new(500, 7);
        for first in (0..9000).step_by(700) {
            let part = first..(first + 700).min(9000);
            let block = Block {
                rows: data.rows()[part.clone()].to_vec(),
                labeled: data.labeled()[part.clone()].to_vec(),
                normal: Some(normal[part.clone()].to_vec()),
                truth: Vec::new(),
                groups: Some(Groups::of_rows(&names[part])),
            };
            sampler.push_block(&block, 1);
        }
        assert_eq!(sampler.finish(), sample);
        let table = sample.clone().into_table(vec!["x".to_owned()]);
        assert_eq!((table.groups, table.normal), (sample.groups, sample.normal));
    }

    #[test]
    fn the_seed_decides() {
        assert_eq!(draw(9000, 3, 500, 7), draw(9000, 3, 500, 7));
        assert_ne!(draw(9000, 3, 500, 7), draw(9000, 3, 500, 8));
        // Nearly all labeled: the unlabeled ones are all there.
        let mut sampler = Sampler::new(100, 0);
        (0..1000).for_each(|i| sampler.push(&[0.0], i >= 3, false, None));
        let sample = sampler.finish();
        assert_eq!(sample.labeled.iter().filter(|&&l| !l).count(), 3);
        assert_eq!(sample.labeled.len(), 100);
    }
}

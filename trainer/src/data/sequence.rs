//! Whether rows stand in the order of time, and how far apart two rows must be to say different things.
//!
//! A log's neighbouring rows are near copies. With D_k the mean squared difference of rows k apart, in ranks,
//!
//!   D_k  =  mean_i (r_i - r_{i+k})^2,          ratio  =  median over features of  D_1 / D_20
//!
//! is 1 where the order of rows means nothing, also in a file sorted by class, in which rows 20 apart are as alike as neighbours;
//! in a log it is small. And labels come in stretches: of n rows, n_p of them labeled in R runs, random order gives
//!
//!   E R  =  n_p (n_u + 1) / n,          var R  =  n_p (n_p - 1) n_u (n_u + 1) / (n^2 (n - 1))           (Wald and Wolfowitz)
//!
//! Rows are taken to be in the order of time when the ratio is below 0.7 *and* five of its standard errors below 1 (sqrt(2/n),
//! by simulation of shuffled rows), *and* R is three standard errors below its mean. Shuffled rows pass the last test alone in about
//! one of a thousand cases, so all three less often than that; a test shuffles 2,000 data sets.
//!
//! The correlation length is the first lag k at which 1 - D_k / D_random < 1/5, the median over features.

use crate::base::statistics::median;

/// Lag at which rows of a log have drifted apart, and rows in an order without meaning have not.
const FAR: usize = 20;
/// Neighbours this much more alike than rows further apart.
const RATIO: f64 = 0.7;
const RATIO_ERRORS: f64 = 5.0;
const RUN_ERRORS: f64 = 3.0;
/// Below this correlation rows are taken to say different things.
const LITTLE_CORRELATION: f64 = 0.2;
/// Of more rows, every second, third, ... feature value is left out of the correlation's sums.
const ROWS_MEASURED: usize = 20_000;

/// Rows of one recording or of several, one after the other.
#[derive(Clone, Copy)]
pub(crate) struct Ordered<'a> {
    /// Row-major.
    pub rows: &'a [f64],
    pub features: usize,
    /// The recording of each row; differences are never taken across recordings.
    pub group_of: Option<&'a [u32]>,
}

impl Ordered<'_> {
    fn len(&self) -> usize {
        self.rows.len() / self.features
    }

    /// Ranks of one feature, in [0, 1], ties sharing theirs.
    fn ranks(&self, feature: usize) -> Vec<f32> {
        let n = self.len();
        let value = |row: usize| self.rows[row * self.features + feature];
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_unstable_by(|&a, &b| value(a).total_cmp(&value(b)));
        let mut ranks = vec![0.0; n];
        let mut start = 0;
        while start < n {
            let tied = order[start..].iter().take_while(|&&row| value(row) == value(order[start])).count();
            let rank = (start as f64 + 0.5 * (tied - 1) as f64) / n as f64;
            order[start..start + tied].iter().for_each(|&row| ranks[row] = rank as f32);
            start += tied;
        }
        ranks
    }

    /// D_k of ranks; none if no two rows of a recording are that far apart.
    fn difference(&self, ranks: &[f32], lag: usize) -> Option<f64> {
        let step = (self.len() / ROWS_MEASURED).max(1);
        let (mut sum, mut count) = (0.0, 0usize);
        for row in (0..self.len().saturating_sub(lag)).step_by(step) {
            if self.group_of.is_none_or(|group| group[row] == group[row + lag]) {
                let apart = f64::from(ranks[row] - ranks[row + lag]);
                sum += apart * apart;
                count += 1;
            }
        }
        (count > 0).then(|| sum / count as f64)
    }

    /// D_1 / D_20, the median over features; none where rows are too few or all the same.
    pub(crate) fn ratio(&self) -> Option<f64> {
        let of_feature = |feature: usize| {
            let ranks = self.ranks(feature);
            let far = self.difference(&ranks, FAR).filter(|&far| far > 0.0)?;
            Some(self.difference(&ranks, 1)? / far)
        };
        median(&mut (0..self.features).filter_map(of_feature).collect::<Vec<_>>())
    }

    /// Rows after which the features have mostly forgotten where they were: at least 1, at most a tenth of the rows.
    pub(crate) fn correlation_length(&self) -> usize {
        let most = (self.len() / 10).max(1);
        let of_feature = |feature: usize| {
            let ranks = self.ranks(feature);
            let mean = ranks.iter().map(|&r| f64::from(r)).sum::<f64>() / ranks.len() as f64;
            let random = 2.0 * ranks.iter().map(|&r| (f64::from(r) - mean).powi(2)).sum::<f64>() / ranks.len() as f64;
            // Lags grow by a tenth: the length need not be exact.
            let lags =
                std::iter::successors(Some(1usize), |lag| Some(lag + 1 + lag / 10)).take_while(|lag| *lag < most);
            let is_little =
                |lag: &usize| self.difference(&ranks, *lag).is_none_or(|d| 1.0 - d / random < LITTLE_CORRELATION);
            (random > 0.0).then(|| lags.into_iter().find(is_little).unwrap_or(most) as f64)
        };
        let mut lengths: Vec<f64> = (0..self.features).filter_map(of_feature).collect();
        median(&mut lengths).map_or(1, |length| length as usize).max(1)
    }

    /// Whether rows and their labels stand in the order of time.
    pub(crate) fn is_in_time_order(&self, labeled: &[bool]) -> bool {
        let n = self.len() as f64;
        if self.len() < 3 * FAR || !labels_come_in_runs(labeled) {
            return false;
        }
        let error = (2.0 / n).sqrt();
        self.ratio().is_some_and(|ratio| ratio < RATIO && ratio < 1.0 - RATIO_ERRORS * error)
    }
}

/// Whether labeled rows form fewer runs than random order would give.
fn labels_come_in_runs(labeled: &[bool]) -> bool {
    let n = labeled.len() as f64;
    let n_p = labeled.iter().filter(|&&labeled| labeled).count() as f64;
    let n_u = n - n_p;
    let runs = runs(labeled).count() as f64;
    let mean = n_p * (n_u + 1.0) / n;
    let variance = n_p * (n_p - 1.0) * n_u * (n_u + 1.0) / (n * n * (n - 1.0));
    variance > 0.0 && mean - runs > RUN_ERRORS * variance.sqrt()
}

/// The stretches of labeled rows.
pub(crate) fn runs(labeled: &[bool]) -> impl Iterator<Item = std::ops::Range<usize>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let start = from + labeled[from..].iter().position(|&labeled| labeled)?;
        let length = labeled[start..].iter().take_while(|&&labeled| labeled).count();
        from = start + length;
        Some(start..from)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    /// Autoregressive rows with stretches labeled.
    fn log(seed: u64, n: usize, features: usize, memory: f64) -> (Vec<f64>, Vec<bool>) {
        let random = &mut Random::new(seed, 0);
        let mut state = vec![0.0; features];
        let mut rows = Vec::new();
        for _ in 0..n {
            for x in &mut state {
                *x = memory * *x + (1.0 - memory * memory).sqrt() * random.normal();
            }
            rows.extend_from_slice(&state);
        }
        let labeled = (0..n).map(|row| row % (n / 3) < n / 20).collect();
        (rows, labeled)
    }

    fn ordered(rows: &[f64], features: usize) -> Ordered<'_> {
        Ordered { rows, features, group_of: None }
    }

    #[test]
    fn a_log_is_noticed_and_shuffled_rows_never() {
        for seed in 0..20 {
            let (rows, labeled) = log(seed, 600, 3, 0.9);
            assert!(ordered(&rows, 3).is_in_time_order(&labeled), "{seed}");
        }
        let mut noticed = 0;
        for seed in 0..2000 {
            let n = 200;
            let features = 1 + (seed % 3) as usize;
            let random = &mut Random::new(seed, 1);
            let rows: Vec<f64> = (0..n * features).map(|_| random.normal()).collect();
            let labeled: Vec<bool> = (0..n).map(|_| random.uniform() < 0.2).collect();
            noticed += usize::from(ordered(&rows, features).is_in_time_order(&labeled));
        }
        assert_eq!(noticed, 0);
    }

    #[test]
    fn a_file_sorted_by_class_is_not_a_log() {
        let random = &mut Random::new(3, 0);
        let rows: Vec<f64> = (0..1000).map(|row| if row < 500 { 2.0 } else { 0.0 } + random.normal()).collect();
        let labeled: Vec<bool> = (0..1000).map(|row| row < 400).collect();
        assert!(labels_come_in_runs(&labeled));
        assert!(!ordered(&rows, 1).is_in_time_order(&labeled));
    }

    #[test]
    fn independent_rows_labeled_in_stretches_and_a_log_labeled_at_random_are_left_alone() {
        let (rows, labeled) = log(5, 600, 2, 0.0);
        assert!(!ordered(&rows, 2).is_in_time_order(&labeled));
        let (rows, _) = log(6, 600, 2, 0.9);
        let random = &mut Random::new(7, 0);
        let at_random: Vec<bool> = (0..600).map(|_| random.uniform() < 0.2).collect();
        assert!(!ordered(&rows, 2).is_in_time_order(&at_random));
        assert!(!ordered(&rows[..40], 2).is_in_time_order(&[true; 20]));
    }

    #[test]
    fn the_correlation_length_follows_the_memory() {
        // 0.9^15 = 0.2.
        let (rows, _) = log(8, 4000, 2, 0.9);
        let length = ordered(&rows, 2).correlation_length();
        assert!((9..25).contains(&length), "{length}");
        let (rows, _) = log(9, 1000, 2, 0.0);
        assert_eq!(ordered(&rows, 2).correlation_length(), 1);
    }

    #[test]
    fn runs_are_found_at_both_ends() {
        let labeled = [true, true, false, true, false, false, true];
        assert_eq!(runs(&labeled).collect::<Vec<_>>(), [0..2, 3..4, 6..7]);
        assert_eq!(runs(&[false; 3]).count(), 0);
    }
}

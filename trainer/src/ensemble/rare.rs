//! Rare positives: probabilities and a cut from ranks.
//!
//! Where positives are rare, more negatives than positives have scores in the tail, and the two Gaussians of `mixture` take that tail
//! for positives. Ranks know no tails. With q(s) the share of unlabeled rows that score above s,
//!
//!   z(s) = Phi^-1(1 - q(s)),    z ~ N(0, 1) for unlabeled rows by construction,    z ~ N(m, v) for labeled rows left out,
//!
//! the binormal model of ROC curves. Ten rows' worth of v = 1 keep v sensible where few rows are labeled. Then
//!
//! | | |
//! |---|---|
//! | recall at a cut t | r(t) = Phi((m - t) / sqrt(v)) |
//! | share of unlabeled rows called | u(t), counted |
//! | their share of positives | pi = u/r, plus one standard error of u, at the cut with the largest PUF = r^2/u, where precision is high |
//! | the cut | the t with the largest F1 = 2 r pi / (u + pi) |
//! | probability | logit P = logit pi + m z - m^2/2, two Gaussians of variance 1 |
//!
//! and with one training set, u and pi count the labeled rows too: u = (called + n_p r)/n, pi = (pi n_u + n_p)/n.
//!
//! All this has the weight w, the mixtures have 1 - w:  w = 1 for pi <= 5 %, 0 for pi >= 10 %, linear in ln pi between. With larger shares
//! the shape of the scores tells the classes apart better than ranks do. (Mean F1 of the cut alone, by ranks and by mixtures: 62 and 45 at
//! 1 % and 3 % of three data sets; 79 and 82 on Table 4, where the share is 15 % or more.)

use super::maps::{mid_rank, normal_quantile};
use super::mixture::{logistic, logit};
use crate::base::scenario::Scenario;

/// Shares between which ranks give way to mixtures.
const RARE: f64 = 0.05;
const COMMON: f64 = 0.10;
/// Prior of v: this many rows with a variance of 1.
const VARIANCE_ROWS: f64 = 10.0;

/// Scores as ranks among the unlabeled rows.
#[derive(Debug, Clone)]
pub(super) struct Ranks {
    /// The unlabeled rows' left-out scores, ascending.
    unlabeled: Vec<f64>,
    /// n_p.
    labeled: usize,
    /// m.
    mean: f64,
    /// sqrt(v).
    deviation: f64,
    /// pi among unlabeled rows.
    pub share: f64,
}

impl Ranks {
    /// Fits to left-out scores.
    pub(super) fn fit(labeled: &[f64], mut unlabeled: Vec<f64>) -> Self {
        unlabeled.sort_unstable_by(f64::total_cmp);
        let mut ranks = Self { unlabeled, labeled: labeled.len(), mean: 0.0, deviation: 1.0, share: 0.5 };
        let z: Vec<f64> = labeled.iter().map(|&score| ranks.z(score)).collect();
        let n_p = labeled.len() as f64;
        // Labeled rows that rank below the unlabeled ones say nothing.
        ranks.mean = (z.iter().sum::<f64>() / n_p.max(1.0)).max(0.0);
        let squares: f64 = z.iter().map(|z| (z - ranks.mean) * (z - ranks.mean)).sum();
        ranks.deviation = ((squares + VARIANCE_ROWS) / (n_p - 1.0 + VARIANCE_ROWS)).sqrt();
        ranks.share = ranks.share_at_largest_puf();
        ranks
    }

    fn z(&self, score: f64) -> f64 {
        let n = self.unlabeled.len() as f64;
        normal_quantile((mid_rank(&self.unlabeled, score) / n).clamp(0.5 / n, 1.0 - 0.5 / n))
    }

    /// P(y = 1 | score).
    pub(super) fn posterior(&self, score: f64) -> f64 {
        logistic(logit(self.share) + self.mean * (self.z(score) - 0.5 * self.mean))
    }

    /// w.
    pub(super) fn weight(&self) -> f64 {
        (libm::log(COMMON / self.share) / libm::log(COMMON / RARE)).clamp(0.0, 1.0)
    }

    /// For each number of unlabeled rows called, that number and recall. Rows that score the same are called together.
    fn cuts(&self) -> impl Iterator<Item = (f64, f64)> {
        let n = self.unlabeled.len();
        let parts = move |&called: &usize| self.unlabeled[n - called - 1] < self.unlabeled[n - called];
        let recall = move |called: usize| {
            let z = normal_quantile(1.0 - called as f64 / n as f64);
            let below = (z - self.mean) / self.deviation;
            (called as f64, 0.5 * libm::erfc(below * std::f64::consts::FRAC_1_SQRT_2))
        };
        (1..n).filter(parts).map(recall)
    }

    fn share_at_largest_puf(&self) -> f64 {
        let n = self.unlabeled.len() as f64;
        let (mut most, mut share) = (0.0, 0.5);
        for (called, recall) in self.cuts() {
            let rate = called / n + ((called + 1.0) / (n + 2.0) / n).sqrt();
            let puf = recall * recall / rate;
            if puf > most {
                (most, share) = (puf, rate / recall);
            }
        }
        share.clamp(0.5 / n, 1.0 - 0.5 / n)
    }

    /// How many unlabeled rows the cut of largest F1 calls.
    pub(super) fn called(&self, scenario: Scenario) -> usize {
        let (n_p, n_u) = (self.labeled as f64, self.unlabeled.len() as f64);
        let f1 = |(called, recall): (f64, f64)| match scenario {
            Scenario::CaseControl => 2.0 * recall * self.share / (called / n_u + self.share),
            Scenario::SingleTrainingSet => {
                let positives = n_p + self.share * n_u;
                2.0 * recall * positives / (called + n_p * recall + positives)
            }
        };
        let best = self.cuts().reduce(|best, other| if f1(other) > f1(best) { other } else { best });
        best.map_or(self.unlabeled.len(), |(called, _)| called as usize)
    }
}

/// The cut of unlabeled rows' posteriors between the mixtures' `cut` and the ranks', by the geometric mean of how many rows each calls.
/// None where all are called.
pub(super) fn between(mut posteriors: Vec<f64>, cut: Option<f64>, ranks: &Ranks, scenario: Scenario) -> Option<f64> {
    let weight = ranks.weight();
    if weight == 0.0 {
        return cut;
    }
    posteriors.sort_unstable_by(|a, b| b.total_cmp(a));
    let falling = posteriors;
    let by_mixtures = cut.map_or(falling.len(), |cut| falling.partition_point(|&p| p > cut));
    let logarithm = |called: usize| libm::log(called.max(1) as f64);
    let called = (1.0 - weight) * logarithm(by_mixtures) + weight * logarithm(ranks.called(scenario));
    let called = libm::exp(called).round() as usize;
    Some(0.5 * (falling.get(called.checked_sub(1)?)? + falling.get(called)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    fn fit(scores: &[f64], labeled: usize) -> Ranks {
        Ranks::fit(&scores[..labeled], scores[labeled..].to_vec())
    }

    /// Scores with a heavy tail of negatives: e^normal, the labeled rows first. `positives` of the unlabeled rows are positive too.
    fn scores(seed: u64, labeled: usize, positives: usize, negatives: usize, lead: f64) -> Vec<f64> {
        let random = &mut Random::new(seed, 0);
        let mut score = |mean: f64| libm::exp(mean + random.normal());
        let mut scores: Vec<f64> = (0..labeled + positives).map(|_| score(lead)).collect();
        scores.extend((0..negatives).map(|_| score(0.0)));
        scores
    }

    #[test]
    fn a_rare_share_is_found_in_spite_of_the_negatives_tail() {
        for (labeled, positives, negatives) in [(30, 30, 2000), (10, 10, 2000), (60, 60, 20_000)] {
            let true_share = positives as f64 / (positives + negatives) as f64;
            let shares: Vec<f64> =
                (0..20).map(|seed| fit(&scores(seed, labeled, positives, negatives, 3.5), labeled).share).collect();
            let mean = shares.iter().sum::<f64>() / 20.0;
            // A share at the best cut is too large by what precision lacks there.
            assert!(mean > 0.8 * true_share && mean < 2.5 * true_share, "{labeled}: {mean} for {true_share}");
        }
    }

    #[test]
    fn about_as_many_rows_are_called_as_are_positive() {
        for scenario in [Scenario::SingleTrainingSet, Scenario::CaseControl] {
            let mut called = 0;
            for seed in 0..20 {
                called += fit(&scores(seed, 30, 30, 2000, 3.5), 30).called(scenario);
            }
            assert!((20 * 20..20 * 50).contains(&called), "{scenario:?}: {called}");
        }
    }

    #[test]
    fn ranks_count_where_positives_are_rare_and_not_where_they_are_common() {
        let weight = |positives, negatives| {
            let fitted = |seed| fit(&scores(seed, 50, positives, negatives, 3.5), 50).weight();
            (0..5).map(fitted).sum::<f64>() / 5.0
        };
        assert_eq!(weight(20, 2000), 1.0);
        assert_eq!(weight(600, 1400), 0.0);
        let between = weight(120, 1880);
        assert!(between > 0.1 && between < 0.9, "{between}");
    }

    #[test]
    fn posteriors_rise_with_the_score_and_add_up_to_the_share() {
        let scores = scores(3, 30, 30, 2000, 3.5);
        let ranks = fit(&scores, 30);
        let rising: Vec<f64> = (0..200).map(|i| ranks.posterior(f64::from(i) - 1.0)).collect();
        assert!(rising.is_sorted() && rising.iter().all(|p| (0.0..=1.0).contains(p)));
        let sum: f64 = scores[30..].iter().map(|&score| ranks.posterior(score)).sum();
        let share = sum / 2030.0;
        assert!((share / ranks.share - 1.0).abs() < 0.4, "{share} {}", ranks.share);
    }

    #[test]
    fn scores_that_say_nothing_are_survived() {
        for scores in [vec![1.0; 30], (0..30).map(f64::from).collect::<Vec<_>>()] {
            let ranks = fit(&scores, 5);
            assert!(ranks.share > 0.0 && ranks.share < 1.0 && ranks.posterior(1.0).is_finite());
            assert!(ranks.called(Scenario::default()) > 0);
            assert_eq!(ranks.weight(), 0.0, "no sign of rare positives");
        }
    }

    #[test]
    fn the_cut_lies_between_both_and_leaves_common_positives_alone() {
        let scores = scores(4, 30, 30, 2000, 3.5);
        let ranks = fit(&scores, 30);
        let posteriors: Vec<f64> = scores[30..].iter().map(|&score| ranks.posterior(score)).collect();
        let called = |cut: f64| posteriors.iter().filter(|&&p| p > cut).count();
        // All weight is on the ranks.
        let cut = between(posteriors.clone(), Some(0.001), &ranks, Scenario::default()).unwrap();
        assert_eq!(called(cut), ranks.called(Scenario::default()));
        let common = Ranks { share: 0.3, ..ranks.clone() };
        assert_eq!(between(posteriors.clone(), Some(0.25), &common, Scenario::default()), Some(0.25));
        assert_eq!(between(posteriors.clone(), None, &common, Scenario::default()), None);
        // Half of the weight on each.
        let some = Ranks { share: (RARE * COMMON).sqrt(), ..ranks };
        let by_ranks = some.called(Scenario::default());
        let cut = between(posteriors.clone(), None, &some, Scenario::default()).unwrap();
        let expected = (posteriors.len() as f64 * by_ranks as f64).sqrt();
        assert!((called(cut) as f64 - expected).abs() <= 1.0);
    }
}

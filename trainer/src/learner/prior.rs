//! The class prior pi = P(y = 1), estimated from labeled positives and unlabeled rows.
//!
//! Best bin estimation (Garg et al., 2021). A classifier of labeled against unlabeled rows orders all rows; above any
//! threshold c lies a share q_p(c) of the positives and q_u(c) of the unlabeled, and since the unlabeled are a mixture,
//!
//!   q_u(c) / q_p(c) = pi_u + (1 - pi_u) q_n(c) / q_p(c)  >=  pi_u.
//!
//! So each ratio bounds pi_u, the share of positives among the unlabeled, from above, and the best is the smallest that is no accident:
//!
//!   c* = argmin_c [ q_u(c) + (1 + g) (e_u + e_p) ] / q_p(c),   e = sqrt(ln(4/d) / (2 rows)),   estimate = q_u(c*) / q_p(c*),
//!
//! with the paper's g = 0.01 and d = 0.1. Scores are out-of-fold, from logistic regression on the features.
//! In the single-training-set scenario pi = (n_p + pi_u n_u) / n; in the case-control scenario pi = pi_u.
//!
//! Assumptions: labels fall on positives at random, and somewhere among the best scores there are (almost) no negatives
//! (*irreducibility*). Where even the top mixes both classes the estimate is too large, and no method could tell.
//!
//! Rows that belong together (recordings, blocks of time) are held out together, and redrawn together.
//!
//! The interval is the bootstrap's: rows are redrawn within each group and keep their scores. It shows the variation between samples,
//! not a failure of the assumptions.

use rayon::prelude::*;

use crate::base::random::Random;
use crate::base::scenario::Scenario;
use crate::geometry::features::Features;
use crate::learner::{FitError, sigmoid, softplus};
use crate::solver::Stopping;
use crate::solver::newton::{self, RowLoss};

/// d: chance that a bin is believed to be better than it is.
const CHANCE: f64 = 0.1;
/// g.
const MARGIN: f64 = 0.01;
/// Folds of the classifier.
const FOLDS: usize = 5;
/// Ridge of the classifier, whose loss is a mean over rows.
const RIDGE: f64 = 1e-3;
/// Estimates stay this far from 0 and 1, where no risk is defined.
const EDGE: f64 = 1e-3;
/// Streams of the seed.
const STREAM_OF_FOLDS: u64 = 0x70_0000;
const STREAM_OF_RESAMPLES: u64 = 0x71_0000;

/// An estimated class prior.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prior {
    /// pi, inside (0, 1).
    pub estimate: f64,
    /// Ends of the interval.
    pub interval: (f64, f64),
    /// The share of such intervals that hold the truth, if the assumptions do.
    pub confidence: f64,
}

/// How a prior is estimated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PriorSettings {
    /// What the training rows are a sample of.
    pub scenario: Scenario,
    /// Confidence of the interval, in (0, 1).
    pub confidence: f64,
    /// Bootstrap samples.
    pub resamples: usize,
    /// Seed of the folds and of the bootstrap.
    pub seed: u64,
}

impl PriorSettings {
    /// A 95 % interval from 400 bootstrap samples.
    pub(crate) fn new(scenario: Scenario, seed: u64) -> Self {
        Self { scenario, confidence: 0.95, resamples: 400, seed }
    }
}

/// Estimates the class prior of the population.
///
/// `units` says which rows belong together, where they are not independent.
pub(crate) fn estimate(
    features: &Features,
    settings: &PriorSettings,
    units: Option<&[u32]>,
) -> Result<Prior, FitError> {
    let refuse = |name, value, expected| Err(FitError::Setting { name, value, expected });
    let (n_p, n_u) = (features.positives(), features.psi().nrows() - features.positives());
    if n_p < 2 || n_u < 2 {
        return refuse("rows of each group", n_p.min(n_u) as f64, "at least 2");
    }
    if !(settings.confidence > 0.0 && settings.confidence < 1.0) {
        return refuse("confidence", settings.confidence, "between 0 and 1, both excluded");
    }
    let units = units.filter(|units| distinct(&units[..n_p]) >= 2);
    let scores = out_of_fold_scores(features, settings.seed, units);
    let ranked = Ranking::new(&scores, n_p);
    let of_population = |of_unlabeled: f64| {
        let prior = match settings.scenario {
            Scenario::CaseControl => of_unlabeled,
            Scenario::SingleTrainingSet => (n_p as f64 + of_unlabeled * n_u as f64) / (n_p + n_u) as f64,
        };
        prior.clamp(EDGE, 1.0 - EDGE)
    };
    let estimate = of_population(ranked.best_bin(&vec![1; scores.len()]));
    let mut resampled: Vec<f64> = (0..settings.resamples as u64)
        .into_par_iter()
        .map(|sample| {
            let random = &mut Random::new(settings.seed, STREAM_OF_RESAMPLES + sample);
            let times = match units {
                None => ranked.resample(random),
                Some(units) => resample_units(units, n_p, random),
            };
            of_population(ranked.best_bin(&times))
        })
        .collect();
    resampled.sort_by(f64::total_cmp);
    let tail = 0.5 * (1.0 - settings.confidence);
    let quantile = |q: f64| {
        let at = (q * resampled.len() as f64) as usize;
        resampled.get(at.min(resampled.len().saturating_sub(1)))
    };
    let end = |q: f64| *quantile(q).unwrap_or(&estimate);
    Ok(Prior {
        estimate,
        interval: (end(tail).min(estimate), end(1.0 - tail).max(estimate)),
        confidence: settings.confidence,
    })
}

/// Each row's score by a logistic regression, labeled against unlabeled, that has not seen it. Both groups weigh the same.
fn out_of_fold_scores(features: &Features, seed: u64, units: Option<&[u32]>) -> Vec<f64> {
    let (n, n_p) = (features.psi().nrows(), features.positives());
    let most = units.map_or(n_p, |units| distinct(&units[..n_p]));
    let folds = FOLDS.min(most).min(n - n_p);
    let random = &mut Random::new(seed, STREAM_OF_FOLDS);
    let mut fold_of: Vec<usize> = (0..n_p).chain(0..n - n_p).map(|i| i % folds).collect();
    let (labeled, unlabeled) = fold_of.split_at_mut(n_p);
    random.shuffle(labeled);
    random.shuffle(unlabeled);
    if let Some(units) = units {
        fold_of = folds_of_units(units, folds, random);
    }
    let mut ridge = vec![RIDGE; features.rank() + 1];
    ridge[features.rank()] = 0.0;
    let stopping = Stopping { tolerance: 1e-8, max_iterations: 50 };
    let fits: Vec<Vec<f64>> = (0..folds)
        .into_par_iter()
        .map(|fold| {
            let trained = |rows: &[usize]| rows.iter().filter(|&&of| of != fold).count() as f64;
            let weights = [trained(&fold_of[..n_p]), trained(&fold_of[n_p..])].map(|rows| 0.5 / rows);
            // A row held out weighs nothing.
            let loss = |row: usize, f: f64| {
                let (sign, weight) = if row < n_p { (-1.0, weights[0]) } else { (1.0, weights[1]) };
                let weight = if fold_of[row] == fold { 0.0 } else { weight };
                let s = sigmoid(sign * f);
                RowLoss {
                    value: weight * softplus(sign * f),
                    slope: weight * sign * s,
                    curvature: weight * s * (1.0 - s),
                }
            };
            newton::minimise(features.psi(), &ridge, loss, vec![0.0; ridge.len()], stopping).f
        })
        .collect();
    (0..n).map(|row| fits[fold_of[row]][row]).collect()
}

/// Number of different units.
fn distinct(units: &[u32]) -> usize {
    let mut units = units.to_vec();
    units.sort_unstable();
    units.dedup();
    units.len()
}

/// Units are assigned to folds in the order of their first rows, so that units with labeled rows are spread.
fn folds_of_units(units: &[u32], folds: usize, random: &mut Random) -> Vec<usize> {
    let mut turn_of = vec![None; units.iter().max().map_or(0, |&last| last as usize + 1)];
    let first = random.below(folds);
    let mut turn = first;
    let fold = |&unit: &u32| {
        *turn_of[unit as usize].get_or_insert_with(|| {
            turn += 1;
            turn % folds
        })
    };
    units.iter().map(fold).collect()
}

/// How often each row is drawn when whole units are resampled; drawn again until there are labeled and unlabeled rows.
fn resample_units(units: &[u32], positives: usize, random: &mut Random) -> Vec<u32> {
    let count = units.iter().max().map_or(0, |&last| last as usize + 1);
    loop {
        let mut times = vec![0; count];
        for _ in 0..count {
            times[random.below(count)] += 1;
        }
        let of_rows: Vec<u32> = units.iter().map(|&unit| times[unit as usize]).collect();
        let (labeled, unlabeled) = of_rows.split_at(positives);
        if labeled.iter().any(|&times| times > 0) && unlabeled.iter().any(|&times| times > 0) {
            return of_rows;
        }
    }
}

/// The rows from the highest score down.
struct Ranking {
    order: Vec<usize>,
    /// Whether the row at this place has the same score as the next one, so that no threshold lies between them.
    tied: Vec<bool>,
    positives: usize,
}

impl Ranking {
    fn new(scores: &[f64], positives: usize) -> Self {
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
        let pairs = order.windows(2);
        let mut tied: Vec<bool> = pairs.map(|pair| scores[pair[0]] == scores[pair[1]]).collect();
        tied.push(false);
        Self { order, tied, positives }
    }

    /// How often each row is drawn when each group is resampled.
    fn resample(&self, random: &mut Random) -> Vec<u32> {
        let mut times = vec![0; self.order.len()];
        let (labeled, unlabeled) = times.split_at_mut(self.positives);
        for group in [labeled, unlabeled] {
            for _ in 0..group.len() {
                group[random.below(group.len())] += 1;
            }
        }
        times
    }

    /// q_u(c*) / q_p(c*), at most 1, with row i counted `times[i]` times.
    fn best_bin(&self, times: &[u32]) -> f64 {
        let count = |times: &[u32]| f64::from(times.iter().sum::<u32>());
        let (n_p, n_u) = (count(&times[..self.positives]), count(&times[self.positives..]));
        let error = |rows: f64| (libm::log(4.0 / CHANCE) / (2.0 * rows)).sqrt();
        let caution = (1.0 + MARGIN) * (error(n_p) + error(n_u));
        let (mut above_p, mut above_u) = (0, 0);
        let (mut least, mut best) = (f64::INFINITY, 1.0);
        for (&row, &tied) in self.order.iter().zip(&self.tied) {
            *if row < self.positives { &mut above_p } else { &mut above_u } += times[row];
            if tied || above_p == 0 {
                continue;
            }
            let (q_p, q_u) = (f64::from(above_p) / n_p, f64::from(above_u) / n_u);
            let bound = (q_u + caution) / q_p;
            if bound < least {
                (least, best) = (bound, q_u / q_p);
            }
        }
        best.min(1.0)
    }
}

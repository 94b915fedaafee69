//! From scores to probabilities: two Gaussians of one variance, the labeled rows known to belong to the upper one.
//!
//!   p(s) = pi N(s; m_1, v) + (1 - pi) N(s; m_0, v) for unlabeled rows,   N(s; m_1, v) for labeled ones,   m_0 <= m_1.
//!
//! Maximised by EM from three starting shares. With one variance the posterior is a logistic function of the score,
//!
//!   P(y = 1 | s) = 1 / (1 + exp(-((m_1 - m_0)(s - (m_0 + m_1)/2)/v + ln(pi/(1 - pi))))),
//!
//! hence rising: scores keep their order. (With two variances it need not be, and that did badly.) Ten rows' worth of a variance
//! of (0.2 sd)^2 keep v from collapsing, four rows' worth of pi = 1/2 keep pi off 0 and 1.
//!
//! The cut is where the expected F1 over the population is largest. Calling the k rows with the largest P gives, with sums of P
//! in place of counts,  F1(k) = 2 sum_{i <= k} P_i / (k + sum_i P_i).

const STARTING_SHARES: [f64; 3] = [0.15, 0.35, 0.6];
const MOST_STEPS: usize = 200;
const TOLERANCE: f64 = 1e-4;
/// Prior of the variance: this many rows with this share of the scores' own variance.
const VARIANCE_ROWS: f64 = 10.0;
const VARIANCE_SHARE: f64 = 0.04;
/// Prior of pi: this many rows of each class.
const SHARE_ROWS: f64 = 2.0;
/// Beyond it e^x is 0 or 1 to all purposes.
const LARGEST_EXPONENT: f64 = 50.0;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Mixture {
    /// pi, the share of positives among unlabeled rows.
    pub share: f64,
    /// m_1.
    pub upper: f64,
    /// m_0.
    pub lower: f64,
    /// v.
    pub variance: f64,
}

impl Mixture {
    /// Fits to the scores of labeled and of unlabeled rows.
    pub(super) fn fit(labeled: &[f64], unlabeled: &[f64]) -> Self {
        let mut best: Option<(f64, Self)> = None;
        for start in STARTING_SHARES {
            let (likelihood, mixture) = climb(labeled, unlabeled, start);
            if best.as_ref().is_none_or(|(most, _)| likelihood > *most) {
                best = Some((likelihood, mixture));
            }
        }
        best.map_or(Self::NOTHING, |(_, mixture)| mixture)
    }

    /// One half for every score.
    const NOTHING: Self = Self { share: 0.5, upper: 0.0, lower: 0.0, variance: 1.0 };

    /// P(y = 1 | score).
    pub(super) fn posterior(&self, score: f64) -> f64 {
        let middle = 0.5 * (self.upper + self.lower);
        let slope = (self.upper - self.lower) / self.variance;
        logistic(slope * (score - middle) + logit(self.share))
    }
}

/// EM from one start; the log-likelihood (up to a constant) it reached.
fn climb(labeled: &[f64], unlabeled: &[f64], start: f64) -> (f64, Mixture) {
    let (n_p, n_u) = (labeled.len() as f64, unlabeled.len() as f64);
    let floor = VARIANCE_SHARE * variance(&[labeled, unlabeled].concat());
    let border = quantile(unlabeled, 1.0 - start);
    let mut w: Vec<f64> = unlabeled.iter().map(|&s| if s > border { 0.95 } else { 0.05 }).collect();
    let labeled_sum: f64 = labeled.iter().sum();
    let mut last = f64::NEG_INFINITY;
    let mut mixture = Mixture::NOTHING;
    for _ in 0..MOST_STEPS {
        let w_sum: f64 = w.iter().sum();
        let upper_weight = n_p + w_sum;
        let lower_weight = n_u - w_sum + 1e-9;
        let weighed =
            |weight: &dyn Fn(f64) -> f64| -> f64 { unlabeled.iter().zip(&w).map(|(s, &w)| weight(w) * s).sum() };
        let upper = (labeled_sum + weighed(&|w| w)) / upper_weight;
        let lower = (weighed(&|w| 1.0 - w) / lower_weight).min(upper);
        let square = |s: f64, mean: f64| (s - mean) * (s - mean);
        let labeled_squares: f64 = labeled.iter().map(|&s| square(s, upper)).sum();
        let squares: f64 =
            unlabeled.iter().zip(&w).map(|(&s, w)| w * square(s, upper) + (1.0 - w) * square(s, lower)).sum();
        let v = (labeled_squares + squares + VARIANCE_ROWS * floor) / (upper_weight + lower_weight + VARIANCE_ROWS);
        // Scores that are all the same: nothing to tell apart.
        let v = v.max(f64::MIN_POSITIVE.sqrt());
        let share = (w_sum + SHARE_ROWS) / (n_u + 2.0 * SHARE_ROWS);
        mixture = Mixture { share, upper, lower, variance: v };
        let mut likelihood = -0.5 * labeled_squares / v - 0.5 * (n_p + n_u) * libm::log(v);
        for (&s, w) in unlabeled.iter().zip(&mut w) {
            let one = -0.5 * square(s, upper) / v + libm::log(share);
            let zero = -0.5 * square(s, lower) / v + libm::log(1.0 - share);
            let (large, small) = (one.max(zero), one.min(zero));
            likelihood += large + libm::log1p(libm::exp(small - large));
            *w = logistic(one - zero);
        }
        if likelihood - last < TOLERANCE {
            last = likelihood;
            break;
        }
        last = likelihood;
    }
    (last, mixture)
}

/// Where the posteriors of a population are to be cut: halfway between the last one called and the first that is not. `None` where
/// calling every row is best.
pub(super) fn cut(posteriors: &[f64]) -> Option<f64> {
    let mut sorted = posteriors.to_vec();
    sorted.sort_unstable_by(|a, b| b.total_cmp(a));
    let all: f64 = sorted.iter().sum();
    let (mut found, mut best, mut last_called) = (0.0, f64::NEG_INFINITY, 0);
    for (at, posterior) in sorted.iter().enumerate() {
        found += posterior;
        let f1 = 2.0 * found / ((at + 1) as f64 + all);
        if f1 > best {
            (best, last_called) = (f1, at);
        }
    }
    let next = sorted.get(last_called + 1)?;
    Some(0.5 * (sorted[last_called] + next))
}

/// ln(p / (1 - p)).
pub(super) fn logit(p: f64) -> f64 {
    libm::log(p / (1.0 - p))
}

/// 1 / (1 + e^-x).
pub(super) fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-x.clamp(-LARGEST_EXPONENT, LARGEST_EXPONENT)))
}

fn variance(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n
}

/// The q-quantile, interpolated between neighbours.
fn quantile(values: &[f64], q: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else {
        return 0.0;
    };
    let place = q * last as f64;
    let below = place as usize;
    let above = (below + 1).min(last);
    sorted[below] + (place - below as f64) * (sorted[above] - sorted[below])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    fn scores(seed: u64, n_p: usize, n_u: usize, share: f64, gap: f64) -> (Vec<f64>, Vec<f64>) {
        let random = &mut Random::new(seed, 0);
        let labeled = (0..n_p).map(|_| gap + random.normal()).collect();
        let unlabeled = (0..n_u).map(|_| if random.uniform() < share { gap } else { 0.0 } + random.normal()).collect();
        (labeled, unlabeled)
    }

    #[test]
    fn known_gaussians_are_found() {
        for share in [0.2, 0.5, 0.75] {
            let (labeled, unlabeled) = scores(1, 500, 5000, share, 3.0);
            let mixture = Mixture::fit(&labeled, &unlabeled);
            assert!((mixture.share - share).abs() < 0.03, "{share}: {mixture:?}");
            assert!((mixture.upper - 3.0).abs() < 0.1 && mixture.lower.abs() < 0.1);
            assert!((mixture.variance - 1.0).abs() < 0.1);
            // At the middle of the means the posterior is the share itself.
            assert!((mixture.posterior(1.5) - share).abs() < 0.08);
        }
    }

    #[test]
    fn the_posterior_rises_and_stays_within_0_and_1() {
        let (labeled, unlabeled) = scores(2, 30, 100, 0.3, 2.0);
        let mixture = Mixture::fit(&labeled, &unlabeled);
        let posteriors: Vec<f64> = (-100..100).map(|s| mixture.posterior(f64::from(s))).collect();
        assert!(posteriors.is_sorted());
        assert!(posteriors.iter().all(|p| (0.0..=1.0).contains(p)));
    }

    #[test]
    fn scores_that_are_all_equal_are_survived() {
        let mixture = Mixture::fit(&[1.0; 5], &[1.0; 20]);
        assert!(mixture.posterior(1.0).is_finite());
    }

    #[test]
    fn the_cut_maximises_expected_f1() {
        // By hand: k = 2 gives 2 * 1.7 / (2 + 2.1) = 0.829; k = 1: 0.581; k = 3: 0.745.
        let cut_at = cut(&[0.1, 0.9, 0.3, 0.8]).unwrap();
        assert!((cut_at - 0.55).abs() < 1e-12);
        // All likely: call everything.
        assert_eq!(cut(&[0.9, 0.8, 0.95]), None);
        assert_eq!(cut(&[]), None);
        // An explicit search over all cuts of a longer list.
        let posteriors: Vec<f64> = (0..50).map(|i| 1.0 / (1.0 + f64::from(i) * 0.3)).collect();
        let expected = |border: f64| {
            let called = posteriors.iter().filter(|&&p| p >= border);
            let (count, found) = called.fold((0.0, 0.0), |(c, f), p| (c + 1.0, f + p));
            2.0 * found / (count + posteriors.iter().sum::<f64>())
        };
        let best = expected(cut(&posteriors).unwrap());
        assert!(posteriors.iter().all(|&p| expected(p) <= best + 1e-12));
    }
}

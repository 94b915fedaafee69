//! The teacher: experts whose scores are averaged into views, a mixture for each view, and the mean of their posteriors.
//!
//!   P(y = 1 | x)  =  sum_v weight_v  posterior_v( sum_e share_ve standard_e(score_e(x)) )
//!
//! An expert is a kernel machine or a forest; `standard` brings its scores to mean 0 and deviation 1 over the unlabeled rows and
//! clips them at 8. On training rows every score is a left-out or out-of-bag one, so the mixtures see what new rows will get.

use rayon::prelude::*;

use super::TrainingRows;
use super::basis::MappedBasis;
use super::forest::Forest;
use super::maps::{Maps, mid_rank};
use super::mixture::Mixture;
use super::rare::Ranks;
use super::ridge::RidgeFit;

/// Standardised scores are clipped here.
const CLIP: f64 = 8.0;

#[derive(Debug, Clone)]
pub(super) enum Voice {
    Kernel { basis: usize, weights: Vec<f64> },
    Forest(Forest),
}

/// A machine, and the number of its basis.
pub(super) type Member = (usize, RidgeFit);

/// clip((score - mean) * scale).
#[derive(Debug, Clone, Copy)]
pub(super) struct Standard {
    mean: f64,
    scale: f64,
    clip: f64,
}

impl Standard {
    /// From +-1 regression: as it is.
    pub(super) const KERNEL: Self = Self { mean: 0.0, scale: 1.0, clip: f64::INFINITY };
    /// From a probability to +-1.
    pub(super) const FOREST: Self = Self { mean: 0.5, scale: 2.0, clip: f64::INFINITY };

    /// Mean 0, deviation 1 over the unlabeled rows.
    fn over(unlabeled: &[f64]) -> Self {
        let n = unlabeled.len() as f64;
        let mean = unlabeled.iter().sum::<f64>() / n;
        let square = unlabeled.iter().map(|s| (s - mean) * (s - mean)).sum::<f64>() / n;
        Self { mean, scale: 1.0 / (square.sqrt() + 1e-9), clip: CLIP }
    }

    fn apply(self, scores: &[f64]) -> Vec<f64> {
        let standard = |s: &f64| ((s - self.mean) * self.scale).clamp(-self.clip, self.clip);
        scores.iter().map(standard).collect()
    }
}

#[derive(Debug, Clone)]
struct Expert {
    voice: Voice,
    standard: Standard,
}

#[derive(Debug, Clone)]
struct View {
    /// Expert and its share.
    parts: Vec<(usize, f64)>,
    mixture: Mixture,
    weight: f64,
}

#[derive(Debug, Clone)]
pub(super) struct Teacher {
    features: usize,
    pub maps: Maps,
    bases: Vec<MappedBasis>,
    experts: Vec<Expert>,
    views: Vec<View>,
    /// What ranks say, where positives are rare.
    pub ranks: Option<RankView>,
}

/// All views of the first round together, by ranks.
#[derive(Debug, Clone)]
pub(super) struct RankView {
    parts: Vec<(usize, f64)>,
    pub ranks: Ranks,
}

/// A teacher being built, with its experts' standardised scores of the training rows.
pub(super) struct Builder<'a> {
    pub rows: &'a TrainingRows<'a>,
    teacher: Teacher,
    scores: Vec<Vec<f64>>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(rows: &'a TrainingRows<'a>, maps: Maps, bases: Vec<MappedBasis>) -> Self {
        Self {
            rows,
            teacher: Teacher {
                features: rows.features,
                maps,
                bases,
                experts: Vec::new(),
                views: Vec::new(),
                ranks: None,
            },
            scores: Vec::new(),
        }
    }

    pub(super) fn bases(&self) -> &[MappedBasis] {
        &self.teacher.bases
    }

    /// Adds an expert by its left-out scores; its number. Without a `standard` its scores over the unlabeled rows set one.
    pub(super) fn add(&mut self, voice: Voice, raw: &[f64], standard: Option<Standard>) -> usize {
        let standard = standard.unwrap_or_else(|| Standard::over(&raw[self.rows.positives..]));
        self.scores.push(standard.apply(raw));
        self.teacher.experts.push(Expert { voice, standard });
        self.scores.len() - 1
    }

    pub(super) fn add_member(&mut self, (basis, fit): &Member, standard: Option<Standard>) -> usize {
        let voice = Voice::Kernel { basis: *basis, weights: fit.weights.clone() };
        self.add(voice, &fit.left_out, standard)
    }

    /// Adds a view; its scores of the training rows.
    pub(super) fn add_view(&mut self, parts: Vec<(usize, f64)>, weight: f64) -> Vec<f64> {
        let scores = combine(&parts, &self.scores, self.rows.len());
        let (labeled, unlabeled) = self.rows.labeled_and_unknown(&scores);
        self.teacher.views.push(View { parts, mixture: Mixture::fit(labeled, &unlabeled), weight });
        scores
    }

    /// The training rows' scores by a mean of experts.
    pub(super) fn scores_of(&self, parts: &[(usize, f64)]) -> Vec<f64> {
        combine(parts, &self.scores, self.rows.len())
    }

    /// The mean of left-out scores, each standardised as an expert's would be.
    pub(super) fn mean_standardised<'s>(&self, left_out: impl Iterator<Item = &'s [f64]>) -> Vec<f64> {
        let unlabeled = self.rows.positives..;
        let standardised: Vec<Vec<f64>> =
            left_out.map(|scores| Standard::over(&scores[unlabeled.clone()]).apply(scores)).collect();
        let parts = mean_of(&(0..standardised.len()).collect::<Vec<_>>(), 1.0);
        combine(&parts, &standardised, self.rows.len())
    }

    /// Adds what ranks say of the views so far, averaged with weights by the square of how precisely they find labeled rows. Its weight w.
    pub(super) fn add_ranks(&mut self) -> f64 {
        let (n, positives) = (self.rows.len(), self.rows.positives);
        let precision = |view: &View| average_precision(&combine(&view.parts, &self.scores, n), positives);
        let weights: Vec<f64> = self.teacher.views.iter().map(|view| precision(view).powi(2)).collect();
        let total: f64 = weights.iter().sum();
        let weighted = |(view, weight): (&View, f64)| -> Vec<(usize, f64)> {
            view.parts.iter().map(|&(expert, share)| (expert, share * weight / total)).collect()
        };
        let parts: Vec<(usize, f64)> = self.teacher.views.iter().zip(weights).flat_map(weighted).collect();
        let scores = combine(&parts, &self.scores, n);
        let (labeled, unlabeled) = self.rows.labeled_and_unknown(&scores);
        let ranks = Ranks::fit(labeled, unlabeled);
        let weight = ranks.weight();
        self.teacher.ranks = Some(RankView { parts, ranks });
        weight
    }

    /// Halves the weights of the views so far.
    pub(super) fn halve_views(&mut self) {
        self.teacher.views.iter_mut().for_each(|v| v.weight *= 0.5);
    }

    /// P(y = 1) of each training row, as if it had been left out.
    pub(super) fn posterior(&self) -> Vec<f64> {
        self.teacher.posterior_of(&self.scores, self.rows.len())
    }

    /// The teacher and its posterior of the training rows.
    pub(super) fn finish(mut self) -> (Teacher, Vec<f64>) {
        let posterior = self.posterior();
        self.teacher.bases.iter_mut().for_each(|mapped| mapped.basis.forget_rows());
        (self.teacher, posterior)
    }
}

/// Each of `experts` with the same share of `total`.
pub(super) fn mean_of(experts: &[usize], total: f64) -> Vec<(usize, f64)> {
    let share = total / experts.len() as f64;
    experts.iter().map(|&expert| (expert, share)).collect()
}

fn combine(parts: &[(usize, f64)], scores: &[Vec<f64>], count: usize) -> Vec<f64> {
    let mut sum = vec![0.0; count];
    for &(expert, share) in parts {
        for (sum, score) in sum.iter_mut().zip(&scores[expert]) {
            *sum += share * score;
        }
    }
    sum
}

impl Teacher {
    /// P(y = 1) of raw row-major rows.
    pub(super) fn posterior(&self, rows: &[f64]) -> Vec<f64> {
        let mut scores = vec![Vec::new(); self.experts.len()];
        for (at, expert) in self.experts.iter().enumerate() {
            if let Voice::Forest(forest) = &expert.voice {
                scores[at] = expert.standard.apply(&forest.scores(rows, self.features));
            }
        }
        let by_basis: Vec<Vec<(usize, Vec<f64>)>> =
            (0..self.bases.len()).into_par_iter().map(|basis| self.scores_of_basis(basis, rows)).collect();
        for (at, of_expert) in by_basis.into_iter().flatten() {
            scores[at] = of_expert;
        }
        self.posterior_of(&scores, rows.len() / self.features)
    }

    /// Standardised scores by the experts on one basis.
    fn scores_of_basis(&self, basis: usize, rows: &[f64]) -> Vec<(usize, Vec<f64>)> {
        let on_it = |(at, expert): (usize, &Expert)| match &expert.voice {
            Voice::Kernel { basis: on, weights } if *on == basis => Some((at, expert.standard, weights.clone())),
            _ => None,
        };
        let experts: Vec<_> = (self.experts.iter().enumerate()).filter_map(on_it).collect();
        if experts.is_empty() {
            return Vec::new();
        }
        let MappedBasis { map, basis } = &self.bases[basis];
        let weights: Vec<&[f64]> = experts.iter().map(|(_, _, w)| w.as_slice()).collect();
        let scores = basis.scores(&self.maps.apply(*map, rows), &weights);
        (experts.iter().zip(scores)).map(|((at, standard, _), scores)| (*at, standard.apply(&scores))).collect()
    }

    fn posterior_of(&self, scores: &[Vec<f64>], count: usize) -> Vec<f64> {
        let mut sum = vec![0.0; count];
        for view in &self.views {
            for (sum, score) in sum.iter_mut().zip(combine(&view.parts, scores, count)) {
                *sum += view.weight * view.mixture.posterior(score);
            }
        }
        if let Some(RankView { parts, ranks }) = &self.ranks
            && ranks.weight() > 0.0
        {
            let weight = ranks.weight();
            for (sum, score) in sum.iter_mut().zip(combine(parts, scores, count)) {
                *sum = (1.0 - weight) * *sum + weight * ranks.posterior(score);
            }
        }
        sum
    }
}

/// Mean over the labeled rows, from the highest score down, of the share of labeled rows among those with at least its score.
fn average_precision(scores: &[f64], positives: usize) -> f64 {
    let (labeled, unlabeled) = scores.split_at(positives);
    let ascending = |scores: &[f64]| {
        let mut sorted = scores.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        sorted
    };
    let (labeled, unlabeled) = (ascending(labeled), ascending(unlabeled));
    let precision = |(at, &score): (usize, &f64)| {
        let found = (positives - at) as f64;
        found / (found + unlabeled.len() as f64 - mid_rank(&unlabeled, score))
    };
    labeled.iter().enumerate().map(precision).sum::<f64>() / positives.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn average_precision_is_counted_by_hand() {
        // Falling: labeled, unlabeled, labeled, unlabeled: 1/1 and 2/3.
        let found = average_precision(&[4.0, 2.0, 3.0, 1.0], 2);
        assert!((found - (1.0 + 2.0 / 3.0) / 2.0).abs() < 1e-15);
        // Of a tie one half is above: 1/1.5.
        assert!((average_precision(&[1.0, 1.0], 1) - 1.0 / 1.5).abs() < 1e-15);
    }
}

//! The teacher: experts whose scores are averaged into views, a mixture for each view, and the mean of their posteriors.
//!
//!   P(y = 1 | x)  =  sum_v weight_v  posterior_v( sum_e share_ve standard_e(score_e(x)) )
//!
//! An expert is a kernel machine or a forest; `standard` brings its scores to mean 0 and deviation 1 over the unlabeled rows and
//! clips them at 4. On training rows every score is a left-out or out-of-bag one, so the mixtures see what new rows will get.
//!
//! | round | views |
//! |---|---|
//! | first | forests; best 80 kernel members by rule D; best 40 of those on maps by relevance; forests and the 80 together |
//! | second, if z >= 3 | regressions of the first round's posterior (labeled rows: 1): kernels, a forest, both together |
//! | PUAL only | best 80 PUAL members by rule D |

use rayon::prelude::*;

use super::EnsembleError;
use super::basis::{MappedBasis, bases};
use super::evidence::{Z_WEAK, pu_auc_z, rule_d};
use super::forest::{FittedForest, Forest, ForestData, ForestSettings};
use super::maps::{Base, Map, Maps};
use super::mixture::Mixture;
use super::pual_members::pual_members;
use super::ridge::{RidgeFit, ridge};
use super::tree::Kind;

const MAPS: [Map; 4] = [
    map(Base::ZScored, false),
    map(Base::NormalScores, false),
    map(Base::ZScored, true),
    map(Base::NormalScores, true),
];
const PIVOTS: usize = 160;
const BANDWIDTHS: [f64; 4] = [0.3, 0.6, 1.2, 2.4];
const LAMBDAS: [f64; 4] = [1e-4, 1e-3, 1e-2, 1e-1];
/// Weight of all unlabeled rows, that of all labeled ones being 1.
const WEIGHTS_OF_UNLABELED: [f64; 4] = [0.5, 1.0, 2.0, 4.0];
const BEST: usize = 80;
const BEST_BY_RELEVANCE: usize = 40;
const FORESTS: [(Kind, usize); 4] = [
    (Kind::Extra, 3),
    (Kind::Extra, 8),
    (Kind::Random, 4),
    (Kind::Random, 10),
];
const TREES: usize = 150;
const SECOND_LAMBDAS: [f64; 3] = [1e-3, 1e-2, 1e-1];
/// Share of the second round's kernel members that is kept, by left-out error.
const SECOND_SHARE: f64 = 0.3;
const SECOND_LEAF: usize = 5;
const SECOND_TREES: usize = 100;
/// Standardised scores are clipped here.
const CLIP: f64 = 4.0;
/// Streams of a seed: forest k has trees from k times this.
const STREAMS_PER_FOREST: u64 = 1 << 16;

const fn map(base: Base, by_relevance: bool) -> Map {
    Map { base, by_relevance }
}

#[derive(Debug, Clone)]
enum Voice {
    Kernel { basis: usize, weights: Vec<f64> },
    Forest(Forest),
}

/// clip((score - mean) * scale).
#[derive(Debug, Clone, Copy)]
struct Standard {
    mean: f64,
    scale: f64,
    clip: f64,
}

impl Standard {
    /// From +-1 regression: as it is.
    const KERNEL: Self = Self::plain(0.0, 1.0);
    /// From a probability to +-1.
    const FOREST: Self = Self::plain(0.5, 2.0);

    const fn plain(mean: f64, scale: f64) -> Self {
        Self {
            mean,
            scale,
            clip: f64::INFINITY,
        }
    }

    /// Mean 0, deviation 1 over the unlabeled rows.
    fn over(unlabeled: &[f64]) -> Self {
        let n = unlabeled.len() as f64;
        let mean = unlabeled.iter().sum::<f64>() / n;
        let square = unlabeled
            .iter()
            .map(|s| (s - mean) * (s - mean))
            .sum::<f64>()
            / n;
        Self {
            mean,
            scale: 1.0 / (square.sqrt() + 1e-9),
            clip: CLIP,
        }
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
    fn len(&self) -> usize {
        self.values.len() / self.features
    }

    fn columns(&self) -> Vec<Vec<f64>> {
        let column = |j| self.values.iter().skip(j).step_by(self.features).copied();
        (0..self.features).map(|j| column(j).collect()).collect()
    }

    /// One weight for labeled rows, another for the others.
    fn weights(&self, labeled: f64, unlabeled: f64) -> Vec<f64> {
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

/// A fitted teacher.
#[derive(Debug, Clone)]
pub(super) struct Teacher {
    features: usize,
    maps: Maps,
    bases: Vec<MappedBasis>,
    experts: Vec<Expert>,
    views: Vec<View>,
}

/// The teacher with its word on its own training rows.
pub(super) struct Taught {
    pub teacher: Teacher,
    /// P(y = 1) of each training row, as if it had been left out.
    pub posterior: Vec<f64>,
    /// z of the PU-AUC.
    pub z: f64,
    /// Members fitted.
    pub members: usize,
    /// Of these, PUAL members that ended at the iteration limit.
    pub at_limit: usize,
    /// Whether there was a second round.
    pub second_round: bool,
}

/// A teacher being built: its experts' standardised scores of the training rows beside it.
struct Builder<'a> {
    rows: &'a Rows<'a>,
    teacher: Teacher,
    scores: Vec<Vec<f64>>,
}

impl Builder<'_> {
    fn add(&mut self, voice: Voice, raw: &[f64], standard: Standard) -> usize {
        self.scores.push(standard.apply(raw));
        self.teacher.experts.push(Expert { voice, standard });
        self.scores.len() - 1
    }

    fn add_member(&mut self, (basis, fit): &(usize, RidgeFit), standard: Standard) -> usize {
        let voice = Voice::Kernel {
            basis: *basis,
            weights: fit.weights.clone(),
        };
        self.add(voice, &fit.left_out, standard)
    }

    /// Standardised over the unlabeled rows.
    fn standard(&self, raw: &[f64]) -> Standard {
        Standard::over(&raw[self.rows.positives..])
    }

    /// Adds the mean of `parts` as a view; its scores of the training rows.
    fn add_view(&mut self, parts: Vec<(usize, f64)>, weight: f64) -> Vec<f64> {
        let scores = combine(&parts, &self.scores, self.rows.len());
        let (labeled, unlabeled) = scores.split_at(self.rows.positives);
        self.teacher.views.push(View {
            parts,
            mixture: Mixture::fit(labeled, unlabeled),
            weight,
        });
        scores
    }

    fn posterior(&self) -> Vec<f64> {
        self.teacher.posterior_of(&self.scores, self.rows.len())
    }

    fn finish(mut self) -> (Teacher, Vec<f64>) {
        let posterior = self.posterior();
        for mapped in &mut self.teacher.bases {
            mapped.basis.forget_rows();
        }
        (self.teacher, posterior)
    }
}

/// Each of `experts` with the same share of `total`.
fn mean_of(experts: &[usize], total: f64) -> Vec<(usize, f64)> {
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

/// Positions by falling merit; of equals the earlier one first.
fn by_merit(merits: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..merits.len()).collect();
    order.sort_by(|&a, &b| merits[b].total_cmp(&merits[a]));
    order
}

impl Teacher {
    /// All members: BLS-SVM machines and forests, and the second round.
    pub fn fit(rows: &Rows<'_>) -> Result<Taught, EnsembleError> {
        let columns = rows.columns();
        let forests = first_forests(rows, &columns);
        let importances: Vec<f64> = (0..rows.features)
            .map(|j| forests.iter().map(|f| f.importances[j]).sum())
            .collect();
        let maps = Maps::fit(rows.values, rows.features).with_importances(&importances);
        let mut builder = Self::start(rows, maps, &MAPS)?;
        let members = bls_svm_members(rows, &builder.teacher.bases)?;
        let merits: Vec<f64> = members
            .par_iter()
            .map(|(_, fit)| rule_d(&fit.left_out, rows.positives))
            .collect();
        let order = by_merit(&merits);
        let by_relevance =
            |&&member: &&usize| builder.teacher.bases[members[member].0].map.by_relevance;
        let relevant: Vec<usize> = (order.iter().filter(by_relevance))
            .take(BEST_BY_RELEVANCE)
            .copied()
            .collect();
        let trees: Vec<usize> = forests
            .into_iter()
            .map(|fitted| {
                let standard = builder.standard(&fitted.out_of_bag);
                builder.add(Voice::Forest(fitted.forest), &fitted.out_of_bag, standard)
            })
            .collect();
        let mut expert_of = vec![None; members.len()];
        let mut experts_of = |builder: &mut Builder<'_>, chosen: &[usize]| -> Vec<usize> {
            let mut expert = |&member: &usize| {
                *expert_of[member].get_or_insert_with(|| {
                    let standard = builder.standard(&members[member].1.left_out);
                    builder.add_member(&members[member], standard)
                })
            };
            chosen.iter().map(&mut expert).collect()
        };
        let best = experts_of(&mut builder, &order[..BEST.min(order.len())]);
        let relevant = experts_of(&mut builder, &relevant);
        builder.add_view(mean_of(&trees, 1.0), 0.25);
        builder.add_view(mean_of(&best, 1.0), 0.25);
        builder.add_view(mean_of(&relevant, 1.0), 0.25);
        let both = [mean_of(&best, 0.5), mean_of(&trees, 0.5)].concat();
        let z = pu_auc_z(&builder.add_view(both, 0.25), rows.positives);
        let second_round = z >= Z_WEAK;
        if second_round {
            add_second_round(&mut builder, &columns)?;
        }
        let (teacher, posterior) = builder.finish();
        Ok(Taught {
            teacher,
            posterior,
            z,
            members: members.len(),
            at_limit: 0,
            second_round,
        })
    }

    /// PUAL members only.
    pub fn fit_pual_only(rows: &Rows<'_>) -> Result<Taught, EnsembleError> {
        let maps = Maps::fit(rows.values, rows.features);
        let mut builder = Self::start(rows, maps, &MAPS[..2])?;
        let fitted = (builder.teacher.bases.par_iter())
            .map(|mapped| pual_members(mapped.basis.psi(), rows.positives, &LAMBDAS))
            .collect::<Result<Vec<_>, _>>()?;
        let at_limit = fitted.iter().map(|members| members.at_limit).sum();
        let members: Vec<(usize, RidgeFit)> = (fitted.into_iter().enumerate())
            .flat_map(|(basis, members)| members.fits.into_iter().map(move |fit| (basis, fit)))
            .collect();
        let merits: Vec<f64> = members
            .iter()
            .map(|(_, fit)| rule_d(&fit.left_out, rows.positives))
            .collect();
        let experts: Vec<usize> = (by_merit(&merits).into_iter().take(BEST))
            .map(|member| {
                let standard = builder.standard(&members[member].1.left_out);
                builder.add_member(&members[member], standard)
            })
            .collect();
        let z = pu_auc_z(
            &builder.add_view(mean_of(&experts, 1.0), 1.0),
            rows.positives,
        );
        let (teacher, posterior) = builder.finish();
        Ok(Taught {
            teacher,
            posterior,
            z,
            members: members.len(),
            at_limit,
            second_round: false,
        })
    }

    fn start<'a>(rows: &'a Rows<'a>, maps: Maps, on: &[Map]) -> Result<Builder<'a>, EnsembleError> {
        let grid = (&BANDWIDTHS[..], PIVOTS);
        let bases = bases(&maps, on, rows.values, rows.positives, grid, rows.seed)?;
        let teacher = Self {
            features: rows.features,
            maps,
            bases,
            experts: Vec::new(),
            views: Vec::new(),
        };
        Ok(Builder {
            rows,
            teacher,
            scores: Vec::new(),
        })
    }

    /// The weights of the features by relevance: all 1 where no forest was asked.
    pub fn relevance(&self) -> &[f64] {
        self.maps.relevance()
    }

    /// P(y = 1) of raw row-major rows.
    pub fn posterior(&self, rows: &[f64]) -> Vec<f64> {
        let mut scores = vec![Vec::new(); self.experts.len()];
        for (at, expert) in self.experts.iter().enumerate() {
            if let Voice::Forest(forest) = &expert.voice {
                scores[at] = expert.standard.apply(&forest.scores(rows, self.features));
            }
        }
        let by_basis: Vec<Vec<(usize, Vec<f64>)>> = (0..self.bases.len())
            .into_par_iter()
            .map(|basis| self.scores_of_basis(basis, rows))
            .collect();
        for (at, of_expert) in by_basis.into_iter().flatten() {
            scores[at] = of_expert;
        }
        self.posterior_of(&scores, rows.len() / self.features)
    }

    /// Standardised scores by the experts on one basis.
    fn scores_of_basis(&self, basis: usize, rows: &[f64]) -> Vec<(usize, Vec<f64>)> {
        let on_it = |(at, expert): (usize, &Expert)| match &expert.voice {
            Voice::Kernel { basis: on, weights } if *on == basis => {
                Some((at, expert.standard, weights.clone()))
            }
            _ => None,
        };
        let experts: Vec<_> = (self.experts.iter().enumerate())
            .filter_map(on_it)
            .collect();
        if experts.is_empty() {
            return Vec::new();
        }
        let MappedBasis { map, basis } = &self.bases[basis];
        let weights: Vec<&[f64]> = experts.iter().map(|(_, _, w)| w.as_slice()).collect();
        let scores = basis.scores(&self.maps.apply(*map, rows), &weights);
        (experts.iter().zip(scores))
            .map(|((at, standard, _), scores)| (*at, standard.apply(&scores)))
            .collect()
    }

    fn posterior_of(&self, scores: &[Vec<f64>], count: usize) -> Vec<f64> {
        let mut sum = vec![0.0; count];
        for view in &self.views {
            for (sum, score) in sum.iter_mut().zip(combine(&view.parts, scores, count)) {
                *sum += view.weight * view.mixture.posterior(score);
            }
        }
        sum
    }
}

fn first_forests(rows: &Rows<'_>, columns: &[Vec<f64>]) -> Vec<FittedForest> {
    let n = rows.len() as f64;
    let (n_p, n_u) = (rows.positives as f64, n - rows.positives as f64);
    let data = ForestData {
        columns,
        labeled: rows.positives,
        target: &rows.weights(1.0, 0.0),
        weight: &rows.weights(0.5 * n / n_p, 0.5 * n / n_u),
    };
    let forest = |(at, &(kind, leaf)): (usize, &(Kind, usize))| {
        let settings = ForestSettings {
            kind,
            leaf,
            trees: TREES,
            seed: rows.seed,
            stream: at as u64 * STREAMS_PER_FOREST,
        };
        Forest::fit(&data, &settings)
    };
    FORESTS.iter().enumerate().map(forest).collect()
}

/// Every kernel with every weight and ridge, in that order.
fn bls_svm_members(
    rows: &Rows<'_>,
    bases: &[MappedBasis],
) -> Result<Vec<(usize, RidgeFit)>, EnsembleError> {
    let target = rows.weights(1.0, -1.0);
    let (n_p, n_u) = (rows.positives as f64, (rows.len() - rows.positives) as f64);
    let settings: Vec<(usize, f64)> = (0..bases.len())
        .flat_map(|basis| WEIGHTS_OF_UNLABELED.map(|c| (basis, c)))
        .collect();
    let fits = (settings.par_iter())
        .map(|&(basis, c)| {
            let weight = rows.weights(1.0 / n_p, c / n_u);
            ridge(bases[basis].basis.psi(), &weight, &target, &LAMBDAS)
        })
        .collect::<Result<Vec<_>, _>>()?;
    Ok((settings.iter().zip(fits))
        .flat_map(|(&(basis, _), fits)| fits.into_iter().map(move |fit| (basis, fit)))
        .collect())
}

/// Regressions of what the first round believes; they halve its weight.
fn add_second_round(builder: &mut Builder<'_>, columns: &[Vec<f64>]) -> Result<(), EnsembleError> {
    let rows = builder.rows;
    let n = rows.len();
    let mut belief = builder.posterior();
    belief[..rows.positives].fill(1.0);
    let target: Vec<f64> = belief.iter().map(|p| 2.0 * p - 1.0).collect();
    let weight = vec![1.0 / n as f64; n];
    let fits = (builder.teacher.bases.par_iter())
        .map(|mapped| ridge(mapped.basis.psi(), &weight, &target, &SECOND_LAMBDAS))
        .collect::<Result<Vec<_>, _>>()?;
    let members: Vec<(usize, RidgeFit)> = (fits.into_iter().enumerate())
        .flat_map(|(basis, fits)| fits.into_iter().map(move |fit| (basis, fit)))
        .collect();
    let merit = |(_, fit): &(usize, RidgeFit)| -squared_error(&fit.left_out, &target);
    let order = by_merit(&members.iter().map(merit).collect::<Vec<_>>());
    let kept = (SECOND_SHARE * members.len() as f64) as usize;
    let kernels: Vec<usize> = (order.iter().take(kept.max(1)))
        .map(|&member| builder.add_member(&members[member], Standard::KERNEL))
        .collect();
    let data = ForestData {
        columns,
        labeled: 0,
        target: &belief,
        weight: &vec![1.0; n],
    };
    let settings = ForestSettings {
        kind: Kind::Random,
        leaf: SECOND_LEAF,
        trees: SECOND_TREES,
        seed: rows.seed,
        stream: FORESTS.len() as u64 * STREAMS_PER_FOREST,
    };
    let fitted = Forest::fit(&data, &settings);
    let forest = Voice::Forest(fitted.forest);
    let forest = [builder.add(forest, &fitted.out_of_bag, Standard::FOREST)];
    builder
        .teacher
        .views
        .iter_mut()
        .for_each(|view| view.weight *= 0.5);
    builder.add_view(mean_of(&kernels, 1.0), 0.5 / 3.0);
    builder.add_view(mean_of(&forest, 1.0), 0.5 / 3.0);
    let both = [mean_of(&kernels, 0.5), mean_of(&forest, 0.5)].concat();
    builder.add_view(both, 0.5 / 3.0);
    Ok(())
}

/// Mean squared difference.
pub(super) fn squared_error(scores: &[f64], target: &[f64]) -> f64 {
    let square = |(s, t): (&f64, &f64)| (s - t) * (s - t);
    scores.iter().zip(target).map(square).sum::<f64>() / target.len() as f64
}

//! Which members are fitted in which round, and which of them count.
//!
//! | round | views |
//! |---|---|
//! | first | forests; the best kernel members by smoothed PUF (80); half as many of those on maps by relevance; forests and the first together |
//! | second, if z >= 3 | regressions of the first round's posterior (labeled rows: 1): kernels, a forest, both together |
//! | PUAL only | the best PUAL members by smoothed PUF (80) |
//!
//! Kernel members of the first round are BLS-SVM machines: each basis with 4 weights of the unlabeled rows and 4 ridges.

use rayon::prelude::*;

use super::basis::{MappedBasis, bases};
use super::evidence::{Z_WEAK, pu_auc_z};
use super::forest::{FittedForest, Forest, ForestData, ForestSettings, TreeKind};
use super::maps::{BaseMap, Map, Maps};
use super::pual_members::{self, pual_members};
use super::recordings::EventEvidence;
use super::ridge::{RidgeFit, ridge, squared_error};
use super::teacher::{Builder, Member, Standard, Teacher, Voice, mean_of};
use super::{EnsembleError, Merit, TrainingRows, columns};
use crate::base::watch::Watch;
use crate::choose::metrics::PuCounts;

pub(super) const MAPS: [Map; 4] = [
    Map { base: BaseMap::ZScored, by_relevance: false },
    Map { base: BaseMap::NormalScores, by_relevance: false },
    Map { base: BaseMap::ZScored, by_relevance: true },
    Map { base: BaseMap::NormalScores, by_relevance: true },
];
pub(super) const PIVOTS: usize = 160;
const BANDWIDTHS: [f64; 4] = [0.3, 0.6, 1.2, 2.4];
const LAMBDAS: [f64; 4] = [1e-4, 1e-3, 1e-2, 1e-1];
/// Members on a map: of two kernels, every bandwidth, ridge and weight.
const MEMBERS_PER_MAP: usize = 2 * BANDWIDTHS.len() * LAMBDAS.len() * WEIGHTS_OF_UNLABELED.len();
/// Weight of all unlabeled rows, that of all labeled ones being 1.
const WEIGHTS_OF_UNLABELED: [f64; 4] = [0.5, 1.0, 2.0, 4.0];
pub(super) const FORESTS: [(TreeKind, usize); 4] =
    [(TreeKind::Extra, 3), (TreeKind::Extra, 8), (TreeKind::Random, 4), (TreeKind::Random, 10)];
pub(super) const TREES: usize = 150;
const SECOND_LAMBDAS: [f64; 3] = [1e-3, 1e-2, 1e-1];
/// Share of the second round's kernel members that is kept, by left-out error.
const SECOND_SHARE: f64 = 0.3;
const SECOND_LEAF: usize = 5;
const SECOND_TREES: usize = 100;
/// Streams of a seed: forest k has trees from k times this.
const STREAMS_PER_FOREST: u64 = 1 << 16;

/// The teacher with its word on its own training rows.
pub(super) struct TeacherFit {
    pub teacher: Teacher,
    /// P(y = 1) of each training row, as if it had been left out.
    pub posterior: Vec<f64>,
    /// z of the PU-AUC.
    pub z: f64,
    /// Kernel machines fitted.
    pub members: usize,
    /// How good they are by their settings, where rows are independent.
    pub merits: Vec<Merit>,
    /// Of these, PUAL members that ended at the iteration limit.
    pub at_limit: usize,
    /// Whether there was a second round.
    pub second_round: bool,
    /// What events say, where rows are not independent.
    pub events: Option<EventEvidence>,
}

/// The smoothed PUF of each member on left-out rows.
fn merits(members: &[Member], positives: usize) -> Vec<f64> {
    let merit = |(_, fit): &Member| PuCounts::above(&fit.left_out, positives, 0.0).smoothed_puf();
    members.par_iter().map(merit).collect()
}

/// Positions by falling merit; of equals the earlier one first.
pub(super) fn by_merit(merits: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..merits.len()).collect();
    order.sort_by(|&a, &b| merits[b].total_cmp(&merits[a]));
    order
}

/// Merits with the settings they belong to. Members come by basis, of which bandwidths change first, then by weight, then by ridge.
fn by_setting(merits: &[f64], weights: [f64; 4]) -> Vec<Merit> {
    let kernel = weights.len() * LAMBDAS.len();
    let merit = |(at, &smoothed_puf): (usize, &f64)| Merit {
        bandwidth: BANDWIDTHS[at / kernel % BANDWIDTHS.len()],
        weight_of_unlabeled: weights[at / LAMBDAS.len() % weights.len()],
        lambda: LAMBDAS[at % LAMBDAS.len()],
        smoothed_puf,
    };
    merits.iter().enumerate().map(merit).collect()
}

/// All members: BLS-SVM machines and forests, and the second round.
pub(super) fn teach(rows: &TrainingRows<'_>, best: usize, watch: &dyn Watch) -> Result<TeacherFit, EnsembleError> {
    watch.planned(FORESTS.len() * TREES + MAPS.len() * MEMBERS_PER_MAP);
    let columns = columns(rows.values, rows.features);
    let forests = first_forests(rows, &columns, watch);
    let importances: Vec<f64> = (0..rows.features).map(|j| forests.iter().map(|f| f.importances[j]).sum()).collect();
    let maps = Maps::fit(rows.values, rows.features).with_importances(&importances);
    let mut builder = start(rows, maps, &MAPS)?;
    let members = bls_svm_members(rows, builder.bases(), watch)?;
    let merits = merits(&members, rows.positives);
    let order = by_merit(&merits);
    let by_relevance = |&&member: &&usize| builder.bases()[members[member].0].map.by_relevance;
    let relevant: Vec<usize> = (order.iter().filter(by_relevance)).take(best.div_ceil(2)).copied().collect();
    let trees: Vec<usize> =
        forests.into_iter().map(|fitted| builder.add(Voice::Forest(fitted.forest), &fitted.out_of_bag, None)).collect();
    let mut expert_of = vec![None; members.len()];
    let mut experts_of = |builder: &mut Builder<'_>, chosen: &[usize]| -> Vec<usize> {
        let mut expert =
            |&member: &usize| *expert_of[member].get_or_insert_with(|| builder.add_member(&members[member], None));
        chosen.iter().map(&mut expert).collect()
    };
    let best = experts_of(&mut builder, &order[..best.min(order.len())]);
    let relevant = experts_of(&mut builder, &relevant);
    builder.add_view(mean_of(&trees, 1.0), 0.25);
    builder.add_view(mean_of(&best, 1.0), 0.25);
    builder.add_view(mean_of(&relevant, 1.0), 0.25);
    let both = [mean_of(&best, 0.5), mean_of(&trees, 0.5)].concat();
    let z = pu_auc_z(&builder.add_view(both, 0.25), rows.positives);
    // A second round would learn from the mixtures' beliefs, which are wrong where positives are rare.
    let second_round = builder.add_ranks() < 1.0 && z >= Z_WEAK;
    if second_round {
        add_second_round(&mut builder, &columns)?;
    }
    let (teacher, posterior) = builder.finish();
    Ok(TeacherFit {
        teacher,
        posterior,
        z,
        members: merits.len(),
        merits: by_setting(&merits, WEIGHTS_OF_UNLABELED),
        at_limit: 0,
        second_round,
        events: None,
    })
}

/// PUAL members only.
pub(super) fn teach_by_pual_only(
    rows: &TrainingRows<'_>,
    best: usize,
    watch: &dyn Watch,
) -> Result<TeacherFit, EnsembleError> {
    watch.planned(2 * MEMBERS_PER_MAP);
    let maps = Maps::fit(rows.values, rows.features);
    let mut builder = start(rows, maps, &MAPS[..2])?;
    let fitted = (builder.bases().par_iter())
        .map(|mapped| {
            let members =
                pual_members(mapped.basis.psi(), rows.positives, &pual_members::WEIGHTS_OF_UNLABELED, &LAMBDAS);
            watch.made(MEMBERS_PER_MAP / (2 * BANDWIDTHS.len()));
            members
        })
        .collect::<Result<Vec<_>, _>>()?;
    let at_limit = fitted.iter().map(|members| members.at_limit).sum();
    let members = members_of(fitted.into_iter().map(|members| members.fits).enumerate());
    let merits = merits(&members, rows.positives);
    let experts: Vec<usize> =
        (by_merit(&merits).into_iter().take(best)).map(|member| builder.add_member(&members[member], None)).collect();
    let z = pu_auc_z(&builder.add_view(mean_of(&experts, 1.0), 1.0), rows.positives);
    builder.add_ranks();
    let (teacher, posterior) = builder.finish();
    Ok(TeacherFit {
        teacher,
        posterior,
        z,
        members: merits.len(),
        merits: by_setting(&merits, pual_members::WEIGHTS_OF_UNLABELED),
        at_limit,
        second_round: false,
        events: None,
    })
}

/// All bases on these maps, and no experts yet.
pub(super) fn start<'a>(rows: &'a TrainingRows<'a>, maps: Maps, on: &[Map]) -> Result<Builder<'a>, EnsembleError> {
    let grid = (&BANDWIDTHS[..], PIVOTS);
    let bases = bases(&maps, on, rows.values, rows.positives, grid, rows.seed)?;
    Ok(Builder::new(rows, maps, bases))
}

pub(super) fn first_forests(rows: &TrainingRows<'_>, columns: &[Vec<f64>], watch: &dyn Watch) -> Vec<FittedForest> {
    let n = rows.len() as f64;
    let by_class = rows.class_weights(0.5 * n, 0.5 * n);
    let weight: Vec<f64> = rows.classes().into_iter().map(|class| by_class[class]).collect();
    let data = ForestData {
        columns,
        labeled: rows.positives,
        target: &rows.weights(1.0, 0.0),
        weight: &weight,
        folds: rows.held_out.map(|held_out| &held_out.folds),
    };
    let forest = |(at, &(kind, leaf)): (usize, &(TreeKind, usize))| {
        let settings =
            ForestSettings { kind, leaf, trees: TREES, seed: rows.seed, stream: at as u64 * STREAMS_PER_FOREST };
        let fitted = Forest::fit(&data, &settings);
        watch.made(TREES);
        fitted
    };
    FORESTS.iter().enumerate().map(forest).collect()
}

/// Every kernel with every weight and ridge, in that order.
fn bls_svm_members(
    rows: &TrainingRows<'_>,
    bases: &[MappedBasis],
    watch: &dyn Watch,
) -> Result<Vec<Member>, EnsembleError> {
    let target = rows.weights(1.0, -1.0);
    let classes = rows.classes();
    let settings: Vec<(usize, f64)> =
        (0..bases.len()).flat_map(|basis| WEIGHTS_OF_UNLABELED.map(|c| (basis, c))).collect();
    let fits = (settings.par_iter())
        .map(|&(basis, c)| {
            let by_class = rows.class_weights(1.0, c);
            let weight: Vec<f64> = classes.iter().map(|&class| by_class[class]).collect();
            let fits = ridge(bases[basis].basis.psi(), &weight, &target, &LAMBDAS);
            watch.made(LAMBDAS.len());
            fits
        })
        .collect::<Result<Vec<_>, _>>()?;
    Ok(members_of(settings.iter().map(|&(basis, _)| basis).zip(fits)))
}

/// Machines with the numbers of their bases.
pub(super) fn members_of(by_basis: impl Iterator<Item = (usize, Vec<RidgeFit>)>) -> Vec<Member> {
    by_basis.flat_map(|(basis, fits)| fits.into_iter().map(move |fit| (basis, fit))).collect()
}

/// Regressions of what the first round believes; they halve its weight.
fn add_second_round(builder: &mut Builder<'_>, columns: &[Vec<f64>]) -> Result<(), EnsembleError> {
    let rows = builder.rows;
    let n = rows.len();
    let mut belief = builder.posterior();
    belief[..rows.positives].fill(1.0);
    rows.set_normals(&mut belief, 0.0);
    let target: Vec<f64> = belief.iter().map(|p| 2.0 * p - 1.0).collect();
    let weight = vec![1.0 / n as f64; n];
    let fits = (builder.bases().par_iter())
        .map(|mapped| ridge(mapped.basis.psi(), &weight, &target, &SECOND_LAMBDAS))
        .collect::<Result<Vec<_>, _>>()?;
    let members = members_of(fits.into_iter().enumerate());
    let merit = |(_, fit): &Member| -squared_error(&fit.left_out, &target);
    let order = by_merit(&members.iter().map(merit).collect::<Vec<_>>());
    let kept = (SECOND_SHARE * members.len() as f64) as usize;
    let kernels: Vec<usize> = (order.iter().take(kept.max(1)))
        .map(|&member| builder.add_member(&members[member], Some(Standard::KERNEL)))
        .collect();
    let data = ForestData { columns, labeled: 0, target: &belief, weight: &vec![1.0; n], folds: None };
    let settings = ForestSettings {
        kind: TreeKind::Random,
        leaf: SECOND_LEAF,
        trees: SECOND_TREES,
        seed: rows.seed,
        stream: FORESTS.len() as u64 * STREAMS_PER_FOREST,
    };
    let fitted = Forest::fit(&data, &settings);
    let forest = [builder.add(Voice::Forest(fitted.forest), &fitted.out_of_bag, Some(Standard::FOREST))];
    builder.halve_views();
    builder.add_view(mean_of(&kernels, 1.0), 0.5 / 3.0);
    builder.add_view(mean_of(&forest, 1.0), 0.5 / 3.0);
    let both = [mean_of(&kernels, 0.5), mean_of(&forest, 0.5)].concat();
    builder.add_view(both, 0.5 / 3.0);
    Ok(())
}

//! A teacher whose members are judged on recordings, or blocks of time, that they have not seen.
//!
//! | view | experts |
//! |---|---|
//! | kernels | the best 80 BLS-SVM machines by merit over events (`events`): RBF and Laplace with wide bandwidths, and linear ones |
//! | forests | trees that saw nothing of the recording they judge |
//! | both | half each |
//!
//! PUAL only: the kernels view alone, of PUAL machines, each fitted once more without each fold.
//!
//! Features are not weighted by the forests' importances: these have seen the labels of every recording.

use faer::Mat;
use rayon::prelude::*;

mod events;
mod fold_ridge;
mod relevance;

pub use events::EventEvidence;
pub(super) use events::HeldOut;
pub(super) use events::mean;
use events::p_value;
use fold_ridge::FoldSums;
pub(crate) use relevance::{merit_of_features, relevance};

use super::basis::{bases, linear_bases};
use super::maps::Maps;
use super::pual_members::{self, PualMembers, pual_members};
use super::rounds::{FORESTS, MAPS, PIVOTS, TREES, TeacherFit, by_merit, first_forests, members_of};
use super::teacher::{Builder, Member, Voice, mean_of};
use super::{EnsembleError, Members, TrainingRows, columns};
use crate::base::watch::Watch;

const BANDWIDTHS: [f64; 5] = [0.3, 0.6, 1.2, 2.4, 4.8];
const LAMBDAS: [f64; 5] = [1e-4, 1e-3, 1e-2, 1e-1, 1.0];
/// Weight of all unlabeled rows, that of all labeled ones being 1.
const WEIGHTS_OF_UNLABELED: [f64; 5] = [0.25, 0.5, 1.0, 2.0, 4.0];
/// Maps without relevance.
const MAPS_USED: usize = 2;

/// Members and forests, judged by `held_out`.
pub(super) fn teach_by_recordings(
    rows: &TrainingRows<'_>,
    held_out: &HeldOut,
    who: Members,
    best: usize,
    watch: &dyn Watch,
) -> Result<TeacherFit, EnsembleError> {
    let forests = match who {
        Members::All => {
            watch.planned(FORESTS.len() * TREES);
            first_forests(rows, &columns(rows.values, rows.features), watch)
        }
        Members::PualOnly => Vec::new(),
    };
    let maps = Maps::fit(rows.values, rows.features);
    let on = &MAPS[..MAPS_USED];
    let mut all = bases(&maps, on, rows.values, rows.positives, (&BANDWIDTHS, PIVOTS), rows.seed)?;
    all.extend(linear_bases(&maps, on, rows.values, rows.positives)?);
    let mut builder = Builder::new(rows, maps, all);
    let (members, at_limit) = match who {
        Members::All => (machines(rows, held_out, &builder, watch)?, 0),
        Members::PualOnly => pual_machines(rows, held_out, &builder, watch)?,
    };
    let merits = held_out.merits(members.par_iter().map(|(_, fit)| &fit.left_out[..]));
    let order = by_merit(&merits.by_member(None));
    let trees: Vec<usize> =
        forests.into_iter().map(|fitted| builder.add(Voice::Forest(fitted.forest), &fitted.out_of_bag, None)).collect();
    let ranks = (0..held_out.events.len())
        .map(|event| {
            let by_others = by_merit(&merits.by_member(Some(event)));
            let kernels = builder.mean_standardised(by_others.iter().take(best).map(|&m| &members[m].1.left_out[..]));
            let scores = match who {
                Members::PualOnly => kernels,
                Members::All => {
                    let forests = builder.scores_of(&mean_of(&trees, 1.0));
                    kernels.iter().zip(&forests).map(|(a, b)| 0.5 * (a + b)).collect()
                }
            };
            held_out.ranks_within(&scores)[event]
        })
        .collect::<Vec<f64>>();
    let kernels: Vec<usize> =
        order.iter().take(best).map(|&member| builder.add_member(&members[member], None)).collect();
    let views = match who {
        Members::PualOnly => vec![mean_of(&kernels, 1.0)],
        Members::All => {
            let both = [mean_of(&kernels, 0.5), mean_of(&trees, 0.5)].concat();
            vec![mean_of(&kernels, 1.0), mean_of(&trees, 1.0), both]
        }
    };
    let weight = 1.0 / views.len() as f64;
    for view in views {
        builder.add_view(view, weight);
    }
    let p_value = match held_out.real_events {
        1 => 1.0,
        events => p_value(mean(&ranks), events),
    };
    let evidence = EventEvidence {
        events: held_out.real_events,
        recordings: held_out.recordings,
        by_time: held_out.by_time,
        ranks,
        p_value,
        recall: 0.0,
        recall_standard_error: 0.0,
    };
    let (teacher, posterior) = builder.finish();
    Ok(TeacherFit {
        teacher,
        posterior,
        z: 0.0,
        members: members.len(),
        merits: Vec::new(),
        at_limit,
        second_round: false,
        events: Some(evidence),
    })
}

/// Every basis with every weight and ridge.
fn machines(
    rows: &TrainingRows<'_>,
    held_out: &HeldOut,
    builder: &Builder<'_>,
    watch: &dyn Watch,
) -> Result<Vec<Member>, EnsembleError> {
    let target = rows.weights(1.0, -1.0);
    let class_of = rows.classes();
    watch.planned(builder.bases().len() * WEIGHTS_OF_UNLABELED.len() * LAMBDAS.len());
    let fits = (builder.bases().par_iter())
        .map(|mapped| {
            let sums = FoldSums::new(mapped.basis.psi(), &held_out.folds, &class_of, 3);
            let mut fits = Vec::new();
            for c in WEIGHTS_OF_UNLABELED {
                fits.extend(sums.fit(&rows.class_weights(1.0, c), &target, &LAMBDAS)?);
                watch.made(LAMBDAS.len());
            }
            Ok(fits)
        })
        .collect::<Result<Vec<_>, EnsembleError>>()?;
    Ok(members_of(fits.into_iter().enumerate()))
}

/// PUAL machines on every basis, and how many of those fitted to all rows ended at the iteration limit.
fn pual_machines(
    rows: &TrainingRows<'_>,
    held_out: &HeldOut,
    builder: &Builder<'_>,
    watch: &dyn Watch,
) -> Result<(Vec<Member>, usize), EnsembleError> {
    let weights = &pual_members::WEIGHTS_OF_UNLABELED;
    watch.planned(builder.bases().len() * weights.len() * LAMBDAS.len());
    let fitted = (builder.bases().par_iter())
        .map(|mapped| {
            let psi = mapped.basis.psi();
            let mut members = pual_members(psi, rows.positives, weights, &LAMBDAS)?;
            for (fold, learned) in held_out.folds.learned.iter().enumerate() {
                let kept: Vec<usize> = (0..rows.len()).filter(|&row| learned[row]).collect();
                let positives = kept.iter().filter(|&&row| row < rows.positives).count();
                let part = Mat::from_fn(kept.len(), psi.ncols(), |i, j| psi[(kept[i], j)]);
                // Nothing to learn a positive from, or nothing else: no row scores above another.
                let without = match positives {
                    0 => None,
                    n_p if n_p == kept.len() => None,
                    n_p => Some(pual_members(part.as_ref(), n_p, weights, &LAMBDAS)?.fits),
                };
                for row in (0..rows.len()).filter(|&row| held_out.folds.fold_of[row] == fold) {
                    for (at, fit) in members.fits.iter_mut().enumerate() {
                        let z = without.as_ref().map(|fits| &fits[at].weights);
                        fit.left_out[row] = z.map_or(-1.0, |z| (0..z.len()).map(|j| psi[(row, j)] * z[j]).sum());
                    }
                }
            }
            watch.made(members.fits.len());
            Ok(members)
        })
        .collect::<Result<Vec<PualMembers>, EnsembleError>>()?;
    let at_limit = fitted.iter().map(|members| members.at_limit).sum();
    Ok((members_of(fitted.into_iter().map(|members| members.fits).enumerate()), at_limit))
}

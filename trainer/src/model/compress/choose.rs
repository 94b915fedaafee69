//! Which rung of the ladder is taken.
//!
//! | asked for | taken |
//! |---|---|
//! | a tolerance | the smallest rung within it; the large model itself if no other is |
//! | a budget | the rung of least loss that fits; names, then the envelope are left out only if no rung within the tolerance fits with them |
//! | a number of supports | of the rungs with so many the smallest within the tolerance, else the one of least loss |

use super::small::Extras;
use super::{CompressError, Goal, Rung};

/// A rung, and what goes with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pick {
    pub rung: usize,
    pub extras: Extras,
}

/// Chooses among rungs in the order of their bytes.
pub(super) fn choose(rungs: &[Rung], goal: Goal, tolerance: f64) -> Result<Pick, CompressError> {
    let full = |rung| Pick {
        rung,
        extras: Extras::LEVELS[0],
    };
    let all = || 0..rungs.len();
    match goal {
        Goal::Tolerance => within(rungs, all(), tolerance)
            .or_else(|| least_loss(rungs, all()))
            .map(full)
            .ok_or(CompressError::NothingFits),
        Goal::Supports(count) => {
            // Fewer only where more would not have helped.
            let most = all()
                .filter(|&at| !rungs[at].as_trained)
                .map(|at| rungs[at].supports)
                .max();
            let wanted = most.unwrap_or(count).min(count);
            let of_count =
                || all().filter(|&at| !rungs[at].as_trained && rungs[at].supports == wanted);
            within(rungs, of_count(), tolerance)
                .or_else(|| least_loss(rungs, of_count()))
                .map(full)
                .ok_or(CompressError::NothingFits)
        }
        Goal::Budget(budget) => {
            let fitting = |level: usize| {
                all().filter(move |&at| {
                    rungs[at].bytes_of[level].is_some_and(|bytes| bytes <= budget)
                })
            };
            let pick = |level: usize, rung| Pick {
                rung,
                extras: Extras::LEVELS[level],
            };
            let levels = 0..Extras::LEVELS.len();
            let tolerable = levels.clone().find_map(|level| {
                let best = least_loss(rungs, fitting(level))?;
                (rungs[best].measured.loss <= tolerance).then_some(pick(level, best))
            });
            let best = levels
                .clone()
                .filter_map(|level| least_loss(rungs, fitting(level)).map(|best| (level, best)))
                .min_by(|a, b| {
                    let loss = |at: usize| rungs[at].measured.loss;
                    loss(a.1).total_cmp(&loss(b.1))
                })
                .map(|(level, best)| pick(level, best));
            let smallest = || rungs.iter().flat_map(|rung| rung.bytes_of).flatten().min();
            tolerable.or(best).ok_or_else(|| CompressError::Budget {
                budget,
                smallest: smallest().unwrap_or(0),
            })
        }
    }
}

/// The first, hence smallest, within the tolerance.
fn within(rungs: &[Rung], mut of: impl Iterator<Item = usize>, tolerance: f64) -> Option<usize> {
    of.find(|&at| rungs[at].measured.loss <= tolerance)
}

/// The one of least loss, of equals the smallest.
fn least_loss(rungs: &[Rung], of: impl Iterator<Item = usize>) -> Option<usize> {
    of.min_by(|&a, &b| {
        let loss = |at: usize| rungs[at].measured.loss;
        loss(a).total_cmp(&loss(b))
    })
}

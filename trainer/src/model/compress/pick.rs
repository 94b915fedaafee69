//! Which rung of the ladder is taken.
//!
//! | goal | taken |
//! |---|---|
//! | a tolerance | the smallest rung within it; the full model itself if no other is |
//! | a budget | the rung of least loss that fits; names, then the envelope, are left out only if no rung within the tolerance fits with them |
//! | a number of supports | of the rungs with that many the smallest within the tolerance, else the one of least loss |

use super::small_model::Extras;
use super::{CompressError, Goal, Rung};

/// A rung, and what goes with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pick {
    pub rung: usize,
    pub extras: Extras,
}

/// Picks among rungs sorted by their bytes.
pub(super) fn pick(rungs: &[Rung], goal: Goal, tolerance: f64) -> Result<Pick, CompressError> {
    let all = || 0..rungs.len();
    let loss = |at: usize| rungs[at].measured.loss;
    match goal {
        Goal::Tolerance => smallest_within(rungs, all(), tolerance),
        Goal::Supports(count) => {
            // Fewer only where more would not have helped.
            let small = || all().filter(|&at| !rungs[at].as_trained);
            let most = small().map(|at| rungs[at].supports).max();
            let wanted = most.unwrap_or(count).min(count);
            let of_count = small().filter(|&at| rungs[at].supports == wanted);
            smallest_within(rungs, of_count, tolerance)
        }
        Goal::Budget(budget) => {
            let fits = |bytes: Option<usize>| bytes.is_some_and(|bytes| bytes <= budget);
            // The best at each level of extras, from all to none.
            let best = || {
                (Extras::LEVELS.into_iter().enumerate()).filter_map(|(level, extras)| {
                    let fitting = all().filter(|&at| fits(rungs[at].bytes_of[level]));
                    let rung = least_loss(rungs, fitting)?;
                    Some(Pick { rung, extras })
                })
            };
            let smallest = || rungs.iter().flat_map(|rung| rung.bytes_of).flatten().min();
            best()
                .find(|pick| loss(pick.rung) <= tolerance)
                .or_else(|| best().min_by(|a, b| loss(a.rung).total_cmp(&loss(b.rung))))
                .ok_or_else(|| CompressError::Budget { budget, smallest: smallest().unwrap_or(0) })
        }
    }
}

/// The first, hence smallest, within the tolerance; else the one of least loss.
fn smallest_within(
    rungs: &[Rung],
    of: impl Iterator<Item = usize> + Clone,
    tolerance: f64,
) -> Result<Pick, CompressError> {
    let rung = (of.clone()).find(|&at| rungs[at].measured.loss <= tolerance).or_else(|| least_loss(rungs, of));
    rung.map(|rung| Pick { rung, extras: Extras::LEVELS[0] }).ok_or(CompressError::NothingFits)
}

/// The one of least loss, of equals the smallest.
fn least_loss(rungs: &[Rung], of: impl Iterator<Item = usize>) -> Option<usize> {
    of.min_by(|&a, &b| (rungs[a].measured.loss).total_cmp(&rungs[b].measured.loss))
}

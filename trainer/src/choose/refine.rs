//! The paper's greedy search around the best of a grid (Section 4.2.5):
//!
//! 1. start from the best combination of the grid;
//! 2. try each searched number 10 % larger and 10 % smaller, the others unchanged, and take the best of these if it is better;
//! 3. repeat until none is.

use super::ranking::choose;
use super::trial::Trial;
use super::tune::{TuneError, TuneOptions};
use crate::choose::options::{KernelChoice, TrainOptions};
use crate::choose::settings::{LocalTerm, Settings};
use crate::geometry::kernel::Kernel;

/// The paper's step.
const STEP: f64 = 0.1;
/// Rounds after which the search ends even if it still improves: 10 % a round, that is a factor of 100 either way.
const MOST_ROUNDS: usize = 50;

/// Adds the trials of the greedy search to those of the grid.
pub(super) fn refine(
    trials: &mut Vec<Trial>,
    options: &TrainOptions,
    tuning: &TuneOptions,
    rule_of_thumb: &Settings,
    evaluate: impl Fn(&[Settings]) -> Result<Vec<Trial>, TuneError>,
) -> Result<(), TuneError> {
    for _ in 0..MOST_ROUNDS {
        let Some(best) = choose(trials, tuning, rule_of_thumb) else { break };
        trials.extend(evaluate(&neighbours(&trials[best.trial].settings, options))?);
        if !choose(trials, tuning, rule_of_thumb).is_some_and(|next| next.score > best.score) {
            break;
        }
    }
    Ok(())
}

/// Each number that is searched, up and down by one step.
fn neighbours(here: &Settings, options: &TrainOptions) -> Vec<Settings> {
    let mut around = Vec::new();
    for factor in [1.0 + STEP, 1.0 - STEP] {
        if let (Kernel::Rbf { bandwidth }, KernelChoice::Rbf { bandwidth: None }) = (here.kernel, options.kernel) {
            around.push(Settings { kernel: Kernel::Rbf { bandwidth: bandwidth * factor }, ..*here });
        }
        // The paper's lambda is the ridge in the linear case alone.
        if here.kernel == Kernel::Linear && options.lambda.is_none() && options.method.has_ridge() {
            around.push(Settings { lambda: here.lambda * factor, ..*here });
        }
        if let (Some(local), None) = (here.local, options.sigma) {
            around.push(Settings { local: Some(LocalTerm { sigma: local.sigma * factor, ..local }), ..*here });
        }
        if options.c_u.is_none() && options.method.has_weights() {
            around.push(Settings { c_u: here.c_u * factor, ..*here });
        }
    }
    around
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choose::trial::{made_by_hand, settings};
    use std::cell::Cell;

    /// Counts that are best at bandwidth 1.5 and C_u 0.4.
    fn trial(settings: &Settings) -> Trial {
        let off = |value: f64, best: f64| (100.0 * libm::fabs(libm::log(value / best))) as usize;
        let called = 3 + off(settings.bandwidth().unwrap(), 1.5) + off(settings.c_u, 0.4);
        made_by_hand(*settings, &[(9, called.min(49)); 4])
    }

    fn search(options: &TrainOptions) -> (Settings, usize) {
        let (tuning, home) = (TuneOptions::default(), settings(1.2, 0.5));
        let mut trials = vec![trial(&home), trial(&settings(5.0, 0.5))];
        let rounds = Cell::new(0);
        refine(&mut trials, options, &tuning, &home, |settings| {
            rounds.set(rounds.get() + 1);
            Ok(settings.iter().map(trial).collect())
        })
        .unwrap();
        let best = choose(&trials, &tuning, &home).unwrap();
        (trials[best.trial].settings, rounds.get())
    }

    #[test]
    fn it_climbs_in_steps_of_a_tenth_and_ends_when_nothing_is_better() {
        let (best, rounds) = search(&TrainOptions::default());
        assert!((best.bandwidth().unwrap() - 1.5).abs() < 0.15, "{best:?}");
        assert!((best.c_u - 0.4).abs() < 0.04, "{best:?}");
        // Two steps up in bandwidth, two down in C_u, and a last round that finds nothing.
        assert!((4..=6).contains(&rounds), "{rounds}");
    }

    #[test]
    fn what_is_given_stays() {
        let options = TrainOptions { c_u: Some(0.5), ..TrainOptions::default() };
        assert_eq!(search(&options).0.c_u, 0.5);
    }
}

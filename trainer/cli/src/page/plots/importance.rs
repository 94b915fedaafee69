//! Feature importance: the share of rows whose class changes when a feature's values are shuffled among the rows.
//!
//! It scores with the model as the device runs it, and needs no truth. A feature the model ignores has 0. Two features that carry the
//! same information can both have little.

use crate::page::svg::{Anchor, Figure, WIDTH};
use crate::show::percent;
use pual_trainer::internals::Random;

/// Scores relative to the cut of row-major readings, by the device's code.
pub type ScoreFn<'a, E> = &'a dyn Fn(&[f64]) -> Result<Vec<f64>, E>;

/// Separates these random numbers from others of the same seed.
const STREAM: u64 = 3 << 40;
/// Multiplications that may be spent.
const WORK: usize = 1_000_000_000;
/// Rows scored, at least and at most.
const ROWS: (usize, usize) = (100, 2000);
/// Features shown.
pub const MOST_SHOWN: usize = 12;
const ROW: f64 = 26.0;

/// Share of rows whose class changes, for each feature.
pub fn importance<E>(
    rows: &[f64],
    features: usize,
    terms: usize,
    seed: u64,
    score: ScoreFn<'_, E>,
) -> Result<Vec<f64>, E> {
    let most = (WORK / (features * features * terms.max(1))).clamp(ROWS.0, ROWS.1);
    let count = rows.len() / features;
    let sample: Vec<f64> =
        (rows.chunks_exact(features)).step_by(count.div_ceil(most).max(1)).flatten().copied().collect();
    let called: Vec<bool> = score(&sample)?.iter().map(|&score| score > 0.0).collect();
    let mut order: Vec<usize> = (0..called.len()).collect();
    (0..features)
        .map(|feature| {
            Random::new(seed, STREAM + feature as u64).shuffle(&mut order);
            let mut shuffled = sample.clone();
            for (at, &from) in order.iter().enumerate() {
                shuffled[at * features + feature] = sample[from * features + feature];
            }
            let changed =
                (score(&shuffled)?.iter().zip(&called)).filter(|(score, called)| (**score > 0.0) != **called).count();
            Ok(changed as f64 / called.len().max(1) as f64)
        })
        .collect()
}

/// Features by importance, the most important first; of equals the earlier one first.
pub fn ranked(shares: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..shares.len()).collect();
    order.sort_by(|&a, &b| shares[b].total_cmp(&shares[a]));
    order
}

/// One bar for each of the most important features.
pub fn draw(names: &[String], shares: &[f64]) -> String {
    let order = ranked(shares);
    let shown = &order[..order.len().min(MOST_SHOWN)];
    let most = shown.first().map_or(0.0, |&at| shares[at]).max(1e-12);
    let told: Vec<String> = (shown.iter()).map(|&at| format!("{} {}", names[at], percent(shares[at]))).collect();
    let height = ROW * shown.len() as f64 + 4.0;
    let title = "Share of rows whose class changes when a feature is shuffled";
    let mut figure = Figure::new("importance", height, title, &format!("{}.", told.join(", ")));
    let (left, right) = (168.0, WIDTH - 58.0);
    for (place, &at) in shown.iter().enumerate() {
        let y = ROW * place as f64 + 4.0;
        figure.name((4.0, y + 16.0), "", &names[at], 19);
        let width = ((right - left) * shares[at] / most).max(1.0);
        figure.rect((left, y + 3.0), (width, ROW - 8.0), "unl", "");
        let (end, share) = (left + width + 6.0, percent(shares[at]));
        figure.text((end, y + 16.0), Anchor::Start, "s", &share);
    }
    figure.svg()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_the_model_uses_are_important_and_others_are_not() {
        let random = &mut Random::new(1, 0);
        let rows: Vec<f64> = (0..900).map(|_| random.between(-1.0, 1.0)).collect();
        // The class is that of the second of three features.
        let score = |rows: &[f64]| -> Result<Vec<f64>, ()> {
            Ok(rows.chunks_exact(3).map(|row| row[1] + 0.05 * row[2]).collect())
        };
        let shares = importance(&rows, 3, 4, 7, &score).unwrap();
        assert_eq!(shares[0], 0.0);
        assert!((0.4..0.6).contains(&shares[1]), "{shares:?}");
        assert!(shares[2] < 0.1);
        assert_eq!(ranked(&shares)[0], 1);
        assert_eq!(shares, importance(&rows, 3, 4, 7, &score).unwrap());
    }

    #[test]
    fn the_most_important_come_first_and_no_more_than_fit() {
        let names: Vec<String> = (0..40).map(|at| format!("feature-with-a-long-name-{at}")).collect();
        let shares: Vec<f64> = (0..40).map(|at| f64::from(at) / 100.0).collect();
        let svg = draw(&names, &shares);
        assert_eq!(svg.matches("<rect").count(), MOST_SHOWN);
        assert!(svg.find("name-39").unwrap() < svg.find("name-30").unwrap());
        assert!(!svg.contains("name-1<"));
    }
}

//! Scores of labeled and unlabeled rows: two histograms back to back, on one axis with the cut.
//!
//! A bar's height is its share of the rows of its kind, so that few labeled rows are visible beside many unlabeled ones. A bin ends
//! at the cut. The outermost 0.5 % of either kind is counted in the bins at the ends.

use crate::page::axis::{Axis, short, sorted, values_of};
use crate::page::svg::{Anchor, Figure, WIDTH, place};
use crate::page::table::{more, table};
use crate::show::{grouped, percent};
use pual_trainer::internals::quantile;

/// The rows' scores on the device.
pub struct Scores {
    /// Ascending, as are the others.
    labeled: Vec<f64>,
    unlabeled: Vec<f64>,
    /// Above it a row is called positive.
    cut: f64,
}

/// Bins, about.
const BINS: f64 = 40.0;
const LEFT: f64 = 8.0;
const RIGHT: f64 = WIDTH - 8.0;
/// Where the labeled rows' bars stand, and how tall they get.
const MIDDLE: f64 = 128.0;
const TALL: f64 = 84.0;
const HEIGHT: f64 = 2.0 * MIDDLE + 18.0;

impl Scores {
    pub fn new(scores: &[f32], labeled: &[bool], cut: f32) -> Self {
        let of = |kind: bool| {
            let scores = values_of(kind, scores, labeled);
            sorted(scores.into_iter().map(f64::from).collect())
        };
        Self { labeled: of(true), unlabeled: of(false), cut: cut.into() }
    }

    /// Share of the labeled and of the unlabeled rows above the cut.
    pub fn above(&self) -> (f64, f64) {
        let above = |scores: &[f64]| {
            let below = scores.partition_point(|&score| score <= self.cut);
            (scores.len() - below) as f64 / scores.len().max(1) as f64
        };
        (above(&self.labeled), above(&self.unlabeled))
    }

    /// The left end of the first bin, their width, and how many.
    fn bins(&self) -> (f64, f64, usize) {
        let ends = |share: f64| [&self.labeled, &self.unlabeled].map(|scores| quantile(scores, share));
        let low = ends(0.005).into_iter().fold(self.cut, f64::min);
        let high = ends(0.995).into_iter().fold(self.cut, f64::max);
        let width = if high > low { (high - low) / BINS } else { 1.0 };
        // At least one bin on either side, so that the cut is visible.
        let below = ((self.cut - low) / width).ceil().max(1.0);
        let above = ((high - self.cut) / width).ceil().max(1.0);
        (self.cut - below * width, width, (below + above) as usize)
    }

    /// The figure, with its numbers below.
    pub fn draw(&self) -> String {
        let (low, width, bins) = self.bins();
        let high = low + width * bins as f64;
        let axis = Axis::new((low, high), (LEFT, RIGHT));
        let (labeled, unlabeled) = self.above();
        let told = format!(
            "{} of the {} labeled rows and {} of the {} unlabeled rows score above the cut at {}; the median labeled row scores {}, the median unlabeled row {}.",
            percent(labeled),
            grouped(self.labeled.len()),
            percent(unlabeled),
            grouped(self.unlabeled.len()),
            short(self.cut),
            short(quantile(&self.labeled, 0.5)),
            short(quantile(&self.unlabeled, 0.5))
        );
        let title = "Scores of labeled and unlabeled rows, and the cut";
        let mut figure = Figure::new("scores", HEIGHT, title, &told);
        for (scores, up, class) in [(&self.labeled, true, "lab"), (&self.unlabeled, false, "unl")] {
            let shares = shares(scores, low, width, bins);
            for (before, weight) in [(true, " pale"), (false, "")] {
                let path = bars(&shares, before, up, |bin| {
                    let value = low + width * bin as f64;
                    (axis.at(value), value + 0.5 * width < self.cut)
                });
                figure.raw(&format!("<path d=\"{path}\" class=\"{class}{weight}\"/>"));
            }
        }
        figure.line((LEFT, MIDDLE), (RIGHT, MIDDLE), "ax");
        let cut = axis.at(self.cut);
        figure.line((cut, 26.0), (cut, 2.0 * MIDDLE - 16.0), "cut");
        let (side, anchor) = if cut > WIDTH - 110.0 { (-4.0, Anchor::End) } else { (4.0, Anchor::Start) };
        figure.text((cut + side, 34.0), anchor, "s", "called positive →");
        let counts = [
            (14.0, "labeled", &self.labeled, labeled, "b tl"),
            (2.0 * MIDDLE - 4.0, "unlabeled", &self.unlabeled, unlabeled, "b tu"),
        ];
        for (y, name, scores, above, class) in counts {
            let text = format!("{} {name}", grouped(scores.len()));
            figure.text((LEFT, y), Anchor::Start, class, &text);
            let text = format!("{} above the cut", percent(above));
            figure.text((RIGHT, y), Anchor::End, class, &text);
        }
        for tick in axis.ticks(5) {
            figure.line((axis.at(tick), MIDDLE), (axis.at(tick), MIDDLE + 3.0), "ax");
        }
        figure.ticks_across(&axis, 5, HEIGHT - 2.0, (LEFT + 8.0, RIGHT - 8.0));
        figure.svg() + &self.numbers()
    }

    fn numbers(&self) -> String {
        let shares = [0.05, 0.25, 0.5, 0.75, 0.95];
        let row = |name: &str, scores: &[f64], above: f64| {
            let mut row = vec![name.to_owned(), percent(above)];
            row.extend(shares.map(|share| short(quantile(scores, share))));
            row
        };
        let (labeled, unlabeled) = self.above();
        let rows = [row("labeled", &self.labeled, labeled), row("unlabeled", &self.unlabeled, unlabeled)];
        let header = ["rows", "above the cut", "5 %", "25 %", "median", "75 %", "95 %"];
        more("Scores in numbers", &table("Share above the cut, and quantiles of the scores", &header, &rows, None))
    }
}

/// Share of the scores in each bin.
fn shares(scores: &[f64], low: f64, width: f64, bins: usize) -> Vec<f64> {
    let mut shares = vec![0.0; bins];
    for score in scores {
        // A score on a border belongs below it, as a score at the cut is not above it.
        let bin = ((score - low) / width).ceil() - 1.0;
        shares[(bin.max(0.0) as usize).min(bins - 1)] += 1.0 / scores.len() as f64;
    }
    shares
}

/// The bars on one side of the cut as one path; the tallest bar fills the height.
fn bars(shares: &[f64], before: bool, up: bool, place_of: impl Fn(usize) -> (f64, bool)) -> String {
    let most = shares.iter().copied().fold(0.0, f64::max).max(1e-12);
    let mut path = String::new();
    for (bin, share) in shares.iter().enumerate() {
        let (x, is_before) = place_of(bin);
        if is_before != before || *share == 0.0 {
            continue;
        }
        let (next, _) = place_of(bin + 1);
        let height = (share / most * TALL).max(1.0);
        let (from, height) = if up { (MIDDLE - 1.0, -height) } else { (MIDDLE + 1.0, height) };
        let [x, from, height, width, back] = [x + 0.4, from, height, next - x - 0.8, -height].map(place);
        path += &format!("M{x} {from}v{height}h{width}v{back}z");
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(values: &[f32], labeled: &[bool], cut: f32) -> Scores {
        Scores::new(values, labeled, cut)
    }

    #[test]
    fn shares_above_the_cut_follow_the_device() {
        // A score at the cut is not above it.
        let scores = scores(&[0.0, 1.0, 2.0, -1.0, 0.0, 3.0], &[true, true, true, false, false, false], 0.0);
        assert_eq!(scores.above(), (2.0 / 3.0, 1.0 / 3.0));
        let svg = scores.draw();
        assert!(svg.contains("66.7 % above the cut") && svg.contains("33.3 % above the cut"));
    }

    #[test]
    fn every_row_is_in_a_bin_and_a_bin_ends_at_the_cut() {
        let values: Vec<f32> = (0..1000).map(|i| ((i * 37) % 1000) as f32 / 100.0 - 3.0).collect();
        let labeled: Vec<bool> = (0..1000).map(|i| i % 5 == 0).collect();
        let scores = scores(&values, &labeled, 1.25);
        let (low, width, bins) = scores.bins();
        let border = (1.25 - low) / width;
        assert!((border - border.round()).abs() < 1e-9);
        for of in [&scores.labeled, &scores.unlabeled] {
            let sum: f64 = shares(of, low, width, bins).iter().sum();
            assert!((sum - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn scores_that_are_all_the_same_are_drawn_too() {
        let scores = scores(&[1.0; 6], &[true, true, false, false, false, false], 0.0);
        let svg = scores.draw();
        assert!(svg.contains("100.0 % above the cut") && !svg.contains("NaN"));
    }
}

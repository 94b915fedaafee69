//! The training range of each feature, outside which the device flags a reading, and where the rows lie in it.

use crate::page::axis::{Axis, sorted, values_of, within};
use crate::page::svg::{Anchor, Figure, WIDTH};
use crate::page::table::{more, table};
use pual_trainer::internals::quantile;

/// One feature.
pub struct FeatureRange {
    name: String,
    /// As the model carries it.
    range: Option<(f64, f64)>,
    /// At `SHARES`, of the labeled rows' values and of the unlabeled rows'.
    quantiles: [[f64; 5]; 2],
}

const SHARES: [f64; 5] = [0.0, 0.1, 0.5, 0.9, 1.0];
/// Features drawn; the table lists more.
const MOST_DRAWN: usize = 24;
const MOST_LISTED: usize = 200;
const ROW: f64 = 50.0;
const LEFT: f64 = 8.0;
const RIGHT: f64 = WIDTH - 8.0;

impl FeatureRange {
    /// A feature's name, its range in the model, and its values in the rows.
    pub fn new(name: &str, range: Option<(f64, f64)>, values: &[f64], labeled: &[bool]) -> Self {
        let of = |kind: bool| {
            let values = sorted(values_of(kind, values, labeled));
            SHARES.map(|share| quantile(&values, share))
        };
        Self { name: name.to_owned(), range, quantiles: [of(true), of(false)] }
    }

    /// A value, with enough digits to tell the feature's values apart.
    fn show(&self, value: f64) -> String {
        let (low, high) = self.ends();
        within(value, high - low)
    }

    /// The model's range, otherwise that of the rows.
    fn ends(&self) -> (f64, f64) {
        let [labeled, unlabeled] = &self.quantiles;
        self.range.unwrap_or((labeled[0].min(unlabeled[0]), labeled[4].max(unlabeled[4])))
    }
}

/// Two bars per feature, labeled above unlabeled: from the first to the ninth decile, with the median.
pub fn draw(ranges: &[FeatureRange]) -> String {
    let drawn = &ranges[..ranges.len().min(MOST_DRAWN)];
    let told: Vec<String> = (drawn.iter())
        .map(|range| {
            let (low, high) = range.ends();
            format!(
                "{} from {} to {}, labeled median {}, unlabeled median {}",
                range.name,
                range.show(low),
                range.show(high),
                range.show(range.quantiles[0][2]),
                range.show(range.quantiles[1][2])
            )
        })
        .collect();
    let height = ROW * drawn.len() as f64 + 2.0;
    let mut figure =
        Figure::new("envelope", height, "Training range of each feature", &format!("{}.", told.join("; ")));
    for (at, range) in drawn.iter().enumerate() {
        let top = ROW * at as f64;
        let (low, high) = range.ends();
        let axis = Axis::new((low, high), (LEFT, RIGHT));
        figure.name((WIDTH / 2.0, top + 15.0), "m", &range.name, 26);
        figure.text((LEFT, top + 15.0), Anchor::Start, "s", &range.show(low));
        figure.text((RIGHT, top + 15.0), Anchor::End, "s", &range.show(high));
        figure.rect((LEFT, top + 21.0), (RIGHT - LEFT, 21.0), "strip", "");
        for (quantiles, class, y) in [(&range.quantiles[0], "lab", 23.0), (&range.quantiles[1], "unl", 33.0)] {
            let [_, from, middle, to, _] = quantiles.map(|value| axis.at(value));
            figure.rect((from, top + y), ((to - from).max(2.0), 7.0), class, "");
            figure.rect((middle - 1.5, top + y - 1.0), (3.0, 9.0), "median", "");
        }
    }
    figure.svg() + &numbers(ranges)
}

/// How many features are not drawn, if any.
pub fn left_out(ranges: &[FeatureRange]) -> Option<usize> {
    (ranges.len() > MOST_DRAWN).then(|| ranges.len() - MOST_DRAWN)
}

fn numbers(ranges: &[FeatureRange]) -> String {
    let listed = &ranges[..ranges.len().min(MOST_LISTED)];
    let rows: Vec<Vec<String>> = (listed.iter())
        .map(|range| {
            let (low, high) = range.ends();
            let [labeled, unlabeled] = &range.quantiles;
            let deciles = |q: &[f64; 5]| format!("{} to {}", range.show(q[1]), range.show(q[3]));
            vec![
                range.name.clone(),
                range.show(low),
                range.show(high),
                range.show(labeled[2]),
                deciles(labeled),
                range.show(unlabeled[2]),
                deciles(unlabeled),
            ]
        })
        .collect();
    let header = [
        "feature",
        "minimum",
        "maximum",
        "labeled median",
        "labeled 10 to 90 %",
        "unlabeled median",
        "unlabeled 10 to 90 %",
    ];
    let caption = if ranges.len() > listed.len() {
        format!("The first {} features; `pual inspect` lists all", listed.len())
    } else {
        "In the device's order".to_owned()
    };
    more("Ranges in numbers", &table(&caption, &header, &rows, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_the_models_and_quantiles_the_rows() {
        let values: Vec<f64> = (0..=100).map(f64::from).collect();
        let labeled: Vec<bool> = (0..=100).map(|at| at >= 80).collect();
        let ranges = [
            FeatureRange::new("level", Some((-5.0, 120.0)), &values, &labeled),
            FeatureRange::new("slope", None, &values, &labeled),
        ];
        assert_eq!(ranges[0].quantiles[0][2], 90.0);
        assert_eq!(ranges[1].ends(), (0.0, 100.0));
        let html = draw(&ranges);
        assert!(html.contains("level from -5 to 120, labeled median 90, unlabeled median 40"));
        assert_eq!(html.matches("class=\"median\"").count(), 4);
        assert_eq!(left_out(&ranges), None);
    }
}

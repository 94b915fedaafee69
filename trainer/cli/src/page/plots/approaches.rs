//! The approaches that were compared: PUF on held-out rows with its standard error; calling every row positive has 1.

use crate::page::axis::Axis;
use crate::page::svg::{Anchor, Figure, WIDTH};

/// One approach.
pub struct ApproachMark {
    pub name: &'static str,
    /// PUF on held-out rows and its standard error; none if it could not be fitted.
    pub puf: Option<(f64, f64)>,
    /// Whether its model was written.
    pub taken: bool,
}

const LEFT: f64 = 120.0;
const RIGHT: f64 = WIDTH - 14.0;
const ROW: f64 = 32.0;

/// One dot with a whisker per approach.
pub fn draw(approaches: &[ApproachMark]) -> String {
    let all = || approaches.iter().filter_map(|approach| approach.puf);
    let high = all().map(|(puf, error)| puf + error).fold(1.0, f64::max);
    let low = all().map(|(puf, error)| puf - error).fold(1.0, f64::min).max(0.0);
    let room = 0.06 * (high - low).max(0.5);
    let axis = Axis::new(((low - room).max(0.0), high + room), (LEFT, RIGHT));
    let bottom = 24.0 + ROW * approaches.len() as f64;
    let told: Vec<String> = approaches.iter().map(tell).collect();
    let title = "PUF on held-out rows, by approach";
    let mut figure = Figure::new("approaches", bottom + 20.0, title, &format!("{}.", told.join("; ")));
    figure.line((axis.at(1.0), 20.0), (axis.at(1.0), bottom), "cut");
    // Centred above its line, as far as the figure's ends allow.
    let middle = axis.at(1.0).clamp(92.0, WIDTH - 92.0);
    figure.text((middle, 13.0), Anchor::Middle, "s", "calling every row positive: 1");
    for (at, approach) in approaches.iter().enumerate() {
        let y = 24.0 + ROW * (at as f64 + 0.5);
        let class = if approach.taken { "b" } else { "" };
        figure.text((4.0, y + 4.0), Anchor::Start, class, approach.name);
        let Some((puf, error)) = approach.puf else {
            figure.text((LEFT + 6.0, y + 4.0), Anchor::Start, "s halo", "could not be fitted");
            continue;
        };
        let class = if approach.taken { "whisker taken" } else { "whisker" };
        figure.line((axis.at(puf - error), y), (axis.at(puf + error), y), class);
        let class = if approach.taken { "lab" } else { "unl" };
        let radius = if approach.taken { 6.0 } else { 4.0 };
        figure.circle((axis.at(puf), y), radius, class);
        let text = format!("{puf:.2}{}", if approach.taken { ", taken" } else { "" });
        let x = axis.at(puf).clamp(LEFT + 20.0, RIGHT - 20.0);
        figure.text((x, y - 8.0), Anchor::Middle, "s halo", &text);
    }
    figure.ticks_across(&axis, 5, bottom + 15.0, (0.0, WIDTH));
    figure.svg()
}

fn tell(approach: &ApproachMark) -> String {
    let taken = if approach.taken { ", taken" } else { "" };
    match approach.puf {
        Some((puf, error)) => format!("{} {puf:.3} ± {error:.3}{taken}", approach.name),
        None => format!("{} could not be fitted", approach.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_approach_has_a_place_and_one_is_taken() {
        let mark = |name, puf, taken| ApproachMark { name, puf, taken };
        let svg = draw(&[
            mark("ensemble", Some((2.1, 0.2)), true),
            mark("GLLC", Some((0.8, 0.1)), false),
            mark("BSVM", None, false),
        ]);
        assert_eq!(svg.matches("<circle").count(), 2);
        assert!(svg.contains("2.10, taken") && svg.contains("could not be fitted"));
        assert!(svg.contains("<desc id=\"approaches-d\">ensemble 2.100 ± 0.200, taken; GLLC 0.800 ± 0.100; BSVM could not be fitted.</desc>"));
    }
}

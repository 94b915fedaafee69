//! The ways to learn that were compared: PUF on rows held out, with its standard error, beside the 1 of calling every row positive.

use crate::page::axis::{Axis, short};
use crate::page::svg::{Anchor, Figure, WIDTH, place};

/// One way to learn.
pub struct ApproachMark {
    /// Its name.
    pub name: &'static str,
    /// PUF on rows held out and its standard error; none if it could not be fitted.
    pub puf: Option<(f64, f64)>,
    /// Whether its model is the one written.
    pub taken: bool,
}

const LEFT: f64 = 120.0;
const RIGHT: f64 = WIDTH - 14.0;
const ROW: f64 = 32.0;

/// A dot and a whisker for each.
pub fn draw(ways: &[ApproachMark]) -> String {
    let all = || ways.iter().filter_map(|way| way.puf);
    let high = all().map(|(puf, error)| puf + error).fold(1.0, f64::max);
    let low = all()
        .map(|(puf, error)| puf - error)
        .fold(1.0, f64::min)
        .max(0.0);
    let room = 0.06 * (high - low).max(0.5);
    let axis = Axis::new(((low - room).max(0.0), high + room), (LEFT, RIGHT));
    let bottom = 24.0 + ROW * ways.len() as f64;
    let told: Vec<String> = ways.iter().map(tell).collect();
    let title = "PUF on rows held out, by way to learn";
    let mut figure = Figure::new(
        "ways",
        bottom + 20.0,
        title,
        &format!("{}.", told.join("; ")),
    );
    figure.line((axis.at(1.0), 20.0), (axis.at(1.0), bottom), "cut");
    // In the middle above its line, as far as the figure's ends allow.
    let middle = axis.at(1.0).clamp(92.0, WIDTH - 92.0);
    figure.text(
        (middle, 13.0),
        Anchor::Middle,
        "s",
        "calling every row positive: 1",
    );
    for (at, way) in ways.iter().enumerate() {
        let y = 24.0 + ROW * (at as f64 + 0.5);
        let class = if way.taken { "b" } else { "" };
        figure.text((4.0, y + 4.0), Anchor::Start, class, way.name);
        let Some((puf, error)) = way.puf else {
            figure.text(
                (LEFT + 6.0, y + 4.0),
                Anchor::Start,
                "s halo",
                "could not be fitted",
            );
            continue;
        };
        let class = if way.taken {
            "whisker taken"
        } else {
            "whisker"
        };
        figure.line((axis.at(puf - error), y), (axis.at(puf + error), y), class);
        let class = if way.taken { "lab" } else { "unl" };
        figure.raw(&format!(
            "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" class=\"{class}\"/>",
            place(axis.at(puf)),
            place(y),
            if way.taken { 6 } else { 4 }
        ));
        let text = format!("{puf:.2}{}", if way.taken { ", taken" } else { "" });
        let x = axis.at(puf).clamp(LEFT + 20.0, RIGHT - 20.0);
        figure.text((x, y - 8.0), Anchor::Middle, "s halo", &text);
    }
    for tick in axis.ticks(5) {
        figure.text(
            (axis.at(tick), bottom + 15.0),
            Anchor::Middle,
            "s",
            &short(tick),
        );
    }
    figure.svg()
}

fn tell(way: &ApproachMark) -> String {
    let taken = if way.taken { ", taken" } else { "" };
    match way.puf {
        Some((puf, error)) => format!("{} {puf:.3} ± {error:.3}{taken}", way.name),
        None => format!("{} could not be fitted", way.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_has_a_place_and_one_is_taken() {
        let way = |name, puf, taken| ApproachMark { name, puf, taken };
        let svg = draw(&[
            way("ensemble", Some((2.1, 0.2)), true),
            way("GLLC", Some((0.8, 0.1)), false),
            way("BSVM", None, false),
        ]);
        assert_eq!(svg.matches("<circle").count(), 2);
        assert!(svg.contains("2.10, taken") && svg.contains("could not be fitted"));
        assert!(svg.contains("<desc id=\"ways-d\">ensemble 2.100 ± 0.200, taken; GLLC 0.800 ± 0.100; BSVM could not be fitted.</desc>"));
    }
}

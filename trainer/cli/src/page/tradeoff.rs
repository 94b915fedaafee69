//! What a threshold trades: recall, precision and false alarms over the threshold, with the thresholds that matter.

use super::axis::Axis;
use super::svg::{Anchor, Figure, WIDTH, place};
use crate::show::{exact, percent};
use pual_trainer::{Calibration, Cut};

const LEFT: f64 = 46.0;
const RIGHT: f64 = WIDTH - 10.0;
const TOP: f64 = 76.0;
const BOTTOM: f64 = 262.0;

/// A curve: its name, its style, and its value at a cut.
type Line = (&'static str, &'static str, fn(&Cut) -> f64);

const LINES: [Line; 3] = [
    ("recall", "recall", |cut| cut.recall),
    ("false alarms", "alarms", |cut| cut.false_alarms),
    ("precision", "precision", |cut| cut.precision),
];

/// The figure.
pub fn draw(calibration: &Calibration) -> String {
    let marks = marks(calibration);
    let thresholds = || {
        let all = calibration.curve.iter().chain(marks.iter().map(|(_, cut, _)| *cut));
        all.map(|cut| f64::from(cut.threshold))
    };
    let low = thresholds().fold(f64::INFINITY, f64::min);
    let high = thresholds().fold(f64::NEG_INFINITY, f64::max);
    let across = Axis::new((low, high), (LEFT, RIGHT));
    let up = Axis::new((0.0, 1.0), (BOTTOM, TOP));
    let told: Vec<String> = marks.iter().map(|(name, cut, _)| format!("{name}: {}", describe(cut))).collect();
    let title = "Recall, precision and false alarms by threshold";
    let mut figure = Figure::new("tradeoff", BOTTOM + 38.0, title, &format!("{}.", told.join("; ")));
    for share in [0.0, 0.2, 0.4, 0.6, 0.8, 1.0] {
        let y = up.at(share);
        figure.line((LEFT, y), (RIGHT, y), "rule");
        figure.text((LEFT - 5.0, y + 4.0), Anchor::End, "s", &format!("{:.0} %", 100.0 * share));
    }
    for (at, (name, class, value)) in LINES.into_iter().enumerate() {
        let x = LEFT + 118.0 * at as f64;
        figure.line((x, 10.0), (x + 26.0, 10.0), class);
        figure.text((x + 31.0, 14.0), Anchor::Start, "s", name);
        let point = |cut: &Cut| format!("{} {}", place(across.at(cut.threshold.into())), place(up.at(value(cut))));
        let path: Vec<String> = calibration.curve.iter().map(point).collect();
        figure.raw(&format!("<path d=\"M{}\" class=\"{class}\"/>", path.join("L")));
    }
    // One line of text each, since they may be close to each other.
    for (at, (name, cut, class)) in marks.iter().enumerate() {
        let (x, y) = (across.at(cut.threshold.into()), 34.0 + 15.0 * at as f64);
        figure.line((x, y - 9.0), (x, BOTTOM), class);
        let (anchor, side) = if x > 0.6 * WIDTH { (Anchor::End, -5.0) } else { (Anchor::Start, 5.0) };
        figure.text((x + side, y), anchor, "s halo", &format!("{name}: {}", exact(cut.threshold)));
    }
    figure.ticks_across(&across, 5, BOTTOM + 16.0, (LEFT, RIGHT - 8.0));
    figure.axis_names((RIGHT, BOTTOM + 33.0), "threshold", "");
    figure.svg()
}

/// The thresholds that matter, with their names and styles.
fn marks(calibration: &Calibration) -> Vec<(&'static str, &Cut, &'static str)> {
    let mut marks = vec![("now", &calibration.current, "cut"), ("best F1", &calibration.best_f1, "ax")];
    if let Some(chosen) = &calibration.chosen {
        marks.push(("new", chosen, "border"));
    }
    marks
}

fn describe(cut: &Cut) -> String {
    format!(
        "threshold {} with recall {}, precision {}, false alarms {}",
        exact(cut.threshold),
        percent(cut.recall),
        percent(cut.precision),
        percent(cut.false_alarms)
    )
}

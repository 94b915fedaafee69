//! The decision map of a model with one feature: its score, shaded where it is above the cut.

use super::importance::ScoreFn;
use super::map::{MapData, MapFigure};
use crate::page::axis::{Axis, values_of};
use crate::page::svg::{Figure, WIDTH, place, shortened};

const STEPS: usize = 240;
const LEFT: f64 = 48.0;
const RIGHT: f64 = WIDTH - 6.0;
const TOP: f64 = 22.0;
const BOTTOM: f64 = 214.0;

pub fn draw<E>(mapped: &MapData<'_>, score: ScoreFn<'_, E>) -> Result<MapFigure, E> {
    let low = mapped.rows.iter().copied().fold(f64::INFINITY, f64::min);
    let high = mapped.rows.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let margin = 0.05 * (high - low);
    let readings: Vec<f64> =
        (0..=STEPS).map(|at| low - margin + (high - low + 2.0 * margin) * at as f64 / STEPS as f64).collect();
    let scores = score(&readings)?;
    let across = Axis::new((readings[0], readings[STEPS]), (LEFT, RIGHT));
    let least = scores.iter().copied().fold(0.0, f64::min);
    let most = scores.iter().copied().fold(0.0, f64::max);
    let up = Axis::new((least, most), (BOTTOM, TOP));
    let name = &mapped.names[0];
    let positive = scores.iter().filter(|&&score| score > 0.0).count();
    let told =
        format!("The score over {name}; {} % of the range shown is called positive.", 100 * positive / scores.len());
    let mut figure = Figure::new("map", BOTTOM + 50.0, "The score over the model's one feature", &told);
    let above: Vec<bool> = scores.iter().map(|&score| score > 0.0).collect();
    let mut at = 0;
    for run in above.chunk_by(|a, b| a == b) {
        let next = at + run.len();
        if run[0] {
            let (from, to) = (readings[at], readings[next.min(STEPS)]);
            let (from, to) = (across.at(from), across.at(to));
            figure.rect((from, TOP), (to - from, BOTTOM - TOP), "f5", "");
        }
        at = next;
    }
    figure.line((LEFT, up.at(0.0)), (RIGHT, up.at(0.0)), "cut");
    let path: Vec<String> = (readings.iter().zip(&scores))
        .map(|(reading, score)| format!("{} {}", place(across.at(*reading)), place(up.at(*score))))
        .collect();
    figure.raw(&format!("<path d=\"M{}\" class=\"curve\"/>", path.join("L")));
    for (kind, class, y) in [(true, "rl", 8.0), (false, "ru", BOTTOM + 4.0)] {
        let rows = values_of(kind, mapped.rows, mapped.labeled);
        let ticks: String = (rows.iter().step_by(rows.len().div_ceil(700).max(1)))
            .map(|row| format!("M{} {y}v10", place(across.at(*row))))
            .collect();
        figure.raw(&format!("<path d=\"{ticks}\" class=\"{class}\"/>"));
    }
    figure.ticks_across(&across, 6, BOTTOM + 29.0, (0.0, WIDTH));
    figure.ticks_up(&up, 4, LEFT - 5.0);
    let names = (&shortened(name, 30), "score above the cut");
    figure.axis_names((RIGHT, BOTTOM + 45.0), names.0, names.1);
    Ok(MapFigure {
        svg: figure.svg(),
        caption: "The model has one feature. The curve is its score, shaded where it is above the cut. Strokes are rows: labeled above, unlabeled below.".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use crate::page::plots::map::{MapData, draw};

    #[test]
    fn one_feature_is_a_curve() {
        let rows: Vec<f64> = (0..100).map(f64::from).collect();
        let labeled: Vec<bool> = (0..100).map(|at| at > 90).collect();
        let names = ["level".to_owned()];
        let mapped = MapData {
            names: &names,
            rows: &rows,
            labeled: &labeled,
            scales: &[1.0],
            importance: &[0.5],
            supports: &[],
            seed: 0,
        };
        let above_80 = |rows: &[f64]| -> Result<Vec<f64>, ()> { Ok(rows.iter().map(|x| x - 80.0).collect()) };
        let drawn = draw(&mapped, &above_80).unwrap();
        assert!(drawn.svg.contains("class=\"curve\""));
        // One region, from 80 on: of -5 to 104 the last two ninths or so.
        let (_, rect) = drawn.svg.split_once("<rect x=\"").unwrap();
        let from: f64 = rect.split('"').next().unwrap().parse().unwrap();
        assert!((315.0..322.0).contains(&from), "{from}");
        assert_eq!(drawn.svg.matches("class=\"f5\"").count(), 1);
    }
}

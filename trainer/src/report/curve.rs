//! The decision map of a model with one feature: its score, and where it is above the cut.

use super::axis::{Axis, quantile, short};
use super::map::{Drawn, Mapped};
use super::svg::{Anchor, Figure, WIDTH, place, shortened};
use super::telling::Score;

const STEPS: usize = 240;
const LEFT: f64 = 48.0;
const RIGHT: f64 = WIDTH - 6.0;
const TOP: f64 = 22.0;
const BOTTOM: f64 = 214.0;

pub fn draw<E>(mapped: &Mapped<'_>, score: Score<'_, E>) -> Result<Drawn, E> {
    let mut sorted = mapped.rows.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (low, high) = (quantile(&sorted, 0.0), quantile(&sorted, 1.0));
    let margin = 0.05 * (high - low);
    let readings: Vec<f64> = (0..=STEPS)
        .map(|at| low - margin + (high - low + 2.0 * margin) * at as f64 / STEPS as f64)
        .collect();
    let scores = score(&readings)?;
    let across = Axis::new((readings[0], readings[STEPS]), (LEFT, RIGHT));
    let least = scores.iter().copied().fold(0.0, f64::min);
    let most = scores.iter().copied().fold(0.0, f64::max);
    let up = Axis::new((least, most), (BOTTOM, TOP));
    let name = &mapped.names[0];
    let positive = scores.iter().filter(|&&score| score > 0.0).count();
    let told = format!(
        "The score over {name}; {} % of the range shown is called positive.",
        100 * positive / scores.len()
    );
    let mut figure = Figure::new(
        "map",
        BOTTOM + 50.0,
        "The score over the model's one feature",
        &told,
    );
    for pair in 0..STEPS {
        if scores[pair] > 0.0 || scores[pair + 1] > 0.0 {
            let x = across.at(readings[pair]);
            figure.rect(
                (x, TOP),
                (across.at(readings[pair + 1]) - x, BOTTOM - TOP),
                "f5 crisp",
                "",
            );
        }
    }
    figure.line((LEFT, up.at(0.0)), (RIGHT, up.at(0.0)), "cut");
    let path: Vec<String> = (readings.iter().zip(&scores))
        .map(|(reading, score)| format!("{} {}", place(across.at(*reading)), place(up.at(*score))))
        .collect();
    figure.raw(&format!(
        "<path d=\"M{}\" class=\"curve\"/>",
        path.join("L")
    ));
    for (kind, class, y) in [(true, "rl", 8.0), (false, "ru", BOTTOM + 4.0)] {
        let rows: Vec<f64> = (mapped.rows.iter().zip(mapped.labeled))
            .filter(|(_, labeled)| **labeled == kind)
            .map(|(row, _)| *row)
            .collect();
        let ticks: String = (rows.iter().step_by(rows.len().div_ceil(700).max(1)))
            .map(|row| format!("M{} {y}v10", place(across.at(*row))))
            .collect();
        figure.raw(&format!("<path d=\"{ticks}\" class=\"{class}\"/>"));
    }
    for tick in across.ticks(6) {
        figure.text(
            (across.at(tick), BOTTOM + 29.0),
            Anchor::Middle,
            "s",
            &short(tick),
        );
    }
    for tick in up.ticks(4) {
        figure.text(
            (LEFT - 5.0, up.at(tick) + 4.0),
            Anchor::End,
            "s",
            &short(tick),
        );
    }
    figure.text(
        (RIGHT, BOTTOM + 45.0),
        Anchor::End,
        "s",
        &format!("{} →", shortened(name, 30)),
    );
    figure.text(
        (4.0, BOTTOM + 45.0),
        Anchor::Start,
        "s",
        "↑ score above the cut",
    );
    Ok(Drawn {
        svg: figure.svg(),
        caption: "The model has one feature: its score, shaded where it is above the cut. Strokes are rows, labeled ones above, unlabeled ones below.".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use crate::report::map::{Mapped, draw};

    #[test]
    fn one_feature_is_a_curve() {
        let rows: Vec<f64> = (0..100).map(f64::from).collect();
        let labeled: Vec<bool> = (0..100).map(|at| at > 90).collect();
        let names = ["level".to_owned()];
        let mapped = Mapped {
            names: &names,
            rows: &rows,
            labeled: &labeled,
            scales: &[1.0],
            telling: &[0.5],
            supports: &[],
            seed: 0,
        };
        let above_80 =
            |rows: &[f64]| -> Result<Vec<f64>, ()> { Ok(rows.iter().map(|x| x - 80.0).collect()) };
        let drawn = draw(&mapped, &above_80).unwrap();
        assert!(drawn.svg.contains("class=\"curve\""));
        // From 80 to 104 of -5 to 104.
        let shaded = drawn.svg.matches("class=\"f5 crisp\"").count();
        assert!((50..60).contains(&shaded), "{shaded}");
    }
}

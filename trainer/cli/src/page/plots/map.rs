//! The decision map: where the model says positive, the rows it was trained on, and its support instances.

use super::curve;
use super::field::{BOTTOM, LEFT, RIGHT, TOP, border, shade};
use super::importance::ScoreFn;
use super::plane::{Axes, Plane};
use crate::page::axis::{Axis, values_of};
use crate::page::svg::{Figure, place, shortened};
use crate::show::{grouped, percent};

/// A support instance of the written model, in raw units.
pub struct Support {
    /// Its weight in the score.
    pub coefficient: f64,
    /// A reading.
    pub values: Vec<f64>,
}

/// What the map shows.
pub struct MapData<'a> {
    pub names: &'a [String],
    /// Row-major, raw.
    pub rows: &'a [f64],
    /// Which of them are labeled positive.
    pub labeled: &'a [bool],
    /// How each feature was scaled for training.
    pub scales: &'a [f64],
    /// Importance of each feature.
    pub importance: &'a [f64],
    /// Of an RBF model.
    pub supports: &'a [Support],
    pub seed: u64,
}

/// The figure and its caption.
pub struct MapFigure {
    pub svg: String,
    pub caption: String,
}

/// At most this many unlabeled and labeled points.
const MOST_POINTS: [usize; 2] = [700, 400];
/// At most this many support instances: those with the largest coefficients.
const MOST_SUPPORTS: usize = 60;

/// The map; a curve if there is one feature.
pub fn draw<E>(mapped: &MapData<'_>, score: ScoreFn<'_, E>) -> Result<MapFigure, E> {
    if mapped.names.len() == 1 {
        return curve::draw(mapped, score);
    }
    let plane = Plane::new(mapped.rows, mapped.importance, mapped.scales, mapped.seed);
    let window = plane.window(mapped.rows);
    let field = plane.field(mapped.rows, window, score)?;
    let across = Axis::new(window[0], (LEFT, RIGHT));
    let up = Axis::new(window[1], (BOTTOM, TOP));
    let names = axis_names(&plane.axes, mapped.names);
    let positive = field.iter().filter(|&&value| value > 0.0).count() as f64;
    let told = format!(
        "{} across, {} up. {} of the area shown is called positive.",
        names[0],
        names[1],
        percent(positive / field.len() as f64)
    );
    let mut figure = Figure::new("map", BOTTOM + 36.0, "Where the model calls readings positive", &told);
    shade(&mut figure, &field);
    figure.raw(&format!("<path d=\"{}\" class=\"border\"/>", border(&field)));
    let at = |row: &[f64]| {
        let [x, y] = plane.of(row);
        let inside = (window[0].0..=window[0].1).contains(&x) && (window[1].0..=window[1].1).contains(&y);
        inside.then(|| (across.at(x), up.at(y)))
    };
    let shown = points(&mut figure, mapped, at);
    let supports = supports(&mut figure, mapped.supports, at);
    figure.rect((LEFT, TOP), (RIGHT - LEFT, BOTTOM - TOP), "frame", "");
    figure.ticks_across(&across, 5, BOTTOM + 15.0, (LEFT, RIGHT - 14.0));
    figure.ticks_up(&up, 5, LEFT - 5.0);
    let names = (shortened(&names[0], 28), shortened(&names[1], 24));
    figure.axis_names((RIGHT, BOTTOM + 31.0), &names.0, &names.1);
    let of_supports = match mapped.supports {
        [] => "",
        _ => KEY_OF_SUPPORTS,
    };
    Ok(MapFigure {
        svg: format!("{}<p class=\"key\">{KEY}{of_supports}</p>\n", figure.svg()),
        caption: [why(&plane.axes, mapped), shown, supports].concat(),
    })
}

const KEY: &str = "<span><i class=\"f6\"></i> called positive</span> <span><i class=\"f0\"></i> not</span> \
    <span><b class=\"tl\">◆</b> labeled</span> <span><b class=\"tu\">●</b> unlabeled</span>";
const KEY_OF_SUPPORTS: &str =
    " <span><i class=\"sign\">+</i> <i class=\"sign\">−</i> support instances, by their sign</span>";

fn axis_names(axes: &Axes, names: &[String]) -> [String; 2] {
    match axes {
        Axes::Features(x, y) => [names[*x].clone(), names[*y].clone()],
        Axes::Components([first, second]) => {
            [(1, first), (2, second)].map(|(number, (share, _))| format!("component {number} ({})", percent(*share)))
        }
    }
}

/// Why these axes, and what the colours mean.
fn why(axes: &Axes, mapped: &MapData<'_>) -> String {
    let features = mapped.names.len();
    match axes {
        Axes::Features(..) if features == 2 => "The model has two features, so the map is complete. ".to_owned(),
        Axes::Features(x, y) => format!(
            "The axes are the two most important of {features} features: shuffling {} changes the class of {} of the rows, shuffling {} that of {}. \
             The colour of a point is the average score of the sixteen nearest rows, moved there with their other features unchanged. ",
            mapped.names[*x],
            percent(mapped.importance[*x]),
            mapped.names[*y],
            percent(mapped.importance[*y])
        ),
        Axes::Components([first, second]) => {
            let list = |features: &[usize]| {
                let names: Vec<&str> = features.iter().map(|&at| mapped.names[at].as_str()).collect();
                names.join(", ")
            };
            format!(
                "With {features} features the axes are the first two principal components of the scaled rows, with {} and {} of their variance; \
                 {} dominate the first axis and {} the second. \
                 The colour of a point is the average score of the sixteen nearest rows, moved there within the plane. ",
                percent(first.0),
                percent(second.0),
                list(&first.1),
                list(&second.1)
            )
        }
    }
}

/// Draws the rows, or evenly spaced ones of many, and says how many.
fn points(figure: &mut Figure, mapped: &MapData<'_>, at: impl Fn(&[f64]) -> Option<(f64, f64)>) -> String {
    let all: Vec<&[f64]> = mapped.rows.chunks_exact(mapped.names.len()).collect();
    let mut outside = 0;
    let mut shown = [0, 0];
    for (kind, class) in [(false, "pu"), (true, "pl")] {
        let rows = values_of(kind, &all, mapped.labeled);
        let mut path = String::new();
        for row in evenly(&rows, MOST_POINTS[usize::from(kind)]) {
            let Some((x, y)) = at(row) else {
                outside += 1;
                continue;
            };
            shown[usize::from(kind)] += 1;
            path += &if kind {
                format!("M{} {}l3.2-3.2l3.2 3.2l-3.2 3.2z", place(x - 3.2), place(y))
            } else {
                format!("M{} {}h0", place(x), place(y))
            };
        }
        figure.raw(&format!("<path d=\"{path}\" class=\"{class}\"/>"));
    }
    let outside = match outside {
        0 => String::new(),
        some => format!(", {some} more lie outside"),
    };
    format!(
        "Shown are {} labeled and {} unlabeled rows of {}{outside}. ",
        grouped(shown[1]),
        grouped(shown[0]),
        grouped(mapped.labeled.len())
    )
}

/// All of them, or `most` at even distances.
fn evenly<T>(all: &[T], most: usize) -> impl Iterator<Item = &T> {
    let count = all.len().min(most);
    (0..count).map(move |at| &all[at * all.len() / count])
}

/// One ring per support instance, larger for a larger coefficient.
fn supports(figure: &mut Figure, supports: &[Support], at: impl Fn(&[f64]) -> Option<(f64, f64)>) -> String {
    let mut order: Vec<&Support> = supports.iter().collect();
    order.sort_by(|a, b| b.coefficient.abs().total_cmp(&a.coefficient.abs()));
    let largest = order.first().map_or(1.0, |support| support.coefficient.abs());
    let mut shown = 0;
    for support in order.iter().take(MOST_SUPPORTS) {
        let Some((x, y)) = at(&support.values) else {
            continue;
        };
        shown += 1;
        let radius = 4.5 + 4.5 * (support.coefficient.abs() / largest.max(f64::MIN_POSITIVE)).sqrt();
        let arm = 0.55 * radius;
        let [left, top, length, x, y, radius] = [x - arm, y - arm, 2.0 * arm, x, y, radius].map(place);
        let upright = if support.coefficient > 0.0 { format!("M{x} {top}v{length}") } else { String::new() };
        let sign = format!("M{left} {y}h{length}{upright}");
        figure.raw(&format!("<g class=\"sup\"><circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"/><path d=\"{sign}\"/></g>"));
    }
    match (shown, supports.len()) {
        (_, 0) => "A linear model has no support instances.".to_owned(),
        (shown, all) if shown == all => {
            "Rings are the model's support instances, larger for larger coefficients; they need not be rows.".to_owned()
        }
        (shown, all) => format!(
            "Rings are {shown} of the model's {all} support instances, larger for larger coefficients; the others lie outside or have small coefficients."
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pual_trainer::internals::Random;

    fn mapped<'a>(names: &'a [String], rows: &'a [f64], labeled: &'a [bool], supports: &'a [Support]) -> MapData<'a> {
        MapData {
            names,
            rows,
            labeled,
            scales: &[1.0, 1.0, 1.0][..names.len()],
            importance: &[0.2, 0.1, 0.3][..names.len()],
            supports,
            seed: 0,
        }
    }

    fn names(count: usize) -> Vec<String> {
        ["level", "slope", "spread"][..count].iter().map(|name| (*name).to_owned()).collect()
    }

    fn rows(count: usize) -> (Vec<f64>, Vec<bool>) {
        let random = &mut Random::new(5, 0);
        let rows = (0..400 * count).map(|_| random.normal()).collect();
        (rows, (0..400).map(|at| at % 4 == 0).collect())
    }

    fn first(rows: &[f64], features: usize) -> Result<Vec<f64>, ()> {
        Ok(rows.chunks_exact(features).map(|row| row[0]).collect())
    }

    #[test]
    fn field_rows_and_supports_are_drawn() {
        let (names, (rows, labeled)) = (names(2), rows(2));
        let supports = [(0.5, [0.0, 0.0]), (-2.0, [0.5, 0.5]), (1.0, [900.0, 0.0])]
            .map(|(coefficient, values)| Support { coefficient, values: values.to_vec() });
        let drawn = draw(&mapped(&names, &rows, &labeled, &supports), &|rows| first(rows, 2)).unwrap();
        // One support lies outside.
        assert_eq!(drawn.svg.matches("<circle").count(), 2);
        assert!(drawn.caption.contains("2 of the model's 3 support instances"));
        assert!(drawn.caption.contains("the map is complete"));
        // The border is upright, where the first feature is 0: all of the right half is positive.
        assert!(drawn.svg.contains("class=\"border\""));
        assert!(drawn.svg.contains("class=\"f6 crisp\"") && drawn.svg.contains("class=\"f0 crisp\""));
    }

    #[test]
    fn of_three_features_the_two_most_important_are_the_axes() {
        let (names, (rows, labeled)) = (names(3), rows(3));
        let drawn = draw(&mapped(&names, &rows, &labeled, &[]), &|rows| first(rows, 3)).unwrap();
        assert!(drawn.svg.contains("level →") && drawn.svg.contains("↑ spread"));
        assert!(drawn.caption.contains("shuffling spread that of 30.0 %"), "{}", drawn.caption);
    }
}

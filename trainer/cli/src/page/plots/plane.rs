//! The plane on which decisions are shown, and the score over it.
//!
//! Up to twelve features: the two most important ones (see `importance`), in their own units. More: the first two principal components
//! of the rows as they were scaled for training,
//!
//!   u = sum_j v_j s_j (x_j - mean_j),      and a step du moves x_j by v_j du / s_j.
//!
//! With two features the plane shows everything. With more, the score of a cell is the average over the sixteen nearest rows, moved
//! there within the plane and otherwise unchanged, each clipped at a typical score: what the model says of readings like those seen
//! near there. A cut through the mean of all other features would not show that.

use super::importance::{ScoreFn, ranked};
use crate::page::axis::sorted;
use pual_trainer::internals::{Random, quantile};

/// With more features than this, the axes are principal components.
pub const MOST_FEATURES: usize = 12;
/// Cells across and up.
pub const CELLS: (usize, usize) = (58, 44);
const NEAREST: usize = 16;
/// At most this many rows are used.
const MOST_ROWS: usize = 1500;
const ROUNDS: usize = 100;
const STREAM: u64 = 4 << 40;

/// A direction in the space of readings, with what a step along it changes.
#[derive(Debug, Clone)]
pub struct Direction {
    centre: Vec<f64>,
    weights: Vec<f64>,
    steps: Vec<f64>,
}

impl Direction {
    fn feature(features: usize, at: usize) -> Self {
        let mut unit = vec![0.0; features];
        unit[at] = 1.0;
        Self { centre: vec![0.0; features], weights: unit.clone(), steps: unit }
    }

    /// A row's place along it.
    pub fn of(&self, row: &[f64]) -> f64 {
        (row.iter().zip(&self.centre).zip(&self.weights))
            .filter(|(_, weight)| **weight != 0.0)
            .map(|((x, centre), weight)| weight * (x - centre))
            .sum()
    }

    fn step(&self, row: &mut [f64], by: f64) {
        for (x, step) in row.iter_mut().zip(&self.steps) {
            *x += by * step;
        }
    }
}

/// The two axes.
#[derive(Debug, Clone, PartialEq)]
pub enum Axes {
    /// Two features.
    Features(usize, usize),
    /// Two components: each with its share of the variance and its dominant features.
    Components([(f64, Vec<usize>); 2]),
}

#[derive(Debug, Clone)]
pub struct Plane {
    pub axes: Axes,
    /// Across and up.
    pub directions: [Direction; 2],
}

impl Plane {
    /// The plane for rows of two features or more. `shares` are the importances, `scales` the scaling of the training.
    pub fn new(rows: &[f64], shares: &[f64], scales: &[f64], seed: u64) -> Self {
        let features = shares.len();
        if features > MOST_FEATURES {
            return components(rows, scales, seed);
        }
        let order = ranked(shares);
        // The earlier column across.
        let (x, y) = (order[0].min(order[1]), order[0].max(order[1]));
        Self { axes: Axes::Features(x, y), directions: [x, y].map(|at| Direction::feature(features, at)) }
    }

    /// A row's place in the plane.
    pub fn of(&self, row: &[f64]) -> [f64; 2] {
        [self.directions[0].of(row), self.directions[1].of(row)]
    }

    /// The part of the plane to show: all but the outermost 0.5 % of the rows on each side, plus a margin.
    pub fn window(&self, rows: &[f64]) -> [(f64, f64); 2] {
        let features = self.directions[0].weights.len();
        [0, 1].map(|along| {
            let of = |row: &[f64]| self.directions[along].of(row);
            let places = sorted(rows.chunks_exact(features).map(of).collect());
            let (low, high) = (quantile(&places, 0.005), quantile(&places, 0.995));
            let margin = if high > low { 0.06 * (high - low) } else { 0.5 * low.abs().max(1.0) };
            (low - margin, high + margin)
        })
    }

    /// The score of each cell, row by row from the lower left, relative to a typical score and clipped to -1..1.
    pub fn field<E>(&self, rows: &[f64], window: [(f64, f64); 2], score: ScoreFn<'_, E>) -> Result<Vec<f64>, E> {
        let features = self.directions[0].weights.len();
        let count = rows.len() / features;
        let near: Vec<&[f64]> = rows.chunks_exact(features).step_by(count.div_ceil(MOST_ROWS).max(1)).collect();
        let places: Vec<[f64; 2]> = near.iter().map(|row| self.of(row)).collect();
        let unit = unit(&score(&near.concat())?);
        let rows_per_cell = match features {
            2 => 1,
            _ => NEAREST.min(near.len()),
        };
        let mut readings = Vec::with_capacity(CELLS.0 * CELLS.1 * rows_per_cell * features);
        let mut order: Vec<(f64, usize)> = Vec::with_capacity(near.len());
        for up in 0..CELLS.1 {
            for across in 0..CELLS.0 {
                let at = [between(window[0], across, CELLS.0), between(window[1], up, CELLS.1)];
                order.clear();
                order.extend(places.iter().enumerate().map(|(row, place)| {
                    let part = |along: usize| (place[along] - at[along]) / (window[along].1 - window[along].0);
                    (part(0) * part(0) + part(1) * part(1), row)
                }));
                if rows_per_cell < order.len() {
                    // Of equals the earlier row: the choice must not depend on the order of the search.
                    order.select_nth_unstable_by(rows_per_cell, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                }
                for &(_, row) in &order[..rows_per_cell] {
                    let mut moved = near[row].to_vec();
                    self.directions[0].step(&mut moved, at[0] - places[row][0]);
                    self.directions[1].step(&mut moved, at[1] - places[row][1]);
                    readings.extend(moved);
                }
            }
        }
        let scores = score(&readings)?;
        let clipped = |score: &f64| (score / unit).clamp(-1.0, 1.0);
        Ok((scores.chunks_exact(rows_per_cell))
            .map(|scores| scores.iter().map(clipped).sum::<f64>() / rows_per_cell as f64)
            .collect())
    }
}

/// The centre of a cell.
fn between((low, high): (f64, f64), at: usize, of: usize) -> f64 {
    low + (high - low) * (at as f64 + 0.5) / of as f64
}

/// A typical score: the median distance of the rows' scores from the cut.
fn unit(scores: &[f64]) -> f64 {
    let sizes = sorted(scores.iter().map(|score| score.abs()).collect());
    let median = quantile(&sizes, 0.5);
    if median > 0.0 { median } else { 1.0 }
}

/// The first two principal components, by power iteration on the scaled rows.
fn components(rows: &[f64], scales: &[f64], seed: u64) -> Plane {
    let features = scales.len();
    let count = rows.len() / features;
    let sample: Vec<&[f64]> = rows.chunks_exact(features).step_by(count.div_ceil(MOST_ROWS).max(1)).collect();
    let mut mean = vec![0.0; features];
    for row in &sample {
        for (mean, x) in mean.iter_mut().zip(*row) {
            *mean += x / sample.len() as f64;
        }
    }
    let scaled: Vec<Vec<f64>> =
        sample.iter().map(|row| (0..features).map(|j| (row[j] - mean[j]) * scales[j]).collect()).collect();
    let total: f64 = scaled.iter().flatten().map(|z| z * z).sum();
    let first = component(&scaled, None, seed);
    let second = component(&scaled, Some(&first), seed);
    let direction = |v: &[f64]| Direction {
        centre: mean.clone(),
        weights: v.iter().zip(scales).map(|(v, s)| v * s).collect(),
        // The model ignores a feature with scale 0, so it stays.
        steps: (v.iter().zip(scales)).map(|(v, s)| if *s == 0.0 { 0.0 } else { v / s }).collect(),
    };
    let about = |v: &[f64]| {
        let along: f64 = scaled.iter().map(|z| dot(z, v) * dot(z, v)).sum();
        let sizes: Vec<f64> = v.iter().map(|v| v.abs()).collect();
        let share = if total > 0.0 { along / total } else { 0.0 };
        (share, ranked(&sizes).into_iter().take(3).collect())
    };
    Plane {
        axes: Axes::Components([about(&first), about(&second)]),
        directions: [direction(&first), direction(&second)],
    }
}

/// The direction of most variance, orthogonal to `other` if there is one, with its largest weight positive.
fn component(rows: &[Vec<f64>], other: Option<&Vec<f64>>, seed: u64) -> Vec<f64> {
    let features = rows.first().map_or(0, Vec::len);
    let random = &mut Random::new(seed, STREAM + u64::from(other.is_some()));
    let mut v: Vec<f64> = (0..features).map(|_| random.normal()).collect();
    for _ in 0..ROUNDS {
        let mut next = vec![0.0; features];
        for row in rows {
            let along = dot(row, &v);
            next.iter_mut().zip(row).for_each(|(next, z)| *next += along * z);
        }
        if let Some(other) = other {
            let along = dot(&next, other);
            next.iter_mut().zip(other).for_each(|(next, o)| *next -= along * o);
        }
        let length = dot(&next, &next).sqrt();
        if length <= 0.0 {
            break;
        }
        v = next.into_iter().map(|x| x / length).collect();
    }
    let largest = v.iter().copied().fold(0.0, |a: f64, b| if b.abs() > a.abs() { b } else { a });
    if largest < 0.0 {
        v.iter_mut().for_each(|x| *x = -*x);
    }
    v
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(count: usize, features: usize) -> Vec<f64> {
        let random = &mut Random::new(3, 1);
        (0..count * features).map(|_| random.normal()).collect()
    }

    #[test]
    fn of_two_features_the_field_is_the_score_itself() {
        let rows = rows(200, 2);
        let plane = Plane::new(&rows, &[0.3, 0.1], &[1.0, 1.0], 0);
        assert_eq!(plane.axes, Axes::Features(0, 1));
        let window = [(-2.0, 2.0), (-1.0, 3.0)];
        let score =
            |rows: &[f64]| -> Result<Vec<f64>, ()> { Ok(rows.chunks_exact(2).map(|row| row[0] - row[1]).collect()) };
        let field = plane.field(&rows, window, &score).unwrap();
        assert_eq!(field.len(), CELLS.0 * CELLS.1);
        for (at, value) in field.iter().enumerate() {
            let x = between(window[0], at % CELLS.0, CELLS.0);
            let y = between(window[1], at / CELLS.0, CELLS.1);
            assert_eq!(*value > 0.0, x - y > 0.0, "{x} {y}");
        }
    }

    #[test]
    fn of_more_features_the_field_is_of_rows_that_are_near() {
        // The third feature decides and follows the first: a cut at the mean would not show it.
        let mut rows = rows(400, 3);
        rows.chunks_exact_mut(3).for_each(|row| row[2] = row[0]);
        let plane = Plane::new(&rows, &[0.5, 0.2, 0.1], &[1.0; 3], 0);
        let score = |rows: &[f64]| -> Result<Vec<f64>, ()> { Ok(rows.chunks_exact(3).map(|row| row[2]).collect()) };
        let field = plane.field(&rows, [(-1.5, 1.5), (-1.0, 1.0)], &score).unwrap();
        let middle = CELLS.0 * (CELLS.1 / 2);
        assert!(field[middle + 3] < -0.5 && field[middle + CELLS.0 - 4] > 0.5);
    }

    #[test]
    fn many_features_are_shown_by_their_components() {
        let features = MOST_FEATURES + 3;
        let mut rows = rows(300, features);
        // Two features with far more variance than the others, one more than the other.
        rows.chunks_exact_mut(features).for_each(|row| {
            row[4] *= 9.0;
            row[7] = 5.0 * row[7] + 100.0;
        });
        let plane = Plane::new(&rows, &vec![0.1; features], &vec![1.0; features], 0);
        let Axes::Components([first, second]) = &plane.axes else {
            panic!("{:?}", plane.axes);
        };
        assert_eq!((first.1[0], second.1[0]), (4, 7));
        assert!(first.0 > second.0 && first.0 + second.0 < 1.0);
        // A step along one direction changes the place along it alone.
        let mut row = rows[..features].to_vec();
        let before = plane.of(&row);
        plane.directions[0].step(&mut row, 2.5);
        let after = plane.of(&row);
        assert!((after[0] - before[0] - 2.5).abs() < 1e-9 && (after[1] - before[1]).abs() < 1e-9);
    }

    #[test]
    fn a_constant_score_and_rows_that_are_all_the_same_have_a_field() {
        let rows = [1.0, 2.0].repeat(10);
        let plane = Plane::new(&rows, &[0.0, 0.0], &[0.0, 0.0], 0);
        let window = plane.window(&rows);
        assert!(window.iter().all(|(low, high)| low < high));
        let score = |rows: &[f64]| -> Result<Vec<f64>, ()> { Ok(vec![1.0; rows.len() / 2]) };
        let field = plane.field(&rows, window, &score).unwrap();
        assert!(field.iter().all(|&value| value == 1.0));
    }
}

//! Interpolated points: future rows lie near past rows, but not on them, and a model can be asked anywhere.
//!
//! ```text
//! x = x_i + u (x_k - x_i),      u uniform in [0, 1],      x_k a row near x_i by the distance of scaled features
//! ```
//!
//! | function | x_k |
//! |---|---|
//! | [`towards_near`] | the nearest of some rows drawn at random: cheap for thousands of rows |
//! | [`towards_nearest`] | one of the 5 nearest rows |
//!
//! All rows are row-major.

use crate::base::random::Random;

/// Rows for each of which [`towards_near`] makes points, at most.
const MOST_ROWS: usize = 1000;
/// One candidate for the neighbour per this many rows, within these bounds.
const ROWS_PER_CANDIDATE: usize = 8;
const CANDIDATES: (usize, usize) = (5, 60);
/// Neighbours that [`towards_nearest`] chooses from.
const NEIGHBOURS: usize = 5;

/// `per_row` points for each of the first 1000 rows.
pub(crate) fn towards_near(
    rows: &[f64],
    scaled: &[f64],
    features: usize,
    per_row: usize,
    random: &mut Random,
) -> Vec<f64> {
    let n = rows.len() / features;
    let candidates = (n / ROWS_PER_CANDIDATE).clamp(CANDIDATES.0, CANDIDATES.1);
    let mut points = Vec::with_capacity(per_row * n.min(MOST_ROWS) * features);
    for made in 0..per_row * n.min(MOST_ROWS) {
        let i = made % n;
        let mut nearest = (f64::INFINITY, i);
        for _ in 0..candidates {
            let k = random.below(n);
            let square = square(scaled, features, i, k);
            if k != i && square < nearest.0 {
                nearest = (square, k);
            }
        }
        push_between(&mut points, rows, features, (i, nearest.1), random);
    }
    points
}

/// `per_row` points for each row; none for a single row.
pub(crate) fn towards_nearest(
    rows: &[f64],
    scaled: &[f64],
    features: usize,
    per_row: usize,
    random: &mut Random,
) -> Vec<f64> {
    let mut points = Vec::with_capacity(per_row * rows.len());
    for i in 0..rows.len() / features {
        let near = nearest(scaled, features, i);
        for _ in 0..per_row {
            let Some(&k) = near.get(random.below(near.len())) else {
                break;
            };
            push_between(&mut points, rows, features, (i, k), random);
        }
    }
    points
}

/// Appends x_i + u (x_k - x_i).
fn push_between(points: &mut Vec<f64>, rows: &[f64], features: usize, (i, k): (usize, usize), random: &mut Random) {
    let u = random.uniform();
    let ends = row(rows, features, i).iter().zip(row(rows, features, k));
    points.extend(ends.map(|(x, z)| x + u * (z - x)));
}

/// The rows nearest to row `i`, without itself; of equals the earlier ones.
fn nearest(scaled: &[f64], features: usize, i: usize) -> Vec<usize> {
    let mut near: Vec<(f64, usize)> =
        (0..scaled.len() / features).filter(|&k| k != i).map(|k| (square(scaled, features, i, k), k)).collect();
    let by_distance = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    if NEIGHBOURS < near.len() {
        near.select_nth_unstable_by(NEIGHBOURS, by_distance);
        near.truncate(NEIGHBOURS);
    }
    near.sort_by(by_distance);
    near.into_iter().map(|(_, k)| k).collect()
}

fn square(scaled: &[f64], features: usize, i: usize, k: usize) -> f64 {
    let pairs = row(scaled, features, i).iter().zip(row(scaled, features, k));
    pairs.map(|(x, z)| (x - z) * (x - z)).sum()
}

fn row(rows: &[f64], features: usize, at: usize) -> &[f64] {
    &rows[at * features..(at + 1) * features]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_lie_between_rows_that_are_near_each_other() {
        // Two heaps, far apart: next to nothing lies between them.
        let random = &mut Random::new(2, 0);
        let rows: Vec<f64> =
            (0..200).flat_map(|i| [100.0 * f64::from(i % 2) + random.normal(), random.normal()]).collect();
        let in_a_heap = |x: &&[f64]| x[0].abs() < 6.0 || (x[0] - 100.0).abs() < 6.0;
        let random = &mut Random::new(3, 0);
        for (points, least) in
            [(towards_near(&rows, &rows, 2, 2, random), 391), (towards_nearest(&rows, &rows, 2, 2, random), 400)]
        {
            assert_eq!(points.len(), 2 * 2 * 200);
            assert!(points.chunks(2).filter(in_a_heap).count() >= least);
            assert!(points.chunks(2).all(|x| rows.chunks(2).all(|row| row != x)));
        }
        assert!(towards_nearest(&[1.0], &[1.0], 1, 3, &mut Random::new(1, 0)).is_empty());
    }
}

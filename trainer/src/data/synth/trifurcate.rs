//! The paper's synthetic data (Section 4.1.1), in two dimensions, all normal:
//!
//! | rows | class | mean | covariance |
//! |---|---|---|---|
//! | 1/4 | positive | (15, 15) | 50 I |
//! | 1/4 | positive | (mean_p2, mean_p2) | 50 I |
//! | 1/2 | negative | (0, 0) | [50 0.2; 0.2 50] |
//!
//! The paper has 800 rows and mean_p2 in 50, 100, 200, 500, 1000: one part of the positives moves ever farther away.

use super::{STREAM_OF_ROWS, table};
use crate::base::random::Random;
use crate::data::table::Table;

/// Rows of each of the paper's data sets.
pub const PAPER_ROWS: usize = 800;
/// The values of mean_p2 in the paper's Table 2.
pub const PAPER_MEANS: [f64; 5] = [50.0, 100.0, 200.0, 500.0, 1000.0];

const VARIANCE: f64 = 50.0;
const COVARIANCE_OF_NEGATIVES: f64 = 0.2;

/// `rows` rows in random order, columns `x1` and `x2`, with their truth and no labels.
pub fn trifurcate(rows: usize, mean_p2: f64, seed: u64) -> Table {
    let mut random = Random::new(seed, STREAM_OF_ROWS);
    let positives = rows / 2;
    let near = positives - positives / 2;
    let mut drawn: Vec<([f64; 2], bool)> = (0..rows)
        .map(|row| {
            let (mean, covariance, positive) = if row < near {
                (15.0, 0.0, true)
            } else if row < positives {
                (mean_p2, 0.0, true)
            } else {
                (0.0, COVARIANCE_OF_NEGATIVES, false)
            };
            (normal_pair(mean, covariance, &mut random), positive)
        })
        .collect();
    random.shuffle(&mut drawn);
    let truth = drawn.iter().map(|(_, positive)| *positive).collect();
    let values = drawn.into_iter().flat_map(|(point, _)| point).collect();
    table(&["x1", "x2"], values, truth)
}

/// A normal point with both means `mean`, both variances [`VARIANCE`], by the covariance matrix's Cholesky factor.
fn normal_pair(mean: f64, covariance: f64, random: &mut Random) -> [f64; 2] {
    let (first, second) = (random.normal(), random.normal());
    let deviation = VARIANCE.sqrt();
    let below = covariance / deviation;
    let remainder = (VARIANCE - below * below).sqrt();
    [mean + deviation * first, mean + below * first + remainder * second]
}

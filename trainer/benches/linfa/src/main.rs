//! Fits linfa-svm's RBF machine on TRAIN.csv (last column: 1 labeled positive, 0 unlabeled) and scores TEST.csv (last column:
//! the truth). Prints one JSON object: seconds of the best fit, reading left out, and the test's counts.
//!
//!     linfa-fit TRAIN.csv TEST.csv GAMMA REPEATS PATIENCE
//!
//! It fits up to REPEATS times, as long as all fits together have taken less than PATIENCE seconds.

use linfa::prelude::*;
use linfa_svm::Svm;
use ndarray::{Array1, Array2};
use std::error::Error;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [train, test, gamma, repeats, patience] = arguments.as_slice() else {
        return Err("usage: linfa-fit TRAIN.csv TEST.csv GAMMA REPEATS PATIENCE".into());
    };
    let gamma: f64 = gamma.parse()?;
    let (repeats, patience): (usize, f64) = (repeats.parse()?, patience.parse()?);
    let (rows, labeled) = read(train)?;
    let positives = labeled.iter().filter(|&&labeled| labeled).count() as f64;
    let all = labeled.len() as f64;
    // As scikit-learn's class_weight="balanced": C n / (2 n_class).
    let parameters = Svm::<f64, bool>::params()
        .pos_neg_weights(0.5 * all / positives, 0.5 * all / (all - positives))
        .gaussian_kernel(1.0 / gamma);
    let data = Dataset::new(rows, labeled);
    let (mut best, mut total, mut model) = (f64::INFINITY, 0.0, None);
    for _ in 0..repeats {
        let start = Instant::now();
        model = Some(parameters.fit(&data)?);
        let seconds = start.elapsed().as_secs_f64();
        best = best.min(seconds);
        total += seconds;
        if total > patience {
            break;
        }
    }
    let model = model.ok_or("REPEATS must be at least 1")?;
    let (rows, truth) = read(test)?;
    let called = model.predict(&rows);
    let count = |called_so: bool, really: bool| {
        let pairs = called.iter().zip(&truth);
        pairs
            .filter(|&(&c, &t)| c == called_so && t == really)
            .count()
    };
    let (hits, wrong, missed) = (count(true, true), count(true, false), count(false, true));
    let f1 = 2.0 * hits as f64 / (2 * hits + wrong + missed) as f64;
    println!("{{\"seconds\": {best}, \"f1\": {f1}}}");
    Ok(())
}

fn read(path: &str) -> Result<(Array2<f64>, Array1<bool>), Box<dyn Error>> {
    let (mut values, mut marks) = (Vec::new(), Vec::new());
    // The first line names the columns.
    for line in std::fs::read_to_string(path)?.lines().skip(1) {
        let (cells, mark) = line.rsplit_once(',').ok_or("a row of one cell")?;
        for cell in cells.split(',') {
            values.push(cell.parse()?);
        }
        marks.push(mark == "1");
    }
    let shape = (marks.len(), values.len() / marks.len().max(1));
    Ok((Array2::from_shape_vec(shape, values)?, marks.into()))
}

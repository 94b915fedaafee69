//! The paper's two experiments, by its protocol, on any of our methods.
//!
//! | table | data | split | repeats | paper's tuning |
//! |---|---|---|---|---|
//! | 2 (Section 4.1) | 800 synthetic rows, mean_p2 = 50 .. 1000 | single training set: 70 % to train on, 25 % of their positives labeled | 5 | linear, 4 folds, mean PUF, `paper-synthetic` grid |
//! | 4 (Section 4.2) | 16 real data sets | case-control: 7/17 or 7/37 of the positives labeled; 70 % of the rest unlabeled, 30 % the test set | 10 | RBF, 4 folds, mean PUF, `paper-real` grid, refinement |
//!
//! A cell is one split of one data set. The test rows' truth is used once, after everything is chosen, to count.

mod method;
pub mod paper;
mod results;
mod summary;
mod task;

pub use method::{BenchMethod, UnknownMethod};
pub use results::{Record, Results, ResultsError};
pub use summary::Summary;
pub use task::{Cell, Table, cells_of_table2, cells_of_table4, paper_data_sets};

use std::time::Instant;

use crate::compare::compare;
use crate::dataset::DatasetError;
use crate::metrics::Confusion;
use crate::options::{Method, TrainOptions};
use crate::train::{TrainError, Trained, train, train_tuned};
use crate::tune::Tuned;
use method::{Base, Tuning};

/// Why a cell has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BenchError {
    /// The rows.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// The training.
    #[error(transparent)]
    Train(#[from] TrainError),
}

/// Trains `method` on the cell's training rows, and counts on its test rows.
pub fn run(
    cell: &Cell,
    method: &BenchMethod,
    options: &TrainOptions,
) -> Result<Record, BenchError> {
    let start = Instant::now();
    let split = cell.split()?;
    let options = TrainOptions {
        kernel: method.kernel(cell.table, options.kernel),
        seed: cell.training_seed(),
        ..options.clone()
    };
    let (trained, tuned) = fit(cell, method, &split.train, &options)?;
    let scores = trained.scores(&split.test_rows);
    let called: Vec<bool> = scores.iter().map(|&score| score > 0.0).collect();
    let counts = Confusion::count(&split.test_truth, &called);
    Ok(Record {
        table: cell.table.number(),
        data_set: cell.data_set.clone(),
        label_frequency: cell.label_frequency,
        seed: cell.seed,
        repeat: cell.repeat,
        method: method.to_string(),
        f1: counts.f1(),
        f1_of_all_positive: counts.f1_of_all_positive(),
        precision: counts.precision(),
        recall: counts.recall(),
        puf: tuned.as_ref().map(|tuned| tuned.choice.puf),
        taken: trained.method.name().to_owned(),
        bandwidth: trained.settings.bandwidth(),
        lambda: trained.settings.lambda,
        c_u: trained.settings.c_u,
        sigma: trained.settings.local.map(|local| local.sigma),
        supports: trained.expansion.rows.len(),
        seconds: start.elapsed().as_secs_f64(),
    })
}

fn fit(
    cell: &Cell,
    method: &BenchMethod,
    data: &crate::dataset::Dataset,
    options: &TrainOptions,
) -> Result<(Trained, Option<Tuned>), TrainError> {
    let tuning = method.tune_options(cell.table);
    match (method.base, method.tuning) {
        (Base::One(method), Tuning::Fixed) => {
            let options = TrainOptions {
                method,
                ..options.clone()
            };
            Ok((train(data, &options)?, None))
        }
        (Base::One(method), _) => {
            let options = TrainOptions {
                method,
                ..options.clone()
            };
            let (trained, tuned) = train_tuned(data, &options, &tuning, None, &())?;
            Ok((trained, Some(tuned)))
        }
        (Base::Auto, _) => {
            let entry =
                compare(data, options, &Method::COMPARED, &tuning, None, &())?.into_best()?;
            Ok((entry.trained, Some(entry.tuned)))
        }
    }
}

//! The cells of the tables: which rows are trained on, which are tested on.

use std::path::Path;
use std::sync::Arc;

use super::{BenchError, paper, rare, streams};
use crate::base::files::write_file;
use crate::base::random::Random;
use crate::data::dataset::{Dataset, DatasetError};
use crate::data::split::{Split, case_control, single_training_set};
use crate::data::synth::{PAPER_ROWS, trifurcate};
use crate::data::table::{self, Columns, CsvError};

/// Share of rows to train on, in both of the paper's protocols.
const TRAIN_SHARE: f64 = 0.7;
/// Share of the training positives that is labeled in Table 2.
const TABLE2_LABEL_FREQUENCY: f64 = 0.25;
/// Keeps a split's draw apart from the rows' and labels' of the same seed.
const STREAM_OF_SPLITS: u64 = 0x5_7117;

/// How a cell's rows are split.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Protocol {
    /// As in the paper's Table 2.
    Two,
    /// As in the paper's Table 4.
    Four,
    /// Ours: this share of the rows is positive.
    Rare { share: f64 },
    /// Ours: whole recordings are tested on.
    Streams,
}

impl Protocol {
    /// The paper's number of the table; 0 for rare positives, 1 for recordings.
    pub fn number(self) -> u8 {
        match self {
            Self::Two => 2,
            Self::Four => 4,
            Self::Rare { .. } => 0,
            Self::Streams => 1,
        }
    }
}

/// One split of one data set.
#[derive(Debug, Clone)]
pub struct Cell {
    pub protocol: Protocol,
    /// The data set's name; for Table 2, mean_p2.
    pub data_set: String,
    /// Share of the training positives that is labeled.
    pub label_frequency: f64,
    pub seed: u64,
    pub repeat: u64,
    pub(super) rows: Arc<table::Table>,
}

/// What a cell is trained and tested on.
pub(super) struct TrainAndTest {
    pub train: Dataset,
    pub test_rows: Vec<f64>,
    pub test_truth: Vec<bool>,
    /// The recording of each test row, where there are any.
    pub test_recordings: Option<Vec<u32>>,
    /// P(y = 1) in what the training rows are a sample of.
    pub share: f64,
}

/// Table 2: for each mean_p2 (the paper's are [`PAPER_MEANS`](crate::data::synth::PAPER_MEANS)), `repeats` data sets with one split each.
pub fn cells_of_table2(means: &[f64], repeats: u64, seed: u64) -> Vec<Cell> {
    let cell = |mean: f64, repeat: u64| Cell {
        protocol: Protocol::Two,
        data_set: mean.to_string(),
        label_frequency: TABLE2_LABEL_FREQUENCY,
        seed,
        repeat,
        rows: Arc::new(trifurcate(PAPER_ROWS, mean, seed.wrapping_add(repeat))),
    };
    means.iter().flat_map(|&mean| (0..repeats).map(move |repeat| cell(mean, repeat))).collect()
}

/// Table 4: `repeats` splits of each data set at each label frequency. `folder` holds a file `name.csv` for each, with the truth in a
/// column `label`.
pub fn cells_of_table4(
    folder: &Path,
    data_sets: &[String],
    label_frequencies: &[f64],
    repeats: u64,
    seed: u64,
) -> Result<Vec<Cell>, CsvError> {
    let mut cells = Vec::new();
    for name in data_sets {
        let path = folder.join(format!("{}.csv", name.to_lowercase()));
        let columns = Columns { truth: Some("label".to_owned()), ..Columns::default() };
        let rows = Arc::new(table::Table::open(&path, &columns)?);
        for &label_frequency in label_frequencies {
            cells.extend((0..repeats).map(|repeat| Cell {
                protocol: Protocol::Four,
                data_set: name.clone(),
                label_frequency,
                seed,
                repeat,
                rows: Arc::clone(&rows),
            }));
        }
    }
    Ok(cells)
}

/// The paper's data sets, by the names of their files.
pub fn paper_data_sets() -> Vec<String> {
    paper::data_sets().map(str::to_owned).collect()
}

impl Cell {
    /// Seed of folds and pivots.
    pub(super) fn training_seed(&self) -> u64 {
        self.seed.wrapping_add(self.repeat)
    }

    fn draw(&self) -> Split {
        let truth = self.rows.truth.as_deref().unwrap_or_default();
        let random = &mut Random::new(self.training_seed(), STREAM_OF_SPLITS);
        match self.protocol {
            Protocol::Two => single_training_set(truth, TRAIN_SHARE, self.label_frequency, random),
            Protocol::Four => case_control(truth, TRAIN_SHARE, self.share_to_label(), random),
            Protocol::Rare { share } => rare::split(truth, share, random),
            Protocol::Streams => streams::split(truth, &self.rows.groups.clone().unwrap_or_default(), random),
        }
    }

    /// Draws the split. Of the truth the training set gets the labels, and nothing else.
    pub(super) fn split(&self) -> Result<TrainAndTest, BenchError> {
        Ok(self.split_rows()?)
    }

    pub(super) fn split_rows(&self) -> Result<TrainAndTest, DatasetError> {
        let truth = self.rows.truth.as_deref().unwrap_or_default();
        let Split { train, labeled, test } = self.draw();
        let is_population = |(_, labeled): &(&usize, &bool)| self.protocol != Protocol::Four || !**labeled;
        let population: Vec<usize> = train.iter().zip(&labeled).filter(is_population).map(|(&row, _)| row).collect();
        let positives = population.iter().filter(|&&row| truth[row]).count();
        let groups = self.rows.groups.as_ref();
        let rows = Dataset::new(table::Table {
            names: self.rows.names.clone(),
            rows: self.take(&train, &self.rows.names),
            labeled: Some(labeled),
            groups: groups.map(|groups| groups.select(&train)),
            ..table::Table::default()
        })?;
        // The other protocols draw rows one by one, in whatever order.
        let train = if self.protocol == Protocol::Streams { rows } else { rows.independent() };
        Ok(TrainAndTest {
            test_recordings: groups.map(|groups| test.iter().map(|&row| groups.of_row()[row]).collect()),
            share: positives as f64 / population.len() as f64,
            // A column that is constant in the training rows is no feature.
            test_rows: self.take(&test, train.names()),
            test_truth: test.iter().map(|&row| truth[row]).collect(),
            train,
        })
    }

    /// Writes the split to `folder`: NAME-train.csv with columns `label` and `truth`, and NAME-test.csv with `truth`. NAME is data set and
    /// seed; its blanks are dashes, and it has no per cent sign.
    pub fn write_split(&self, folder: &Path) -> Result<(), BenchError> {
        let Split { train, labeled, test } = self.draw();
        let truth = self.rows.truth.as_deref().unwrap_or_default();
        let name = format!("{}-{}", self.data_set.replace(' ', "-").replace('%', ""), self.training_seed());
        for (part, rows, labeled) in [("train", train, Some(labeled)), ("test", test, None)] {
            let table = table::Table {
                names: self.rows.names.clone(),
                rows: self.take(&rows, &self.rows.names),
                labeled,
                groups: self.rows.groups.as_ref().map(|groups| groups.select(&rows)),
                normal: None,
                truth: Some(rows.iter().map(|&row| truth[row]).collect()),
            };
            let mut text = Vec::new();
            // Writing to memory does not fail.
            let _ = table.write(&mut text, "label", "truth");
            write_file(&folder.join(format!("{name}-{part}.csv")), &text)?;
        }
        Ok(())
    }

    /// gamma' of the paper, from gamma = gamma' / (0.3 gamma' + 0.7): 7/17 for 0.5, 7/37 for 0.25.
    fn share_to_label(&self) -> f64 {
        let gamma = self.label_frequency;
        TRAIN_SHARE * gamma / (1.0 - (1.0 - TRAIN_SHARE) * gamma)
    }

    /// Some rows, with the columns of these names.
    fn take(&self, rows: &[usize], names: &[String]) -> Vec<f64> {
        let all = &self.rows.names;
        let columns: Vec<usize> = (0..all.len()).filter(|&at| names.contains(&all[at])).collect();
        let cell = |&row: &usize| columns.iter().map(move |at| row * all.len() + at);
        rows.iter().flat_map(cell).map(|at| self.rows.rows[at]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::synth::PAPER_MEANS;

    #[test]
    fn the_share_to_label_is_the_papers() {
        let mut cell = cells_of_table2(&PAPER_MEANS, 1, 1).remove(0);
        for (gamma, share) in [(0.5, 7.0 / 17.0), (0.25, 7.0 / 37.0)] {
            cell.label_frequency = gamma;
            assert!((cell.share_to_label() - share).abs() < 1e-15);
        }
    }

    #[test]
    fn cells_of_table2_are_the_papers_counts_and_differ() {
        let cells = cells_of_table2(&PAPER_MEANS, 5, 1);
        assert_eq!(cells.len(), 25);
        let split = cells[0].split().unwrap();
        assert_eq!((split.train.len(), split.test_truth.len()), (560, 240));
        assert!(split.train.truth().is_none());
        let other = cells[1].split().unwrap();
        assert_ne!(split.test_rows, other.test_rows);
    }
}

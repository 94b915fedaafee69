//! Data in which something is wrong, and good data to compare with: each from a seed, with test rows whose truth is known.
//!
//! | situation | rows | what is wrong |
//! |---|---|---|
//! | counter | two normal clouds, 4 features and the row's number | labels were given in the first part of the file only |
//! | other sensor | two normal clouds | labeled rows have an offset of 3 to 6 standard deviations in one feature |
//! | one of two clusters | positives on two sides of the negatives | one side is never labeled |
//! | extremes | two normal clouds | the positives farthest from the negatives are labeled |
//! | noise | autoregressive, no signal | 1 to 5 stretches are labeled |
//! | one event | recordings, in half of them a shift | one event is labeled |
//! | good | two normal clouds; positives on two sides; the synthetic data of the library | nothing |

use super::TrainAndTest;
use crate::base::random::Random;
use crate::data::dataset::{Dataset, DatasetError};
use crate::data::groups::Groups;
use crate::data::split::label_positives;
use crate::data::synth;
use crate::data::table::Table;

/// What is wrong with the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Situation {
    Counter,
    OtherSensor,
    OneOfTwoClusters,
    Extremes,
    Noise,
    OneEvent,
    Good,
}

const ROWS: usize = 600;
const TEST_ROWS: usize = 600;
const FEATURES: usize = 4;
/// Share of positives.
const SHARE: f64 = 0.35;
/// Distance of the positives' mean from the negatives', in standard deviations.
const DISTANCE: f64 = 3.0;
/// The same where positives lie on two sides.
const DISTANCE_OF_CLUSTERS: f64 = 4.0;
const ROWS_OF_LOG: usize = 1500;
const RECORDINGS: usize = 8;
const ROWS_OF_RECORDING: usize = 200;
/// Correlation of neighbouring rows of a log.
const MEMORY: f64 = 0.95;

impl Situation {
    pub const ALL: [Self; 7] = [
        Self::Counter,
        Self::OtherSensor,
        Self::OneOfTwoClusters,
        Self::Extremes,
        Self::Noise,
        Self::OneEvent,
        Self::Good,
    ];

    /// Its name on the command line.
    pub fn key(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::OtherSensor => "sensor",
            Self::OneOfTwoClusters => "clusters",
            Self::Extremes => "extremes",
            Self::Noise => "noise",
            Self::OneEvent => "event",
            Self::Good => "good",
        }
    }

    /// Its name in the table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Counter => "a row counter among the features",
            Self::OtherSensor => "labeled rows from another sensor",
            Self::OneOfTwoClusters => "one of two clusters labeled",
            Self::Extremes => "only extreme positives labeled",
            Self::Noise => "autoregressive noise, no signal",
            Self::OneEvent => "one labeled event",
            Self::Good => "good, synthetic",
        }
    }

    /// Training and test rows of a seed.
    pub(super) fn rows(self, seed: u64) -> Result<TrainAndTest, DatasetError> {
        let random = &mut Random::new(seed, self as u64);
        let label_frequency = if seed.is_multiple_of(2) { 0.5 } else { 0.25 };
        match self {
            Self::Counter => {
                let (mut train, test) = two_clouds(random);
                let early = |row: usize| row < ROWS * 2 / 5;
                train.label(2.0 * label_frequency, random, early);
                train.add_column(|row| row as f64);
                with_test(train.into_dataset()?, test.with_column(|row| (ROWS + row) as f64))
            }
            Self::OtherSensor => {
                let (mut train, test) = two_clouds(random);
                train.label(label_frequency, random, |_| true);
                let feature = random.below(FEATURES);
                let offset = random.between(3.0, 6.0);
                for row in 0..ROWS {
                    if train.labeled[row] {
                        train.values[row * FEATURES + feature] += offset;
                    }
                }
                with_test(train.into_dataset()?, test)
            }
            Self::OneOfTwoClusters => {
                let (mut train, test) = two_sides(random);
                let on_labeled_side: Vec<bool> = train.side.clone();
                train.label(label_frequency, random, |row| on_labeled_side[row]);
                with_test(train.into_dataset()?, test)
            }
            Self::Extremes => {
                let (mut train, test) = two_clouds(random);
                train.label_farthest(label_frequency);
                with_test(train.into_dataset()?, test)
            }
            Self::Noise => with_test(noise(random, seed)?, noise_rows(random)),
            Self::OneEvent => with_test(one_event(random)?, recordings(random)),
            Self::Good => good(random, label_frequency, seed),
        }
    }
}

/// Rows with their truth.
struct Rows {
    values: Vec<f64>,
    width: usize,
    truth: Vec<bool>,
    labeled: Vec<bool>,
    /// Which cluster of the positives.
    side: Vec<bool>,
    groups: Option<Groups>,
}

impl Rows {
    fn new(values: Vec<f64>, width: usize, truth: Vec<bool>) -> Self {
        let n = truth.len();
        Self { values, width, truth, labeled: vec![false; n], side: vec![false; n], groups: None }
    }

    /// Labels a share of the positives among the rows that may be labeled.
    fn label(&mut self, share: f64, random: &mut Random, may_be: impl Fn(usize) -> bool) {
        let open: Vec<bool> = (self.truth.iter().enumerate()).map(|(row, &truth)| truth && may_be(row)).collect();
        self.labeled = label_positives(&open, share, random);
    }

    /// Labels the positives that are farthest from the negatives.
    fn label_farthest(&mut self, share: f64) {
        let along = |row: usize| self.values[row * self.width..][..2].iter().sum::<f64>();
        let mut positives: Vec<usize> = (0..self.truth.len()).filter(|&row| self.truth[row]).collect();
        positives.sort_by(|&a, &b| along(b).total_cmp(&along(a)));
        positives.truncate((share * positives.len() as f64).round() as usize);
        positives.into_iter().for_each(|row| self.labeled[row] = true);
    }

    fn add_column(&mut self, value: impl Fn(usize) -> f64) {
        let rows = self.values.chunks(self.width).enumerate();
        self.values = rows.flat_map(|(row, values)| values.iter().copied().chain([value(row)])).collect();
        self.width += 1;
    }

    fn with_column(mut self, value: impl Fn(usize) -> f64) -> Self {
        self.add_column(value);
        self
    }

    fn into_dataset(self) -> Result<Dataset, DatasetError> {
        Dataset::new(Table {
            names: (0..self.width).map(|at| format!("x{at}")).collect(),
            rows: self.values,
            labeled: Some(self.labeled),
            groups: self.groups,
            ..Table::default()
        })
    }
}

fn with_test(train: Dataset, test: Rows) -> Result<TrainAndTest, DatasetError> {
    Ok(TrainAndTest { train, test_rows: test.values, test_truth: test.truth, test_recordings: None, share: f64::NAN })
}

/// Normal rows; positives have their mean at `mean_of(side)`, a side drawn for each.
fn normal_rows(count: usize, random: &mut Random, mean_of: impl Fn(bool) -> [f64; FEATURES]) -> Rows {
    let (mut values, mut truth, mut side) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..count {
        let is_positive = random.uniform() < SHARE;
        let is_first = random.uniform() < 0.5;
        let mean = if is_positive { mean_of(is_first) } else { [0.0; FEATURES] };
        values.extend(mean.map(|mean| mean + random.normal()));
        truth.push(is_positive);
        side.push(is_first);
    }
    Rows { side, ..Rows::new(values, FEATURES, truth) }
}

fn two_clouds(random: &mut Random) -> (Rows, Rows) {
    let along = DISTANCE / 2f64.sqrt();
    let mean = |_| [along, along, 0.0, 0.0];
    (normal_rows(ROWS, random, mean), normal_rows(TEST_ROWS, random, mean))
}

/// Positives share one direction and differ in another.
fn two_sides(random: &mut Random) -> (Rows, Rows) {
    let along = DISTANCE_OF_CLUSTERS / 2f64.sqrt();
    let mean = |is_first| if is_first { [along, along, 0.0, 0.0] } else { [along, -along, 0.0, 0.0] };
    (normal_rows(ROWS, random, mean), normal_rows(TEST_ROWS, random, mean))
}

/// One step of an autoregressive process with variance 1.
fn step(state: &mut [f64; FEATURES], random: &mut Random) {
    for x in state {
        *x = MEMORY * *x + (1.0 - MEMORY * MEMORY).sqrt() * random.normal();
    }
}

/// Rows without any signal; what is called positive is a stretch here and there.
fn noise_rows(random: &mut Random) -> Rows {
    let mut state = [0.0; FEATURES];
    let mut values = Vec::new();
    for _ in 0..ROWS_OF_LOG {
        step(&mut state, random);
        values.extend(state);
    }
    let truth = (0..ROWS_OF_LOG).map(|row| row % 300 < 60).collect();
    Rows::new(values, FEATURES, truth)
}

fn noise(random: &mut Random, seed: u64) -> Result<Dataset, DatasetError> {
    let mut rows = noise_rows(random);
    let stretches = 1 + (seed % 5) as usize;
    let apart = ROWS_OF_LOG / stretches;
    for stretch in 0..stretches {
        let length = 20 + random.below(40);
        let start = stretch * apart + random.below(apart - 60);
        rows.labeled[start..start + length].fill(true);
    }
    rows.into_dataset()
}

/// Recordings, half of them with a fault that shifts two features for a while.
fn recordings(random: &mut Random) -> Rows {
    let (mut values, mut truth, mut names) = (Vec::new(), Vec::new(), Vec::new());
    for recording in 0..RECORDINGS {
        let mut state = [0.0; FEATURES];
        let start = random.below(ROWS_OF_RECORDING / 2);
        for row in 0..ROWS_OF_RECORDING {
            step(&mut state, random);
            let is_fault = recording % 2 == 0 && (start..start + 60).contains(&row);
            let shift = if is_fault { 2.0 } else { 0.0 };
            values.extend([state[0] + shift, state[1] - shift, state[2], state[3]]);
            truth.push(is_fault);
            names.push(recording.to_string());
        }
    }
    Rows { groups: Some(Groups::of_rows(names)), ..Rows::new(values, FEATURES, truth) }
}

fn one_event(random: &mut Random) -> Result<Dataset, DatasetError> {
    let mut rows = recordings(random);
    let first = ..ROWS_OF_RECORDING;
    rows.labeled[first].copy_from_slice(&rows.truth[first]);
    rows.into_dataset()
}

/// By the seed: clouds, positives on two sides, the paper's synthetic data, rooms.
fn good(random: &mut Random, label_frequency: f64, seed: u64) -> Result<TrainAndTest, DatasetError> {
    let by_synth = |table: Table, test: Table| {
        let train = Dataset::new(synth::label(table, label_frequency, seed))?;
        Ok(TrainAndTest {
            train,
            test_rows: test.rows,
            test_truth: test.truth.unwrap_or_default(),
            test_recordings: None,
            share: f64::NAN,
        })
    };
    match seed / 2 % 4 {
        0 | 1 => {
            let (mut train, test) = if (seed / 2).is_multiple_of(4) { two_clouds(random) } else { two_sides(random) };
            train.label(label_frequency, random, |_| true);
            with_test(train.into_dataset()?, test)
        }
        2 => by_synth(synth::trifurcate(ROWS, 50.0, seed), synth::trifurcate(TEST_ROWS, 50.0, seed + 1_000_000)),
        _ => by_synth(synth::wifi_rooms(ROWS, seed), synth::wifi_rooms(TEST_ROWS, seed + 1_000_000)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_rows_again_and_another_seed_others() {
        for situation in Situation::ALL {
            let rows = |seed| {
                let rows = situation.rows(seed).unwrap();
                assert_eq!(rows.test_rows.len(), rows.test_truth.len() * rows.train.features(), "{situation:?}");
                (rows.train, rows.test_rows)
            };
            for seed in 0..8 {
                assert!(rows(seed) == rows(seed), "{situation:?}");
                assert!(rows(seed) != rows(seed + 1), "{situation:?}");
            }
        }
    }

    #[test]
    fn labels_are_where_the_situation_says() {
        let labeled_rows = |situation: Situation| {
            let data = situation.rows(4).unwrap().train;
            let rows = data.rows().chunks(data.features()).zip(data.labeled());
            rows.filter(|(_, labeled)| **labeled).map(|(row, _)| row.to_vec()).collect::<Vec<_>>()
        };
        let mean =
            |rows: &[Vec<f64>], feature: usize| rows.iter().map(|row| row[feature]).sum::<f64>() / rows.len() as f64;
        // One side only: the other has a negative mean in the second feature.
        let one = labeled_rows(Situation::OneOfTwoClusters);
        assert!((mean(&one, 1) - DISTANCE_OF_CLUSTERS / 2f64.sqrt()).abs() < 0.5);
        let extremes = labeled_rows(Situation::Extremes);
        assert!(extremes.iter().all(|row| row[0] + row[1] > DISTANCE * 2f64.sqrt() - 1.0));
        assert_eq!(Situation::Noise.rows(7).unwrap().train.units().unwrap().events(), 3);
        assert_eq!(Situation::OneEvent.rows(7).unwrap().train.units().unwrap().events(), 1);
    }
}

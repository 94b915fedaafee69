//! Rare positives: faults are a few per cent of the rows, or less.
//!
//! | step | rows |
//! |---|---|
//! | drawn | 4,000 negatives, and as many positives as make up the share |
//! | split | half to train on, half to test on, at random |
//! | labeled | each training positive with probability 1/2, drawn again if fewer than two are |
//!
//! The data sets are whole UCI files with their original class column:
//!
//! | name | file | positive | negative |
//! |---|---|---|---|
//! | avila | `avila.csv` | class E | class A |
//! | od | `od.csv` | occupied | not occupied |
//! | pen | `pen.csv` | digits 1 and 8 | all other digits |

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::task::{Cell, Protocol};
use crate::base::random::Random;
use crate::data::split::Split;
use crate::data::table::{Columns, CsvError, RowReader, Table};

/// Negatives drawn.
const NEGATIVES: usize = 4000;
/// Share of the rows to train on.
const TRAIN_SHARE: f64 = 0.5;
/// Probability that a training positive is labeled.
const LABEL_FREQUENCY: f64 = 0.5;

/// Fewest labels to learn from.
const LEAST_LABELED: usize = 2;

/// A whole data set and which of its classes are told apart.
struct RareSet {
    name: &'static str,
    class_column: &'static str,
    positive: &'static [&'static str],
    /// None: every other class.
    negative: Option<&'static str>,
    ignore: &'static [&'static str],
}

const SETS: [RareSet; 3] = [
    RareSet { name: "avila", class_column: "class", positive: &["E"], negative: Some("A"), ignore: &["split"] },
    RareSet { name: "od", class_column: "Occupancy", positive: &["1"], negative: None, ignore: &["split", "date"] },
    RareSet { name: "pen", class_column: "digit", positive: &["1", "8"], negative: None, ignore: &["split"] },
];

/// Why there are no cells.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RareError {
    #[error("unknown data set `{0}`; expected avila, od or pen")]
    UnknownSet(String),
    #[error(transparent)]
    Csv(#[from] CsvError),
    #[error("{file}: {found} {class} rows, but {needed} are needed")]
    TooFew { file: PathBuf, found: usize, class: &'static str, needed: usize },
}

/// The names of the data sets.
pub fn rare_data_sets() -> Vec<String> {
    SETS.iter().map(|set| set.name.to_owned()).collect()
}

/// `repeats` splits of each data set with each share of positives. `folder` holds the whole data sets, plain or gzip (`.csv.gz`).
pub fn cells_of_rare(
    folder: &Path,
    data_sets: &[String],
    shares: &[f64],
    repeats: u64,
    seed: u64,
) -> Result<Vec<Cell>, RareError> {
    let mut cells = Vec::new();
    for name in data_sets {
        let set = SETS.iter().find(|set| set.name == name).ok_or_else(|| RareError::UnknownSet(name.clone()))?;
        let (file, rows) = set.open(folder)?;
        let truth = rows.truth.as_deref().unwrap_or_default();
        let positives = truth.iter().filter(|&&positive| positive).count();
        let rows = Arc::new(rows.clone());
        for &share in shares {
            let needed =
                [("positive", positives, positives_at(share)), ("negative", rows.len() - positives, NEGATIVES)];
            if let Some(&(class, found, needed)) = needed.iter().find(|(_, found, needed)| found < needed) {
                return Err(RareError::TooFew { file, found, class, needed });
            }
            cells.extend((0..repeats).map(|repeat| Cell {
                protocol: Protocol::Rare { share },
                data_set: format!("{name} {}%", 100.0 * share),
                label_frequency: LABEL_FREQUENCY,
                seed,
                repeat,
                rows: Arc::clone(&rows),
            }));
        }
    }
    Ok(cells)
}

impl RareSet {
    /// Its two classes, and the file they were read from.
    fn open(&self, folder: &Path) -> Result<(PathBuf, Table), CsvError> {
        let plain = folder.join(format!("{}.csv", self.name));
        let packed = folder.join(format!("{}.csv.gz", self.name));
        let file = if !plain.exists() && packed.exists() { packed } else { plain };
        let ignore = self.ignore.iter().chain([&self.class_column]).map(|&name| name.to_owned()).collect();
        let mut reader = RowReader::open(&file, &Columns { ignore, ..Columns::default() })?;
        // A class column that is missing would have been refused above.
        let class_at = reader.header().iter().position(|name| name == self.class_column).unwrap_or_default();
        let mut table = Table { names: reader.names().to_vec(), ..Table::default() };
        let mut truth = Vec::new();
        loop {
            let before = table.rows.len();
            if reader.next_row(&mut table.rows)?.is_none() {
                break;
            }
            let class = reader.cells().nth(class_at).unwrap_or_default().trim_ascii();
            let positive = self.positive.iter().any(|name| name.as_bytes() == class);
            let negative = !positive && self.negative.is_none_or(|name| name.as_bytes() == class);
            if positive || negative {
                truth.push(positive);
            } else {
                table.rows.truncate(before);
            }
        }
        table.truth = Some(truth);
        Ok((file, table))
    }
}

/// How many positives are `share` of the rows beside all negatives drawn.
fn positives_at(share: f64) -> usize {
    (share / (1.0 - share) * NEGATIVES as f64).round() as usize
}

/// Draws rows, then splits them.
pub(super) fn split(truth: &[bool], share: f64, random: &mut Random) -> Split {
    let mut draw = |class: bool, count: usize| {
        let mut rows: Vec<usize> = (0..truth.len()).filter(|&row| truth[row] == class).collect();
        random.shuffle(&mut rows);
        rows.truncate(count);
        rows
    };
    let mut train = [draw(true, positives_at(share)), draw(false, NEGATIVES)].concat();
    random.shuffle(&mut train);
    let test = train.split_off((TRAIN_SHARE * train.len() as f64).round() as usize);
    let positives = train.iter().filter(|&&row| truth[row]).count();
    loop {
        let labeled: Vec<bool> = train.iter().map(|&row| truth[row] && random.uniform() < LABEL_FREQUENCY).collect();
        if labeled.iter().filter(|&&labeled| labeled).count() >= LEAST_LABELED.min(positives) {
            return Split { train, labeled, test };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_labels_are_those_of_the_protocol() {
        let truth: Vec<bool> = (0..9000).map(|row| row % 9 == 0).collect();
        for (share, positives) in [(0.003, 12), (0.01, 40), (0.03, 124)] {
            let count = |rows: &[usize]| rows.iter().filter(|&&row| truth[row]).count();
            let mut labeled = 0;
            for stream in 0..50 {
                let split = split(&truth, share, &mut Random::new(3, stream));
                assert_eq!(count(&split.train) + count(&split.test), positives);
                assert_eq!(split.train.len(), (4000 + positives) / 2);
                let mut rows = [&split.train[..], &split.test].concat();
                rows.sort_unstable();
                rows.dedup();
                assert_eq!(rows.len(), 4000 + positives, "no row twice");
                assert!(split.train.iter().zip(&split.labeled).all(|(&row, &labeled)| truth[row] || !labeled));
                labeled += split.labeled.iter().filter(|&&l| l).count();
            }
            // A quarter of all positives, a little more where few are drawn again: 50 draws, four standard deviations.
            let expected = 50.0 * 0.25 * positives as f64;
            assert!((labeled as f64 - expected).abs() < 4.0 * (0.75 * expected).sqrt(), "{share}: {labeled}");
        }
    }

    #[test]
    fn classes_are_told_apart_by_name_and_other_rows_left_out() {
        let folder = std::env::temp_dir().join(format!("pual-rare-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("avila.csv"), "x,class,split,y\n1,A,tr,2\n3,F,tr,4\n5, E,ts,6\n").unwrap();
        let (_, table) = SETS[0].open(&folder).unwrap();
        std::fs::write(folder.join("avila.csv"), "x,split\n1,tr\n").unwrap();
        let missing = SETS[0].open(&folder).unwrap_err().to_string();
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!((table.names, table.rows), (vec!["x".to_owned(), "y".to_owned()], vec![1.0, 2.0, 5.0, 6.0]));
        assert_eq!(table.truth, Some(vec![false, true]));
        assert!(missing.contains("class"), "{missing}");
    }
}

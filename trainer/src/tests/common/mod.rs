//! What several tests need.

pub mod problems;
pub mod two_normals;

use pual_trainer::data::dataset::Dataset;
use pual_trainer::data::synth;
use pual_trainer::data::table::{Columns, Table};
use std::path::{Path, PathBuf};

/// The paper's 16 data sets.
pub const SETS: [&str; 16] = [
    "acc", "avila", "ecoli", "enb", "hd", "ld", "od", "or1", "or2", "pb", "pen", "rd", "seeds", "ssmcr", "umd", "wifi",
];

/// A file among the real data sets: in the folder `PUAL_DATA`, else in `shared/data` beside the repository.
///
/// A missing file fails the test. `PUAL_DATA=none` leaves these tests out: then this is `None`.
pub fn data(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("PUAL_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data"), PathBuf::from);
    if folder.as_os_str() == "none" {
        println!("skipped, since PUAL_DATA=none: {name}");
        return None;
    }
    let path = folder.join(name);
    assert!(
        path.exists(),
        "{} is missing: set PUAL_DATA to the folder of the data sets, or PUAL_DATA=none to skip this test",
        path.display()
    );
    Some(path)
}

/// One of [`SETS`] with its truth; `None` where [`data`] is.
pub fn table(set: &str) -> Option<Table> {
    let columns = Columns { truth: Some("label".to_owned()), ..Columns::default() };
    let path = data(&format!("{set}.csv"))?;
    Some(Table::open(&path, &columns).unwrap())
}

/// Rows of a cold chain, half of the positives labeled.
pub fn cold_chain(rows: usize, seed: u64) -> Dataset {
    Dataset::new(synth::label(synth::cold_chain(rows, seed), 0.5, seed)).unwrap()
}

/// What `run` returns in a pool of this many threads.
pub fn on_threads<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build().unwrap().install(run)
}

/// Checks that `run` returns the same with 1, 2 and 4 threads.
pub fn assert_same_on_threads<T: Send + PartialEq + std::fmt::Debug>(run: impl Fn() -> T + Sync) {
    let [one, two, four] = [1, 2, 4].map(|threads| on_threads(threads, &run));
    assert_eq!(one, two);
    assert_eq!(one, four);
}

/// A fresh folder for one test, removed at its end.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Self {
        let name = format!("pual-trainer-{}-{name}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

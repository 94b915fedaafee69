//! What the user is told about a file: the error, then the hint.

mod messages;
#[path = "../../../src/tests/data/npy_bytes.rs"]
mod npy_bytes;
mod npy_messages;

use super::*;
use flate2::{Compression, write::GzEncoder};
use pual_trainer::{Columns, Table};
use std::io::Write;

const PLAIN: &str = "a,label,b\n1,0,2\n3.5,1,-4e-1\n";

fn labeled(text: &str) -> Result<Table, String> {
    read(text.as_bytes(), &Columns::labeled_by("label"))
}

fn read(bytes: &[u8], columns: &Columns) -> Result<Table, String> {
    Table::read("data.csv", bytes, columns).map_err(|error| match hint(&error) {
        Some(hint) => format!("{error}; {hint}"),
        None => error.to_string(),
    })
}

fn features(names: &[&str]) -> Columns {
    let names: Vec<String> = names.iter().map(|&name| name.into()).collect();
    Columns::of_features(&names)
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn nothing_fitted() -> TrainError {
    TrainError::Tune(TuneError::NothingFitted { tried: 3 })
}

#[test]
fn advice_is_found_behind_other_errors() {
    let inner = DatasetError::Csv(CsvError { file: "a.csv".to_owned(), line: Some(1), problem: CsvProblem::NotUtf8 });
    assert!(hint(&inner).unwrap().contains("CSV UTF-8"));
    let tuning = hint(&nothing_fitted());
    assert!(tuning.as_ref().unwrap().contains("--no-tune"));
    assert_eq!(hint(&BenchError::Train(nothing_fitted())), tuning);
    assert_eq!(hint(&io::Error::other("?")), None);
}

#[test]
fn a_missing_file_is_looked_for_under_near_names() {
    let missing = io::Error::from(io::ErrorKind::NotFound);
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let said = |name: &str| file_error(&manifest.join(name), &missing);
    assert!(said("cargo.tml").unwrap().contains("Cargo.toml?"));
    assert_eq!(said("quite-another-file"), None);
    assert!(said("nowhere/x").unwrap().contains("no directory"));
}

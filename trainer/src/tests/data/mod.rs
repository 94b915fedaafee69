//! Rows: what a user's file may look like, what the messages say when it is wrong, and what makes a training set.

mod csv;
mod dataset;
mod files;
mod groups;
mod npy;
mod npy_bytes;
#[cfg(feature = "parquet")]
mod parquet;
mod synth;

use flate2::{Compression, write::GzEncoder};
use pual_trainer::data::table::{Columns, Table};
use std::io::{Read, Write};

fn labeled(text: &str) -> Result<Table, String> {
    read(text.as_bytes(), &Columns::labeled_by("label"))
}

fn read(bytes: &[u8], columns: &Columns) -> Result<Table, String> {
    Table::read("data.csv", bytes, columns).map_err(|error| error.to_string())
}

fn features(names: &[&str]) -> Columns {
    let names: Vec<String> = names.iter().map(|&name| name.into()).collect();
    Columns::of_features(&names)
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Yields one byte at a time, as a slow pipe may.
struct Drip<'a>(&'a [u8]);

impl Read for Drip<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = buffer.len().min(1);
        self.0.read(&mut buffer[..count])
    }
}

const PLAIN: &str = "a,label,b\n1,0,2\n3.5,1,-4e-1\n";

fn plain() -> Table {
    Table {
        names: vec!["a".into(), "b".into()],
        rows: vec![1.0, 2.0, 3.5, f64::from(-0.4f32)],
        labeled: Some(vec![false, true]),
        ..Table::default()
    }
}

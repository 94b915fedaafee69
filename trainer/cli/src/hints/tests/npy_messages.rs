//! Arrays that cannot be read, and what the user is told.

use super::npy_bytes::{doubles, npy, small};
use super::read;
use pual_trainer::Columns;

#[test]
fn messages_name_file_row_and_column() {
    let columns = Columns::labeled_by("label");
    let with = |values: &[f64]| {
        let bytes = npy(1, "'<f8'", false, "(2, 2)", &doubles(values));
        read(&bytes, &columns).unwrap_err()
    };
    assert_eq!(
        with(&[1.0, 1.0, f64::NAN, 0.0]),
        "data.csv: row 1 (from 0), column `x0`: expected a finite number, found NaN; missing values are not supported: fill the gap or drop the row"
    );
    assert_eq!(
        with(&[f64::NEG_INFINITY, 1.0, f64::NAN, 0.0]),
        "data.csv: row 0 (from 0), column `x0`: expected a finite number, found -inf; missing values are not supported: fill the gap or drop the row"
    );
    assert_eq!(
        with(&[1e39, 1.0, 0.0, 0.0]),
        "data.csv: row 0 (from 0), column `x0`: 1e39 is too large for the device, which reads 32-bit floats (at most 3.4e38); use a larger unit"
    );
    assert_eq!(
        with(&[1.0, 1.0, 2.0, 0.5]),
        "data.csv: row 1 (from 0), column `x1`: expected 1 for a labeled row, 0 for an unlabeled one, or -1 for one known to be normal (the label column), found 0.5; name the column of labels with --label-column: x0, x1, ..."
    );
    let grouped = Columns { group: Some("x0".into()), ..columns.clone() };
    let bytes = npy(1, "'<f8'", false, "(1, 3)", &doubles(&[f64::NAN, 1.0, 1.0]));
    assert_eq!(
        read(&bytes, &grouped).unwrap_err(),
        "data.csv: row 0 (from 0), column `x0`: expected a name or a number below 2^53 (the group column), found NaN; choose another column with --group, or store the groups as text"
    );
    let full = small(1);
    for cut in [1, 24, 25] {
        let message = read(&full[..full.len() - cut], &columns).unwrap_err();
        let row = if cut > 24 { 1 } else { 2 };
        assert_eq!(
            message,
            format!(
                "data.csv: the file is cut short: its header promises 3 rows, the values end in row {row} (from 0); write or copy the file again"
            )
        );
    }
    // Of two things wrong the first in the file is told.
    let mut bytes = npy(1, "'<f8'", false, "(3, 2)", &doubles(&[f64::NAN, 1.0, 2.0]));
    bytes.pop();
    assert_eq!(
        read(&bytes, &columns).unwrap_err(),
        "data.csv: row 0 (from 0), column `x0`: expected a finite number, found NaN; missing values are not supported: fill the gap or drop the row"
    );
}

#[test]
fn what_is_no_table_of_numbers_is_refused() {
    let columns = Columns::labeled_by("label");
    let values = [0; 512];
    for (descr, shape, expected) in [
        ("'<f8'", "(8,)", "expected a 2-D array of rows and columns, found shape (8,)"),
        ("'<f8'", "()", "expected a 2-D array of rows and columns, found shape ()"),
        ("'<f8'", "(2, 2, 2)", "expected a 2-D array of rows and columns, found shape (2, 2, 2)"),
        ("'<f8'", "(0, 3)", "no rows after the header; expected at least one"),
        ("'<f8'", "(3, 0)", "expected 1 to 65536 columns, found 0"),
        ("'<f8'", "(1, 99999999)", "expected 1 to 65536 columns, found 99999999"),
        ("'<f8'", "(2, 1)", "data.csv:1: no feature column is left; expected at least one besides `x0`"),
        ("'|O'", "(2, 2)", "found dtype '|O', Python objects; convert it with .astype(\"float32\")"),
        ("'<f2'", "(2, 2)", "found dtype '<f2', 16-bit floats; convert"),
        ("'<U5'", "(2, 2)", "found dtype '<U5', text; convert"),
        ("'<c16'", "(2, 2)", "found dtype '<c16', complex numbers; convert"),
        ("'<M8[ns]'", "(2, 2)", "found dtype '<M8[ns]', times; convert"),
        ("[('a', '<f8'), ('b', '<f8')]", "(2, 2)", "found dtype [...], a structured array; convert"),
        ("'|f8'", "(2, 2)", "found dtype '|f8'; convert"),
        ("''", "(2, 2)", "found dtype ''; convert"),
        ("'<f8'", "(2, x)", "the NPY header is damaged: the shape is no tuple of numbers"),
        ("'<f8'", "(2, -2)", "the NPY header is damaged: the shape is no tuple of numbers"),
        ("'<f8'", "[2, 2]", "the NPY header is damaged: the shape is no tuple of numbers"),
        ("'<f8'", "(99999999999999999999, 2)", "the shape is no tuple of numbers"),
        ("'<f8'", "(9999999999999999999, 2)", "the NPY header is damaged: the shape is too large"),
        ("<f8", "(2, 2)", "the NPY header is damaged: it is no Python dictionary"),
        ("'<f8', 'more': 1", "(2, 2)", "the NPY header is damaged: it has an unknown entry"),
    ] {
        let message = read(&npy(1, descr, false, shape, &values), &columns).unwrap_err();
        assert!(
            message.starts_with("data.csv:") && message.ends_with(expected) || message.contains(expected),
            "{message}"
        );
    }
    let whole = small(1);
    for (change, expected) in [
        (&(|b: &mut Vec<u8>| b[6] = 4) as &dyn Fn(&mut Vec<u8>), "NPY version 4 is not known"),
        (&|b| b.truncate(7), "the NPY header is damaged: the file ends within it"),
        (&|b| b.truncate(9), "the NPY header is damaged: the file ends within it"),
        (&|b| b.truncate(100), "the NPY header is damaged: the file ends within it"),
        (&|b| b[10] = b'[', "the NPY header is damaged: it is no Python dictionary"),
        (&|b| b[12] = 0xff, "the NPY header is damaged: it is no text"),
        (&|b| b[6] = 2, "the NPY header is damaged: it is too long"),
        (&|b| b[10..128].fill(b' '), "the NPY header is damaged: it is no Python dictionary"),
    ] {
        let mut bytes = whole.clone();
        change(&mut bytes);
        let message = read(&bytes, &columns).unwrap_err();
        assert!(message.contains(expected), "{message} but {expected}");
    }
}

#[test]
fn no_damage_makes_the_reader_panic() {
    let whole = small(1);
    for at in 0..whole.len() {
        for flip in [0x01, 0x20, 0x80, 0xff] {
            let mut bytes = whole.clone();
            bytes[at] ^= flip;
            let _ = read(&bytes, &Columns::labeled_by("label"));
            let _ = read(&bytes[..at], &Columns::default());
        }
    }
}

#[test]
#[cfg(not(feature = "parquet"))]
fn parquet_without_its_feature_says_how_to_get_it() {
    let message = read(b"PAR1\x15\x04\x15PAR1", &Columns::default()).unwrap_err();
    assert!(message.contains("Parquet") && message.contains("--features parquet"), "{message}");
}

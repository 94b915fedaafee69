//! NumPy's arrays: what is read, and what the user is told where it is not.

use super::npy_bytes::{doubles, npy, small};
use super::{gzip, read};
use crate::tests::common::Scratch;
use pual_trainer::data::groups::Groups;
use pual_trainer::data::table::{BlockReader, Columns, RowReader, Table};
use std::io::Cursor;

fn small_table() -> Table {
    Table {
        names: vec!["x0".into(), "x1".into()],
        rows: vec![f64::from(0.1f32), 2.0, -3.0, f64::from(4e20f32), 5.0, 6.0],
        labeled: Some(vec![true, false, false]),
        normal: Some(vec![false, false, true]),
        ..Table::default()
    }
}

#[test]
fn arrays_of_all_versions_are_read_plain_and_packed() {
    let columns = Columns::labeled_by("label");
    for version in [1, 2, 3] {
        let bytes = small(version);
        assert_eq!(read(&bytes, &columns).unwrap(), small_table());
        assert_eq!(read(&gzip(&bytes), &columns).unwrap(), small_table());
    }
    // More after the values is somebody else's, as for numpy.load.
    let longer = [small(1), small(1)].concat();
    assert_eq!(read(&longer, &columns).unwrap(), small_table());
}

#[test]
fn the_label_is_the_last_column_unless_another_is_named() {
    let text = read(&small(1), &Columns::labeled_by("x2")).unwrap();
    assert_eq!(text, small_table());
    let values = doubles(&[1.0, 7.5, 0.0, 8.5]);
    let bytes = npy(1, "'<f8'", false, "(2, 2)", &values);
    let first = read(&bytes, &Columns::labeled_by("x0")).unwrap();
    assert_eq!((first.names, first.rows, first.labeled), (vec!["x1".into()], vec![7.5, 8.5], Some(vec![true, false])));
    let truth = Columns { truth: Some("x0".into()), ..Columns::default() };
    let table = read(&bytes, &truth).unwrap();
    assert_eq!((table.labeled, table.truth), (None, Some(vec![true, false])));
    // A feature or a truth is never guessed.
    for columns in [Columns::of_features(&["a".into()]), Columns { truth: Some("a".into()), ..Columns::default() }] {
        let message = read(&bytes, &columns).unwrap_err();
        assert!(message.contains("no column `a`"), "{message}");
    }
    let both = Columns { truth: Some("x1".into()), ..Columns::labeled_by("label") };
    assert_eq!(read(&bytes, &both).unwrap_err(), "column `x1` cannot be both the label column and the truth column");
}

#[test]
fn a_group_is_a_column_of_numbers() {
    let columns = Columns { group: Some("x1".into()), ..Columns::labeled_by("label") };
    let with = |groups: [f64; 4]| {
        let values: Vec<f64> = groups.iter().flat_map(|&group| [7.0, group, 1.0]).collect();
        read(&npy(1, "'<f8'", false, "(4, 3)", &doubles(&values)), &columns)
    };
    let table = with([12.0, -0.0, 2.5, 0.0]).unwrap();
    assert_eq!(table.names, ["x0"]);
    assert_eq!(table.groups, Some(Groups::of_rows(["12", "0", "2.5", "0"])));
    // Larger numbers may be those of two groups: 64-bit floats do not tell them apart.
    for (wrong, found) in [(f64::NAN, "NaN"), (9_007_199_254_740_992.0, "9007199254740992")] {
        assert_eq!(
            with([1.0, wrong, 1.0, 1.0]).unwrap_err(),
            format!(
                "data.csv: row 1 (from 0), column `x1`: expected a name or a number below 2^53 (the group column), found {found}"
            )
        );
    }
    // A group is never guessed, unlike the label.
    let columns = Columns { group: Some("machine".into()), ..Columns::labeled_by("label") };
    let message = read(&small(1), &columns).unwrap_err();
    assert!(message.contains("no column `machine` (the group column)"), "{message}");
}

#[test]
fn every_kind_of_number_is_read_in_both_byte_orders() {
    /// Two numbers in both byte orders, and what is read: the nearest 32-bit floats.
    macro_rules! check {
        ($kind:literal, $type:ty, $first:expr, $second:expr, $expected:expr) => {
            let (a, b): ($type, $type) = ($first, $second);
            for (order, values) in
                [("<", [a.to_le_bytes(), b.to_le_bytes()].concat()), (">", [a.to_be_bytes(), b.to_be_bytes()].concat())]
            {
                let descr = format!("'{order}{}'", $kind);
                check_one(&descr, &values, $expected);
            }
        };
    }
    fn check_one(descr: &str, values: &[u8], expected: [f64; 2]) {
        let bytes = npy(1, descr, false, "(2, 1)", values);
        let table = read(&bytes, &Columns::default()).unwrap();
        assert_eq!(table.rows, expected, "{descr}");
    }
    check_one("'|b1'", &[0, 1], [0.0, 1.0]);
    check_one("'|i1'", &[0x80, 0x7f], [-128.0, 127.0]);
    check_one("'|u1'", &[0x80, 0x7f], [128.0, 127.0]);
    check!("i2", i16, -2, 258, [-2.0, 258.0]);
    check!("u2", u16, 65534, 258, [65534.0, 258.0]);
    check!("i4", i32, -2, 258, [-2.0, 258.0]);
    let rounded = [4_294_967_296.0, 16_777_216.0];
    check!("u4", u32, u32::MAX - 1, (1 << 24) + 1, rounded);
    check!("i8", i64, -2, 258, [-2.0, 258.0]);
    let rounded = [18_446_744_073_709_551_616.0, 258.0];
    check!("u8", u64, u64::MAX, 258, rounded);
    // Rounded once: over f64 this would come out one step lower.
    let rounded = f64::from(0x0010_0000_0800_0001i64 as f32);
    check!("i8", i64, 0x0010_0000_0800_0001, 0, [rounded, 0.0]);
    check!("f4", f32, 1.5, -0.1, [1.5, f64::from(-0.1f32)]);
    check!("f8", f64, 1.5, -0.1, [1.5, f64::from(-0.1f32)]);
}

#[test]
fn columns_after_columns_are_read_from_a_plain_file_alone() {
    let columns = Columns::labeled_by("label");
    let values = doubles(&[0.1, -3.0, 5.0, 2.0, 4e20, 6.0, 1.0, 0.0, -1.0]);
    let bytes = npy(1, "'<f8'", true, "(3, 3)", &values);
    let scratch = Scratch::new("npy");
    let path = scratch.path("fortran.npy");
    std::fs::write(&path, &bytes).unwrap();
    assert_eq!(Table::open(&path, &columns).unwrap(), small_table());
    std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    let message = Table::open(&path, &columns).unwrap_err().to_string();
    assert!(message.contains("cut short"), "{message}");
    std::fs::write(&path, gzip(&bytes)).unwrap();
    let packed = Table::open(&path, &columns).unwrap_err().to_string();
    let piped = read(&bytes, &columns).unwrap_err();
    for message in [packed, piped] {
        assert!(message.contains("Fortran"), "{message}");
    }
}

/// More rows than a block holds, in both orders, with the count of bytes along the way.
#[test]
fn long_arrays_come_in_blocks() {
    let (rows, columns) = (200_000usize, 9usize);
    let value = |row: usize, column: usize| match column {
        8 => f64::from(u8::from(row.is_multiple_of(10))),
        _ => (row * 8 + column) as f64,
    };
    let by_rows: Vec<f64> = (0..rows * columns).map(|at| value(at / columns, at % columns)).collect();
    let by_columns: Vec<f64> = (0..rows * columns).map(|at| value(at % rows, at / rows)).collect();
    let scratch = Scratch::new("npy-long");
    for (fortran, values) in [(false, by_rows), (true, by_columns)] {
        let path = scratch.path("long.npy");
        let shape = format!("({rows}, {columns})");
        std::fs::write(&path, npy(1, "'<f8'", fortran, &shape, &doubles(&values))).unwrap();
        let mut reader = BlockReader::open(&path, &Columns::labeled_by("label")).unwrap();
        let total = std::fs::metadata(&path).unwrap().len();
        assert_eq!(reader.total_bytes(), Some(total));
        let (mut next, mut blocks, mut counts) = (0, 0, Vec::new());
        while let Some(block) = reader.next_block().unwrap() {
            for (row, labeled) in block.rows.chunks(8).zip(block.labeled) {
                let expected: Vec<f64> = (0..8).map(|column| value(next, column)).collect();
                assert_eq!((row, labeled), (&expected[..], next % 10 == 0));
                next += 1;
            }
            blocks += 1;
            counts.push(reader.bytes_read());
        }
        assert_eq!(next, rows);
        assert!(blocks > 2 && counts[0] < total / 2, "{blocks} {counts:?}");
        assert!(counts.is_sorted() && counts.last() == Some(&total), "{counts:?}");
    }
}

#[test]
fn a_reader_may_move_to_another_thread() {
    let reader = BlockReader::new("a.npy", Cursor::new(small(1)), &Columns::default());
    let mut reader = reader.unwrap();
    let rows = std::thread::spawn(move || reader.next_block().unwrap().unwrap().rows.len());
    assert_eq!(rows.join().unwrap(), 9);
}

#[test]
fn rows_of_an_array_can_be_taken_as_text() {
    let features = Columns::of_features(&["x1".into(), "x0".into()]);
    let mut reader = RowReader::new("a.npy", Cursor::new(small(1)), &features).unwrap();
    assert_eq!(reader.header(), ["x1", "x0"]);
    let mut values = Vec::new();
    let mut cells: Vec<Vec<u8>> = Vec::new();
    while reader.next_row(&mut values).unwrap().is_some() {
        cells.extend(reader.cells().map(<[u8]>::to_vec));
    }
    let expected = [2.0, 0.1, 4e20, -3.0, 6.0, 5.0].map(|x: f32| f64::from(x));
    assert_eq!(values, expected);
    let text = [&b"2"[..], b"0.1", b"400000000000000000000", b"-3", b"6", b"5"];
    assert_eq!(cells, text);
    // What is wrong says where, once.
    let bytes = npy(1, "'<f8'", false, "(1, 1)", &doubles(&[f64::NAN]));
    let mut reader = RowReader::new("a.npy", Cursor::new(bytes), &Columns::default()).unwrap();
    let message = reader.next_row(&mut values).unwrap_err().to_string();
    assert!(message.starts_with("a.npy: row 0 (from 0), column `x0`"), "{message}");
}

//! Several files as one training set.

use super::gzip;
use super::npy_bytes::{doubles, npy};
use crate::tests::common::Scratch;
use pual_trainer::data::groups::Groups;
use pual_trainer::data::table::{BlockReader, Columns, Table};
use std::path::PathBuf;

/// Writes files, and reads them as one.
fn join(test: &str, files: &[(&str, &[u8])], columns: &Columns) -> Result<Table, String> {
    let scratch = Scratch::new(test);
    let paths: Vec<PathBuf> = files.iter().map(|(name, _)| scratch.path(name)).collect();
    for (path, (_, bytes)) in paths.iter().zip(files) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    let folder = format!("{}/", scratch.path("").display().to_string().trim_end_matches('/'));
    let table = Table::open_all(&paths, columns).map_err(|error| error.to_string().replace(&folder, ""))?;
    // Names of groups may be paths.
    let groups = table.groups.as_ref();
    let names = |groups: &Groups| {
        Groups::of_rows(groups.of_row().iter().map(|&id| groups.names()[id as usize].replace(&folder, "")))
    };
    Ok(Table { groups: groups.map(names), ..table })
}

fn labeled() -> Columns {
    Columns::labeled_by("label")
}

#[test]
fn rows_come_in_the_order_of_the_files_and_each_file_is_a_group() {
    let packed = gzip(b"\xef\xbb\xbflabel,b,a\r\n-1,5,6\r\n,7,8\r\n");
    let files: [(&str, &[u8]); 3] = [
        ("monday.csv", b"a,b,label\n1,2,1\n"),
        ("tuesday.csv.gz", &packed),
        ("wed.nes.day.csv", b"\"b\",\"a\",\"label\"\n\"9\",10,1\n11,\"12\",0\n"),
    ];
    let table = join("files", &files, &labeled()).unwrap();
    assert_eq!(table.names, ["a", "b"]);
    assert_eq!(table.rows, [1.0, 2.0, 6.0, 5.0, 8.0, 7.0, 10.0, 9.0, 12.0, 11.0]);
    assert_eq!(table.labeled, Some(vec![true, false, false, true, false]));
    assert_eq!(table.normal, Some(vec![false, true, false, false, false]));
    let names = ["monday", "tuesday", "tuesday", "wed.nes.day", "wed.nes.day"];
    assert_eq!(table.groups, Some(Groups::of_rows(names)));
}

#[test]
fn one_file_is_no_group() {
    let table = join("files-one", &[("a.csv", b"a,label\n1,1\n2,-1\n")], &labeled()).unwrap();
    assert_eq!((table.groups, table.normal), (None, Some(vec![false, true])));
}

#[test]
fn a_column_decides_where_it_names_the_groups() {
    let columns = Columns { group: Some("machine".into()), ..labeled() };
    let files: [(&str, &[u8]); 2] =
        [("1.csv", b"a,machine,label\n1,x,1\n2,y,1\n"), ("2.csv", b"machine,a,label\ny,3,0\nz,4,0\nx,5,0\n")];
    let table = join("files-column", &files, &columns).unwrap();
    assert_eq!(table.groups, Some(Groups::of_rows(["x", "y", "y", "z", "x"])));
    assert_eq!(table.rows, [1.0, 2.0, 3.0, 4.0, 5.0]);
}

#[test]
fn files_of_the_same_name_stay_apart() {
    let text: &[u8] = b"a,label\n1,1\n";
    let files = [("1/log.csv", text), ("2/log.csv.gz", text), ("2/other.csv", text)];
    let table = join("files-stems", &files, &labeled()).unwrap();
    assert_eq!(table.groups, Some(Groups::of_rows(["1/log.csv", "2/log.csv.gz", "other"])));
}

#[test]
fn formats_may_be_mixed() {
    let array = npy(1, "'<f8'", false, "(2, 3)", &doubles(&[3.0, 4.0, 0.0, 5.0, 6.0, -1.0]));
    let files: [(&str, &[u8]); 2] = [("1.csv", b"x1,label,x0\n1,1,2\n"), ("2.npy", &array)];
    let table = join("files-mixed", &files, &labeled()).unwrap();
    assert_eq!(table.names, ["x1", "x0"]);
    assert_eq!(table.rows, [1.0, 2.0, 4.0, 3.0, 6.0, 5.0]);
    assert_eq!(table.normal, Some(vec![false, false, true]));
    assert_eq!(table.groups, Some(Groups::of_rows(["1", "2", "2"])));
}

#[test]
fn what_does_not_fit_together_is_refused_by_file_and_column() {
    let first = ("1.csv", &b"a,b,label\n1,2,1\n"[..]);
    let refused = |second: &[u8], columns: &Columns| {
        let files = [first, ("2.csv", second)];
        join("files-refused", &files, columns).unwrap_err()
    };
    for (second, expected) in [
        (&b"a,label\n1,1\n"[..], "2.csv:1: no column `b` (a feature)"),
        (b"a,b,c,label\n1,1,1,1\n", "2.csv:1: column `c` is not in 1.csv; expected the same features in every file"),
        (b"a,B,label\n1,1,1\n", "2.csv:1: no column `b` (a feature)"),
        (b"a,b\n1,1\n", "2.csv:1: no column `label` (the label column)"),
        (b"b,a,label\n1,1,1\nx,1,1\n", "2.csv:3: column `b`: expected a number, found \"x\""),
        (b"a,b,label\n", "2.csv: no rows after the header; expected at least one"),
        (b"", "2.csv: the file is empty; expected a header line naming the columns, then one row per line"),
    ] {
        assert_eq!(refused(second, &labeled()), expected, "{}", second.escape_ascii());
    }
    // Where the features are chosen, other columns do not matter.
    let chosen = Columns { features: Some(vec!["b".into(), "a".into()]), ..labeled() };
    let files = [first, ("2.csv", &b"c,b,a,label\nx,3,4,1\n"[..])];
    assert_eq!(join("files-chosen", &files, &chosen).unwrap().rows, [2.0, 1.0, 3.0, 4.0]);
}

#[test]
fn a_file_counts_once_and_there_is_at_least_one() {
    let text: &[u8] = b"a,label\n1,1\n";
    let twice = join("files-twice", &[("1.csv", text), ("2.csv", text), ("1.csv", text)], &labeled());
    assert_eq!(twice.unwrap_err(), "1.csv: the file is given twice");
    assert_eq!(join("files-none", &[], &labeled()).unwrap_err(), "data: no file is given; expected at least one");
    let scratch = Scratch::new("files-missing");
    std::fs::write(scratch.path("1.csv"), text).unwrap();
    let paths = [scratch.path("1.csv"), scratch.path("missing.csv")];
    let message = Table::open_all(&paths, &labeled()).unwrap_err().to_string();
    assert!(message.starts_with(&paths[1].display().to_string()), "{message}");
}

/// For a progress bar: bytes of all files, of which more and more are read.
#[test]
fn bytes_are_counted_over_all_files_and_an_error_ends_the_reading() {
    let scratch = Scratch::new("files-bytes");
    let paths: Vec<PathBuf> = (0..3).map(|at| scratch.path(&format!("{at}.csv"))).collect();
    for path in &paths {
        std::fs::write(path, b"a,label\n1,1\n").unwrap();
    }
    let mut reader = BlockReader::open_all(&paths, &labeled()).unwrap();
    assert_eq!(reader.total_bytes(), Some(36));
    for bytes in [12, 24, 36] {
        assert_eq!(reader.next_block().unwrap().unwrap().rows, [1.0]);
        assert_eq!(reader.bytes_read(), bytes);
    }
    assert_eq!((reader.next_block().unwrap(), reader.bytes_read()), (None, 36));
    std::fs::write(&paths[1], b"a,label\nx,1\n").unwrap();
    let mut reader = BlockReader::open_all(&paths, &labeled()).unwrap();
    assert!(reader.next_block().unwrap().is_some() && reader.next_block().is_err());
    assert_eq!(reader.next_block().unwrap(), None);
}

//! Files that are as they should be.

use super::{Drip, PLAIN, features, gzip, labeled, plain, read};
use crate::tests::common::Scratch;
use proptest::prelude::*;
use pual_trainer::data::groups::Groups;
use pual_trainer::data::table::{Columns, RowReader, Table};

#[test]
fn one_content_in_many_dresses() {
    let expected = plain();
    assert_eq!(labeled(PLAIN).unwrap(), expected);
    for dressed in [
        PLAIN.replace('\n', "\r\n"),
        PLAIN.trim_end().to_owned(),
        format!("\u{feff}{PLAIN}"),
        format!("\n\r\n{}\n\n  \r\n", PLAIN.replace('\n', "\n\n")),
        "\"a\",\"label\",\"b\"\r\n\"1\",\"0\",\"2\"\r\n\"3.5\",\"1\",\"-4e-1\"\r\n".to_owned(),
        " a , label,\tb\n 1 ,0 , +2.\n3.5,\" 1\",-.4\n".to_owned(),
    ] {
        assert_eq!(labeled(&dressed).unwrap(), expected, "{dressed:?}");
        // Gzip is known by its content; two members in a row are one file, as `cat a.gz b.gz` makes them.
        let (head, tail) = dressed.as_bytes().split_at(7);
        for packed in [gzip(dressed.as_bytes()), [gzip(head), gzip(tail)].concat()] {
            let columns = Columns::labeled_by("label");
            assert_eq!(read(&packed, &columns).unwrap(), expected, "{dressed:?}");
            let dripped = Table::read("pipe", Drip(&packed), &columns).unwrap();
            assert_eq!(dripped, expected, "{dressed:?}");
        }
    }
}

#[test]
fn files_are_opened_by_name() {
    let scratch = Scratch::new("csv");
    let path = scratch.path("misnamed.csv");
    std::fs::write(&path, gzip(PLAIN.as_bytes())).unwrap();
    let columns = Columns::labeled_by("label");
    assert_eq!(Table::open(&path, &columns).unwrap(), plain());
    let missing = scratch.path("missing.csv");
    let message = Table::open(&missing, &columns).unwrap_err().to_string();
    assert!(message.starts_with(&missing.display().to_string()), "{message}");
}

#[test]
fn columns_are_chosen_by_name_in_any_order() {
    let text = "time,b,a,comment,truth\n12:00,2,1,\"fine, really\",1\n12:05,4,3,\"two\nlines\",0\n";
    let table = read(text.as_bytes(), &features(&["a", "b"])).unwrap();
    assert_eq!((table.names, table.rows), (vec!["a".into(), "b".into()], vec![1.0, 2.0, 3.0, 4.0]));
    // The truth is read beside the features and never among them.
    let with_truth =
        Columns { ignore: vec!["time".into(), "comment".into()], truth: Some("truth".into()), ..Columns::default() };
    let table = read(text.as_bytes(), &with_truth).unwrap();
    assert_eq!(table.names, ["b", "a"]);
    assert_eq!(table.rows, [2.0, 1.0, 4.0, 3.0]);
    assert_eq!(table.truth, Some(vec![true, false]));
    assert_eq!(table.labeled, None);
    // Naming a feature twice does not count it twice.
    assert_eq!(read(text.as_bytes(), &features(&["a", "a"])).unwrap().names, ["a"]);
    // An unnamed column is no matter where features are chosen.
    assert_eq!(read(b",a,,label\n0,7,x,1\n", &features(&["a"])).unwrap().rows, [7.0]);
}

#[test]
fn labels_and_truths_have_many_spellings() {
    let marks = |role: &str, cells: &[&str]| -> Vec<Result<bool, String>> {
        let columns = match role {
            "label" => Columns::labeled_by("mark"),
            _ => Columns { truth: Some("mark".into()), ..Columns::default() },
        };
        let one = |cell: &&str| {
            let table = read(format!("a,mark\n1,{cell}\n").as_bytes(), &columns)?;
            Ok(table.labeled.or(table.truth).unwrap()[0])
        };
        cells.iter().map(one).collect()
    };
    for role in ["label", "truth"] {
        for yes in marks(role, &["1", "1.0", "+1", "1e0", "true", "TRUE", "Positive", " 1 ", "\"1\""]) {
            assert_eq!(yes, Ok(true), "{role}");
        }
        for no in marks(role, &["0", "0.0", "-0", "-1", "-1.00", "false", "False"]) {
            assert_eq!(no, Ok(false), "{role}");
        }
        for wrong in marks(role, &["2", "0.5", "yes", "nan", "1 0", "-1.5", "truth"]) {
            assert!(wrong.unwrap_err().starts_with("data.csv:2: column `mark`"));
        }
    }
    assert!(marks("label", &["", "  ", "unlabeled", "Unlabelled"]).iter().all(|m| *m == Ok(false)));
    assert!(marks("truth", &["", "unlabeled"]).iter().all(Result::is_err));
    assert!(marks("truth", &["negative", "Normal"]).iter().all(|m| *m == Ok(false)));
}

#[test]
fn a_label_tells_unlabeled_rows_from_normal_ones() {
    let normal = |cells: &[&str]| {
        let rows: String = cells.iter().map(|cell| format!("1,{cell}\n")).collect();
        let table = labeled(&format!("a,label\n{rows}")).unwrap();
        assert_eq!(table.labeled.unwrap(), cells.iter().map(|&cell| cell == "1").collect::<Vec<_>>());
        table.normal
    };
    for cell in ["-1", "-1.0", "\" -1\"", "normal", "Normal", "NEGATIVE"] {
        assert_eq!(normal(&["1", "0", cell, ""]), Some(vec![false, false, true, false]), "{cell}");
    }
    assert_eq!(normal(&["1", "0", "-0", "", "false", "unlabeled"]), None);
    // A truth is not a label: nothing is learned from it.
    let truth = Columns { truth: Some("label".into()), ..Columns::default() };
    assert_eq!(read(b"a,label\n1,-1\n2,1\n", &truth).unwrap().normal, None);
}

#[test]
fn rows_can_be_taken_one_by_one_as_they_arrive() {
    let text = "b,a\n1,2\n3,4\n";
    let mut reader = RowReader::new("pipe", Drip(text.as_bytes()), &features(&["a", "b"])).unwrap();
    assert_eq!(reader.names(), ["a", "b"]);
    let mut row = Vec::new();
    let mut seen = Vec::new();
    while let Some(marks) = reader.next_row(&mut row).unwrap() {
        assert_eq!((marks.labeled, marks.truth), (None, None));
        seen.push(std::mem::take(&mut row));
    }
    assert_eq!(seen, [[2.0, 1.0], [4.0, 3.0]]);
}

#[test]
fn features_are_what_the_device_reads() {
    let table = labeled("a,label\n0.1,1\n16777217,0\n1e-60,0\n3.4028235e38,0\n").unwrap();
    assert_eq!(table.rows, [f64::from(0.1f32), 16_777_216.0, 0.0, f64::from(f32::MAX)]);
}

fn any_table() -> impl Strategy<Value = Table> {
    // Names with the characters that need quoting; blanks at the ends do not survive, by design.
    let name = "[a-z,\"\n é]{0,4}[a-z,\"é]";
    (proptest::collection::hash_set(name, 1..5), 1usize..20).prop_flat_map(|(names, rows)| {
        let names: Vec<String> = names.iter().map(|name| format!("f{name}")).collect();
        let value = any::<f32>().prop_filter("finite", |x| x.is_finite()).prop_map(f64::from);
        let marks = || proptest::option::of(proptest::collection::vec(any::<bool>(), rows));
        let values = proptest::collection::vec(value, names.len() * rows);
        // Of the names of groups, too, blanks at the ends do not survive.
        let groups = proptest::option::of(proptest::collection::vec("[a,\"é][a,\"\n é]{0,1}[a,\"é]", rows));
        let parts = (Just(names), values, marks(), marks(), marks(), groups);
        parts.prop_map(|(names, rows, labeled, normal, truth, groups)| {
            let only_unlabeled = |labeled: &Vec<bool>, normal: Vec<bool>| -> Vec<bool> {
                labeled.iter().zip(normal).map(|(&labeled, normal)| normal && !labeled).collect()
            };
            let normal = labeled.as_ref().zip(normal).map(|(labeled, normal)| only_unlabeled(labeled, normal));
            let normal = normal.filter(|normal| normal.contains(&true));
            Table { names, rows, labeled, normal, truth, groups: groups.map(Groups::of_rows) }
        })
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(table in any_table()) {
        let mut text = Vec::new();
        table.write(&mut text, "the label", "the truth").unwrap();
        let columns = Columns {
            label: table.labeled.as_ref().map(|_| "the label".into()),
            truth: table.truth.as_ref().map(|_| "the truth".into()),
            group: table.groups.as_ref().map(|_| "group".into()),
            ..Columns::default()
        };
        prop_assert_eq!(read(&text, &columns).unwrap(), table);
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = read(&bytes, &Columns::labeled_by("label"));
        let _ = read(&[b"a,label\n", &bytes[..]].concat(), &Columns::labeled_by("label"));
    }
}

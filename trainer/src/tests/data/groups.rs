//! Rows that belong together, and rows known to be normal: from a file to a training set.

use super::read;
use proptest::prelude::*;
use pual_trainer::data::dataset::Dataset;
use pual_trainer::data::groups::Groups;
use pual_trainer::data::table::{BlockReader, Columns, Table};

fn grouped() -> Columns {
    Columns { group: Some("machine".into()), ..Columns::labeled_by("label") }
}

fn groups(bytes: &[u8]) -> Result<Groups, String> {
    read(bytes, &grouped()).map(|table| table.groups.unwrap())
}

#[test]
fn a_group_is_any_text() {
    let plain = groups(b"a,machine,label\n1,pump 1,1\n2,7,0\n3,pump 1,\n").unwrap();
    assert_eq!((plain.names(), plain.of_row()), (&["pump 1".to_owned(), "7".to_owned()][..], &[0, 1, 0][..]));
    // However it is written.
    for text in [
        "\u{feff}machine,a,label\r\n pump 1 ,1,1\r\n\t7,2,0\r\n\"pump 1\",3,\r\n",
        "a,label,\"machine\"\n1,1,\"pump 1\"\n2,0,\" 7 \"\n3,,pump 1",
        "\u{feff}\"machine\",a,label\n\"pump 1\n\",1,1\n7,2,0\npump 1,3,0\n",
    ] {
        assert_eq!(groups(text.as_bytes()), Ok(plain.clone()), "{text:?}");
    }
    // Text is text: a number is not recognised in another spelling, and case matters.
    let names = ["7", "7.0", "07", "A", "a", "a,b", "é", "-", "nan", "label"];
    let rows: String = names.iter().map(|name| format!("1,\"{name}\",0\n")).collect();
    assert_eq!(groups(format!("a,machine,label\n{rows}").as_bytes()), Ok(Groups::of_rows(names)));
}

#[test]
fn a_row_without_a_group_is_refused() {
    let empty = "column `machine` (the group column): expected a name (UTF-8 text), found an empty cell";
    for (text, expected) in [
        (&b"a,machine,label\n1,x,1\n2,,0\n"[..], format!("data.csv:3: {empty}")),
        (b"a,machine,label\n1,x,1\n\n2,  ,0\n", format!("data.csv:4: {empty}")),
        (b"a,machine,label\r\n\"1\",x,1\r\n2,\" \",0\r\n", format!("data.csv:3: {empty}")),
        (b"a,label,machine\n1,1,\xff\n", format!("data.csv:2: {}\"\u{fffd}\"", empty.replace("an empty cell", ""))),
        (b"a,label,machine\n1,1\n", "data.csv:2: expected 3 cells as in the header, found 2".to_owned()),
        (b"a,Machine,label\n1,x,1\n", "data.csv:1: no column `machine` (the group column)".to_owned()),
    ] {
        assert_eq!(groups(text), Err(expected), "{}", text.escape_ascii());
    }
}

#[test]
fn the_group_column_is_no_feature_and_has_no_other_job() {
    let text = b"a,machine,label\n1,5,1\n2,6,0\n";
    assert_eq!(read(text, &grouped()).unwrap().names, ["a"]);
    let both = |columns: Columns| read(text, &columns).unwrap_err();
    let said = |other: &str| format!("column `machine` cannot be both the group column and {other}");
    assert_eq!(both(Columns { features: Some(vec!["machine".into()]), ..grouped() }), said("a feature"));
    assert_eq!(both(Columns { ignore: vec!["machine".into()], ..grouped() }), said("an ignored column"));
    let same = Columns { label: Some("machine".into()), ..grouped() };
    assert_eq!(both(same), "column `machine` cannot be both the label column and the group column");
    let same = Columns { truth: Some("machine".into()), ..grouped() };
    assert_eq!(both(same), "column `machine` cannot be both the truth column and the group column");
    // Where nobody asks for groups, it is a column like others.
    assert_eq!(read(text, &Columns::labeled_by("label")).unwrap().groups, None);
    assert_eq!(read(b"a,machine\n1,x\n", &Columns::of_features(&["a".into()])).unwrap().groups, None);
}

/// In segments of any length, on any number of threads, with and without quotes.
#[test]
fn ten_thousand_groups_are_the_same_however_they_are_read() {
    let name = |row: usize| format!("group {}", row * 7919 % 10_000);
    for quote in ["", "\""] {
        let rows: String = (0..30_000).map(|row| format!("{row},{quote}{}{quote},0\n", name(row))).collect();
        let text = format!("a,machine,label\n{rows}");
        let expected = Groups::of_rows((0..30_000).map(name));
        assert_eq!(expected.len(), 10_000);
        for (threads, segment) in [(1, 1 << 22), (3, 1 << 22), (3, 1000)] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let table = pool.install(|| {
                let reader = BlockReader::in_segments("data.csv", text.as_bytes(), &grouped(), segment);
                Table::collect(reader.unwrap()).unwrap()
            });
            assert_eq!(table.groups.as_ref(), Some(&expected), "{threads} {segment}");
        }
    }
}

#[test]
fn one_group_and_groups_of_one_row_are_groups_too() {
    let one = groups(b"a,machine,label\n1,x,1\n2,x,1\n3,x,0\n").unwrap();
    assert_eq!((one.len(), one.of_row()), (1, &[0, 0, 0][..]));
    let each = groups(b"a,machine,label\n1,x,1\n2,y,1\n3,z,0\n").unwrap();
    assert_eq!((each.len(), each.of_row()), (3, &[0, 1, 2][..]));
}

const ROWS: &[u8] = b"a,b,machine,label,truth\n1,9,x,1,1\n2,9,y,-1,0\n3,9,x,1,1\n4,9,z,0,1\n5,8,y,,0\n6,9,x,normal,0\n";

fn dataset() -> Dataset {
    let columns = Columns { truth: Some("truth".into()), ..grouped() };
    Dataset::read("data.csv", ROWS, &columns).unwrap()
}

#[test]
fn a_training_set_carries_groups_and_normal_rows() {
    let data = dataset();
    assert_eq!(data.groups(), Some(&Groups::of_rows(["x", "y", "x", "z", "y", "x"])));
    assert_eq!(data.normal(), Some(&[false, true, false, false, false, true][..]));
    assert_eq!(data.labeled(), [true, false, true, false, false, false]);
    let fewer = data.with_features(&["a".to_owned()]);
    assert_eq!((fewer.groups().unwrap().len(), fewer.normal().unwrap().len()), (3, 6));
    // Marks that mark nothing are none.
    let columns = Columns::labeled_by("label");
    let table = Table { normal: Some(vec![false; 3]), ..read(b"a,label\n1,1\n2,1\n3,0\n", &columns).unwrap() };
    let data = Dataset::new(table).unwrap();
    assert_eq!((data.normal(), data.groups()), (None, None));
}

#[test]
fn the_fingerprint_tells_groups_and_normal_rows_apart() {
    let of = |label: &str, machines: [&str; 4]| {
        let row = |(at, machine): (usize, &&str)| format!("{at},{machine},{}\n", if at < 2 { "1" } else { label });
        let rows: String = machines.iter().enumerate().map(row).collect();
        let columns = if machines[0].is_empty() {
            Columns { ignore: vec!["machine".into()], ..Columns::labeled_by("label") }
        } else {
            grouped()
        };
        let text = format!("a,machine,label\n{rows}");
        Dataset::read("data.csv", text.as_bytes(), &columns).unwrap().fingerprint()
    };
    let plain = of("0", [""; 4]);
    // As it was before there were groups: logs of earlier searches can be resumed.
    assert_eq!(plain, 0xcc3e_35bc_0c80_b276);
    let different = [plain, of("-1", [""; 4]), of("0", ["x", "x", "y", "y"]), of("0", ["x", "y", "x", "y"])];
    for (at, one) in different.iter().enumerate() {
        assert!(!different[..at].contains(one), "{different:x?}");
    }
    assert_eq!(of("0", ["x", "x", "y", "y"]), of("0", ["1", "1", "2", "2"]));
}

#[test]
fn a_file_without_unlabeled_rows_is_pointed_out() {
    let warnings = |unlabeled: usize, normal: usize| -> Vec<String> {
        let labels = std::iter::repeat_n("1", 20).chain(std::iter::repeat_n("0", unlabeled));
        let labels = labels.chain(std::iter::repeat_n("-1", normal));
        let rows: String = labels.enumerate().map(|(at, label)| format!("{},{label}\n", at * 37 % 101)).collect();
        let data = Dataset::read("data.csv", format!("a,label\n{rows}").as_bytes(), &Columns::labeled_by("label"));
        let of_marks = |text: &String| text.starts_with("[no-unlabeled-rows]");
        data.unwrap().warnings().iter().map(ToString::to_string).filter(of_marks).collect()
    };
    assert_eq!(warnings(100, 400), [""; 0]);
    // -1 may mean "unlabeled" to whoever wrote the file.
    let none = warnings(0, 30);
    assert!(
        none.len() == 1 && none[0].starts_with("[no-unlabeled-rows]: no row is unlabeled: all 30 rows"),
        "{none:?}"
    );
    assert_eq!(warnings(1, 30), [""; 0]);
}

proptest! {
    #[test]
    fn selecting_groups_is_selecting_their_names(
        names in proptest::collection::vec("[a-e]", 1..40),
        picks in proptest::collection::vec(any::<prop::sample::Index>(), 0..60),
    ) {
        let rows: Vec<usize> = picks.iter().map(|pick| pick.index(names.len())).collect();
        let selected = Groups::of_rows(&names).select(&rows);
        prop_assert_eq!(selected.of_row().len(), rows.len());
        for (&row, &id) in rows.iter().zip(selected.of_row()) {
            prop_assert_eq!(&selected.names()[id as usize], &names[row]);
        }
        // Every group has a row, and none comes before its first.
        let mut seen = 0;
        for &id in selected.of_row() {
            prop_assert!(id <= seen);
            seen = seen.max(id + 1);
        }
        prop_assert_eq!(seen as usize, selected.len());
    }
}

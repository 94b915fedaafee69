//! What makes rows a training set, and what is warned of.

use crate::tests::common::data;
use pual_trainer::data::dataset::Dataset;
use pual_trainer::data::groups::Groups;
use pual_trainer::data::table::{Columns, Table};

fn dataset(text: &str) -> Result<Dataset, String> {
    Dataset::read("data.csv", text.as_bytes(), &Columns::labeled_by("label")).map_err(|error| error.to_string())
}

/// `labeled` labeled rows, then unlabeled ones, two features, no row like another.
fn table(labeled: usize, rows: usize) -> Table {
    Table {
        names: vec!["a".into(), "b".into()],
        rows: (0..2 * rows).map(|i| i as f64).collect(),
        labeled: Some((0..rows).map(|row| row < labeled).collect()),
        ..Table::default()
    }
}

fn texts(data: &Dataset) -> Vec<String> {
    data.warnings().iter().map(ToString::to_string).collect()
}

#[test]
fn a_training_set_is_read_with_all_its_parts() {
    let text = "label,a,b,truth\n1,1,2,1\n0,3,4,1\n,5,6,0\ntrue,7,8,1\n";
    let columns = Columns { truth: Some("truth".into()), ..Columns::labeled_by("label") };
    let data = Dataset::read("data.csv", text.as_bytes(), &columns).unwrap();
    assert_eq!(data.names(), ["a", "b"]);
    assert_eq!((data.len(), data.features(), data.positives()), (4, 2, 2));
    assert_eq!(data.rows(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
    assert_eq!(data.labeled(), [true, false, false, true]);
    assert_eq!(data.truth(), Some(&[true, true, false, true][..]));
    assert_eq!(data.warnings(), []);
}

#[test]
fn what_cannot_be_trained_on_is_refused() {
    for (text, expected) in [
        ("a,label\n1,1\n", "1 of 1 rows labeled positive; expected at least 2"),
        ("a,label\n1,0\n", "0 of 1 rows labeled positive; expected at least 2"),
        ("a,label\n1,1\n2,0\n3,0\n", "1 of 3 rows labeled positive; expected at least 2"),
        ("a,label\n1,1\n2,1\n", "all 2 rows are labeled positive; expected unlabeled rows too"),
        ("a,b,label\n1,5,1\n1,5,1\n1,5,0\n", "every feature is constant (a, b); there is nothing to learn from"),
        ("a,label\n1,1\nx,0\n", "data.csv:3: column `a`: expected a number, found \"x\""),
    ] {
        assert_eq!(dataset(text).unwrap_err(), expected);
    }
    let without_label = Dataset::read("data.csv", &b"a\n1\n"[..], &Columns::default()).unwrap_err();
    assert_eq!(without_label.to_string(), "nothing says which rows are labeled positive");
    let enough = dataset("a,label\n1,1\n2,1\n3,0\n").unwrap();
    assert_eq!((enough.len(), enough.features()), (3, 1));
}

#[test]
fn tables_made_by_hand_are_checked_too() {
    let refused = |change: fn(&mut Table)| {
        let mut table = table(4, 10);
        change(&mut table);
        Dataset::new(table).unwrap_err().to_string()
    };
    assert_eq!(refused(|t| t.rows.truncate(19)), "values: expected 20, found 19");
    assert_eq!(refused(|t| t.names.clear()), "features: expected 1, found 0");
    assert_eq!(refused(|t| t.truth = Some(vec![])), "truth marks: expected 10, found 0");
    assert_eq!(refused(|t| t.normal = Some(vec![true])), "normal marks: expected 10, found 1");
    assert_eq!(refused(|t| t.normal = Some(vec![true; 10])), "row 0 is marked both positive and normal");
    assert_eq!(refused(|t| t.groups = Some(Groups::of_rows(["a"]))), "rows with a group: expected 10, found 1");
    assert_eq!(refused(|t| t.rows[3] = f64::NAN), "row 1, feature `b`: NaN is not a finite 32-bit number");
    assert_eq!(refused(|t| t.rows[0] = 1e39), format!("row 0, feature `a`: {} is not a finite 32-bit number", 1e39));
    assert!(refused(|t| t.labeled = None).contains("which rows are labeled positive"));
    // Values become what the device reads, as if they had come from a file.
    let mut rounded = table(4, 10);
    rounded.rows[0] = 0.1;
    assert_eq!(Dataset::new(rounded).unwrap().rows()[0], f64::from(0.1f32));
}

#[test]
fn constant_columns_are_dropped_with_a_warning() {
    let data = dataset("a,c,b,d,label\n1,7,2,16777216,1\n3,7,4,16777217,1\n5,7.0,6,16777216,0\n").unwrap();
    assert_eq!(data.names(), ["a", "b"]);
    assert_eq!(data.rows(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    // `d` varies on paper, but not in the 32-bit floats the device reads.
    let constant = |column_is: &str| {
        format!("[constant-column]: column {column_is} in every row: dropped, the device takes one reading less")
    };
    assert_eq!(texts(&data), [constant("`c` is 7"), constant("`d` is 16777216")]);
}

#[test]
fn duplicated_rows_stay_and_many_are_warned_of() {
    // 20 rows, the last two like the first, one of them under another label, and -0 like 0.
    let mut rows = table(8, 20);
    rows.rows[36..].copy_from_slice(&[-0.0, 1.0, 0.0, 1.0]);
    let few = Dataset::new(rows.clone()).unwrap();
    assert_eq!((few.len(), few.warnings()), (20, &[][..]));
    rows.rows[34..36].copy_from_slice(&[0.0, 1.0]);
    let many = Dataset::new(rows).unwrap();
    assert_eq!(many.len(), 20);
    assert_eq!(many.warnings().len(), 1);
    assert!(texts(&many)[0].starts_with("[duplicate-rows]: 3 of 20 rows (15 %) repeat an earlier row"));
}

#[test]
fn a_column_that_may_be_the_answer_is_pointed_out() {
    let with_flag = |flag: fn(usize) -> f64, labeled| {
        let mut table = table(labeled, 40);
        for (row, values) in table.rows.chunks_mut(2).enumerate() {
            values[1] = flag(row);
        }
        texts(&Dataset::new(table).unwrap())
    };
    // 10 labeled rows, 20 positives in truth.
    let suspected = with_flag(|row| f64::from(row < 20), 10);
    assert_eq!(suspected.len(), 1);
    assert!(suspected[0].starts_with("[may-be-the-answer]: column `b`"), "{suspected:?}");
    // Two values, but both among the labeled rows; three values; too few labels to tell.
    assert_eq!(with_flag(|row| f64::from(row % 2 == 0), 10), [""; 0]);
    assert_eq!(with_flag(|row| f64::from(row < 20) + f64::from(row == 39) * 0.5, 10), [""; 0]);
    assert_eq!(with_flag(|row| f64::from(row < 20), 7), [""; 0]);
}

#[test]
fn readings_too_fine_for_32_bits_are_pointed_out() {
    // A Unix time over ten minutes: 32-bit floats step by 128 seconds there.
    let mut times = table(8, 20);
    for (row, values) in times.rows.chunks_mut(2).enumerate() {
        values[0] = 1.7e9 + 30.0 * row as f64;
    }
    let warnings = texts(&Dataset::new(times).unwrap());
    assert!(warnings[0].starts_with("[coarse-column]: column `a` spans only 4 steps"), "{warnings:?}");
    // Small integers are exact and stand far apart in steps.
    assert_eq!(Dataset::new(table(8, 20)).unwrap().warnings(), []);
}

#[test]
fn few_labels_are_warned_of_with_the_count_that_matters() {
    // The paper's own setting, 12.5 % of the rows labeled, passes; 1 labeled to 10 unlabeled does not.
    assert_eq!(Dataset::new(table(70, 560)).unwrap().warnings(), []);
    let few = texts(&Dataset::new(table(20, 220)).unwrap());
    assert!(few.len() == 1 && few[0].starts_with("[few-labels]: only 20"), "{few:?}");
    // 20 / (20 + 80) = 20 %: 80 hidden positives are the most that leave the frequency there.
    let text = &few[0];
    assert!(
        text.contains("20 of 220 rows (9.1 %)") && text.contains("more than 80 (40.0 % of the unlabeled rows)"),
        "{text}"
    );
}

#[test]
fn the_papers_data_sets_are_read_with_its_counts() {
    for (name, positives, negatives, features) in [
        ("acc", 100, 100, 4),
        ("ecoli", 168, 168, 6),
        ("pen", 400, 400, 16),
        ("or1", 301, 301, 4),
        ("or2", 500, 500, 4),
        ("ssmcr", 391, 109, 3),
        ("pb", 500, 500, 3),
        ("od", 100, 300, 5),
        ("umd", 83, 63, 5),
        ("seeds", 70, 70, 7),
        ("enb", 144, 144, 7),
        ("wifi", 200, 599, 7),
        ("avila", 300, 900, 10),
        ("rd", 450, 450, 7),
        ("ld", 144, 200, 6),
        ("hd", 150, 119, 13),
    ] {
        let Some(path) = data(&format!("{name}.csv")) else {
            return;
        };
        let data = Dataset::open_columns(&path, &Columns::labeled_by("label")).unwrap();
        assert_eq!(
            (data.positives(), data.len(), data.features()),
            (positives, positives + negatives, features),
            "{name}"
        );
    }
    // `pctid` is constant in this draw of acc.
    let (first, whole) = (data("firstn/acc.csv"), data("full/acc.csv.gz"));
    let first = Dataset::open_columns(first.unwrap(), &Columns::labeled_by("label")).unwrap();
    assert_eq!(first.names(), ["x", "y", "z"]);
    // Packed, and large for a test: 153,000 rows.
    let whole = Table::open(&whole.unwrap(), &Columns::default()).unwrap();
    assert_eq!(whole.len(), 153_000);
}

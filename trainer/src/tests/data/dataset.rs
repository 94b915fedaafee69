//! What makes rows a training set, and what is warned of.

use crate::tests::common::data;
use pual_trainer::base::random::Random;
use pual_trainer::data::dataset::{Dataset, of_few_labels};
use pual_trainer::data::groups::Groups;
use pual_trainer::data::table::{Columns, Table};

fn dataset(text: &str) -> Result<Dataset, String> {
    Dataset::read("data.csv", text.as_bytes(), &Columns::labeled_by("label")).map_err(|error| error.to_string())
}

/// `labeled` labeled rows, then unlabeled ones, two features, no row like another.
fn table(labeled: usize, rows: usize) -> Table {
    Table {
        names: vec!["a".into(), "b".into()],
        rows: (0..2 * rows).map(|i| (i * 3571 % 10_007) as f64).collect(),
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
    rows.rows[36..].copy_from_slice(&[-0.0, 3571.0, 0.0, 3571.0]);
    let of_copies = |data: &Dataset| -> Vec<String> {
        texts(data).into_iter().filter(|text| text.starts_with("[duplicate-rows]")).collect()
    };
    let few = Dataset::new(rows.clone()).unwrap();
    assert_eq!((few.len(), of_copies(&few).len()), (20, 0));
    rows.rows[34..36].copy_from_slice(&[0.0, 3571.0]);
    let many = Dataset::new(rows).unwrap();
    assert_eq!(many.len(), 20);
    assert_eq!(of_copies(&many).len(), 1);
    assert!(of_copies(&many)[0].starts_with("[duplicate-rows]: 3 of 20 rows (15 %) repeat an earlier row"));
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
fn few_labels_are_warned_of_where_nothing_speaks_for_the_model() {
    let text = |labeled, unlabeled, puf| of_few_labels(labeled, unlabeled, puf).map(|warning| warning.to_string());
    // The paper's own setting, 12.5 % of the rows labeled, passes; 1 labeled to 10 unlabeled does not, unless the evidence is clear.
    assert_eq!(text(70, 490, None), None);
    assert_eq!(text(20, 200, Some(1.5)), None);
    let few = text(20, 200, Some(1.1)).unwrap();
    assert!(few.starts_with("[few-labels]: only 20 of 220 rows (9.1 %)"), "{few}");
    // 20 / (20 + 80) = 20 %: 80 hidden positives are the most that leave the frequency there.
    assert!(few.contains("more than 80 (40.0 % of the unlabeled rows)"), "{few}");
    assert_eq!(text(20, 200, None), text(20, 200, Some(f64::NAN)));
    // Hopelessly few, whatever held-out rows say.
    assert!(text(9, 20, Some(3.0)).unwrap().starts_with("[few-labels]: only 9 of 29 rows"));
    assert_eq!(text(10, 20, Some(3.0)), None);
}

#[test]
fn a_column_that_counts_is_pointed_out() {
    let with_column = |value: &dyn Fn(usize) -> f64, recordings: Option<usize>| {
        let mut table = table(40, 200);
        for (row, values) in table.rows.chunks_mut(2).enumerate() {
            values[1] = value(row);
            values[0] = (row * 37 % 101) as f64;
        }
        table.groups = recordings.map(|length| Groups::of_rows((0..200).map(|row| (row / length).to_string())));
        texts(&Dataset::new(table).unwrap()).iter().any(|text| text.starts_with("[order-among-features]: column `b`"))
    };
    let random = |seed| -> Vec<f64> {
        let random = &mut Random::new(seed, 0);
        (0..200).map(|_| random.uniform()).collect()
    };
    for seed in 0..20 {
        // A row number, falling too; a time stamp that trembles; one that begins again with each recording.
        let tremble = random(seed);
        assert!(with_column(&|row| row as f64, None));
        assert!(with_column(&|row| -3.0 * row as f64, None));
        assert!(with_column(&|row| 60.0 * row as f64 + 10.0 * tremble[row], None));
        assert!(with_column(&|row| (row % 20) as f64, Some(20)));
        // Readings: in random order, sorted, a random walk, a shuffled row number.
        let (mut sorted, mut shuffled) = (tremble.clone(), (0..200).collect::<Vec<usize>>());
        assert!(!with_column(&|row| tremble[row], None));
        sorted.sort_by(f64::total_cmp);
        assert!(!with_column(&|row| sorted[row], None), "{seed}");
        assert!(!with_column(&|row| tremble[..=row].iter().map(|x| x - 0.5).sum(), None));
        Random::new(seed, 1).shuffle(&mut shuffled);
        assert!(!with_column(&|row| shuffled[row] as f64, None));
    }
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

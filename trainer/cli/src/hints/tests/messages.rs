//! Files that are not, and what the user is told.

use super::{PLAIN, features, gzip, labeled, read};
use pual_trainer::Columns;

#[test]
fn messages_name_file_line_column_and_expectation() {
    for (text, expected) in [
        ("", "data.csv: the file is empty; expected a header line naming the columns, then one row per line"),
        ("\r\n  \n", "data.csv: the file is empty; expected a header line naming the columns, then one row per line"),
        ("a,label\n", "data.csv: no rows after the header; expected at least one"),
        ("a,b,a,label\n", "data.csv:1: columns 1 and 3 are both called `a`; give each column its own name"),
        (
            ",a,label\n0,1,1\n",
            "data.csv:1: column 1 has no name; name it, or choose the features with --features (pandas leaves row numbers out with index=False)",
        ),
        ("a,Lable\n1,1\n", "data.csv:1: no column `label` (the label column); did you mean `Lable`?"),
        ("a,b\n1,1\n", "data.csv:1: no column `label` (the label column); the columns are `a`, `b`"),
        (
            "1.5,2\n1,1\n",
            "data.csv:1: no column `label` (the label column); line 1 looks like data, but a header naming the columns is needed",
        ),
        ("a;b;label\n1;1;1\n", "data.csv:1: no column `label` (the label column); cells must be separated by commas"),
        ("label\n1\n", "data.csv:1: no feature column is left; expected at least one besides `label`"),
        ("a,label\n1,1\n2\n", "data.csv:3: expected 2 cells as in the header, found 1"),
        ("a,label\n1,1,1\n", "data.csv:2: expected 2 cells as in the header, found 3"),
        (
            "a,label\n1,1\nx,1\n",
            "data.csv:3: column `a`: expected a number, found \"x\"; leave a column of text out with --ignore",
        ),
        (
            "a,label\n1,1\n,1\n",
            "data.csv:3: column `a`: expected a number, found an empty cell; missing values are not supported: fill the gap or drop the row",
        ),
        (
            "a,label\nNA,1\n",
            "data.csv:2: column `a`: expected a number, found \"NA\"; missing values are not supported: fill the gap or drop the row",
        ),
        (
            "a,label\n\"1,5\",1\n",
            "data.csv:2: column `a`: expected a number, found \"1,5\"; write a decimal point, not a comma",
        ),
        (
            "a,label\nNaN,1\n",
            "data.csv:2: column `a`: expected a finite number, found \"NaN\"; missing values are not supported: fill the gap or drop the row",
        ),
        (
            "a,label\n-inf,1\n",
            "data.csv:2: column `a`: expected a finite number, found \"-inf\"; missing values are not supported: fill the gap or drop the row",
        ),
        (
            "a,label\n1e39,1\n",
            "data.csv:2: column `a`: \"1e39\" is too large for the device, which reads 32-bit floats (at most 3.4e38); use a larger unit",
        ),
        (
            "a,label\n1e999,1\n",
            "data.csv:2: column `a`: \"1e999\" is too large for the device, which reads 32-bit floats (at most 3.4e38); use a larger unit",
        ),
        (
            "a,label\n1,maybe\n",
            "data.csv:2: column `label` (the label column): expected 1, true or positive for a labeled row, 0, false, unlabeled or nothing for an unlabeled one, or -1, normal or negative for one known to be normal, found \"maybe\"; choose another column with --label-column or --truth-column, or rewrite this one",
        ),
    ] {
        assert_eq!(labeled(text).unwrap_err(), expected, "{text:?}");
    }
    let long = labeled(&format!("a,label\n{},1\n", "é\t".repeat(500))).unwrap_err();
    assert!(long.len() < 200 && long.contains("é\\té") && long.contains("...\""), "{long}");
}

#[test]
fn line_numbers_are_exact_whatever_comes_before() {
    for (text, line) in [
        ("a,label\n1,1\nx,1\n", 3),
        ("a,label\r\n1,1\r\nx,1\r\n", 3),
        ("a,label\r\n1,1\r\nx,1", 3),
        ("a,label\n1,1\nx,1", 3),
        ("\n\na,label\n\n\n1,1\n\nx,1\n1,1\n", 8),
        ("\r\na,label\r\n\r\n1,1\r\n \r\nx,1\r\n", 6),
        ("\"a\",label\n\"1\",1\n\"x\ny\",1\n1,1\n", 3),
        ("a,\"label\"\r\n1,\"\r\n1\"\r\nx,1\r\n", 4),
        ("\u{feff}a,label\n1,1\nx,1\n", 3),
    ] {
        for bytes in [text.as_bytes().to_vec(), gzip(text.as_bytes())] {
            let message = read(&bytes, &Columns::labeled_by("label")).unwrap_err();
            assert!(message.starts_with(&format!("data.csv:{line}: ")), "{message} in {text:?}");
        }
    }
    let message = labeled("a,label\n1,1\n\"2,1\n3,1\n4,1\n").unwrap_err();
    assert!(
        message.starts_with("data.csv:3: ") && message.ends_with("is a quote opened here that is never closed?"),
        "{message}"
    );
}

#[test]
fn a_column_has_one_job() {
    let text = b"a,b,label,truth\n1,2,1,1\n";
    let conflict = |columns: Columns| read(text, &columns).unwrap_err();
    let base = Columns { truth: Some("truth".into()), ..Columns::labeled_by("label") };
    let with_feature = |name: &str| Columns { features: Some(vec!["a".into(), name.into()]), ..base.clone() };
    assert_eq!(
        conflict(with_feature("truth")),
        "column `truth` cannot be both the truth column and a feature; choose one"
    );
    assert_eq!(
        conflict(with_feature("label")),
        "column `label` cannot be both the label column and a feature; choose one"
    );
    let ignored = Columns { ignore: vec!["b".into()], ..with_feature("b") };
    assert_eq!(conflict(ignored), "column `b` cannot be both an ignored column and a feature; choose one");
    let same = Columns { truth: Some("label".into()), ..base.clone() };
    assert_eq!(conflict(same), "column `label` cannot be both the label column and the truth column; choose one");
    let typo = Columns { ignore: vec!["bb".into()], ..base.clone() };
    assert_eq!(conflict(typo), "data.csv:1: no column `bb` (an ignored column); did you mean `b`?");
    assert_eq!(read(text, &base).unwrap().names, ["a", "b"]);
}

#[test]
fn other_encodings_and_damaged_archives_are_named() {
    let columns = Columns::labeled_by("label");
    let utf16: Vec<u8> = "\u{feff}a,label\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(read(&utf16, &columns).unwrap_err().contains("UTF-8"));
    assert!(read(b"temp\xe9rature,label\n1,1\n", &columns).unwrap_err().contains("UTF-8"));
    // A cell that is no UTF-8 matters only where a number is expected.
    assert!(read(b"a,note,label\n1,\xe9,1\n", &features(&["a"])).is_ok());
    assert!(read(b"a,label\n\xe9,1\n", &columns).unwrap_err().starts_with("data.csv:2: column `a`"));
    let packed = gzip(PLAIN.as_bytes());
    for length in 2..packed.len() {
        let message = read(&packed[..length], &columns).unwrap_err();
        assert!(message.starts_with("data.csv: "), "{message}");
    }
}

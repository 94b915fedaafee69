//! What a user reads when something is wrong: the place, the flag, what was expected.

use crate::{QUICK, Scratch};

#[test]
fn a_wrong_command_line_is_exit_code_2_and_names_the_flag() {
    let scratch = Scratch::new("usage");
    scratch.cold_chain();
    for (flags, said) in [
        ("--lambda=-1", "--lambda"),
        ("--bandwidth=nan", "--bandwidth"),
        ("--supports 0", "--supports"),
        ("--method svm", "bls-svm"),
        ("--scaling zscore", "z-score"),
        ("--method bsvm --solver admm", "--solver goes with --method pual"),
        ("--method bsvm --sigma 1", "--sigma would have no effect"),
        ("--solver mean --neighbours 3", "--neighbours would have no effect"),
        ("--solver algorithm2 --lambda 2", "--lambda would have no effect"),
        ("--kernel linear --bandwidth 1", "--bandwidth would have no effect"),
        ("--kernel linear --supports 9", "--supports would have no effect"),
        ("--mu-1 1", "--mu-1 goes with"),
        ("--ensemble 9 --c-u 1", "--ensemble cannot go with --c-u"),
        ("--method pual --ensemble 9 --folds 3", "--ensemble cannot go with --folds"),
        ("--method gllc --ensemble 9", "--ensemble goes with --method auto and pual"),
        ("--no-tune --method auto", "cannot go with --no-tune"),
    ] {
        let run = scratch.pual(&format!("train train.csv -o m.pual {flags}"));
        run.fails(2, &[said]);
        assert!(run.stdout().is_empty());
    }
    scratch.pual("train train.csv").fails(2, &["--output"]);
    scratch.pual("evaluate m.pual test.csv").fails(2, &["--truth-column", "--label-column"]);
    scratch.pual("synth cold-chain --label-frequency 1.5").fails(2, &["--label-frequency"]);
    scratch.pual("synth cold-chain --truth-column slope").fails(2, &["--truth-column", "`slope`"]);
    assert_eq!(scratch.files(), ["test.csv", "train.csv"]);
}

#[test]
fn a_bad_model_or_the_wrong_columns_are_named() {
    let scratch = Scratch::with_model("bad-model");
    for command in ["inspect train.csv", "score train.csv test.csv"] {
        scratch.pual(command).fails(1, &["train.csv is not a usable model", "PUAL"]);
    }
    let mut bytes = scratch.bytes("m.pual");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(scratch.path("flipped.pual"), bytes).unwrap();
    scratch.pual("score flipped.pual test.csv").fails(1, &["flipped.pual", "checksum"]);
    scratch.pual("score gone.pual test.csv").fails(1, &["cannot read gone.pual"]);

    scratch.write("rows.csv", "temperature,speed\n1,2\n");
    scratch.pual("score m.pual rows.csv").fails(1, &["rows.csv", "no column `slope`"]);
    scratch
        .pual("score m.pual rows.csv --features temperature")
        .fails(1, &["takes 2 features", "rows.csv", "--features"]);
    scratch.write("rows.csv", "temperature,slope,score\n1,2,3\n");
    scratch.pual("score m.pual rows.csv").fails(1, &["rows.csv:1", "`score`", "--only-scores"]);
    scratch.pual("evaluate m.pual test.csv --truth-column slope").fails(1, &["`slope`", "cannot be both"]);
}

#[test]
fn warnings_go_to_standard_error_and_into_the_json() {
    let scratch = Scratch::new("warnings");
    scratch.cold_chain();
    let text = std::fs::read_to_string(scratch.path("train.csv")).unwrap();
    let mut lines = text.lines();
    let mut with_constant = format!("{},unit\n", lines.next().unwrap());
    lines.for_each(|line| with_constant += &format!("{line},7\n"));
    scratch.write("constant.csv", &with_constant);
    let run = scratch.pual(&format!("train constant.csv -o m.pual --json {QUICK}"));
    assert!({ run.stderr() }.starts_with("warning[constant-column]: column `unit` is 7"));
    let json = run.json();
    let warning = &json["warnings"][0];
    assert_eq!(warning["id"], "constant-column");
    assert!(warning["text"].as_str().unwrap().contains("`unit`"));
    // The device takes one reading less, and files with that column can still be scored.
    assert_eq!(json["features"].as_array().unwrap().len(), 2);
    scratch.pual("score m.pual constant.csv").ok();
    // Without warnings there is nothing to read there.
    let train = format!("train train.csv -o m.pual {QUICK}");
    assert_eq!(scratch.pual(&train).stderr(), "");
}

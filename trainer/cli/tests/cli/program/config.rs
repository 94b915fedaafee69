//! `pual.toml`: flags from a file, and who wins.

use crate::Scratch;

/// A scratch directory with rows.
fn with_rows(test: &str) -> Scratch {
    let scratch = Scratch::new(test);
    scratch.pual("synth cold-chain --rows 200 -o train.csv").ok();
    scratch
}

#[test]
fn the_command_line_wins_over_the_file_and_the_file_over_defaults() {
    let scratch = with_rows("config-precedence");
    let synth = |flags: &str| {
        let synth = scratch.pual(&format!("synth cold-chain --json -o rows.csv {flags}"));
        synth.json()["rows"].as_u64().unwrap()
    };
    assert_eq!(synth(""), 800);
    scratch.write("pual.toml", "[synth.cold-chain]\nrows = 50\n");
    assert_eq!(synth(""), 50);
    assert_eq!(synth("--rows 20"), 20);
    assert_eq!(synth("--no-config"), 800);
    scratch.write("other.toml", "[synth.cold-chain]\nrows = 70\n");
    assert_eq!(synth("--config other.toml"), 70);
    assert_eq!(synth("--config=other.toml --rows 30"), 30);
    // Before the command too.
    let before = scratch.pual("--config other.toml synth cold-chain --json -o rows.csv");
    assert_eq!(before.json()["rows"], 70);
}

#[test]
fn switches_lists_numbers_and_required_flags_come_from_the_file() {
    let scratch = with_rows("config-kinds");
    let table = "[train]\nno-tune = true\nno-compress = true\nlambda = 2.5\nsupports = 7\nmethod = \"gllc\"\noutput = \"m.pual\"\njson = true\nrefine = false\n";
    scratch.write("pual.toml", table);
    let trained = scratch.pual("train train.csv").json();
    assert_eq!(trained["settings"]["lambda"], 2.5);
    assert_eq!(trained["supports"], 7);
    assert_eq!(trained["method"], "GLLC");
    assert!(trained.get("tuning").is_none());
    // A list on the command line replaces the file's.
    scratch.write("pual.toml", &format!("{table}ignore = [\"slope\"]\n"));
    let names = |run: crate::Run| run.json()["features"].clone();
    let all = ["temperature", "slope"];
    assert_eq!(names(scratch.pual("train train.csv")), serde_json::json!(all[..1]));
    assert_eq!(names(scratch.pual("train train.csv --ignore temperature")), serde_json::json!(all[1..]));
}

#[test]
fn what_cannot_go_with_the_command_line_gives_way() {
    let scratch = with_rows("config-conflicts");
    scratch.write("pual.toml", "[train]\nbudget = \"2kB\"\nno-tune = true\n");
    let train = "train train.csv -o m.pual --json";
    let run = scratch.pual(&format!("{train} --supports 5"));
    let json = run.json();
    assert_eq!(json["supports"], 5);
    assert_eq!(json["warnings"][0]["id"], "flag-gives-way");
    let said = "warning[flag-gives-way]: --budget=2kB (pual.toml:2) gives way to --supports";
    assert!(run.stderr().starts_with(said), "{}", run.stderr());
    // Now the conflict is declared at the flag in the file.
    scratch.write("pual.toml", "[train]\nsupports = 5\nno-tune = true\n");
    let run = scratch.pual(&format!("{train} --budget 2kB"));
    assert_eq!(run.json()["warnings"][0]["id"], "flag-gives-way");
    // Two flags of the file that exclude each other are an error that says where they are.
    scratch.write("pual.toml", "[train]\nsupports = 5\nbudget = \"2kB\"\n");
    scratch.pual(train).fails(2, &["cannot be used with", "--budget=2kB (pual.toml:3)", "--supports=5 (pual.toml:2)"]);
    // So is a conflict found only after parsing.
    scratch.write("pual.toml", "[train]\nensemble = 9\n");
    scratch
        .pual(&format!("{train} --c-u 1"))
        .fails(2, &["--ensemble cannot go with --c-u", "hint: from a file: --ensemble=9 (pual.toml:2)"]);
}

#[test]
fn a_wrong_file_is_named_with_line_and_nearest_key() {
    let scratch = with_rows("config-wrong");
    let synth = "synth cold-chain -o rows.csv";
    for (text, said) in [
        (
            "[train]\n\nlable-column = \"x\"\n",
            vec!["pual.toml:3", "`pual train` has no flag --lable-column", "did you mean `label-column`?"],
        ),
        ("[trian]\nbudget = \"1kB\"\n", vec!["pual.toml:1", "[trian]", "did you mean `train`?"]),
        ("[synth]\nrows = 3\n", vec!["pual.toml:2", "outside the table"]),
        ("seed = 3\n", vec!["pual.toml:1", "`seed` is outside"]),
        ("[train]\nno-tune = 1\n", vec!["pual.toml:2", "no-tune: expected true or false"]),
        ("[train]\nlambda = [1]\n", vec!["pual.toml:2", "lambda: expected one value"]),
        ("[train]\nlambda = true\n", vec!["pual.toml:2", "lambda: expected a string or a number"]),
        ("[train]\nlambda = \n", vec!["pual.toml:2"]),
        ("[train]\nhelp = true\n", vec!["pual.toml:2", "no flag --help"]),
        ("[train]\nconfig = \"x\"\n", vec!["pual.toml:2", "no flag --config"]),
        ("[synth.cold-chain]\nrows = -1\n", vec!["--rows", "hint: from a file: --rows=-1 (pual.toml:2)"]),
    ] {
        scratch.write("pual.toml", text);
        // The file is wrong for every command, not only for the one whose table it is.
        scratch.pual(synth).fails(2, &said);
        assert_eq!(scratch.files(), ["pual.toml", "train.csv"]);
    }
    // A wrong flag that is not in the file is not attributed to it.
    scratch.write("pual.toml", "[synth.cold-chain]\nrows = 9\n");
    let run = scratch.pual(&format!("{synth} --frobnicate"));
    run.fails(2, &["--frobnicate"]);
    assert!(!run.stderr().contains("hint: "), "{}", run.stderr());
    // Help works even if the file is wrong.
    scratch.write("pual.toml", "[trian]\n");
    scratch.pual("train --help").ok();
    scratch.pual("help train").ok();
    scratch.pual("--version").ok();
    scratch
        .pual(&format!("{synth} --config pual.tml"))
        .fails(2, &["pual.tml: No such file", "did you mean pual.toml?"]);
    scratch.pual(&format!("{synth} --config a --no-config")).fails(2, &["cannot be used with"]);
}

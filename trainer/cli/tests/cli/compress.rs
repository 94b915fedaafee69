//! `pual compress`, and the sizes of `pual train`.

use super::Scratch;

/// A trained model as it was before compression, and its rows.
fn large(test: &str) -> Scratch {
    let scratch = Scratch::new(test);
    scratch.cold_chain();
    scratch.pual("train train.csv -o large.pual --no-tune --no-compress").ok();
    scratch
}

fn size(scratch: &Scratch, name: &str) -> u64 {
    std::fs::metadata(scratch.path(name)).unwrap().len()
}

#[test]
fn a_small_model_answers_as_the_large_one() {
    let scratch = large("compress");
    let report = scratch.pual("compress large.pual --rows train.csv --label-column label -o small.pual --json").json();
    assert_eq!(report["small"]["bytes"], size(&scratch, "small.pual"));
    assert_eq!(report["large"]["bytes"], size(&scratch, "large.pual"));
    assert!(4 * size(&scratch, "small.pual") < size(&scratch, "large.pual"));
    let compression = &report["compression"];
    assert_eq!(compression["within_tolerance"], true);
    assert_eq!(compression["left_out"].as_array().unwrap().len(), 0);
    let ladder = compression["ladder"].as_array().unwrap();
    let taken: Vec<_> = ladder.iter().filter(|step| step["taken"] == true).collect();
    assert_eq!(taken.len(), 1);
    assert_eq!(taken[0]["bytes"], report["small"]["bytes"]);
    assert!(taken[0]["loss"].as_f64().unwrap() <= 0.005);
    assert!(taken[0]["puf"].as_f64().unwrap() > 1.0);

    let f1 = |model: &str| {
        let command = format!("evaluate {model} test.csv --truth-column truth --json");
        scratch.pual(&command).json()["truth"]["f1"].as_f64().unwrap()
    };
    assert!(f1("small.pual") > f1("large.pual") - 0.02);
    // Names travel with it.
    let inspected = scratch.pual("inspect small.pual --json").json();
    assert_eq!(inspected["features"][0]["name"], "temperature");
    assert_eq!(inspected["encoding"], report["small"]["encoding"]);
    // People are told the same.
    let table = scratch.pual("compress large.pual --rows train.csv -o again.pual").ok();
    assert!(table.contains("<- taken") && table.contains("as trained"), "{table}");
}

#[test]
fn without_rows_it_says_so_and_still_works() {
    let scratch = large("compress-bare");
    let run = scratch.pual("compress large.pual -o small.pual --supports 16 --json");
    assert_eq!(run.json()["rows_given"], false);
    assert!(run.stderr().contains("no rows given"), "{}", run.stderr());
    let evaluated = scratch.pual("evaluate small.pual test.csv --truth-column truth --json").json();
    assert!(evaluated["truth"]["f1"].as_f64().unwrap() > 0.8);
}

#[test]
fn a_budget_is_met_or_the_least_is_named() {
    let scratch = large("compress-budget");
    let command = "compress large.pual --rows train.csv -o small.pual --budget";
    let run = scratch.pual(&format!("{command} 80B"));
    run.ok();
    assert!(run.stderr().contains("carries no names"), "{}", run.stderr());
    assert!(size(&scratch, "small.pual") <= 80);
    let before = scratch.bytes("small.pual");
    scratch
        .pual(&format!("{command} 40B"))
        .fails(1, &["cannot compress large.pual", "--budget", "40 bytes are too few", "smallest"]);
    assert_eq!(scratch.bytes("small.pual"), before);
    scratch.pual("train train.csv --no-tune -o t.pual --budget 40B").fails(1, &["--budget", "40 bytes are too few"]);
    scratch.pual("train train.csv --no-tune -o t.pual --budget 0.2kB").ok();
    assert!(size(&scratch, "t.pual") <= 200);
}

#[test]
fn wrong_files_and_flags_are_named() {
    let scratch = large("compress-wrong");
    let fails = |arguments: &str, code: i32, said: &[&str]| {
        scratch.pual(&format!("compress {arguments}")).fails(code, said);
    };
    fails("nothing.pual -o s.pual", 1, &["cannot read nothing.pual"]);
    fails("train.csv -o s.pual", 1, &["train.csv is not a usable model"]);
    fails("large.pual --rows no.csv -o s.pual", 1, &["--rows no.csv"]);
    scratch.write("other.csv", "temperature,humidity\n1,2\n");
    fails("large.pual --rows other.csv -o s.pual", 1, &["other.csv", "slope"]);
    scratch.write("empty.csv", "temperature,slope\n");
    fails("large.pual --rows empty.csv -o s.pual", 1, &["empty.csv"]);
    fails("large.pual -o no/s.pual", 1, &["--output no/s.pual"]);
    fails("large.pual -o s.pual --budget 12floppies", 2, &["--budget", "512B"]);
    fails("large.pual -o s.pual --tolerance 0.5", 2, &["--tolerance", "0.5%"]);
    fails("large.pual -o s.pual --budget 1kB --supports 4", 2, &["--budget", "--supports"]);
    fails("large.pual -o s.pual --encoding i4", 2, &["--encoding", "i16"]);
    let linear = "train train.csv --no-tune --kernel linear -o l.pual";
    scratch.pual(linear).ok();
    fails("l.pual --rows train.csv -o s.pual --encoding i8", 1, &["--encoding", "linear"]);
    assert!(!scratch.path("s.pual").exists());
    scratch.pual("train train.csv -o m.pual --no-compress --budget 1kB").fails(2, &["--no-compress", "--budget"]);
}

#[test]
fn training_shows_the_ladder_and_obeys_the_size() {
    let scratch = Scratch::new("train-sizes");
    scratch.cold_chain();
    let train = |flags: &str| {
        let command = format!("train train.csv --no-tune -o m.pual --json {flags}");
        scratch.pual(&command).json()
    };
    let default = train("");
    assert!(default["compression"]["ladder"].as_array().unwrap().len() > 3);
    assert_eq!(default["bytes"], size(&scratch, "m.pual"));
    assert_eq!(default["encoding"], "i8");
    assert_eq!(default["trained_supports"], 64);
    let exact = train("--supports 10 --encoding i16");
    assert_eq!((&exact["supports"], &exact["encoding"]), (&10.into(), &"i16".into()));
    let whole = train("--no-compress");
    assert_eq!((&whole["supports"], &whole["encoding"]), (&64.into(), &"f32".into()));
    assert!(whole.get("compression").is_none());
    assert_eq!(train("--no-compress --supports 12")["supports"], 12);
    let wide = train("--tolerance 20%");
    assert!(wide["bytes"].as_u64() <= default["bytes"].as_u64());
}

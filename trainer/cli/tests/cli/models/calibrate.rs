//! `pual calibrate`, and `--threshold` of `score` and `evaluate`: the cut is the user's.

use crate::Scratch;
use pual_infer::{Encoding, ModelBytes, ModelSpec, SpecKernel, encode, encode_fixed};
use serde_json::Value;

/// Trained, and 800 checked rows.
fn trained(test: &str) -> Scratch {
    let scratch = Scratch::with_model(test);
    scratch.pual("synth cold-chain --seed 2 --truth-column truth -o checked.csv").ok();
    scratch
}

/// The places where two files differ.
fn differing(a: &[u8], b: &[u8]) -> Vec<usize> {
    assert_eq!(a.len(), b.len());
    (0..a.len()).filter(|&at| a[at] != b[at]).collect()
}

fn number(json: &Value, name: &str) -> f64 {
    json[name].as_f64().unwrap_or_else(|| panic!("no {name} in {json}"))
}

#[test]
fn without_a_target_it_shows_the_trade_off_and_writes_nothing() {
    let scratch = trained("calibrate-shows");
    let before = scratch.files();
    let run = scratch.pual("calibrate m.pual checked.csv");
    let said = run.says(&["m.pual, threshold 0", "800 in checked.csv:", "now", "best F1", "false alarms", "±"]);
    assert_eq!(run.stderr(), "");
    assert!(said.lines().all(|line| line.chars().count() <= 80), "{said}");
    let (_, table) = said.split_once("threshold  called").unwrap();
    let rows = table.split_once("\n\n").unwrap().0.lines().skip(1).count();
    assert!((8..=12).contains(&rows), "{said}");
    // A target without a place to write to writes nothing either, and says so.
    scratch.pual("calibrate m.pual checked.csv --recall 0.9").says(&["(new)", "nothing: --output"]);
    assert_eq!(scratch.files(), before);
    scratch.pual("calibrate m.pual checked.csv -o x").fails(2, &["--recall", "--false-alarms", "--best-f1"]);
    scratch.pual("calibrate m.pual checked.csv --recall 0.9 --best-f1").fails(2, &["cannot be used with"]);
    for wrong in ["--recall 0", "--recall 95", "--recall nan", "--false-alarms=-1", "--threshold nan"] {
        scratch.pual(&format!("calibrate m.pual checked.csv {wrong}")).fails(2, &["expected a number"]);
    }
    assert_eq!(scratch.files(), before);
}

#[test]
fn a_new_threshold_is_what_score_and_evaluate_then_use() {
    let scratch = trained("calibrate-writes");
    let json = scratch.pual("calibrate m.pual checked.csv --recall 0.97 -o new.pual --json").json();
    let chosen = &json["chosen"];
    assert!(number(chosen, "recall") >= 0.97 && number(chosen, "recall_error") > 0.0);
    assert_eq!((&json["output"], &json["rows"]), (&"new.pual".into(), &800.into()));
    assert!(json["table"].as_array().unwrap().contains(chosen));
    let threshold = number(chosen, "threshold");
    assert_ne!(threshold, number(&json["current"], "threshold"));

    let evaluate =
        |flags: &str| scratch.pual(&format!("evaluate {flags} checked.csv --truth-column truth --json")).json();
    let evaluated = evaluate("new.pual");
    assert_eq!(evaluated["called_positive"], chosen["called"]);
    assert_eq!(evaluated["truth"]["recall"], chosen["recall"]);
    assert_eq!(evaluate(&format!("m.pual --threshold {threshold}")), evaluated);
    assert_eq!(evaluate("new.pual --threshold 0"), evaluate("m.pual"));
    scratch
        .pual("evaluate new.pual checked.csv --truth-column truth")
        .says(&[&format!("threshold         {threshold}")]);

    let score = |flags: &str| scratch.pual(&format!("score {flags} checked.csv --only-scores")).ok();
    let new = score("new.pual");
    assert_eq!(score(&format!("m.pual --threshold {threshold}")), new);
    assert_eq!(score("new.pual --threshold 0"), score("m.pual"));
    let scores =
        |text: &str| -> Vec<String> { text.lines().map(|line| line.split(',').next().unwrap().into()).collect() };
    assert_eq!(scores(&new), scores(&score("m.pual")), "scores keep their bits");
    assert_ne!(new, score("m.pual"));
    for line in score("m.pual --threshold -0.5").lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(cells[1] == "1", cells[0].parse::<f32>().unwrap() > -0.5, "{line}");
    }
    scratch.pual("score m.pual checked.csv --threshold inf").fails(2, &["--threshold", "expected a number"]);
    // What makes it smaller keeps the threshold.
    scratch.pual("compress new.pual --rows train.csv --supports 3 -o small.pual").ok();
    let small = scratch.pual("inspect small.pual --json").json();
    assert_eq!(number(&small, "threshold"), number(&scratch.pual("inspect new.pual --json").json(), "threshold"));
}

#[test]
fn every_other_byte_of_every_kind_of_model_stays() {
    let scratch = Scratch::new("calibrate-bytes");
    scratch.rows(300);
    let spec = ModelSpec {
        kernel: SpecKernel::Rbf { bandwidth: 1.25 },
        offsets: &[5.0, 0.0],
        scales: &[0.25, 0.25],
        coefficients: &[-1.0, -0.5, 0.75],
        supports: &[0.0, 0.25, 0.5, -0.75, 1.75, 1.0],
        bias: 0.125,
        threshold: 0.0,
        envelope: Some((&[-9.0, -60.0], &[25.0, 60.0])),
        names: Some(&["temperature", "slope"]),
        recipe: None,
    };
    let weights = ModelSpec { kernel: SpecKernel::Linear, coefficients: &[1.0], supports: &[1.0, 0.1], ..spec };
    let plain = ModelSpec { names: None, envelope: None, ..spec };
    let models: [(&str, ModelBytes); 5] = [
        ("f32", encode(&spec).unwrap()),
        ("linear", encode(&weights).unwrap()),
        ("i16", encode_fixed(&spec, Encoding::I16).unwrap()),
        ("i8", encode_fixed(&spec, Encoding::I8).unwrap()),
        ("plain", encode_fixed(&plain, Encoding::I8).unwrap()),
    ];
    for (name, bytes) in models {
        // In place, too.
        std::fs::write(scratch.path("m.pual"), &*bytes).unwrap();
        let features = if name == "plain" { "--features temperature,slope" } else { "" };
        let command = format!("calibrate m.pual test.csv {features} --false-alarms 0.1 -o m.pual --json");
        let json = scratch.pual(&command).json();
        let new = scratch.bytes("m.pual");
        let length = bytes.len();
        let changed = differing(&bytes, &new);
        let allowed = |at: &usize| (20..24).contains(at) || (length - 4..length).contains(at);
        assert!(!changed.is_empty() && changed.iter().all(allowed), "{name}: {changed:?}");
        assert!(number(&json["chosen"], "false_alarms") <= 0.1, "{name}");
        let inspected = scratch.pual("inspect m.pual --json").json();
        assert_eq!(inspected["threshold"], json["chosen"]["threshold"], "{name}");
        let with_names = inspected["features"][0]["name"] == "temperature";
        assert_eq!(with_names, name != "plain");
        // And back again.
        let back = format!("calibrate m.pual test.csv {features} --threshold 0 -o m.pual");
        scratch.pual(&back).ok();
        assert_eq!(scratch.bytes("m.pual"), *bytes, "{name}");
    }
}

#[test]
fn a_signed_model_is_refused_by_name() {
    let scratch = trained("calibrate-signed");
    scratch.pual("keygen -o fleet").ok();
    scratch.pual("sign m.pual --key fleet.secret --model-version 3 -o m.signed").ok();
    let refused = scratch.pual("calibrate m.signed checked.csv --recall 0.9 -o x");
    refused.fails(1, &["m.signed is signed", "hint: calibrate the unsigned model", "`pual sign`"]);
    assert!(!scratch.files().contains(&"x".to_owned()));
    // Its scores can still be cut elsewhere.
    scratch.pual("evaluate m.signed checked.csv --truth-column truth --threshold 0.2").ok();
}

#[test]
fn the_page_has_the_figure_and_the_table() {
    let scratch = trained("calibrate-page");
    let command = "calibrate m.pual checked.csv --recall 0.97 -o new.pual --report a/b";
    scratch.pual(command).says(&["report        a/b/calibration.html", "written       new.pual"]);
    let read = || String::from_utf8(scratch.bytes("a/b/calibration.html")).unwrap();
    let html = read();
    for foreign in ["<script", "http://", "https://", "src=", "url(", "@import"] {
        assert!(!html.contains(foreign), "{foreign}");
    }
    let threshold = scratch.pual("inspect new.pual --json").json()["threshold"].to_string();
    for said in [
        format!("pual {command}"),
        "prefers-color-scheme: dark".to_owned(),
        "id=\"tradeoff\"".to_owned(),
        format!("<strong>{threshold}</strong>"),
        format!("<tr class=\"taken\"><th scope=\"row\">{threshold} (new)</th>"),
        format!(">new: {threshold}</text>"),
        "(now".to_owned(),
        "Warnings</h2>\n<p class=\"fine\">None".to_owned(),
    ] {
        assert!(html.contains(&said), "{said}");
    }
    for class in ["recall", "alarms", "precision"] {
        assert_eq!(html.matches(&format!("class=\"{class}\"")).count(), 2, "{class}: curve and key");
    }
    scratch.pual(command).ok();
    assert_eq!(read(), html, "the same bytes");
    // Few rows: the page says so, with advice.
    let few: String = scratch.bytes("checked.csv").iter().map(|&byte| byte as char).collect();
    let few: Vec<&str> = few.lines().take(60).collect();
    scratch.write("few.csv", &few.join("\n"));
    let run = scratch.pual("calibrate m.pual few.csv --report few");
    assert!(run.stderr().starts_with("warning[few-checked-rows]: only "), "{}", run.stderr());
    let html = String::from_utf8(scratch.bytes("few/calibration.html")).unwrap();
    assert!(html.contains("<li><code>few-checked-rows</code>") && html.contains("What to do.</b> Check more rows"));
    scratch.write("taken", "");
    scratch.pual("calibrate m.pual few.csv --report taken").fails(1, &["--report taken", "is a file"]);
}

#[test]
fn rows_far_from_training_are_told_by_score_and_evaluate() {
    let scratch = trained("calibrate-far");
    let text = String::from_utf8(scratch.bytes("checked.csv")).unwrap();
    // In kelvin.
    let kelvin = |(at, line): (usize, &str)| {
        let (first, rest) = line.split_once(',').unwrap();
        let value = first.parse::<f64>().map_or(first.to_owned(), |value| (value + 273.15).to_string());
        format!("{},{rest}\n", if at == 0 { first } else { &value })
    };
    scratch.write("kelvin.csv", &text.lines().enumerate().map(kelvin).collect::<String>());
    let said = "warning[far-from-training]: 800 of 800 rows (100.0 %) are outside the range of the training rows, most often in `temperature`";
    let evaluate = "evaluate m.pual kelvin.csv --truth-column truth";
    for command in ["score m.pual kelvin.csv --json", &format!("{evaluate} --json")] {
        let run = scratch.pual(command);
        assert!(run.stderr().contains(said), "{command}: {}", run.stderr());
        let warnings = &run.json()["warnings"];
        let ids: Vec<&str> = warnings.as_array().unwrap().iter().map(|w| w["id"].as_str().unwrap()).collect();
        assert!(ids.contains(&"far-from-training"), "{command}: {ids:?}");
    }
    let scored = scratch.pual("score m.pual kelvin.csv");
    assert!(scored.stderr().contains(said) && scored.ok().lines().count() == 801);
    assert_eq!(scratch.pual("score m.pual checked.csv").stderr(), "");
    // 19 rows tell nothing.
    let few: Vec<String> =
        String::from_utf8(scratch.bytes("kelvin.csv")).unwrap().lines().take(20).map(Into::into).collect();
    scratch.write("few.csv", &few.join("\n"));
    assert_eq!(scratch.pual("score m.pual few.csv").stderr(), "");
}

#[test]
fn worse_than_calling_every_row_positive_is_told_with_both_figures() {
    let scratch = trained("calibrate-worse");
    let worse = scratch.pual("evaluate m.pual checked.csv --truth-column truth --threshold 5 --json");
    let truth = &worse.json()["truth"];
    let said = format!(
        "warning[worse-than-all-positive]: against the truth F1 is {:.1} %; calling every row positive has {:.1} %\n",
        100.0 * number(truth, "f1"),
        100.0 * number(truth, "f1_of_all_positive")
    );
    assert_eq!(worse.stderr(), said);
    assert_eq!(worse.json()["warnings"][0]["id"], "worse-than-all-positive");
    let calibrated = scratch.pual("calibrate m.pual checked.csv --threshold 5 -o x.pual");
    assert!(calibrated.stderr().ends_with(&said), "{}", calibrated.stderr());
    // Training: the truth is the opposite of the labels.
    let text = String::from_utf8(scratch.bytes("checked.csv")).unwrap();
    let opposite = |line: &str| match line.rsplit_once(',').unwrap() {
        (rest, "1") => format!("{rest},0\n"),
        (rest, "0") => format!("{rest},1\n"),
        (rest, name) => format!("{rest},{name}\n"),
    };
    scratch.write("opposite.csv", &text.lines().map(opposite).collect::<String>());
    let train = "train opposite.csv --truth-column truth --method gllc --no-tune -o y.pual";
    assert!(scratch.pual(train).stderr().contains("warning[worse-than-all-positive]: "), "training");
}

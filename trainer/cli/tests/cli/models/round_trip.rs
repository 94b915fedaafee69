//! From data to model to scores, by every method.

use crate::{QUICK, Scratch};

/// Methods and solvers, with the least F1 that is acceptable on the cold-chain set; "all positive" has 0.54.
const FITS: [(&str, f64); 11] = [
    ("", 0.9),
    ("--method pual", 0.9),
    ("--ensemble 1", 0.9),
    ("--solver admm", 0.9),
    ("--solver algorithm2", 0.75),
    ("--solver mean", 0.75),
    ("--method gllc", 0.8),
    ("--method bls-svm", 0.8),
    ("--method bsvm", 0.85),
    ("--scaling min-max --supports 16", 0.85),
    // No straight line separates positives on both sides.
    ("--kernel linear", 0.3),
];

#[test]
fn every_method_trains_scores_evaluates_and_inspects() {
    let scratch = Scratch::new("round-trip");
    scratch.rows(300);
    for (flags, least_f1) in FITS {
        let is_ensemble = matches!(flags, "" | "--method pual");
        // A short search will do; an ensemble has none.
        let search = if is_ensemble { "" } else { "--folds 2 --repeats 1" };
        let train = format!("train train.csv -o m.pual --json {flags} {search}");
        let trained = scratch.pual(&train).json();
        if is_ensemble {
            assert_eq!(trained["ensemble"]["averaged"], 80)
        } else {
            assert_eq!(trained["fit"]["status"], "converged", "{flags}")
        }
        assert_eq!(trained["export"]["changed_classes"], 0, "{flags}");
        assert_eq!(trained["features"][1], "slope");

        let evaluated =
            scratch.pual("evaluate m.pual test.csv --truth-column truth --label-column label --json").json();
        let f1 = evaluated["truth"]["f1"].as_f64().unwrap();
        assert!(f1 >= least_f1, "{flags}: {f1}");
        let labels = |name: &str| evaluated["labels"][name].as_f64().unwrap();
        let puf = labels("recall").powi(2) / labels("positive_rate");
        assert!((labels("puf") - puf).abs() < 1e-12, "{flags}");

        // Scores and evaluation agree.
        let scored = scratch.pual("score m.pual test.csv").ok();
        let mut lines = scored.lines();
        assert_eq!(lines.next(), Some("temperature,slope,label,truth,score,class,outside_envelope"));
        let mut called = 0;
        for line in lines {
            let cells: Vec<&str> = line.split(',').collect();
            let score: f32 = cells[4].parse().unwrap();
            assert_eq!(cells[5], if score > 0.0 { "1" } else { "0" });
            called += u64::from(score > 0.0);
        }
        assert_eq!(evaluated["called_positive"], called);

        let inspected = scratch.pual("inspect m.pual --json").json();
        assert_eq!(inspected["bytes"], trained["bytes"]);
        let size = std::fs::metadata(scratch.path("m.pual")).unwrap().len();
        assert_eq!(inspected["bytes"], size);
        let parts = inspected["bytes_by_part"].as_array().unwrap();
        let sum: u64 = parts.iter().map(|part| part["bytes"].as_u64().unwrap()).sum();
        assert_eq!(sum, size);
        let header = match inspected["encoding"].as_str() {
            Some("f32") => 28,
            _ => 32,
        };
        assert_eq!(parts[0]["bytes"], header, "the header's length is part of the format");
        assert_eq!(inspected["supports"].as_array().unwrap().len() as u64, trained["supports"].as_u64().unwrap());
        assert_eq!(inspected["cores"].as_array().unwrap().len(), 5);
    }
}

#[test]
fn the_tables_say_what_the_json_says() {
    let scratch = Scratch::new("tables");
    scratch.rows(300);
    let cases: [(&str, &[&str]); 4] = [
        (
            "train train.csv -o m.pual --method pual",
            &[
                "the 80 best of 256 models, on 300 rows",
                "standard errors above unlabeled ones",
                "(estimated, of unlabeled rows)",
                "m.pual, ",
            ],
        ),
        (
            "train train.csv --method pual --no-tune -o m.pual",
            &[
                "PUAL, exact solver, rbf kernel",
                "converged after",
                "duality gap",
                "0 of 300 classes changed",
                "m.pual, ",
            ],
        ),
        ("evaluate m.pual test.csv --truth-column truth", &["(calling every row positive: "]),
        ("inspect m.pual --supports", &["temperature", "Cortex-M4F", "Cortex-M0", "support  coefficient"]),
    ];
    for (command, said) in cases {
        scratch.pual(command).says(said);
    }
}

#[test]
fn support_instances_are_shown_in_raw_units() {
    let scratch = Scratch::with_model("raw-units");
    let five = format!("train train.csv -o m.pual --supports 5 --no-compress {QUICK}");
    scratch.pual(&five).ok();
    let inspected = scratch.pual("inspect m.pual --json").json();
    let rows = std::fs::read_to_string(scratch.path("train.csv")).unwrap();
    let rows: Vec<Vec<f64>> =
        rows.lines().skip(1).map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect()).collect();
    for support in inspected["supports"].as_array().unwrap() {
        let value = |at: usize| support["values"][at].as_f64().unwrap();
        let near = |row: &Vec<f64>| (0..2).all(|at| (row[at] - value(at)).abs() < 1e-4);
        assert!(rows.iter().any(near), "{support} is no training row");
    }
}

#[test]
fn the_bytes_do_not_depend_on_the_threads_and_do_on_the_seed() {
    let scratch = Scratch::new("threads");
    scratch.pual("synth trifurcate --rows 3000 -o train.csv").ok();
    for method in ["pual", "gllc", "bls-svm", "bsvm"] {
        let train = |flags: &str| {
            let command = format!("train train.csv -o m.pual --no-tune --method {method} --supports 96 {flags}");
            scratch.pual(&command).ok();
            scratch.bytes("m.pual")
        };
        let one = train("--threads 1");
        assert!(one == train("--threads 3"), "{method}, 3 threads");
        assert!(one != train("--seed 1"), "{method}, another seed");
    }
}

#[test]
fn standard_input_and_gzip_are_files_like_any_other() {
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;
    let scratch = Scratch::with_model("stdin");
    let text = scratch.bytes("test.csv");
    let from_file = scratch.pual("score m.pual test.csv").ok();
    assert_eq!(scratch.pual_with_input("score m.pual -", &text).ok(), from_file);
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(&text).unwrap();
    let packed = packed.finish().unwrap();
    assert_eq!(scratch.pual_with_input("score m.pual -", &packed).ok(), from_file);

    let train = scratch.bytes("train.csv");
    let from_input = format!("train - -o n.pual {QUICK}");
    scratch.pual_with_input(&from_input, &train).ok();
    let model = |name| scratch.bytes(name);
    assert_eq!(model("m.pual"), model("n.pual"));
}

#[test]
fn columns_are_found_by_name_wherever_they_stand() {
    let scratch = Scratch::with_model("columns");
    let scores = |csv: &str| {
        scratch.write("rows.csv", csv);
        scratch.pual("score m.pual rows.csv --only-scores").ok()
    };
    let plain = scores("temperature,slope\n4.5,0\n12,1.5\n");
    assert_eq!(plain.lines().next(), Some("score,class,outside_envelope"));
    let noisy = scores("time,slope,note,temperature\n1,0,\"a, b\",4.5\n2,1.5,x,12\n");
    assert_eq!(plain, noisy);
    // Other columns are copied unchanged; other names work with --features.
    scratch.write("rows.csv", "note,t,s\n\"a, b\",4.5,0\n");
    let copied = scratch.pual("score m.pual rows.csv --features t,s").ok();
    let first = copied.lines().nth(1).unwrap();
    let score = plain.lines().nth(1).unwrap();
    assert_eq!(first, format!("\"a, b\",4.5,0,{score}"));
    // Readings outside the training range are flagged.
    let far = scores("temperature,slope\n60,0\n");
    assert!(far.lines().nth(1).unwrap().ends_with(",1"), "{far}");
}

//! `pual compare`, and `--method auto` which follows it.

#[path = "cli/scratch.rs"]
mod scratch;

use scratch::Scratch;
use serde_json::Value;

/// A folder with training rows in it whose column `truth` is known.
fn scratch(test: &str) -> Scratch {
    let scratch = Scratch::new(test);
    scratch.pual("synth cold-chain --rows 300 --truth-column truth -o train.csv").ok();
    scratch
}

#[test]
fn auto_trains_what_the_comparison_takes() {
    let folder = scratch("auto");
    let compared = folder.pual("compare train.csv --ignore truth --json").json();
    let methods = compared["methods"].as_array().unwrap();
    let names: Vec<&str> = methods.iter().map(|m| m["method"].as_str().unwrap()).collect();
    let expected = ["ensemble", "PUAL ensemble", "PUAL", "GLLC", "BLS-SVM", "BSVM", "uPU", "nnPU"];
    assert_eq!(names[..8], expected);
    assert_eq!(names[8..], ["WUS-SVM", "LLSVM", "imbalanced nnPU", "Spy-SVM"]);
    let number = |method: &Value, key: &str| method["result"][key].as_f64().unwrap();
    // No single model leads clearly here, so the better of the ensembles is taken.
    let clearly = |single: &Value| {
        number(single, "puf") - 4.0 * number(single, "puf_standard_error") > number(&methods[0], "puf")
    };
    assert!(!methods[2..].iter().any(clearly));
    let first = number(&methods[0], "score") >= number(&methods[1], "score");
    assert_eq!(compared["recommended"], expected[usize::from(!first)]);

    let trained = folder.pual("train train.csv --ignore truth --no-compress -o auto.pual --json").json();
    assert_eq!(trained["method"], "ensemble");
    assert_eq!(trained["bytes"], methods[0]["result"]["bytes"]);
    assert_eq!(trained["ensemble"]["puf"], methods[0]["result"]["puf"]);
    let pual_only = "train train.csv --ignore truth --method pual -o pual.pual --json";
    let trained = folder.pual(pual_only).json();
    assert_eq!(trained["method"], "PUAL ensemble");
    assert_eq!(trained["ensemble"]["puf"], methods[1]["result"]["puf"]);
}

#[test]
fn auto_among_single_models_takes_the_best_by_the_rule() {
    let folder = scratch("auto-one");
    let compared = folder.pual("compare train.csv --ignore truth --json").json();
    let margin = &compared["methods"].as_array().unwrap()[2..6];
    let score = |method: &&Value| method["result"]["score"].as_f64().unwrap();
    let by_score = |a: &&Value, b: &&Value| score(a).total_cmp(&score(b));
    let best = margin.iter().max_by(by_score).unwrap();
    let trained = folder.pual("train train.csv --ignore truth --ensemble 1 --no-compress -o auto.pual --json").json();
    assert_eq!(trained["method"], best["method"]);
    for setting in ["c_u", "lambda", "bandwidth"] {
        assert_eq!(trained["settings"][setting], best["result"][setting]);
    }
    assert_eq!(trained["bytes"], best["result"]["bytes"]);
    // And so does the method by itself, on the same folds.
    let name = best["method"].as_str().unwrap().to_lowercase();
    let one = match name.as_str() {
        "pual" => "--ensemble 1",
        _ => "",
    };
    folder.pual(&format!("train train.csv --ignore truth --method {name} {one} --no-compress -o one.pual")).ok();
    let bytes = |name| folder.bytes(name);
    assert!(bytes("auto.pual") == bytes("one.pual"));
}

#[test]
fn the_truth_is_shown_and_changes_nothing_else() {
    let folder = scratch("truth");
    let without_times = |mut report: Value, truth: bool| {
        for method in report["methods"].as_array_mut().unwrap() {
            let result = method["result"].as_object_mut().unwrap();
            assert_eq!(result.remove("f1_of_unlabeled_rows").is_some(), truth);
            result.remove("seconds");
        }
        report
    };
    let plain = folder.pual("compare train.csv --ignore truth --json").json();
    let with_truth = folder.pual("compare train.csv --truth-column truth --json").json();
    // Every truth turned around: F1 becomes nonsense, nothing else moves.
    let rows = std::fs::read_to_string(folder.path("train.csv")).unwrap();
    let turned = rows.lines().map(|line| match line.rsplit_once(',') {
        Some((rest, "1")) => format!("{rest},0\n"),
        Some((rest, "0")) => format!("{rest},1\n"),
        _ => format!("{line}\n"),
    });
    folder.write("turned.csv", &turned.collect::<String>());
    let inverted = folder.pual("compare turned.csv --truth-column truth --json").json();
    let f1 = |report: &Value| report["methods"][0]["result"]["f1_of_unlabeled_rows"].clone();
    assert_ne!(f1(&with_truth), f1(&inverted));
    let plain = without_times(plain, false);
    assert_eq!(plain, without_times(with_truth, true));
    assert_eq!(plain, without_times(inverted, true));
}

#[test]
fn the_table_names_the_one_to_take_and_why() {
    let folder = scratch("table");
    let table = folder.pual("compare train.csv --truth-column truth").ok();
    let header = table.lines().next().unwrap();
    for column in ["PUF", "F1 of unlabeled", "bandwidth", "C_u", "prior", "bytes", "seconds"] {
        assert!(header.contains(column), "no {column} in {header}");
    }
    let take = table.lines().find(|line| line.starts_with("take ")).unwrap();
    assert!(take.contains("no single model is clearly better"), "{take}");
}

#[test]
fn methods_with_a_class_prior_show_it_or_take_the_given_one() {
    let folder = scratch("prior");
    for (method, has_weights) in [("upu", false), ("nnpu", false), ("imbalanced-nnpu", false), ("llsvm", true)] {
        let train = format!("train train.csv --ignore truth --method {method} -o m.pual --json");
        let estimated = &folder.pual(&train).json()["settings"];
        let number = |value: &Value| value.as_f64().unwrap();
        let (low, high) = (number(&estimated["prior_interval"][0]), number(&estimated["prior_interval"][1]));
        let prior = number(&estimated["prior"]);
        assert!(low <= prior && prior <= high && low < high, "{estimated}");
        assert_eq!(estimated["c_u"].is_null(), !has_weights);
        let given = &folder.pual(&format!("{train} --prior 0.4")).json()["settings"];
        assert_eq!(given["prior"], 0.4);
        assert!(given["prior_interval"].is_null());
        let evaluated = folder.pual("evaluate m.pual train.csv --truth-column truth --json").json();
        let f1 = number(&evaluated["truth"]["f1"]);
        assert!(f1 > 0.8, "{method}: {f1}");
    }
}

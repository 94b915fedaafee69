//! `train --report`: where the page goes, what is on it, and that it is reproducible. A browser test checks how it looks.

use crate::Scratch;

/// Quick to train, and with a search to show.
const QUICK: &str = "train train.csv -o m.pual --method bls-svm --repeats 1 --folds 2";

fn page(scratch: &Scratch, directory: &str) -> String {
    String::from_utf8(scratch.bytes(&format!("{directory}/report.html"))).unwrap()
}

#[test]
fn one_page_that_needs_nothing_else() {
    let scratch = Scratch::new("report");
    scratch.cold_chain();
    let model = {
        scratch.pual(QUICK).ok();
        scratch.bytes("m.pual")
    };
    let said = scratch.pual(&format!("{QUICK} --report a/b")).ok();
    assert!(said.ends_with("\nreport: a/b/report.html\n"), "{said}");
    assert_eq!(scratch.bytes("m.pual"), model, "a report changes nothing");
    assert_eq!(scratch.files(), ["a", "m.pual", "test.csv", "train.csv"]);
    let inside = std::fs::read_dir(scratch.path("a/b")).unwrap().count();
    assert_eq!(inside, 1, "nothing but the page");
    let html = page(&scratch, "a/b");
    for foreign in ["<script", "http://", "https://", "src=", "url(", "@import"] {
        assert!(!html.contains(foreign), "{foreign}");
    }
    for said in [
        "pual train train.csv -o m.pual --method bls-svm --repeats 1 --folds 2 --report a/b",
        "labels in column label",
        "temperature, slope",
        "PUF over the settings of BLS-SVM",
        "Warnings</h2>\n<p class=\"fine\">None",
        "Cortex-M33",
        concat!("pual ", env!("CARGO_PKG_VERSION")),
    ] {
        assert!(html.contains(said), "{said}");
    }
    // What the report says of the model is what the file holds.
    let inspected = scratch.pual("inspect m.pual --json").json();
    let checksum = inspected["checksum"].as_str().unwrap();
    assert!(html.contains(&format!("<dd>{checksum}</dd>")));
    let bytes = inspected["bytes"].as_u64().unwrap();
    assert_eq!(model.len() as u64, bytes);
    assert!(html.contains(&format!("<strong>{bytes} bytes</strong>")));
}

#[test]
fn the_same_command_gives_the_same_bytes_on_any_number_of_threads() {
    let scratch = Scratch::new("report-same");
    scratch.rows(120);
    let report = |flags: &str| {
        let command = format!("train train.csv -o m.pual --report out {flags}");
        scratch.pual(&command).ok();
        page(&scratch, "out")
    };
    let first = report("--seed 4 --threads 1");
    assert!(report("--seed 4 --threads 3") == first, "3 threads");
    assert!(report("--seed 5") != first, "another seed");
}

#[test]
fn warnings_come_with_their_names_and_with_advice() {
    let scratch = Scratch::new("report-warnings");
    scratch.cold_chain();
    let csv = String::from_utf8(scratch.bytes("train.csv")).unwrap();
    let with_unit: String = (csv.lines().enumerate())
        .map(|(at, line)| format!("{},{line}\n", if at == 0 { "unit" } else { "7" }))
        .collect();
    scratch.write("unit.csv", &with_unit);
    let run = scratch.pual("train unit.csv -o m.pual --method bls-svm --no-tune --supports 1 --report out --json");
    let json = run.json();
    let html = page(&scratch, "out");
    let told: Vec<String> =
        (run.stderr().lines()).filter_map(|line| line.strip_prefix("warning[")).map(str::to_owned).collect();
    assert!(told.len() >= 2, "{told:?}");
    assert_eq!(json["warnings"].as_array().unwrap().len(), told.len());
    for warning in &told {
        let (id, _) = warning.split_once("]: ").unwrap();
        assert!(html.contains(&format!("<li><code>{id}</code>")), "{id}");
    }
    assert!(told[0].starts_with("constant-column]"));
    assert_eq!(html.matches("What to do.").count(), told.len());
    assert!(html.contains("Nothing was searched for"));
}

#[test]
fn a_place_where_no_page_can_be_is_named_before_the_work_begins() {
    let scratch = Scratch::new("report-place");
    scratch.cold_chain();
    scratch.write("taken", "");
    scratch.pual(&format!("{QUICK} --report taken")).fails(1, &["--report taken", "is a file", "name a directory"]);
    scratch.pual(&format!("{QUICK} --report taken/deeper")).fails(1, &["--report taken/deeper", "taken is a file"]);
    std::fs::create_dir_all(scratch.path("odd/report.html")).unwrap();
    scratch.pual(&format!("{QUICK} --report odd")).fails(1, &["--report odd", "report.html"]);
    assert_eq!(scratch.files(), ["odd", "taken", "test.csv", "train.csv"], "nothing was trained");
}

#[test]
fn a_page_is_replaced_whole() {
    let scratch = Scratch::new("report-replaced");
    scratch.cold_chain();
    std::fs::create_dir(scratch.path("out")).unwrap();
    scratch.write("out/report.html", "an old page");
    scratch.write("out/notes.txt", "of the user");
    scratch.pual(&format!("{QUICK} --report out")).ok();
    assert!(page(&scratch, "out").starts_with("<!doctype html>"));
    assert_eq!(scratch.bytes("out/notes.txt"), b"of the user");
    assert_eq!(std::fs::read_dir(scratch.path("out")).unwrap().count(), 2);
}
